#include <algorithm>

#include "framework/kernel_context.h"
#include "framework/op_record.h"

namespace gk {

Status KernelContext::NoKernel() const {
  std::string types, all;
  for (const auto& [name, value] : attrs_) {
    const std::string text = std::string(name) + "=" + AttrText(value);
    all += (all.empty() ? "" : ", ") + text;
    if (std::holds_alternative<DataType>(value)) {
      types += (types.empty() ? "" : ", ") + text;
    }
  }
  const bool has_resource = std::any_of(
      inputs_.begin(), inputs_.end(),
      [](const Tensor* t) { return t->dtype() == DataType::kResource; });
  // Only a plan gives a call site a place for state.
  if (state_ != nullptr || has_resource) {
    return InvalidArgument(
        "No OpKernel was registered to support Op '{0}' used by "
        "{{{{node {0}}}}} with these attrs: [{1}]\nRegistered devices: [CPU]",
        record_.name, all);
  }
  return NotFound("Could not find device for node: {{{{node {0}}}}} = {0}[{1}]",
                  record_.name, types);
}

}  // namespace gk
