// graphkiln show: what is in a model.
#include <algorithm>
#include <set>

#include "base/html.h"
#include "command_line/commands.h"
#include "command_line/model_facts.h"
#include "framework/called_functions.h"
#include "framework/op_registry.h"
#include "graph/function_reader.h"
#include "graph/import_graph_def.h"
#include "graph/picture.h"

namespace gk::command {
namespace {

// Of a page: more functions than this that nobody calls are listed alone.
constexpr size_t kMaxPictures = 60;

constexpr auto kDoNotWait = [](FunctionRef<void()> work) { work(); };

// The function of this name, or the only one whose name has this in it.
std::string FunctionNamed(const proto::GraphDef& graph,
                          const std::string& wanted) {
  std::vector<std::string_view> names;
  std::vector<std::string> like;
  for (const proto::FunctionDef& f : graph.library->function) {
    if (f.signature->name == wanted) return wanted;
    names.push_back(f.signature->name);
    if (f.signature->name.find(wanted) != std::string::npos) {
      like.push_back(f.signature->name);
    }
  }
  if (like.size() == 1) return like[0];
  std::string cure;
  if (!like.empty()) {
    cure = Format(
        " {} have it in their names: {}", CountText(like.size(), "function"),
        Shown(JoinText(std::span(like).first(std::min<size_t>(like.size(), 8)),
                       ", ")));
  } else if (const std::string similar = SimilarName(wanted, names);
             !similar.empty()) {
    cure = Format(" Do you mean {}?", Shown(similar));
  }
  throw Failure::Make(Exit::kUsage, "the model has no function '{}'.{}",
                      Shown(wanted), cure);
}

Ref<Graph> GraphOf(const ModelFiles& model) {
  auto graph = MakeRef<Graph>();
  ImportGraphDefOptions options;
  options.unknown_ops = UnknownOps::kCarry;
  options.ops = &*model.meta.meta_info_def->stripped_op_list;
  const auto nodes =
      ImportGraphDef(*model.meta.graph_def, graph.get(), options);
  Must(Exit::kDamaged,
       nodes.ok() ? OkStatus() : nodes.status().Prepend(model.path + ": "));
  return graph;
}

// Borrows `model`.
struct FunctionGraphs {
  explicit FunctionGraphs(const ModelFiles& model)
      : path(model.path),
        reader(*model.meta.graph_def->library,
               &*model.meta.meta_info_def->stripped_op_list) {
    const Status made = reader.Init();
    Must(Exit::kDamaged, made.ok() ? made : made.Prepend(path + ": "));
  }
  Ref<GraphFunction> Read(const std::string& name) {
    StatusOr<Ref<GraphFunction>> read = reader.Read(name);
    if (read.ok()) return *read;
    throw Failure(Exit::kDamaged, read.status().Prepend(path + ": "));
  }
  const std::string path;
  FunctionReader reader;
};

std::string ArgumentsText(const GraphFunction& function) {
  TextTable table("  ", "llll");
  for (const Node* argument : function.arguments()) {
    table.Add({"in", Shown(argument->name()),
               std::string(DataTypeName(argument->output(0).dtype)),
               argument->output(0).shape.PythonString()});
  }
  for (const Output& o : function.results()) {
    const auto& info = o.node->output(o.index);
    table.Add({"out", Shown(Format("{}:{}", o.node->name(), o.index)),
               std::string(DataTypeName(info.dtype)),
               info.shape.PythonString()});
  }
  return table.Text();
}

Json GraphJson(const Graph& graph) {
  Json::List nodes;
  for (const auto& node : graph.nodes()) {
    Json::List inputs, controls, outputs;
    for (const Output& o : node->inputs()) {
      inputs.push_back(Format("{}:{}", o.node->name(), o.index));
    }
    for (const Node* c : node->control_inputs()) controls.push_back(c->name());
    for (int i = 0; i < node->num_outputs(); ++i) {
      outputs.push_back(Format("{} {}", DataTypeName(node->output(i).dtype),
                               node->output(i).shape.PythonString()));
    }
    nodes.push_back(Json::Members{{"name", node->name()},
                                  {"op", node->type()},
                                  {"inputs", inputs},
                                  {"control_inputs", controls},
                                  {"outputs", outputs}});
  }
  return nodes;
}

std::string SvgOf(const Graph& graph) {
  if (graph.num_nodes() == 0) {
    throw Failure::Make(Exit::kFailed, "there is no node to draw.");
  }
  const std::optional<std::string> drawn = GraphSvg(graph, kDoNotWait);
  if (drawn) return *drawn;
  throw Failure::Make(
      Exit::kFailed,
      "no picture could be drawn: it needs the program `dot` of Graphviz "
      "(apt install graphviz), and a graph that is not too large for it. "
      "Choose a smaller part with --function, or --format html, which shows "
      "text where there is no picture.");
}

constexpr char kPageHead[] = R"(<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>%</title><style>
body{font-family:sans-serif;margin:1.5em;color:#222;background:#fff}
pre{background:#f6f6f6;padding:1em;overflow-x:auto}
</style></head><body>
)";
constexpr char kPageEnd[] = "</body></html>\n";

std::string PageHead(const std::string& title) {
  std::string head = kPageHead;
  head.replace(head.find('%'), 1, EscapedHtml(title));
  return head;
}

// The names of the functions that a graph calls, directly or not.
void AddCalled(const Graph& graph, std::set<std::string>* names) {
  for (const auto& node : graph.nodes()) {
    ForEachCalled(*node, [&](const GraphFunction& called) {
      if (names->insert(called.name()).second) {
        AddCalled(called.graph(), names);
      }
    });
  }
}

std::string FunctionPage(const GraphFunction& function) {
  return PageHead(function.name()) + "<h1>" + EscapedHtml(function.name()) +
         "</h1>\n<pre>" + EscapedHtml(ArgumentsText(function)) + "</pre>\n" +
         GraphHtml(function.graph(), function.name(), kDoNotWait) + kPageEnd;
}

std::string ModelPage(const ModelFiles& model) {
  const ModelFacts facts = FactsOf(model);
  std::string page = PageHead(facts.path) + "<h1>" + EscapedHtml(facts.path) +
                     "</h1>\n<pre>" + EscapedHtml(FactsText(facts)) +
                     "</pre>\n";
  // A picture has what its graph calls; functions that nobody calls follow.
  std::set<std::string> drawn;
  const auto draw = [&](const Graph& graph, const std::string& name) {
    AddCalled(graph, &drawn);
    page += GraphHtml(graph, name, kDoNotWait) + "\n";
  };
  if (!model.meta.graph_def->node.empty()) draw(*GraphOf(model), "graph");
  FunctionGraphs functions(model);
  std::vector<Ref<GraphFunction>> others;
  for (const FunctionFacts& f : facts.functions) {
    if (drawn.contains(f.name)) continue;
    others.push_back(functions.Read(f.name));
    AddCalled(others.back()->graph(), &drawn);
  }
  size_t pictures = 0;
  for (const Ref<GraphFunction>& f : others) {
    if (drawn.contains(f->name()) || ++pictures > kMaxPictures) continue;
    draw(f->graph(), f->name());
  }
  return page + kPageEnd;
}

std::string FunctionShown(const ModelFiles& model, const std::string& wanted,
                          const std::string& format) {
  const std::string name = FunctionNamed(*model.meta.graph_def, wanted);
  FunctionGraphs functions(model);
  const Ref<GraphFunction> function = functions.Read(name);
  if (format == "svg") return SvgOf(function->graph());
  if (format == "html") return FunctionPage(*function);
  if (format == "json") {
    Json::List arguments;
    for (const Node* a : function->arguments()) arguments.push_back(a->name());
    return Json(Json::Members{{"name", name},
                              {"arguments", arguments},
                              {"nodes", GraphJson(function->graph())}})
        .Text();
  }
  return Format("Function {}\n", Shown(name)) + ArgumentsText(*function) +
         "\n" + GraphLayers(function->graph(), name);
}

Exit Show(const Arguments& arguments, const Console& console) {
  const ModelFiles model =
      ReadModelFiles(arguments.words()[0], TagsOf(arguments));
  const std::string format = arguments.Value("format", "text");
  std::string text;
  if (arguments.Has("function")) {
    text = FunctionShown(model, arguments.Value("function"), format);
  } else if (format == "svg") {
    text = SvgOf(*GraphOf(model));
  } else if (format == "html") {
    text = ModelPage(model);
  } else if (format == "json") {
    text = FactsJson(FactsOf(model)).Text();
  } else {
    text = FactsText(FactsOf(model));
  }
  console.Print(text);
  return Exit::kDone;
}

constexpr Option kShowOptions[] = {
    {"format", "text|json|svg|html",
     "how to show it; a picture is of the graph, a page has both"},
    {"function", "NAME",
     "one function of the model, by its name or a part of it that no\n"
     "other has: its arguments and nodes"},
    kTagsOption,
};
constexpr Example kShowExamples[] = {
    {"show model", "signatures, variables with their sizes, functions, ops"},
    {"show model --format json | jq '.variables[].name'",
     "the same for programs"},
    {"show model --format html > model.html",
     "a page with pictures of the graph and its functions"},
    {"show training/ckpt-12", "the tensors of a checkpoint"},
};

}  // namespace

const Command kShowCommand = {
    "show",
    "MODEL",
    1,
    1,
    "Shows what is in a model: signatures, variables, functions, assets, ops.",
    "MODEL is the folder of a SavedModel, the prefix of a checkpoint (or a\n"
    "folder with checkpoints: the newest one), or a file with a GraphDef or\n"
    "MetaGraphDef. Ops that this library does not have are marked as unknown.",
    kShowOptions,
    kShowExamples,
    Show};

}  // namespace gk::command
