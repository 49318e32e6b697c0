// Ops that are another op with attributes made of their inputs: they run its
// kernel and its shape function.
#ifndef GK_OPS_NN_DELEGATED_H_
#define GK_OPS_NN_DELEGATED_H_

#include <string_view>

#include "framework/op_registry.h"

namespace gk {

// Output 0 is that of `op` with these attributes on the first inputs.
inline Status RunAs(KernelContext& c, std::string_view op, const AttrMap& attrs,
                    std::span<const Tensor* const> inputs) {
  const OpRecord* record = OpRegistry::Get().Find(op);
  if (record == nullptr) return Internal("There is no op {}", op);
  Tensor out;
  KernelContext inner(*record, attrs, inputs, std::span<Tensor>(&out, 1));
  GK_RETURN_IF_ERROR(record->kernel.compute(inner));
  c.set_output(0, std::move(out));
  return OkStatus();
}

// Its shape is that of `op` on these shapes.
inline Status ShapeAs(InferenceContext& c, std::string_view op,
                      const AttrMap& attrs,
                      std::span<const PartialTensorShape> inputs) {
  const OpRecord* record = OpRegistry::Get().Find(op);
  if (record == nullptr) return Internal("There is no op {}", op);
  std::vector<DataType> types(inputs.size(), c.input_type(0));
  std::vector<Tensor> values(inputs.size());
  InferenceContext inner(*record, attrs, inputs, types, values, 1);
  GK_RETURN_IF_ERROR(record->shape(inner));
  c.set_output(0, inner.output(0));
  return OkStatus();
}

}  // namespace gk

#endif  // GK_OPS_NN_DELEGATED_H_
