// TensorList: the elements of a TensorArray in a graph; what loops keep for
// their gradients. Lives in a scalar variant tensor.
//
// Immutable once shared; ops copy it unless nobody else can see it, so a loop
// that writes to a list of its own does so in place.
#ifndef GK_FRAMEWORK_TENSOR_LIST_H_
#define GK_FRAMEWORK_TENSOR_LIST_H_

#include <vector>

#include "framework/tensor.h"
#include "framework/variant.h"

namespace gk {

class TensorList final : public VariantObject {
 public:
  TensorList(DataType dtype, PartialTensorShape shape)
      : element_dtype(dtype), element_shape(std::move(shape)) {}

  std::string_view type_name() const override {
    return "tensorflow::TensorList";
  }
  // Zeros for each element that is set.
  StatusOr<Ref<VariantObject>> ZerosLike() const override;
  // Element by element; unset ones count as zeros.
  StatusOr<Ref<VariantObject>> Add(const VariantObject& other) const override;
  Ref<TensorList> Copy() const;

  // The list in a scalar variant, or an error that names `op`'s input.
  static StatusOr<const TensorList*> Of(const Tensor& handle);
  static Tensor Wrap(Ref<TensorList> list);

  DataType element_dtype;
  PartialTensorShape element_shape;
  int max_num_elements = -1;  // -1: no limit
  TensorVector tensors;       // null where nothing was set
};

}  // namespace gk

#endif  // GK_FRAMEWORK_TENSOR_LIST_H_
