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

#include <functional>
#include <string>
#include <vector>

#include <graphkiln/graph.h>

namespace gk {
GK_API_NAMESPACE {

// Takes tensors and gives some.
using TensorFunction =
    std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// The results, and what makes the gradients of the arguments of those of the
// results; a tensor that is not defined(): none.
struct OwnGradient {
  std::vector<Tensor> results;
  TensorFunction gradient;
};

// A function with a gradient of its own. What is traced into a graph has it
// there, too. The call throws Error if the function reads trainable variables,
// whose gradients it does not give: read them outside.
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
