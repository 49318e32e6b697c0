#include "framework/variant.h"

#include "framework/variant_level.h"

namespace gk {
namespace {

// A level takes some hundred bytes of stack; threads with small stacks count.
constexpr int kMaxLevels = 1000;
thread_local int levels = 0;

}  // namespace

VariantLevel::VariantLevel() { ++levels; }
VariantLevel::~VariantLevel() { --levels; }

Status VariantLevel::Check(std::string_view what) const {
  if (levels <= kMaxLevels) return OkStatus();
  return ResourceExhausted("{} of variants nested more than {} levels deep",
                           what, kMaxLevels);
}

void VariantObject::AppendText(std::string* text, size_t) const {
  *text += type_name();
}

StatusOr<Ref<VariantObject>> VariantObject::ZerosLike() const {
  return Unimplemented("ZerosLike of a variant that holds a {}", type_name());
}

StatusOr<Ref<VariantObject>> VariantObject::Add(const VariantObject&) const {
  return Unimplemented("Sum of variants that hold a {}", type_name());
}

}  // namespace gk
