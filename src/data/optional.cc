#include "data/optional.h"

namespace gk {

StatusOr<Ref<const OptionalVariant>> OptionalVariant::Of(const Tensor& handle) {
  if (handle.dtype() == DataType::kVariant && handle.shape().IsScalar()) {
    if (auto* found = handle.scalar<Variant>().As<OptionalVariant>()) {
      return Ref<const OptionalVariant>(found);
    }
  }
  return InvalidArgument("Expected a scalar that holds an optional, got {}",
                         handle.DebugString(1));
}

StatusOr<Tensor> OptionalVariant::Wrap(Ref<OptionalVariant> optional) {
  GK_ASSIGN_OR_RETURN(Tensor t,
                      Tensor::Allocate(DataType::kVariant, TensorShape()));
  t.data<Variant>()[0] = Variant(std::move(optional));
  return t;
}

}  // namespace gk
