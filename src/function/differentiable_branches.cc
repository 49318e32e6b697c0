#include "function/differentiable_branches.h"

#include "framework/op_registry.h"
#include "function/graph_edit.h"
#include "function/variant_cache.h"

namespace gk {
namespace {

// `forward` with fake values for the intermediates of other branches around
// its own.
StatusOr<Ref<GraphFunction>> WithFakes(
    const GraphFunction& forward, size_t num_results, size_t own,
    std::span<const Ref<DifferentiableCall>> calls) {
  std::vector<Node*> map;
  Ref<Graph> graph = forward.graph().Clone(&map);
  std::vector<Output> results;
  const auto mine = [&](size_t i) {
    const Output& r = forward.results()[i];
    return Output{map[r.node->id()], r.index};
  };
  for (size_t i = 0; i < num_results; ++i) results.push_back(mine(i));
  for (size_t k = 0; k < calls.size(); ++k) {
    const std::vector<Output>& theirs = calls[k]->forward()->results();
    for (size_t i = num_results; i < theirs.size(); ++i) {
      if (k == own) {
        results.push_back(mine(i));
        continue;
      }
      const Node::OutputInfo& info =
          theirs[i].node->output(theirs[i].index);
      GK_ASSIGN_OR_RETURN(
          Node * fake,
          AddNodeTo(graph.get(), OpRegistry::Get().The(kUndefined), {},
                    {{"dtype", info.dtype}, {"shape", info.shape}}));
      fake->mutable_output(0).handle_data = info.handle_data;
      results.push_back({fake, 0});
    }
  }
  return CloneFunction(forward, std::move(graph), map, std::move(results), {});
}

}  // namespace

StatusOr<Ref<DifferentiableBranches>> DifferentiableBranches::For(
    bool is_if, std::span<const Ref<GraphFunction>> branches,
    const std::vector<bool>& wanted, bool higher_order) {
  std::vector<const GraphFunction*> functions;
  for (const Ref<GraphFunction>& f : branches) functions.push_back(f.get());
  GK_ASSIGN_OR_RETURN(
      Ref<DifferentiableNode> made,
      VariantCache::Get(
          {is_if ? VariantRequest::Kind::kIf : VariantRequest::Kind::kCase,
           functions, wanted, higher_order},
          [&]() -> StatusOr<Ref<DifferentiableNode>> {
            auto node = MakeRef<DifferentiableBranches>();
            GK_RETURN_IF_ERROR(
                node->Make(is_if, branches, wanted, higher_order));
            return Ref<DifferentiableNode>(std::move(node));
          }));
  return Ref<DifferentiableBranches>(
      static_cast<DifferentiableBranches*>(made.get()));
}

Status DifferentiableBranches::Make(
    bool is_if, std::span<const Ref<GraphFunction>> branches,
    const std::vector<bool>& wanted, bool higher_order) {
  is_if_ = is_if;
  num_results_ = branches[0]->results().size();
  first_.push_back(num_results_);
  for (const Ref<GraphFunction>& branch : branches) {
    GK_ASSIGN_OR_RETURN(
        Ref<DifferentiableCall> call,
        DifferentiableCall::For(*branch, wanted, higher_order));
    first_.push_back(first_.back() + call->forward()->results().size() -
                     num_results_);
    calls_.push_back(std::move(call));
  }
  for (size_t k = 0; k < calls_.size(); ++k) {
    GK_ASSIGN_OR_RETURN(
        Ref<GraphFunction> forward,
        WithFakes(*calls_[k]->forward(), num_results_, k, calls_));
    forward_.push_back(std::move(forward));
  }
  return OkStatus();
}

}  // namespace gk
