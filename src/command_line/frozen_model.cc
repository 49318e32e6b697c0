#include "command_line/frozen_model.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "command_line/console.h"
#include "framework/op_registry.h"
#include "function/freeze.h"
#include "graph/graph_def.h"
#include "grappler/optimize.h"
#include "io/files.h"
#include "saved_model/save_model.h"
#include "saved_model/value_messages.h"

namespace gk::command {
namespace {

// The root of a model that has no objects.
class EmptyRoot final : public ExportedObject {
 public:
  const void* identity() const override { return this; }
  std::string Text() const override { return "<the model>"; }
  ExportedFacts Facts() override {
    ExportedFacts facts;
    proto::SavedUserObject& user = facts.message.mutable_user_object();
    user.identifier = "_generic_user_object";
    user.version.mut().producer = 1;
    user.version.mut().min_consumer = 1;
    return facts;
  }
};

// As node names may be.
std::string AsNodeName(const std::string& name) {
  std::string made;
  for (const char c : name) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      std::string_view("_.-/\\>").find(c) != std::string::npos;
    made += fits ? c : '_';
  }
  const bool starts = !made.empty() &&
                      (std::isalnum(static_cast<unsigned char>(made[0])) != 0 ||
                       made[0] == '.');
  return starts ? made : "tensor_" + made;
}

// The nodes by the names that they should have.
class NodeNames {
 public:
  explicit NodeNames(proto::GraphDef* graph) : graph_(graph) {
    for (const proto::NodeDef& node : graph->node) used_.insert(node.name);
  }

  // `name`, or with a number if another node has it.
  std::string Unused(const std::string& name) {
    std::string made = AsNodeName(name);
    for (int i = 1; !used_.insert(made).second; ++i) {
      made = Format("{}_{}", AsNodeName(name), i);
    }
    return made;
  }

  void Rename(const std::string& from, const std::string& to) {
    if (from == to) return;
    // Whoever has the name gives it away.
    if (used_.contains(to)) Replace(to, Unused(to + "_node"));
    Replace(from, to);
    used_.insert(to);
  }

 private:
  void Replace(const std::string& from, const std::string& to) {
    for (proto::NodeDef& node : graph_->node) {
      if (node.name == from) node.name = to;
      for (std::string& input : node.input) {
        const bool control = input.starts_with('^');
        const size_t start = control ? 1 : 0;
        const size_t end = std::min(input.find(':'), input.size());
        if (input.substr(start, end - start) == from) {
          input.replace(start, end - start, to);
        }
      }
    }
    used_.erase(from);
  }

  proto::GraphDef* const graph_;
  std::unordered_set<std::string> used_;
};

// A function over this graph, with its results in the order of their names.
ExportedSignature SignatureOfFrozen(const FrozenModel& model) {
  const Callable& callable = model.callable;
  const RewriteGraph graph = model.graph.Clone();
  std::vector<size_t> order(callable.outputs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](size_t i) { return callable.outputs[i]; });
  std::vector<Output> results;
  ExportedSignature signature;
  signature.name = kDefaultSignature;
  auto& fields = signature.trace.outputs.mutable_dict_value().fields;
  for (const size_t i : order) {
    const Output o = graph.results[i];
    const Node::OutputInfo& info = o.node->output(o.index);
    fields[callable.outputs[i]] =
        TensorSpecMessage(callable.outputs[i], info.dtype, info.shape);
    results.push_back(o);
  }
  std::vector<ArgumentSpec> arguments;
  for (size_t i = 0; i < graph.arguments.size(); ++i) {
    const Callable::Input& input = callable.inputs[i];
    graph.arguments[i]->mutable_attrs().Set("_user_specified_name", input.name);
    arguments.push_back({input.name, input.dtype, input.shape});
    if (input.fallback) signature.defaults[input.name] = input.fallback;
  }
  const std::string name =
      "__inference_" + std::string(kDefaultSignature) + "_0";
  signature.trace.function = MakeRef<ConcreteFunction>(
      MakeRef<GraphFunction>(name, graph.graph, graph.arguments, results,
                             graph.control_outputs, AttrMap()),
      std::move(arguments), std::vector<FunctionCapture>());
  return signature;
}

}  // namespace

FrozenModel Frozen(Callable callable) {
  FrozenFunction frozen =
      Must(Exit::kFailed, FreezeVariables(*callable.function));
  if (!frozen.function->captures().empty()) {
    const FunctionCapture& capture = frozen.function->captures()[0];
    throw Failure::Make(
        Exit::kFailed,
        "{} cannot be frozen: it needs {}, which no graph can hold.",
        Shown(callable.name), Shown(NodeText(*capture.placeholder)));
  }
  FrozenModel model;
  model.graph = RewriteGraph::CloneOf(*frozen.function->function());
  model.callable = std::move(callable);
  model.callable.function = std::move(frozen.function);
  return model;
}

void OptimizeFrozen(FrozenModel* model) {
  model->graph =
      Must(Exit::kFailed, Optimize(*model->callable.function->function()));
}

proto::GraphDef GraphDefOfFrozen(const FrozenModel& model) {
  proto::GraphDef graph =
      Must(Exit::kFailed, GraphToGraphDef(*model.graph.graph));
  NodeNames names(&graph);
  const Callable& callable = model.callable;
  std::vector<std::string> results;
  // Under names that stay, while others are given new ones.
  for (size_t i = 0; i < callable.outputs.size(); ++i) {
    const Output o = model.graph.results[i];
    const Node::OutputInfo& info = o.node->output(o.index);
    proto::NodeDef node;
    node.name = names.Unused("result_of_the_function");
    node.op = OpRegistry::Get().The(kIdentity).name;
    node.input = {o.index == 0 ? o.node->name()
                               : Format("{}:{}", o.node->name(), o.index)};
    node.attr["T"].set_type(static_cast<proto::DataType>(info.dtype));
    results.push_back(node.name);
    graph.node.push_back(std::move(node));
  }
  for (size_t i = 0; i < model.graph.arguments.size(); ++i) {
    names.Rename(model.graph.arguments[i]->name(),
                 AsNodeName(callable.inputs[i].name));
  }
  std::unordered_set<std::string> given;
  for (const Callable::Input& input : callable.inputs) {
    given.insert(AsNodeName(input.name));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    std::string name = AsNodeName(callable.outputs[i]);
    if (!given.insert(name).second) name = names.Unused(name);
    names.Rename(results[i], name);
  }
  return graph;
}

void SaveFrozen(const FrozenModel& model, const std::string& folder) {
  if (MustRead(io::Exists(folder))) {
    throw Failure::Make(Exit::kFile, "{} is there already.", folder);
  }
  const ExportedSignature signature = SignatureOfFrozen(model);
  Must(Exit::kFile, SaveModel(std::make_shared<EmptyRoot>(),
                              std::span(&signature, 1), folder));
}

}  // namespace gk::command
