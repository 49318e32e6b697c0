#include "ops/quantize/quantized_call.h"

#include "framework/op_record.h"

namespace gk {

Status OneFloat(const KernelContext& c, int i, std::string_view name,
                float* value) {
  const Tensor& t = c.input(i);
  if (t.num_elements() != 1) {
    return InvalidArgument("`{}` must be rank 0 but is rank {}", name,
                           t.rank());
  }
  *value = t.data<float>()[0];
  return OkStatus();
}

Status RangeAt(const KernelContext& c, int i, std::string_view of,
               FloatRange* range) {
  GK_RETURN_IF_ERROR(OneFloat(c, i, Format("min_{}", of), &range->min));
  return OneFloat(c, i + 1, Format("max_{}", of), &range->max);
}

Status SetRange(KernelContext& c, int i, float min, float max) {
  for (const float v : {min, max}) {
    Tensor* out;
    GK_RETURN_IF_ERROR(c.Allocate(i++, DataType::kFloat, TensorShape(), &out));
    out->data<float>()[0] = v;
  }
  return OkStatus();
}

Status ScalarsFrom(InferenceContext& c, int i) {
  PartialTensorShape scalar;
  for (; i < c.num_inputs(); ++i) {
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &scalar));
  }
  return OkStatus();
}

void SetScalarOutputs(InferenceContext& c) {
  for (int i = 1; i < c.num_outputs(); ++i) {
    c.set_output(i, PartialTensorShape(TensorShape()));
  }
}

Status SameAndScalars(InferenceContext& c) {
  GK_RETURN_IF_ERROR(ScalarsFrom(c, 1));
  c.set_output(0, c.input(0));
  SetScalarOutputs(c);
  return OkStatus();
}

}  // namespace gk
