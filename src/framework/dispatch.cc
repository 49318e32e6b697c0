#include "framework/check_numerics.h"
#include "framework/op_builder.h"
#include "framework/op_registry.h"

namespace gk {

StatusOr<TensorVector> Dispatch(const OpRecord& record,
                                std::span<const Tensor> inputs, AttrMap attrs,
                                std::string_view name) {
  ObserverList& observers = CurrentObservers();
  if (!observers.active() && !ChecksNumerics()) {
    return OpBuilder::Current()->Apply(record, inputs, std::move(attrs), name);
  }
  AttrMap given = attrs;
  GK_ASSIGN_OR_RETURN(
      TensorVector outputs,
      OpBuilder::Current()->Apply(record, inputs, std::move(attrs), name));
  if (ChecksNumerics()) {
    GK_RETURN_IF_ERROR(CheckOutputs(record, inputs, outputs));
  }
  if (!observers.active()) return outputs;
  std::vector<DataType> types(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) types[i] = inputs[i].dtype();
  GK_RETURN_IF_ERROR(ResolveAttrs(record, types, false, &given));
  for (OpObserver* o : observers.observers) {
    o->OnOp(record, inputs, outputs, given);
  }
  return outputs;
}

TensorVector MakeOp(std::string_view op, std::span<const Tensor> inputs,
                    AttrMap attrs, std::string_view name) {
  const OpRecord* record = ValueOrThrow(OpRegistry::Get().LookUp(op));
  return ValueOrThrow(Dispatch(*record, inputs, std::move(attrs), name));
}

Tensor MakeOp1(std::string_view op, std::initializer_list<Tensor> inputs,
               AttrMap attrs, std::string_view name) {
  TensorVector out = MakeOp(op, std::span(inputs.begin(), inputs.size()),
                            std::move(attrs), name);
  if (out.empty()) throw Error(Internal("op {} has no output", op));
  return std::move(out[0]);
}

}  // namespace gk
