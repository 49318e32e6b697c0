// C++ called from graphs: code that is no op runs whenever the graph does, with
// the values that there are then.
//
//   auto f = gk::function([](const gk::Tensor& x) {
//     return gk::py_function(
//         [](const std::vector<gk::Tensor>& x) {
//           return std::vector<gk::Tensor>{Look(x[0]) * 2.0f};
//         },
//         {x}, {gk::DataType::kFloat})[0];
//   });
#ifndef GRAPHKILN_HOST_FUNCTION_H_
#define GRAPHKILN_HOST_FUNCTION_H_

#include <graphkiln/custom_gradient.h>
#include <graphkiln/tensor.h>

#include <string>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  // The results of `f`, which have the dtypes `Tout`. In a function that is
  // traced they are those of a node, named `name`; `f` runs eagerly at each run
  // and lives as long as the node. What it does with `inp` is differentiable,
  // twice, if its ops are. An exception that it throws is thrown by the call of
  // the function, as Error.
  GK_EXPORT std::vector<Tensor> py_function(
      TensorFunction f, const std::vector<Tensor>& inp,
      const std::vector<DataType>& Tout, const std::string& name = "");
  // The same without a gradient. `stateful`: it may have side effects; else it
  // may be called less often than the graph runs.
  GK_EXPORT std::vector<Tensor> numpy_function(
      TensorFunction f, const std::vector<Tensor>& inp,
      const std::vector<DataType>& Tout, bool stateful = true,
      const std::string& name = "");

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_HOST_FUNCTION_H_
