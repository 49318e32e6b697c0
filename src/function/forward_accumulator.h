// ForwardAccumulator: derivatives along a direction.
//
// What happens under an accumulator is recorded on a tape of its own. The
// product of the Jacobian with the tangents is the gradient of a gradient: the
// backward pass is linear in what it starts from, and its transpose is the
// forward pass. It is made once, when somebody asks for it, and seen by the
// tapes and accumulators that recorded around the accumulator, as if it had
// been made at once.
#ifndef GK_FUNCTION_FORWARD_ACCUMULATOR_H_
#define GK_FUNCTION_FORWARD_ACCUMULATOR_H_

#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eager/recorders.h"
#include "function/func_graph.h"

namespace gk {

// The length of the first axis of all tangents; ValueError unless it is one
// and known.
int64_t NumDirections(std::span<const Tensor> tangents);

class ForwardAccumulator {
 public:
  // `rows`: so many directions at once, along the first axis of the tangents
  // and of the products.
  explicit ForwardAccumulator(std::optional<int64_t> rows = std::nullopt);
  ForwardAccumulator(const ForwardAccumulator&) = delete;

  // `primal`: a tensor or the handle of a variable, of a floating or complex
  // type. ValueError for a tangent of another shape and a primal that is
  // watched already.
  void Watch(const Tensor& primal, const Tensor& tangent);
  bool IsWatched(const Tensor& primal) const {
    return tangents_.contains(primal.id());
  }

  // Begins to record, and stops. ValueError if it does, or does not.
  void Push();
  void Pop();
  bool recording() const { return tape_.recording(); }

  // The derivative of a tensor along the tangents; null if it does not depend
  // on the primals. In a function that is traced under the accumulator its
  // captures have tangents and its arguments have none.
  Tensor Product(const Tensor& of);
  // What stands for no dependence where zeros are wanted.
  Tensor Zeros(const Tensor& of) const;

 private:
  // Inputs of a product and their tangents.
  struct Directions {
    TensorVector primals, tangents;
  };

  // Those that the graph of a function captures.
  Directions CapturedBy(const FuncGraph& graph) const;
  Tensor Inside(const Tensor& of, const FuncGraph& graph) const;
  Tensor Transposed(const Tensor& of);
  // `along` differentiates the gradients of the primals, null where there are
  // none, by what they began with.
  Tensor Product(
      std::span<const Tensor> gradients, const Directions& directions,
      const std::function<Tensor(const TensorVector& gradients,
                                 const std::vector<Gradient>& tangents)>& along)
      const;

  const std::optional<int64_t> rows_;
  GradientTape tape_;
  Directions watched_;
  std::unordered_map<uint64_t, Tensor> tangents_;  // by the primal's id
  // Tensors, which keep their ids, and products.
  std::unordered_map<uint64_t, std::pair<Tensor, Tensor>> known_;
  TapeReferences around_;
  Ref<Graph> home_;  // where it was made; null: eagerly
};

}  // namespace gk

#endif  // GK_FUNCTION_FORWARD_ACCUMULATOR_H_
