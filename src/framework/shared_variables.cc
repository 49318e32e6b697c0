#include "framework/shared_variables.h"

#include <utility>

namespace gk {

Tensor SharedVariableHandle(std::string container, const std::string& name,
                            DataType dtype, const PartialTensorShape& shape) {
  if (container.empty()) container = kDefaultContainer;
  // What has no value may become a variable of another type.
  const auto fits = [dtype](const Resource& known) {
    const auto& v = static_cast<const VariableResource&>(known);
    return v.dtype() == dtype || v.IsInitialized();
  };
  const auto is_void = [](const Resource& known) {
    return !static_cast<const VariableResource&>(known).IsInitialized();
  };
  const auto make = [&]() -> StatusOr<Ref<Resource>> {
    return Ref<Resource>(MakeRef<VariableResource>(
        name, dtype, PartialTensorShape(), /*trainable=*/true, container));
  };
  Ref<Resource> variable = ValueOrThrow(ResourceManager::Get().FindOrMake(
      {container, name, "variable", is_void}, make, fits));
  return Tensor::Scalar(ResourceHandle(std::move(variable), name,
                                       {HandleShape{dtype, shape}},
                                       std::move(container)));
}

}  // namespace gk
