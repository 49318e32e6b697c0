#include "framework/tensor_sum.h"

#include <algorithm>

#include "framework/op_registry.h"
#include "framework/run_kernel.h"
#include "framework/variant.h"

namespace gk {
namespace {

bool IsFalse(const Tensor& t) {
  const std::span<const bool> all = t.flat<bool>();
  return std::none_of(all.begin(), all.end(), [](bool b) { return b; });
}

// x + y by the kernel of AddV2. Gradients of lists of lists may hold zeros of
// a type without a sum: adding one changes nothing.
StatusOr<Tensor> Sum(const Tensor& x, const Tensor& y) {
  if (x.dtype() == DataType::kBool && y.dtype() == DataType::kBool &&
      x.shape() == y.shape()) {
    if (IsFalse(y)) return x;
    if (IsFalse(x)) return y;
  }
  // The one that gradients are added up by.
  static const OpRecord& add =
      **std::ranges::find_if(OpRegistry::Get().all(), [](const OpRecord* op) {
        return op->Has(kAddition) && op->Has(kAggregate);
      });
  const Tensor* inputs[] = {&x, &y};
  Tensor output;
  const AttrMap attrs{{"T", x.dtype()}};
  KernelContext context(add, attrs, inputs, {&output, 1});
  GK_RETURN_IF_ERROR(RunKernel(context));
  return output;
}

StatusOr<Tensor> ZeroVariants(const Tensor& t) {
  GK_ASSIGN_OR_RETURN(Tensor fresh, Tensor::Allocate(t.dtype(), t.shape()));
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const Variant& v = t.data<Variant>()[i];
    if (v.get() == nullptr) continue;
    GK_ASSIGN_OR_RETURN(Ref<VariantObject> zero, v.get()->ZerosLike());
    fresh.data<Variant>()[i] = Variant(std::move(zero));
  }
  return fresh;
}

StatusOr<Tensor> SumVariants(const Tensor& t, const Tensor& u) {
  if (u.dtype() != t.dtype() || !(u.shape() == t.shape())) {
    return InvalidArgument("Trying to add a {} to a {}", u.DebugString(0),
                           t.DebugString(0));
  }
  GK_ASSIGN_OR_RETURN(Tensor fresh, Tensor::Allocate(t.dtype(), t.shape()));
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const Variant& a = t.data<Variant>()[i];
    const Variant& b = u.data<Variant>()[i];
    if (a.get() == nullptr || b.get() == nullptr) {
      fresh.data<Variant>()[i] = a.get() ? a : b;
      continue;
    }
    GK_ASSIGN_OR_RETURN(Ref<VariantObject> sum, a.get()->Add(*b.get()));
    fresh.data<Variant>()[i] = Variant(std::move(sum));
  }
  return fresh;
}

}  // namespace

StatusOr<Tensor> ZerosOf(const Tensor& t) {
  if (t.dtype() == DataType::kVariant) return ZeroVariants(t);
  if (!IsNumeric(t.dtype()) && t.dtype() != DataType::kBool) {
    return InvalidArgument(
        "Trying to compute zeros_like for unsupported dtype {}",
        DataTypeString(t.dtype()));
  }
  return Tensor::Zeros(t.dtype(), t.shape());
}

StatusOr<Tensor> SumOf(const Tensor& t, const Tensor& u) {
  if (t.dtype() != u.dtype()) {
    return InvalidArgument(
        "Trying to add two tensors with incompatible element types. One is {} "
        "and the other is {}",
        DataTypeString(t.dtype()), DataTypeString(u.dtype()));
  }
  if (t.dtype() == DataType::kVariant) return SumVariants(t, u);
  if (!IsNumeric(t.dtype()) && t.dtype() != DataType::kBool) {
    return InvalidArgument("Trying to add unsupported dtype {}",
                           DataTypeString(t.dtype()));
  }
  return Sum(t, u);
}

}  // namespace gk
