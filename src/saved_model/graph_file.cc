#include "saved_model/graph_file.h"

#include <atomic>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "framework/op_registry.h"
#include "framework/resource_manager.h"
#include "function/graph_part.h"
#include "function/user_graph.h"
#include "function/user_scopes.h"
#include "graph/edge_name.h"
#include "io/files.h"
#include "proto/text_reader.h"

namespace gk {
namespace {

constexpr std::string_view kMetaGraphEnding = ".meta";
// Of a text: where the first field of a MetaGraphDef stands.
constexpr size_t kStart = 200;

// The node that an input ("^a", "a:1") comes from.
std::string_view NodeOf(std::string_view input) {
  if (input.starts_with('^')) input.remove_prefix(1);
  return input.substr(0, input.find(':'));
}

using NodesByName = std::unordered_map<std::string_view, const proto::NodeDef*>;

// The nodes that these need.
std::unordered_set<std::string_view> Needed(
    const NodesByName& nodes, const std::vector<std::string>& fetches) {
  std::unordered_set<std::string_view> needed;
  std::vector<std::string_view> todo;
  const auto enter = [&](std::string_view input) {
    const std::string_view name = NodeOf(input);
    if (needed.insert(name).second) todo.push_back(name);
  };
  for (const std::string& fetch : fetches) enter(fetch);
  while (!todo.empty()) {
    const std::string_view name = todo.back();
    todo.pop_back();
    const auto node = nodes.find(name);
    if (node == nodes.end()) continue;
    for (const std::string& input : node->second->input) enter(input);
  }
  return needed;
}

std::string EdgeOf(const std::string& tensor) {
  return tensor.find(':') == tensor.npos ? tensor + ":0" : tensor;
}

}  // namespace

StatusOr<GraphFile> ReadGraphFile(const std::string& path) {
  GK_ASSIGN_OR_RETURN(const auto file, io::MapFile(path));
  const std::string_view bytes = file->bytes();
  const bool is_text = proto::LooksLikeText(bytes);
  GraphFile read;
  const auto parse = [&](auto* message) {
    return is_text ? proto::ParseText(bytes, message) : message->Parse(bytes);
  };
  read.is_meta_graph = path.ends_with(kMetaGraphEnding) ||
                       (is_text && bytes.find("meta_info_def") < kStart);
  const Status parsed = read.is_meta_graph ? parse(&read.meta)
                                           : parse(&read.meta.graph_def.mut());
  if (!parsed.ok()) {
    return DataLoss("{} is no graph: {}", path, parsed.message());
  }
  const proto::GraphDef& graph = *read.meta.graph_def;
  if (graph.node.empty() && graph.library->function.empty()) {
    return DataLoss("{} is no graph: it has neither nodes nor functions", path);
  }
  return read;
}

GraphEnds EndsOfGraph(const proto::GraphDef& graph,
                      std::optional<std::vector<std::string>> feeds,
                      std::optional<std::vector<std::string>> fetches) {
  GraphEnds ends;
  NodesByName nodes;
  std::unordered_set<std::string_view> taken;
  for (const proto::NodeDef& node : graph.node) {
    nodes.emplace(node.name, &node);
    for (const std::string& input : node.input) taken.insert(NodeOf(input));
  }
  const auto is_placeholder = [](const proto::NodeDef& node) {
    const OpRecord* const op = OpRegistry::Get().Find(node.op);
    return op != nullptr && op->Has(kPlaceholder);
  };
  if (fetches) {
    ends.fetches = *std::move(fetches);
  } else {
    for (const proto::NodeDef& node : graph.node) {
      const OpRecord* const op = OpRegistry::Get().Find(node.op);
      if (is_placeholder(node) || taken.contains(node.name)) continue;
      if (op == nullptr || !op->def->outputs.empty()) {
        ends.fetches.push_back(node.name);
      }
    }
  }
  if (feeds) {
    ends.feeds = *std::move(feeds);
    return ends;
  }
  const auto needed = Needed(nodes, ends.fetches);
  for (const proto::NodeDef& node : graph.node) {
    if (is_placeholder(node) && needed.contains(node.name)) {
      ends.feeds.push_back(node.name);
    }
  }
  return ends;
}

ReadGraph::ReadGraph() : graph(NewUserGraph()) {
  static std::atomic<int64_t> number = 0;
  container = Format("graph_file_{}", ++number);
}

ReadGraph::~ReadGraph() { ResourceManager::Get().Drop(container); }

StatusOr<GraphSignature> SignatureOfGraph(const std::string& name,
                                          const proto::GraphDef& graph,
                                          const GraphEnds& ends) {
  if (ends.fetches.empty()) {
    return ValueError("{}: no tensor is asked for", name);
  }
  const auto read = std::make_shared<ReadGraph>();
  std::vector<ImportedElement> elements;
  {
    InitScope outside;  // a function may be traced around
    outside.Enter();
    const FuncGraph::Building building(read->graph.get());
    GraphImport import;
    import.prefix.clear();
    for (const auto* names : {&ends.feeds, &ends.fetches}) {
      for (const std::string& t : *names) import.elements.push_back(EdgeOf(t));
    }
    StatusOr<std::vector<ImportedElement>> found =
        ImportInto(read->graph.get(), graph, import);
    if (!found.ok()) return found.status().Prepend(name + ": ");
    elements = *std::move(found);
  }
  const size_t num_feeds = ends.feeds.size();
  std::vector<Output> feeds;
  std::set<std::pair<const Node*, int>> fed;
  for (size_t i = 0; i < num_feeds; ++i) {
    feeds.push_back({elements[i].node, elements[i].index});
    if (!fed.emplace(feeds[i].node, feeds[i].index).second) {
      return ValueError("{}: the tensor '{}' is fed twice", name,
                        ends.feeds[i]);
    }
  }
  elements.erase(elements.begin(), elements.begin() + num_feeds);
  StatusOr<GraphPart> part =
      GraphPart::Between(read->graph.get(), std::move(feeds),
                         std::move(elements), GraphPart::Unfed::kMustBeFed);
  if (!part.ok()) return part.status().Prepend(name + ": ");
  GraphSignature made;
  GK_ASSIGN_OR_RETURN(made.signature.function,
                      part->ToFunction("graph", read->container));
  made.signature.name = name;
  made.signature.inputs = ends.feeds;
  made.signature.outputs = ends.fetches;
  made.graph = read;
  return made;
}

}  // namespace gk
