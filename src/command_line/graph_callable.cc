#include "command_line/graph_callable.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "framework/op_registry.h"
#include "function/graph_part.h"
#include "function/user_graph.h"
#include "graph/edge_name.h"
#include "saved_model/loaded_model.h"

namespace gk::command {
namespace {

// "a:0,b" as its parts.
std::vector<std::string> NamesIn(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    names.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return names;
}

// The node that an input ("^a", "a:1") comes from.
std::string_view NodeOf(std::string_view input) {
  if (input.starts_with('^')) input.remove_prefix(1);
  return input.substr(0, input.find(':'));
}

struct Ends {
  std::vector<std::string> input_names, input_tensors;
  std::vector<std::string> output_names, output_tensors;
};

// Placeholders, and what no node takes.
Ends EndsOfGraph(const proto::GraphDef& graph) {
  Ends ends;
  std::unordered_set<std::string_view> taken;
  for (const proto::NodeDef& node : graph.node) {
    for (const std::string& input : node.input) taken.insert(NodeOf(input));
  }
  for (const proto::NodeDef& node : graph.node) {
    const OpRecord* const op = OpRegistry::Get().Find(node.op);
    if (op != nullptr && op->Has(kPlaceholder)) {
      ends.input_names.push_back(node.name);
      ends.input_tensors.push_back(node.name + ":0");
    } else if (!taken.contains(node.name) &&
               (op == nullptr || !op->def->outputs.empty())) {
      ends.output_names.push_back(node.name);
      ends.output_tensors.push_back(node.name + ":0");
    }
  }
  return ends;
}

std::string TensorNameOf(const std::string& file, const std::string& key,
                         const proto::TensorInfo& info) {
  if (info.encoding_case == proto::TensorInfo::EncodingCase::kName) {
    return info.name;
  }
  throw Failure::Make(Exit::kFailed,
                      "{}: '{}' of the signature is made of several tensors; "
                      "name them with --fetch.",
                      file, Shown(key));
}

Ends EndsOfSignature(const ModelFiles& files, const std::string& name) {
  const auto& signatures = files.meta.signature_def;
  const auto found = signatures.find(name);
  if (found == signatures.end()) {
    std::vector<std::string> names;
    for (const auto& [other, signature] : signatures) names.push_back(other);
    throw Failure::Make(
        Exit::kUsage, "{} has no signature '{}'. {}", files.path, Shown(name),
        names.empty() ? "It has none; name what to compute with --fetch."
                      : Format("There are {}.", Shown(JoinText(names, ", "))));
  }
  Ends ends;
  for (const auto& [key, info] : found->second.inputs) {
    ends.input_names.push_back(key);
    ends.input_tensors.push_back(TensorNameOf(files.path, key, info));
  }
  for (const auto& [key, info] : found->second.outputs) {
    ends.output_names.push_back(key);
    ends.output_tensors.push_back(TensorNameOf(files.path, key, info));
  }
  return ends;
}

// The one that is asked for; no name: the graph's own ends.
std::string SignatureOf(const ModelFiles& files, const Arguments& arguments) {
  if (arguments.Has("signature")) return arguments.Value("signature");
  if (arguments.Has("fetch")) return "";
  const auto& signatures = files.meta.signature_def;
  if (signatures.contains(kDefaultSignature)) return kDefaultSignature;
  std::vector<std::string> names;
  for (const auto& [name, signature] : signatures) {
    if (name != kInitSignature) names.push_back(name);
  }
  return names.size() == 1 ? names[0] : "";
}

// A graph, and the elements of it that were asked for.
struct ReadGraph {
  Ref<FuncGraph> graph;
  std::string container;  // of its variables and tables
  std::vector<ImportedElement> elements;
  std::shared_ptr<void> keep;
};

// Nodes as a file has them: they hold no values.
ReadGraph Import(const ModelFiles& files, std::vector<std::string> names) {
  static std::atomic<int64_t> number = 0;
  ReadGraph made;
  made.graph = NewUserGraph();
  made.container = Format("command_line_{}", ++number);
  made.keep = std::make_shared<Ref<FuncGraph>>(made.graph);
  const FuncGraph::Building building(made.graph.get());
  GraphImport import;
  import.prefix.clear();
  import.elements = std::move(names);
  StatusOr<std::vector<ImportedElement>> found =
      ImportInto(made.graph.get(), *files.meta.graph_def, import);
  if (!found.ok()) {
    throw Failure(Exit::kDamaged, found.status().Prepend(files.path + ": "));
  }
  made.elements = *std::move(found);
  return made;
}

// A saved model as it is loaded, with its values.
ReadGraph Load(const ModelFiles& files, const Arguments& arguments,
               const std::vector<std::string>& names) {
  const std::shared_ptr<LoadedModel> model =
      MustRead(LoadedModel::Load(files.path, TagsOf(arguments)));
  ReadGraph made;
  made.graph = model->graph();
  made.keep = model;
  for (const std::string& name : names) {
    EdgeName edge;
    Node* const node =
        edge.Parse(name, false)
            ? made.graph->graph()->FindNode(std::string(edge.node))
            : nullptr;
    if (node == nullptr || edge.index >= node->num_outputs()) {
      throw Failure::Make(Exit::kDamaged, "{}: the graph has no '{}'",
                          files.path, Shown(name));
    }
    made.elements.push_back({node, static_cast<int>(edge.index)});
  }
  return made;
}

}  // namespace

Callable CallableOfGraph(const ModelFiles& files, const Arguments& arguments) {
  const std::string signature = SignatureOf(files, arguments);
  Ends ends = signature.empty() ? EndsOfGraph(*files.meta.graph_def)
                                : EndsOfSignature(files, signature);
  if (arguments.Has("fetch")) {
    ends.output_names = ends.output_tensors = NamesIn(arguments.Value("fetch"));
    for (std::string& tensor : ends.output_tensors) {
      if (tensor.find(':') == tensor.npos) tensor += ":0";
    }
  }
  if (ends.output_names.empty()) {
    throw Failure::Make(Exit::kUsage,
                        "{}: nothing is computed; name tensors with --fetch.",
                        files.path);
  }
  std::vector<std::string> names = ends.input_tensors;
  names.insert(names.end(), ends.output_tensors.begin(),
               ends.output_tensors.end());
  ReadGraph read = files.kind == ModelKind::kSavedModel
                       ? Load(files, arguments, names)
                       : Import(files, names);
  Callable made;
  made.name = signature.empty() ? files.path : signature;
  std::vector<Output> feeds;
  for (size_t i = 0; i < ends.input_names.size(); ++i) {
    const ImportedElement& e = read.elements[i];
    const auto& info = e.node->output(std::max(e.index, 0));
    feeds.push_back({e.node, std::max(e.index, 0)});
    made.inputs.push_back(
        {ends.input_names[i], info.dtype, info.shape, Tensor()});
  }
  std::vector<ImportedElement> fetches(
      read.elements.begin() + ends.input_names.size(), read.elements.end());
  made.outputs = ends.output_names;
  const GraphPart part =
      Must(Exit::kFailed, GraphPart::Between(read.graph.get(), std::move(feeds),
                                             std::move(fetches),
                                             GraphPart::Unfed::kMustBeFed));
  made.function = Must(Exit::kFailed, part.ToFunction("graph", read.container));
  made.keep = std::move(read.keep);
  return made;
}

}  // namespace gk::command
