#include "framework/kernel_context.h"

#include "framework/large_work.h"

namespace gk {

Status KernelContext::Allocate(int i, DataType dtype, const TensorShape& shape,
                               Tensor** out) {
  if (planned_ && planned_[i] && planned_[i].dtype() == dtype &&
      planned_[i].shape() == shape) {
    outputs_[i] = planned_[i];
  } else {
    LargeWorkListener::Note(dtype, shape.num_elements());
    GK_ASSIGN_OR_RETURN(outputs_[i], Tensor::Allocate(dtype, shape));
  }
  *out = &outputs_[i];
  return OkStatus();
}

Status KernelContext::Forward(int j, int i, DataType dtype,
                              const TensorShape& shape, Tensor** out) {
  const Tensor& in = *inputs_[j];
  if (!planned_ && Dies(j) && in.IsExclusive() &&
      !IsObjectType(dtype) && DataTypeSize(in.dtype()) == DataTypeSize(dtype) &&
      in.num_elements() == shape.num_elements()) {
    if (in.dtype() == dtype && in.shape() == shape) {
      outputs_[i] = in;
    } else if (in.buffer()) {
      const size_t offset = static_cast<char*>(in.raw_data()) -
                            static_cast<char*>(in.buffer()->data());
      outputs_[i] = Tensor::FromBuffer(dtype, shape, in.buffer(), offset);
    } else {
      return Allocate(i, dtype, shape, out);
    }
    *out = &outputs_[i];
    return OkStatus();
  }
  return Allocate(i, dtype, shape, out);
}

}  // namespace gk
