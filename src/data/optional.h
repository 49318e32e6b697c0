// OptionalVariant: the components of an element, or nothing; held by a scalar
// variant. Constant.
#ifndef GK_DATA_OPTIONAL_H_
#define GK_DATA_OPTIONAL_H_

#include "framework/tensor.h"
#include "framework/variant.h"

namespace gk {

class OptionalVariant final : public VariantObject {
 public:
  OptionalVariant() = default;
  explicit OptionalVariant(TensorVector components)
      : has_value_(true), components_(std::move(components)) {}

  std::string_view type_name() const override {
    return "tensorflow::data::Optional";
  }
  void AppendText(std::string* text, size_t limit) const override;
  // Component by component; nothing for nothing.
  StatusOr<Ref<VariantObject>> ZerosLike() const override;
  StatusOr<Ref<VariantObject>> Add(const VariantObject& other) const override;
  bool has_value() const { return has_value_; }
  const TensorVector& components() const { return components_; }

  static StatusOr<Ref<const OptionalVariant>> Of(const Tensor& handle);
  static StatusOr<Tensor> Wrap(Ref<OptionalVariant> optional);

 private:
  const bool has_value_ = false;
  const TensorVector components_;
};

}  // namespace gk

#endif  // GK_DATA_OPTIONAL_H_
