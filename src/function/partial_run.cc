#include "function/partial_run.h"

#include <algorithm>

namespace gk {
namespace {

std::string NameOf(const std::pair<Node*, int>& edge) {
  return Format("{}:{}", edge.first->name(), edge.second);
}

// Is a feed or fetch declared, and asked for the first time?
Status CheckDeclared(const char* what, const char* done,
                     const std::map<std::pair<Node*, int>, bool>& declared,
                     const std::pair<Node*, int>& edge) {
  const auto found = declared.find(edge);
  if (found == declared.end()) {
    return InvalidArgument("The {} {} was not specified in partial_run_setup.",
                           what, NameOf(edge));
  }
  if (!found->second) return OkStatus();
  return InvalidArgument("The {} {} has already been {}.", what, NameOf(edge),
                         done);
}

bool Contains(const std::vector<ImportedElement>& elements, const Node* node,
              int index) {
  return std::ranges::any_of(elements, [&](const ImportedElement& e) {
    return e.node == node && e.index == index;
  });
}

bool Reads(const Node& node, const Output& edge) {
  return std::ranges::find(node.inputs(), edge) != node.inputs().end();
}

}  // namespace

StatusOr<PartialRun> PartialRun::Of(Ref<FuncGraph> graph, std::string container,
                                    std::span<const Output> feeds,
                                    std::span<const ImportedElement> fetches) {
  if (fetches.empty()) {
    return InvalidArgument(
        "Must specify at least one target to fetch or execute.");
  }
  GK_ASSIGN_OR_RETURN(
      const GraphPart whole,
      GraphPart::Between(graph.get(), {feeds.begin(), feeds.end()},
                         {fetches.begin(), fetches.end()},
                         GraphPart::Unfed::kCopied));
  PartialRun run(std::move(graph), std::move(container));
  for (const Output& o : feeds) run.fed_.emplace(Edge(o.node, o.index), false);
  for (const ImportedElement& e : fetches) {
    if (e.index < 0) {
      run.targets_.push_back(e.node);
    } else {
      run.fetched_.emplace(Edge(e.node, e.index), false);
    }
  }
  for (const auto& [edge, done] : run.fed_) run.feeds_.push_back(edge);
  for (const auto& [edge, done] : run.fetched_) run.fetches_.push_back(edge);
  for (const auto& node : run.graph_->graph()->nodes()) {
    if (whole.Needs(*node)) run.nodes_.push_back(node.get());
  }
  run.done_.resize(run.graph_->graph()->num_nodes());
  return run;
}

Status PartialRun::Check(std::span<const Output> feeds,
                         std::span<const ImportedElement> fetches) const {
  for (const Output& o : feeds) {
    GK_RETURN_IF_ERROR(
        CheckDeclared("feed", "fed", fed_, Edge(o.node, o.index)));
  }
  for (const ImportedElement& e : fetches) {
    GK_RETURN_IF_ERROR(
        CheckDeclared("fetch", "fetched", fetched_, Edge(e.node, e.index)));
  }
  return OkStatus();
}

Status PartialRun::CheckFed(const ImportedElement& fetch) const {
  std::vector<Output> known = KeptEdges(), unfed;
  for (const Edge& edge : feeds_) {
    if (!kept_.contains(edge)) unfed.push_back({edge.first, edge.second});
  }
  known.insert(known.end(), unfed.begin(), unfed.end());
  GK_ASSIGN_OR_RETURN(const GraphPart part,
                      GraphPart::Between(graph_.get(), known, {fetch},
                                         GraphPart::Unfed::kMustBeFed, done_));
  const bool lacks = std::ranges::any_of(unfed, [&](const Output& o) {
    return o == Output{fetch.node, fetch.index} ||
           std::ranges::any_of(nodes_, [&](const Node* node) {
             return part.Needs(*node) && Reads(*node, o);
           });
  });
  if (!lacks) return OkStatus();
  return InvalidArgument(
      "Fetch {} can't be computed from the feeds that have been fed so far.",
      NameOf({fetch.node, fetch.index}));
}

std::vector<Output> PartialRun::KeptEdges() const {
  std::vector<Output> edges;
  for (const auto& [edge, value] : kept_) {
    edges.push_back({edge.first, edge.second});
  }
  return edges;
}

std::vector<ImportedElement> PartialRun::NeededLater(
    const GraphPart& part) const {
  std::vector<ImportedElement> needed;
  const auto add = [&](Node* node, int index) {
    if (!part.Needs(*node) || kept_.contains({node, index})) return;
    if (!Contains(needed, node, index)) needed.push_back({node, index});
  };
  for (Node* node : nodes_) {
    if (done_[node->id()] || part.Needs(*node)) continue;
    for (const Output& o : node->inputs()) add(o.node, o.index);
  }
  for (const auto& [node, index] : fetches_) add(node, index);
  return needed;
}

StatusOr<TensorVector> PartialRun::Step(
    std::span<const Output> feeds, std::span<const Tensor> values,
    std::span<const ImportedElement> fetches,
    const CancellationToken* cancellation) {
  GK_RETURN_IF_ERROR(Check(feeds, fetches));
  for (size_t i = 0; i < feeds.size(); ++i) {
    const Edge edge(feeds[i].node, feeds[i].index);
    kept_.insert_or_assign(edge, values[i]);
    fed_[edge] = true;
    std::erase(feeds_, edge);
  }
  std::vector<ImportedElement> wanted;
  for (const ImportedElement& e : fetches) {
    if (kept_.contains({e.node, e.index})) continue;
    GK_RETURN_IF_ERROR(CheckFed(e));
    wanted.push_back(e);
  }
  std::erase_if(targets_, [&](Node* target) {
    if (!CheckFed({target, -1}).ok()) return false;
    wanted.push_back({target, -1});
    return true;
  });
  GK_ASSIGN_OR_RETURN(GraphPart part,
                      GraphPart::Between(graph_.get(), KeptEdges(), wanted,
                                         GraphPart::Unfed::kMustBeFed, done_));
  for (const ImportedElement& e : NeededLater(part)) {
    if (!Contains(wanted, e.node, e.index)) wanted.push_back(e);
  }
  GK_ASSIGN_OR_RETURN(part,
                      GraphPart::Between(graph_.get(), KeptEdges(), wanted,
                                         GraphPart::Unfed::kMustBeFed, done_));
  GK_ASSIGN_OR_RETURN(const Ref<ConcreteFunction> function,
                      part.ToFunction("partial_run", container_));
  TensorVector given, made;
  for (const auto& [edge, value] : kept_) given.push_back(value);
  GK_RETURN_IF_ERROR(function->Call(given, &made, cancellation));
  size_t next = 0;
  for (const ImportedElement& e : wanted) {
    if (e.index >= 0) kept_.emplace(Edge(e.node, e.index), made[next++]);
  }
  for (Node* node : nodes_) {
    if (part.Needs(*node)) done_[node->id()] = true;
  }
  TensorVector results;
  for (const ImportedElement& e : fetches) {
    const Edge edge(e.node, e.index);
    results.push_back(kept_.at(edge));
    fetched_[edge] = true;
    std::erase(fetches_, edge);
  }
  std::erase_if(kept_, [&](const auto& entry) {
    const Edge& edge = entry.first;
    if (std::ranges::find(fetches_, edge) != fetches_.end()) return false;
    return std::ranges::none_of(nodes_, [&](const Node* node) {
      return !done_[node->id()] && Reads(*node, {edge.first, edge.second});
    });
  });
  return results;
}

}  // namespace gk
