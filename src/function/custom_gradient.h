// Functions with gradients of their own.
#ifndef GK_FUNCTION_CUSTOM_GRADIENT_H_
#define GK_FUNCTION_CUSTOM_GRADIENT_H_

#include <functional>
#include <span>
#include <string>

#include "framework/op_builder.h"
#include "framework/tape_hook.h"
#include "function/own_gradient_attrs.h"

namespace gk {

// The tensor in the graph being built: what a branch or the body of a loop
// gets from outside is gone when its gradient is made.
Tensor OwnedHere(const Tensor& t);

// Runs a function and gives the handles of the trainable variables that it
// read. The tapes that record here go on: a forward accumulator follows what
// the function really does, and a tape may have to differentiate what its
// gradient uses of that. With `forget` they stand still, unless an accumulator
// records, and keep nothing alive.
TensorVector VariablesReadBy(const std::function<void()>& function,
                             bool forget);

// A name for SetGradientOverride.
std::string NewGradientName();

// The results as those of one call with this gradient: `backward` turns the
// gradients of the results, none of them missing, into those of the inputs,
// which are tensors and handles of variables. In a graph they are those of a
// node with inputs of its own, (results, inputs), the values of variables for
// their handles, and the gradient called `name`; the last `num_held` inputs are
// there for the gradient alone, handles as they are.
TensorVector WithOwnGradient(std::span<const Tensor> results,
                             std::span<const Tensor> inputs,
                             const BackwardFn& backward,
                             const std::string& name, size_t num_held = 0);

// What a function with a gradient of its own gives.
struct OwnGradient {
  TensorVector results;
  // Of the gradients of the results, none of them missing: those of the
  // inputs, then of the trainable variables read, which come as handles.
  std::function<std::vector<Gradient>(std::span<const Gradient> upstream,
                                      const TensorVector& variables)>
      backward;
};

// Calls the function with these tensors; the results have that gradient. With
// `forget` nothing that it computes is kept for gradients. In a graph the
// gradient becomes a function at once, which the node of the results has as an
// attribute: it lives and is copied with the graph.
TensorVector CallWithOwnGradient(
    std::span<const Tensor> inputs,
    const std::function<OwnGradient(const TensorVector&)>& function,
    bool forget = false);

// The gradients of a function's inputs and then of the variables that it
// reads, given those of its results: it runs once more, after those are known.
// Inputs are tensors and handles of variables.
std::vector<Gradient> GradientsOfRerun(
    const std::function<TensorVector(const TensorVector&)>& function,
    std::span<const Tensor> inputs, std::span<const Tensor> variables,
    std::span<const Gradient> upstream);

// Lets nodes of graphs that were read find the gradients they hold. Once,
// before any graph is made.
void InitCustomGradients();

}  // namespace gk

#endif  // GK_FUNCTION_CUSTOM_GRADIENT_H_
