// The backward branches of an If or Case: that of each branch calls the
// branch's own backward function.
#include <algorithm>

#include "base/format.h"
#include "function/control_flow.h"
#include "function/differentiable_branches.h"
#include "ops/control/truth.h"

namespace gk {

template <class T>
std::vector<T> DifferentiableBranches::Of(size_t k,
                                          std::span<const T> all) const {
  std::vector<T> mine;
  for (size_t i = 0; i < num_results_ && i < all.size(); ++i) {
    mine.push_back(all[i]);
  }
  for (size_t i = first_[k]; i < first_[k + 1] && i < all.size(); ++i) {
    mine.push_back(all[i]);
  }
  return mine;
}

size_t DifferentiableBranches::Chosen(const Tensor& selector) const {
  if (is_if_) return ValueOrThrow(TruthOf(selector)) ? 0 : 1;
  const int64_t last = calls_.size() - 1;
  const int64_t index = selector.dtype() == DataType::kInt64
                            ? selector.scalar<int64_t>()
                            : selector.scalar<int32_t>();
  return index < 0 || index > last ? last : index;
}

std::vector<Gradient> DifferentiableBranches::Backward(
    std::span<const Tensor> inputs, std::span<const Tensor> outputs,
    std::span<const Gradient> grads, const std::vector<bool>& wanted) {
  const std::span<const Tensor> arguments = inputs.subspan(1);
  const std::vector<bool> argument_wanted(wanted.begin() + 1, wanted.end());
  std::vector<Gradient> result(inputs.size());
  if (!OpBuilder::Current()->builds_graph()) {
    const size_t k = Chosen(inputs[0]);
    std::vector<Gradient> found =
        calls_[k]->Backward(arguments, Of(k, outputs), Of(k, grads),
                            argument_wanted);
    std::move(found.begin(), found.end(), result.begin() + 1);
    return result;
  }

  // Gradients of slices arrive dense: branches need one form.
  std::vector<Gradient> dense(grads.begin(), grads.end());
  for (Gradient& g : dense) {
    if (g.is_slices()) g = {Densify(g), {}, {}};
  }
  std::vector<FunctionPart> parts;
  std::vector<std::vector<Gradient>> found;
  for (size_t k = 0; k < calls_.size(); ++k) {
    const std::string name = Format("{}_grad", forward_[k]->name());
    std::vector<Gradient> mine;
    parts.push_back(TracePart(name, {}, {}, [&](std::span<const Tensor>) {
      mine = calls_[k]->Backward(arguments, Of(k, outputs),
                                 Of<Gradient>(k, dense), argument_wanted);
      return TensorVector();
    }));
    found.push_back(std::move(mine));
  }
  std::vector<size_t> some;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool any = std::any_of(
        found.begin(), found.end(),
        [&](const std::vector<Gradient>& g) { return !g[i].is_none(); });
    if (any) some.push_back(i);
  }
  if (some.empty()) return result;
  for (size_t k = 0; k < parts.size(); ++k) {
    FuncGraph::Building building(parts[k].graph.get());
    for (size_t i : some) {
      const Gradient& g = found[k][i];
      parts[k].results.push_back(g.is_none() ? ZeroGradient(arguments[i])
                                             : Densify(g));
    }
  }
  const TensorVector made = ValueOrThrow(
      is_if_ ? MakeIf(inputs[0], std::move(parts), "gradients/cond_grad")
            : MakeCase(inputs[0], std::move(parts), "gradients/case_grad"));
  for (size_t n = 0; n < some.size(); ++n) {
    result[some[n] + 1].dense = made[n];
  }
  return result;
}

}  // namespace gk
