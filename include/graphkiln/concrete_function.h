// ConcreteFunction: one traced graph with what it captured.
//
// A handle; copying shares. Calls are safe from any number of threads.
#ifndef GRAPHKILN_CONCRETE_FUNCTION_H_
#define GRAPHKILN_CONCRETE_FUNCTION_H_

#include <memory>
#include <string>
#include <vector>

#include <graphkiln/tensor_spec.h>

namespace gk {
GK_API_NAMESPACE {

class GK_EXPORT ConcreteFunction {
 public:
  // "__inference_power_12".
  std::string name() const;
  // The flat arguments, tensors and variables (of type kResource) in the
  // order of the traced function's; and its flat results.
  std::vector<TensorSpec> inputs() const;
  std::vector<TensorSpec> outputs() const;
  int num_captures() const;

  // Throws Error if an argument's type or shape does not match.
  std::vector<Tensor> Call(const std::vector<TensorOrVariable>& inputs) const;
  template <class... Args>
  std::vector<Tensor> operator()(const Args&... args) const {
    return Call({TensorOrVariable(args)...});
  }

  // One line an operation, as in a graph file.
  std::string to_string() const;

  // --- For the library itself.
  struct Rep;
  explicit ConcreteFunction(std::shared_ptr<const Rep> rep)
      : rep_(std::move(rep)) {}

 private:
  std::shared_ptr<const Rep> rep_;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_CONCRETE_FUNCTION_H_
