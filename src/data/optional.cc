#include "data/optional.h"

#include "framework/tensor_sum.h"
#include "framework/tensor_text.h"
#include "framework/variant_level.h"

namespace gk {

void OptionalVariant::AppendText(std::string* text, size_t limit) const {
  if (!has_value_) {
    *text += "OptionalVariant<None>";
    return;
  }
  *text += "OptionalVariant<values: (";
  for (size_t i = 0; i < components_.size(); ++i) {
    if (i > 0) *text += ", ";
    if (text->size() >= limit) {
      *text += "...";
      break;
    }
    AppendTensorText(components_[i], text, limit);
  }
  *text += ")>";
}

StatusOr<Ref<VariantObject>> OptionalVariant::ZerosLike() const {
  const VariantLevel level;
  GK_RETURN_IF_ERROR(level.Check(VariantLevel::kZeros));
  if (!has_value_) return Ref<VariantObject>(MakeRef<OptionalVariant>());
  TensorVector zeros;
  for (const Tensor& t : components_) {
    GK_ASSIGN_OR_RETURN(Tensor zero, ZerosOf(t));
    zeros.push_back(std::move(zero));
  }
  return Ref<VariantObject>(MakeRef<OptionalVariant>(std::move(zeros)));
}

StatusOr<Ref<VariantObject>> OptionalVariant::Add(
    const VariantObject& other) const {
  const VariantLevel level;
  GK_RETURN_IF_ERROR(level.Check(VariantLevel::kSum));
  const auto* o = dynamic_cast<const OptionalVariant*>(&other);
  if (o == nullptr) {
    return InvalidArgument("Trying to add a {} to a {}", other.type_name(),
                           type_name());
  }
  if (o->has_value_ != has_value_) {
    return InvalidArgument(
        "Cannot add optionals because one has a value and the other doesn't.");
  }
  if (!has_value_) return Ref<VariantObject>(MakeRef<OptionalVariant>());
  if (o->components_.size() != components_.size()) {
    return InvalidArgument(
        "Cannot add optionals because they have different numbers of "
        "components ({} vs. {}).",
        components_.size(), o->components_.size());
  }
  TensorVector sums;
  for (size_t i = 0; i < components_.size(); ++i) {
    GK_ASSIGN_OR_RETURN(Tensor sum, SumOf(components_[i], o->components_[i]));
    sums.push_back(std::move(sum));
  }
  return Ref<VariantObject>(MakeRef<OptionalVariant>(std::move(sums)));
}

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
