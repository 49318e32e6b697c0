#include "command_line/graph_callable.h"

#include <algorithm>
#include <optional>

#include "function/graph_part.h"
#include "graph/edge_name.h"
#include "saved_model/graph_file.h"
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

struct Ends {
  std::vector<std::string> input_names, input_tensors;
  std::vector<std::string> output_names, output_tensors;
};

// Names of tensors that were given, each called by its name.
std::optional<std::vector<std::string>> Given(const Arguments& arguments,
                                              std::string_view option) {
  if (!arguments.Has(option)) return std::nullopt;
  return NamesIn(arguments.Value(option));
}

Ends EndsOf(const proto::GraphDef& graph, const Arguments& arguments) {
  GraphEnds found = EndsOfGraph(graph, Given(arguments, kFeedOption.name),
                                Given(arguments, kFetchOption.name));
  return {found.feeds, found.feeds, found.fetches, found.fetches};
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
  if (arguments.Has("fetch") || arguments.Has("feed")) return "";
  const auto& signatures = files.meta.signature_def;
  if (signatures.contains(kDefaultSignature)) return kDefaultSignature;
  std::vector<std::string> names;
  for (const auto& [name, signature] : signatures) {
    if (name != kInitSignature) names.push_back(name);
  }
  return names.size() == 1 ? names[0] : "";
}

// The function of a saved model as it is loaded, with its values.
Ref<ConcreteFunction> OfLoaded(const ModelFiles& files,
                               const Arguments& arguments, const Ends& ends,
                               std::shared_ptr<void>* keep) {
  const std::shared_ptr<LoadedModel> model =
      MustRead(LoadedModel::Load(files.path, TagsOf(arguments)));
  const Ref<FuncGraph> graph = model->graph();
  const auto find = [&](const std::string& name) {
    EdgeName edge;
    Node* const node = edge.Parse(name, false)
                           ? graph->graph()->FindNode(std::string(edge.node))
                           : nullptr;
    if (node == nullptr || edge.index >= node->num_outputs()) {
      throw Failure::Make(Exit::kDamaged, "{}: the graph has no '{}'",
                          files.path, Shown(name));
    }
    return ImportedElement{node, static_cast<int>(edge.index)};
  };
  std::vector<Output> feeds;
  for (const std::string& name : ends.input_tensors) {
    const ImportedElement found = find(name);
    feeds.push_back({found.node, found.index});
  }
  std::vector<ImportedElement> fetches;
  for (const auto& name : ends.output_tensors) fetches.push_back(find(name));
  const GraphPart part =
      Must(Exit::kFailed,
           GraphPart::Between(graph.get(), std::move(feeds), std::move(fetches),
                              GraphPart::Unfed::kMustBeFed));
  *keep = model;
  return Must(Exit::kFailed, part.ToFunction("graph", ""));
}

// The same of a graph as a file has it.
Ref<ConcreteFunction> OfFile(const ModelFiles& files, const Ends& ends,
                             std::shared_ptr<void>* keep) {
  StatusOr<GraphSignature> made =
      SignatureOfGraph(files.path, *files.meta.graph_def,
                       {ends.input_tensors, ends.output_tensors});
  if (made.status().code() == Code::kValueError) {
    throw Failure(Exit::kDamaged, made.status());
  }
  GraphSignature found = Must(Exit::kFailed, std::move(made));
  *keep = std::make_shared<GraphSignature>(found);
  return found.signature.function;
}

}  // namespace

Callable CallableOfGraph(const ModelFiles& files, const Arguments& arguments) {
  const std::string signature = SignatureOf(files, arguments);
  Ends ends = EndsOf(*files.meta.graph_def, arguments);
  if (!signature.empty()) {
    Ends own = EndsOfSignature(files, signature);
    if (!arguments.Has(kFeedOption.name)) {
      ends.input_names = std::move(own.input_names);
      ends.input_tensors = std::move(own.input_tensors);
    }
    if (!arguments.Has(kFetchOption.name)) {
      ends.output_names = std::move(own.output_names);
      ends.output_tensors = std::move(own.output_tensors);
    }
  }
  if (ends.output_names.empty()) {
    throw Failure::Make(Exit::kUsage,
                        "{}: nothing is computed; name tensors with --fetch.",
                        files.path);
  }
  Callable made;
  made.name = signature.empty() ? files.path : signature;
  made.function = files.kind == ModelKind::kSavedModel
                      ? OfLoaded(files, arguments, ends, &made.keep)
                      : OfFile(files, ends, &made.keep);
  for (size_t i = 0; i < ends.input_names.size(); ++i) {
    const ArgumentSpec& argument = made.function->arguments()[i];
    made.inputs.push_back(
        {ends.input_names[i], argument.dtype, argument.shape, Tensor()});
  }
  made.outputs = ends.output_names;
  return made;
}

}  // namespace gk::command
