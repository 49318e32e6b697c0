#include "command_line/graph_callable.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "framework/op_registry.h"
#include "function/graph_part.h"
#include "function/user_graph.h"

namespace gk::command {
namespace {

constexpr char kInitSignature[] = "__saved_model_init_op";
constexpr char kMainOps[] = "saved_model_main_op";
constexpr char kLegacyMainOps[] = "legacy_init_op";

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

class GraphRunner {
 public:
  explicit GraphRunner(const ModelFiles& files)
      : files_(files), graph_(NewUserGraph()), container_(NextContainer()) {}

  const Ref<FuncGraph>& graph() const { return graph_; }

  // Adds the nodes; finds `names` among them.
  std::vector<ImportedElement> Import(const std::vector<std::string>& names) {
    const FuncGraph::Building building(graph_.get());
    GraphImport import;
    import.prefix.clear();
    import.elements = names;
    StatusOr<std::vector<ImportedElement>> found =
        ImportInto(graph_.get(), *files_.meta.graph_def, import);
    if (found.ok()) return *std::move(found);
    throw Failure(Exit::kDamaged, found.status().Prepend(files_.path + ": "));
  }

  Ref<ConcreteFunction> Part(std::vector<Output> feeds,
                             std::vector<ImportedElement> fetches) const {
    const GraphPart part =
        Must(Exit::kFailed, GraphPart::Between(graph_.get(), std::move(feeds),
                                               std::move(fetches),
                                               GraphPart::Unfed::kMustBeFed));
    return Must(Exit::kFailed, part.ToFunction("graph", container_));
  }

 private:
  static std::string NextContainer() {
    static std::atomic<int64_t> number = 0;
    return Format("command_line_{}", ++number);
  }

  const ModelFiles& files_;
  const Ref<FuncGraph> graph_;
  const std::string container_;  // of its variables and tables
};

// What a program of TensorFlow 1 runs after loading: variables get their
// values, then tables theirs.
struct StartingOps {
  std::string restore, file_name;
  std::vector<std::string> init;

  explicit StartingOps(const ModelFiles& files) {
    if (files.kind != ModelKind::kSavedModel) return;
    if (files.values != nullptr && files.meta.saver_def.has()) {
      restore = files.meta.saver_def->restore_op_name;
      file_name = files.meta.saver_def->filename_tensor_name;
    }
    const auto& signatures = files.meta.signature_def;
    if (const auto found = signatures.find(kInitSignature);
        found != signatures.end()) {
      for (const auto& [key, info] : found->second.outputs) {
        init.emplace_back(NodeOf(info.name));
      }
    }
    for (const char* collection : {kMainOps, kLegacyMainOps}) {
      const auto& all = files.meta.collection_def;
      const auto found = all.find(collection);
      if (found == all.end() || !init.empty()) continue;
      for (const std::string& name : found->second.node_list->value) {
        init.emplace_back(NodeOf(name));
      }
    }
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names = init;
    if (!restore.empty()) names.insert(names.end(), {restore, file_name});
    return names;
  }

  void Run(const GraphRunner& runner, const std::string& folder,
           std::span<const ImportedElement> elements) const {
    TensorVector none;
    if (!restore.empty()) {
      const ImportedElement& op = elements[init.size()];
      const ImportedElement& file = elements[init.size() + 1];
      const Ref<ConcreteFunction> part =
          runner.Part({{file.node, file.index}}, {{op.node, -1}});
      const Tensor path = Tensor::Scalar<std::string>(VariablesPath(folder));
      Must(Exit::kDamaged, part->Call(std::span(&path, 1), &none));
    }
    for (size_t i = 0; i < init.size(); ++i) {
      none.clear();
      Must(Exit::kFailed,
           runner.Part({}, {{elements[i].node, -1}})->Call({}, &none));
    }
  }
};

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
  const StartingOps start(files);
  std::vector<std::string> names = start.Names();
  const size_t first = names.size();
  names.insert(names.end(), ends.input_tensors.begin(),
               ends.input_tensors.end());
  names.insert(names.end(), ends.output_tensors.begin(),
               ends.output_tensors.end());
  GraphRunner runner(files);
  const std::vector<ImportedElement> elements = runner.Import(names);
  start.Run(runner, files.path, elements);
  Callable made;
  made.name = signature.empty() ? files.path : signature;
  std::vector<Output> feeds;
  for (size_t i = 0; i < ends.input_names.size(); ++i) {
    const ImportedElement& e = elements[first + i];
    const auto& info = e.node->output(std::max(e.index, 0));
    feeds.push_back({e.node, std::max(e.index, 0)});
    made.inputs.push_back(
        {ends.input_names[i], info.dtype, info.shape, Tensor()});
  }
  std::vector<ImportedElement> fetches(
      elements.begin() + first + ends.input_names.size(), elements.end());
  made.outputs = ends.output_names;
  made.function = runner.Part(std::move(feeds), std::move(fetches));
  made.keep = std::make_shared<Ref<FuncGraph>>(runner.graph());
  return made;
}

}  // namespace gk::command
