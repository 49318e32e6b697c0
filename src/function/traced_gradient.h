// The gradient that a program gave a node of its own, as a function: what a
// file can have of it.
#ifndef GK_FUNCTION_TRACED_GRADIENT_H_
#define GK_FUNCTION_TRACED_GRADIENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/graph.h"

namespace gk {

struct TracedGradient {
  // Of the inputs of the node, those that are its own; others, behind them, are
  // there for the gradient alone.
  int num_inputs = 0;
  // Takes a gradient for each own input, as the node hands these on: those of
  // handles are float scalars that mean nothing. Then what it captures.
  Ref<GraphFunction> function;
  // Tensors of the node's graph and others; null: a value that is asked for at
  // each call.
  TensorVector captures;
  // The own inputs that its results are the gradients of.
  std::vector<int64_t> positions;
};

// None if the node has no such gradient, or has one whose function is gone.
// `owner`: whose graph has the node. What the gradient function raises.
StatusOr<std::optional<TracedGradient>> TraceGradientOf(
    const GraphFunction& owner, Node* node);

}  // namespace gk

#endif  // GK_FUNCTION_TRACED_GRADIENT_H_
