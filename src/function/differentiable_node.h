// DifferentiableNode: a node that runs functions, made so that its gradients
// can be had: it returns, after its results, the intermediates that its
// backward part needs.
#ifndef GK_FUNCTION_DIFFERENTIABLE_NODE_H_
#define GK_FUNCTION_DIFFERENTIABLE_NODE_H_

#include <unordered_map>

#include "framework/grad_context.h"
#include "framework/graph.h"

namespace gk {

class DifferentiableNode : public RefCounted {
 public:
  // Gradients of the node's inputs, given these, all its outputs and their
  // gradients (those of the intermediates only at higher order). Made with the
  // current builder; throws Error.
  virtual std::vector<Gradient> Backward(std::span<const Tensor> inputs,
                                         std::span<const Tensor> outputs,
                                         std::span<const Gradient> grads,
                                         const std::vector<bool>& wanted) = 0;
};

// Nodes of one graph that already return intermediates.
using CallTable = std::unordered_map<const Node*, Ref<DifferentiableNode>>;

// Can there be a gradient for this edge? There is none for a list of what
// has none.
bool MayHaveGradient(const Output& o);

// Zeros as the gradient of `x`: of the variable's shape for its handle.
Tensor ZeroGradient(const Tensor& x);

// Tells the tapes of this thread that `outputs` came of `inputs`.
void RecordNode(Ref<DifferentiableNode> node, std::span<const Tensor> inputs,
                std::span<const Tensor> outputs);
// Does a tape of this thread want gradients of any of these?
bool ObserversWant(std::span<const Tensor> tensors);
// Tapes within tapes, and persistent ones, can see gradients being computed.
bool MayDifferentiateTwice();

}  // namespace gk

#endif  // GK_FUNCTION_DIFFERENTIABLE_NODE_H_
