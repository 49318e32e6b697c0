// Functions of tensors whose gradient is another one than that of what they
// compute.
//
//   auto steep = gk::custom_gradient([](const std::vector<gk::Tensor>& x) {
//     return gk::OwnGradient{
//         {x[0] * x[0]}, [x](const std::vector<gk::Tensor>& upstream) {
//           return std::vector<gk::Tensor>{upstream[0] * 4.0f * x[0]};
//         }};
//   });
//   gk::Tensor y = steep({x})[0];
#ifndef GRAPHKILN_CUSTOM_GRADIENT_H_
#define GRAPHKILN_CUSTOM_GRADIENT_H_

#include <graphkiln/graph.h>
#include <graphkiln/variable.h>

#include <functional>
#include <string>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
// Takes tensors and gives some.
using TensorFunction =
    std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// Gradients of a function's arguments, and of the variables that it reads.
struct OwnGradients {
  std::vector<Tensor> arguments, variables;
};

// The results, and what makes the gradients of the arguments of those of the
// results; a tensor that is not defined(): none.
struct OwnGradient {
  std::vector<Tensor> results;
  TensorFunction gradient;
  // In its place, of a function that reads trainable variables which are none
  // of its arguments: gets these, too, in the order in which they were read
  // first, and gives a gradient for each.
  std::function<OwnGradients(const std::vector<Tensor>& upstream,
                             const std::vector<Variable>& variables)>
      gradient_with_variables = {};
};

// A function with a gradient of its own. What is traced into a graph has it
// there, too. Both the function and its gradient may use tensors and
// variables of around, those of the functions, loops and branches that are
// traced around it, too; saved models have both. Asking for gradients throws
// Error (TypeError) if the function reads trainable variables and has no
// gradient_with_variables, ValueError for another number of gradients than of
// arguments or variables.
//
//   const auto scaled = gk::custom_gradient([=](const Tensors& x) {
//     return gk::OwnGradient{
//         {x[0] * v}, {}, [=](const Tensors& dy, const auto& variables) {
//           return gk::OwnGradients{{dy[0] * v}, {dy[0] * x[0]}};
//         }};
//   });
GK_EXPORT TensorFunction custom_gradient(
    std::function<OwnGradient(const std::vector<Tensor>&)> f);
// `f`, of which nothing is kept for the gradient but the arguments: its
// gradient runs it once more.
GK_EXPORT TensorFunction recompute_grad(TensorFunction f);
// `f`, whose gradient is that of the identity.
GK_EXPORT TensorFunction grad_pass_through(TensorFunction f);

// The gradients of an operation's inputs, not defined() for none, of those of
// its outputs.
using OperationGradient = std::function<std::vector<Tensor>(
    const Operation& op, const std::vector<Tensor>& upstream)>;
// Gives a gradient a name, for Graph::gradient_override_map. Throws Error
// (kAlreadyExists) if there is such a gradient or an op of that name.
GK_EXPORT void RegisterGradient(const std::string& op_type,
                                OperationGradient f);
// Declares that an op of the program's own has none.
GK_EXPORT void no_gradient(const std::string& op_type);

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_CUSTOM_GRADIENT_H_
