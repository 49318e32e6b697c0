// Gradients of If and Case: each branch becomes its forward variant, which
// returns its intermediates beside fake values for those of the others; the
// gradient is an If or Case of the branches' backward functions.
#ifndef GK_FUNCTION_DIFFERENTIABLE_BRANCHES_H_
#define GK_FUNCTION_DIFFERENTIABLE_BRANCHES_H_

#include "function/differentiable_node.h"
#include "function/function_gradient.h"

namespace gk {

class DifferentiableBranches final : public DifferentiableNode {
 public:
  // `wanted` of the branches' arguments: the selector is not among them.
  // Kept with the branches (VariantCache); thread-safe, like all of this.
  static StatusOr<Ref<DifferentiableBranches>> For(
      bool is_if, std::span<const Ref<GraphFunction>> branches,
      const std::vector<bool>& wanted, bool higher_order);

  // Results: the branches', then the intermediates of each branch in turn.
  const std::vector<Ref<GraphFunction>>& forward() const { return forward_; }

  std::vector<Gradient> Backward(std::span<const Tensor> inputs,
                                 std::span<const Tensor> outputs,
                                 std::span<const Gradient> grads,
                                 const std::vector<bool>& wanted) override;

 private:
  Status Make(bool is_if, std::span<const Ref<GraphFunction>> branches,
              const std::vector<bool>& wanted, bool higher_order);
  // The outputs, or their gradients, that concern branch k.
  template <class T>
  std::vector<T> Of(size_t k, std::span<const T> all) const;

  // The branch that a known selector chooses.
  size_t Chosen(const Tensor& selector) const;

  bool is_if_ = true;
  size_t num_results_ = 0;
  std::vector<Ref<DifferentiableCall>> calls_;
  std::vector<size_t> first_;  // of each branch's intermediates; the end
  std::vector<Ref<GraphFunction>> forward_;
};

}  // namespace gk

#endif  // GK_FUNCTION_DIFFERENTIABLE_BRANCHES_H_
