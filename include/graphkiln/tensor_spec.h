// TensorSpec: the element type and shape of a tensor that is not there yet.
// TensorOrVariable: an argument that may be either, unread.
#ifndef GRAPHKILN_TENSOR_SPEC_H_
#define GRAPHKILN_TENSOR_SPEC_H_

#include <string>

#include <graphkiln/tensor.h>
#include <graphkiln/variable.h>

namespace gk {
GK_API_NAMESPACE {

// What is known of a tensor that is not there yet.
struct TensorSpec {
  Shape shape = Shape::UnknownRank();
  DataType dtype = DataType::kFloat;
  std::string name = {};
};

// An argument that may be either, unread.
class TensorOrVariable {
 public:
  // Of a tensor, a variable or a number.
  TensorOrVariable(const Tensor& t) : tensor_(t) {}
  TensorOrVariable(const Variable& v) : tensor_(v.handle()) {}
  template <Element T>
  TensorOrVariable(T value) : tensor_(value) {}
  // The tensor, or the variable's handle.
  const Tensor& tensor() const { return tensor_; }

 private:
  Tensor tensor_;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_TENSOR_SPEC_H_
