// graphkiln trim: the ops that models need, for a library with no others.
#include <map>
#include <set>

#include "command_line/commands.h"
#include "command_line/model_files.h"
#include "framework/op_registry.h"
#include "graph/lowered_op.h"
#include "io/files.h"

namespace gk::command {
namespace {

// Collects the ops of what a program that loads the model can run.
class NeededOps {
 public:
  void AddModel(const proto::MetaGraphDef& meta) {
    const proto::GraphDef& graph = *meta.graph_def;
    functions_.clear();
    for (const proto::FunctionDef& f : graph.library->function) {
      functions_.emplace(f.signature->name, &f);
    }
    if (meta.object_graph_def.has()) {
      // Its graph only saves and restores, which loading does without ops.
      for (const auto& [name, function] :
           meta.object_graph_def->concrete_functions) {
        AddFunction(name);
      }
    } else {
      AddNodes(graph.node);
      // A library of functions alone.
      if (graph.node.empty()) {
        for (const proto::FunctionDef& f : graph.library->function) {
          AddFunction(f.signature->name);
        }
      }
    }
    for (; !waiting_.empty();) {
      const proto::FunctionDef* const function = waiting_.back();
      waiting_.pop_back();
      AddNodes(function->node_def);
    }
  }
  const std::set<std::string>& known() const { return known_; }
  // Those of no library, which the model may never run.
  const std::set<std::string>& unknown() const { return unknown_; }

 private:
  // Does nothing for a name that is no function's.
  bool AddFunction(const std::string& name) {
    const auto found = functions_.find(name);
    if (found == functions_.end()) return false;
    if (found->second != nullptr) waiting_.push_back(found->second);
    found->second = nullptr;
    return true;
  }

  void AddNodes(const std::vector<proto::NodeDef>& nodes) {
    using Value = proto::AttrValue::ValueCase;
    for (const proto::NodeDef& node : nodes) {
      if (!AddFunction(node.op)) AddOp(node.op);
      for (const auto& [name, value] : node.attr) {
        if (value.value_case == Value::kFunc) {
          AddFunction(value.func->name);
        } else if (value.value_case == Value::kList) {
          for (const proto::NameAttrList& f : value.list->func) {
            AddFunction(f.name);
          }
        }
      }
    }
  }

  void AddOp(const std::string& name) {
    // Those become If and While, which every library has.
    if (LoweredOpOf(name) != LoweredOp::kNone) return;
    const OpRecord* const op = OpRegistry::Get().Find(name);
    if (op == nullptr) {
      unknown_.insert(name);
    } else if (known_.insert(name).second) {
      // What passes and plans may put in its place.
      for (const std::string_view made : {op->special.op, op->combine}) {
        if (!made.empty()) AddOp(std::string(made));
      }
    }
  }

  // Of the model that is read; null once it was added.
  std::map<std::string, const proto::FunctionDef*> functions_;
  std::vector<const proto::FunctionDef*> waiting_;
  std::set<std::string> known_, unknown_;
};

Exit RunTrim(const Arguments& arguments, const Console& console) {
  NeededOps needed;
  std::string text = "# What these need, for cmake -DGK_OPS=FILE:\n";
  for (const std::string& path : arguments.words()) {
    const ModelFiles model = ReadModelFiles(path, TagsOf(arguments));
    if (model.kind == ModelKind::kCheckpoint) {
      throw Failure::Make(Exit::kUsage,
                          "{} is a checkpoint: it has no graph, and needs no "
                          "ops. Give the model that loads it.",
                          Shown(path));
    }
    needed.AddModel(model.meta);
    text += Format("#   {}\n", Shown(path));
  }
  for (const std::string& op : needed.known()) text += op + "\n";
  if (!needed.unknown().empty()) {
    console.Tell(
        Format("left out, as there are no such ops here: {}\n",
               Shown(JoinText(std::vector<std::string>(needed.unknown().begin(),
                                                       needed.unknown().end()),
                              ", "))));
  }
  if (arguments.Has("output")) {
    Must(Exit::kFile, io::WriteFile(arguments.Value("output"), text));
  } else {
    console.Print(text);
  }
  return Exit::kDone;
}

constexpr Option kTrimOptions[] = {
    {"output", "FILE", "write the list there, not to the standard output"},
    kTagsOption,
};
constexpr Example kTrimExamples[] = {
    {"trim model --output ops.txt",
     "then: cmake --preset runtime -DGK_OPS=ops.txt"},
    {"trim encoder decoder.pb | grep -c '^[A-Z]'",
     "how many ops the two need together"},
};

}  // namespace

const Command kTrimCommand = {
    "trim",
    "MODEL...",
    1,
    1000,
    "Lists the ops that models need, for a runtime that has no others.",
    "Counted are all functions that a program can run which loads the models, "
    "and\n"
    "the ops that optimisation may put in the place of others. What every "
    "runtime\n"
    "has (constants, calls, branches, loops) may stand in the list, too.",
    kTrimOptions,
    kTrimExamples,
    RunTrim};

}  // namespace gk::command
