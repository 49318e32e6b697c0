#include "function/graph_part.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "function/session_streams.h"
#include "function/user_graph.h"
#include "graph/graph_elements.h"
#include "ops/queue/session_tensors.h"

namespace gk {
namespace {

std::string EdgeName(const Output& o) {
  return Format("{}:{}", o.node->name(), o.index);
}

std::string Shown(const ImportedElement& e) {
  return e.index < 0 ? OperationText(*e.node) : EdgeText({e.node, e.index});
}

Status MustBeFed(const Node& node) {
  const Node::OutputInfo& made = node.output(0);
  const std::string shape = made.shape.DebugString();
  return InvalidArgument(
      "You must feed a value for placeholder tensor '{}' with dtype {}{}\n"
      "\t [[{{{{node {}}}}}]]",
      node.name(), DataTypeString(made.dtype),
      made.shape.unknown_rank() ? "" : Format(" and shape {}", shape),
      node.name());
}

// Is its state neither an input nor named by its attributes?
bool KeepsStateOfSession(const Node& node) {
  return node.op().Has(kReadsResource | kWritesResource) &&
         std::ranges::none_of(node.inputs(), [](const Output& o) {
           return o.node->output(o.index).dtype == DataType::kResource;
         });
}

}  // namespace

StatusOr<GraphPart> GraphPart::Between(const FuncGraph* graph,
                                       std::vector<Output> feeds,
                                       std::vector<ImportedElement> fetches,
                                       Unfed unfed, std::vector<bool> done) {
  GraphPart part;
  part.graph_ = graph;
  part.done_ = std::move(done);
  part.feeds_ = std::move(feeds);
  part.fetches_ = std::move(fetches);
  part.needed_.resize(graph->graph()->num_nodes());
  const auto check = [&](const ImportedElement& e) {
    if (graph->graph()->FindNode(e.node->name()) == e.node) return OkStatus();
    return ValueError("{} is not an element of this graph.", Shown(e));
  };
  for (const Output& o : part.feeds_) {
    GK_RETURN_IF_ERROR(check({o.node, o.index}));
  }
  for (const ImportedElement& e : part.fetches_) GK_RETURN_IF_ERROR(check(e));
  std::unordered_set<const Node*> captured;
  for (const FunctionCapture& c : graph->inputs().captures()) {
    captured.insert(c.placeholder);
  }
  const auto is_argument = [&](const Node* node) {
    return std::ranges::find(graph->inputs().arguments(), node) !=
           graph->inputs().arguments().end();
  };
  // What was asked for and what that needs; `by`: the step that needs it.
  struct Step {
    ImportedElement element;
    int by;
  };
  std::vector<Step> steps;
  for (const ImportedElement& e : part.fetches_) steps.push_back({e, -1});
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto [node, index] = steps[i].element;
    const bool fed = std::find(part.feeds_.begin(), part.feeds_.end(),
                               Output{node, index}) != part.feeds_.end();
    if (fed || part.needed_[node->id()] || part.IsDone(*node)) continue;
    if (node->op().Has(kPlaceholder) && !captured.contains(node) &&
        (unfed != Unfed::kCopied || is_argument(node))) {
      if (unfed == Unfed::kMustBeFed) return MustBeFed(*node);
      std::string path;
      int first = static_cast<int>(i);
      for (int at = first; at >= 0; at = steps[at].by) {
        const Node& on = *steps[at].element.node;
        path = Format("{} ({}){}{}", on.name(), on.type(),
                      path.empty() ? "" : " <- ", path);
        first = at;
      }
      return FailedPrecondition(
          "Unable to lift tensor {} because it depends transitively on "
          "placeholder {} via at least one path, e.g.: {}",
          Shown(steps[first].element), Shown({node, -1}), path);
    }
    part.needed_[node->id()] = true;
    for (const Output& o : node->inputs()) {
      steps.push_back({{o.node, o.index}, static_cast<int>(i)});
    }
    for (Node* before : node->control_inputs()) {
      if (part.IsFed(*before) || part.IsDone(*before)) continue;
      steps.push_back({{before, -1}, static_cast<int>(i)});
    }
  }
  return part;
}

bool GraphPart::IsDone(const Node& node) const {
  return static_cast<size_t>(node.id()) < done_.size() && done_[node.id()];
}

// It does not run, then.
bool GraphPart::IsFed(const Node& node) const {
  return node.op().Has(kPlaceholder) &&
         std::any_of(feeds_.begin(), feeds_.end(),
                     [&](const Output& o) { return o.node == &node; });
}

std::string GraphPart::ArgumentName(size_t feed) const {
  const Node& node = *feeds_[feed].node;
  return needed_[node.id()] ? Format("feed_{}", feed) : node.name();
}

StatusOr<TensorVector> GraphPart::CopyInto(FuncGraph* to,
                                           std::span<const Tensor> given,
                                           const std::string& container) const {
  if (given.size() != feeds_.size()) {
    return InvalidArgument("A part of a graph with {} feeds got {} tensors",
                           feeds_.size(), given.size());
  }
  GK_ASSIGN_OR_RETURN(proto::GraphDef message, GraphDefOf(*graph_));
  std::erase_if(message.node, [&](const proto::NodeDef& def) {
    const Node* node = graph_->graph()->FindNode(def.name);
    return node == nullptr || !needed_[node->id()];
  });
  for (proto::NodeDef& def : message.node) {
    std::erase_if(def.input, [&](const std::string& input) {
      if (!input.starts_with('^')) return false;
      // What the message alone has orders the whole function's results.
      const Node* before = graph_->graph()->FindNode(input.substr(1));
      return before == nullptr || !needed_[before->id()];
    });
    if (container.empty()) continue;
    const auto own = def.attr.find("container");
    if (own == def.attr.end()) {
      if (KeepsStateOfSession(*graph_->graph()->FindNode(def.name))) {
        def.attr[std::string(kSessionContainer)].set_s(container);
      }
      continue;
    }
    if (own->second.s.empty()) own->second.set_s(container);
    // A node's own resource is that of all parts of the graph. Variables that
    // name none share one.
    const auto name = def.attr.find("shared_name");
    if (name != def.attr.end() && name->second.s.empty() &&
        !def.attr.contains("debug_name")) {
      name->second.set_s(Format("own/{}", def.name));
    }
  }
  if (!container.empty()) NameStreams(container, &message);
  GraphImport import{.prefix = ""};
  for (size_t i = 0; i < feeds_.size(); ++i) {
    import.input_map[EdgeName(feeds_[i])] = given[i];
  }
  for (const FunctionCapture& c : graph_->inputs().captures()) {
    if (!needed_[c.placeholder->id()]) continue;
    // What the message has the value of stays in it.
    const auto def = std::find_if(message.node.begin(), message.node.end(),
                                  [&](const proto::NodeDef& d) {
                                    return d.name == c.placeholder->name();
                                  });
    if (def == message.node.end() || def->op != c.placeholder->type()) continue;
    // What stands for it may be called the same.
    message.node.erase(def);
    if (!c.external) {
      return InvalidArgument(
          "{}: a value asked for at each call is in no part of the graph",
          c.placeholder->name());
    }
    import.input_map.try_emplace(EdgeName({c.placeholder, 0}), c.external);
  }
  std::vector<std::string> edges;
  for (const auto& [node, index] : fetches_) {
    if (index >= 0) edges.push_back(EdgeName({node, index}));
  }
  GK_ASSIGN_OR_RETURN(TensorVector made,
                      ImportEdges(to, message, std::move(import), edges));
  TensorVector results;
  size_t next = 0;
  for (const ImportedElement& e : fetches_) {
    results.push_back(e.index < 0 ? Tensor() : std::move(made[next++]));
  }
  return results;
}

StatusOr<Ref<ConcreteFunction>> GraphPart::ToFunction(
    const std::string& name, const std::string& container) const {
  auto graph = MakeRef<FuncGraph>(name);
  TensorVector given, results;
  std::vector<ArgumentSpec> arguments;
  for (size_t i = 0; i < feeds_.size(); ++i) {
    const Node::OutputInfo& info = feeds_[i].node->output(feeds_[i].index);
    const std::string argument = ArgumentName(i);
    GK_ASSIGN_OR_RETURN(
        given.emplace_back(),
        graph->inputs().AddArgument(argument, info.dtype, info.shape, argument,
                                    info.handle_data));
    arguments.push_back({argument, info.dtype, info.shape});
  }
  const FuncGraph::Building building(graph.get());
  GK_ASSIGN_OR_RETURN(results, CopyInto(graph.get(), given, container));
  std::erase_if(results, [](const Tensor& t) { return !t; });
  graph->set_signature(SignatureOfTensors(arguments, results.size()));
  return ConcreteFunction::FromFuncGraph(*graph, results);
}

StatusOr<Tensor> CopyOut(const Tensor& tensor, FuncGraph* around) {
  if (!tensor.is_symbolic()) return around->Constant(tensor, {});
  const FuncGraph* const graph = FuncGraph::Of(Graph::GraphOf(tensor));
  if (graph == around) return tensor;
  if (graph == nullptr) {
    return FailedPrecondition("The graph of the value is gone");
  }
  const Output edge = Graph::OutputOf(tensor);
  const std::vector<ImportedElement> wanted = {{edge.node, edge.index}};
  constexpr auto kCopied = GraphPart::Unfed::kCopied;
  GK_ASSIGN_OR_RETURN(GraphPart part,
                      GraphPart::Between(graph, {}, wanted, kCopied));
  std::vector<Output> feeds;
  TensorVector given;
  for (const FunctionCapture& c : graph->inputs().captures()) {
    // Resources are captured by graphs, too.
    if (!c.external || !part.Needs(*c.placeholder) ||
        c.external.dtype() == DataType::kResource) {
      continue;
    }
    GK_ASSIGN_OR_RETURN(given.emplace_back(), CopyOut(c.external, around));
    feeds.push_back({c.placeholder, 0});
  }
  GK_ASSIGN_OR_RETURN(
      part, GraphPart::Between(graph, std::move(feeds), wanted, kCopied));
  GK_ASSIGN_OR_RETURN(const TensorVector copied, part.CopyInto(around, given));
  return copied[0];
}

}  // namespace gk
