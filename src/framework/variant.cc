#include "framework/variant.h"

namespace gk {

StatusOr<Ref<VariantObject>> VariantObject::ZerosLike() const {
  return Unimplemented("ZerosLike of a variant that holds a {}", type_name());
}

StatusOr<Ref<VariantObject>> VariantObject::Add(const VariantObject&) const {
  return Unimplemented("Sum of variants that hold a {}", type_name());
}

}  // namespace gk
