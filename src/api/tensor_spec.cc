#include "graphkiln/tensor_spec.h"

#include "graphkiln/graph.h"
#include "graphkiln/type_spec.h"

namespace gk::api {

TensorSpec TensorSpec::from_tensor(const Tensor& tensor,
                                   const std::string& name) {
  TensorSpec spec{tensor.shape(), tensor.dtype(), name};
  if (name.empty() && tensor.is_symbolic()) spec.name = tensor.op().name();
  return spec;
}

bool TensorSpec::is_compatible_with(const TensorSpec& other) const {
  return TypeSpec(*this).is_compatible_with(other);
}
bool TensorSpec::is_compatible_with(const Tensor& tensor) const {
  return dtype == tensor.dtype() && shape.is_compatible_with(tensor.shape());
}
bool TensorSpec::is_subtype_of(const TensorSpec& other) const {
  return dtype == other.dtype && shape.is_subtype_of(other.shape) &&
         (other.name.empty() || name == other.name);
}

std::optional<TensorSpec> TensorSpec::most_specific_common_supertype(
    const std::vector<TensorSpec>& others) const {
  TensorSpec common = *this;
  for (const TensorSpec& s : others) {
    if (s.dtype != dtype) return std::nullopt;
    common.shape = common.shape.most_specific_compatible_shape(s.shape);
    if (s.name != name) common.name.clear();
  }
  return common;
}

std::string TensorSpec::to_string() const {
  return TypeSpec(*this).to_string();
}

bool operator==(const TensorSpec& a, const TensorSpec& b) {
  return a.shape == b.shape && a.dtype == b.dtype && a.name == b.name;
}

}  // namespace gk::api
