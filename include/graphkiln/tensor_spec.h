// TensorSpec: the element type and shape of a tensor that is not there yet.
// TensorOrVariable: an argument that may be either, unread.
#ifndef GRAPHKILN_TENSOR_SPEC_H_
#define GRAPHKILN_TENSOR_SPEC_H_

#include <optional>
#include <string>
#include <vector>

#include <graphkiln/tensor.h>
#include <graphkiln/variable.h>

namespace gk {
GK_API_NAMESPACE {

// What is known of a tensor that is not there yet.
struct GK_EXPORT TensorSpec {
  Shape shape = Shape::UnknownRank();
  DataType dtype = DataType::kFloat;
  std::string name = {};

  // Of a tensor; its name, if it has one, unless another is given.
  static TensorSpec from_tensor(const Tensor& tensor,
                                const std::string& name = {});
  // Could a value be described by both? And is this tensor, or may it be when
  // it is there?
  bool is_compatible_with(const TensorSpec& other) const;
  bool is_compatible_with(const Tensor& tensor) const;
  // Is every tensor of this spec one of the other, of its name if it has one?
  bool is_subtype_of(const TensorSpec& other) const;
  // The narrowest that covers this and the others; none if their types differ.
  std::optional<TensorSpec> most_specific_common_supertype(
      const std::vector<TensorSpec>& others) const;
  // "TensorSpec(shape=(2,), dtype=int32)".
  std::string to_string() const;
};
GK_EXPORT bool operator==(const TensorSpec& a, const TensorSpec& b);

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
