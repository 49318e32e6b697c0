#include "ops/int32_attrs.h"

#include <cstdint>
#include <vector>

namespace gk {
namespace {

Status CheckInt32(std::string_view name, int64_t value) {
  if (value == static_cast<int32_t>(value)) return OkStatus();
  return InvalidArgument("Attr {} has value {} out of range for an int32", name,
                         value);
}

}  // namespace

Status CheckInt32Attrs(const AttrMap& attrs,
                       std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const int64_t* value = attrs.Get<int64_t>(name)) {
      GK_RETURN_IF_ERROR(CheckInt32(name, *value));
    } else if (const auto* list = attrs.Get<std::vector<int64_t>>(name)) {
      for (const int64_t v : *list) GK_RETURN_IF_ERROR(CheckInt32(name, v));
    }
  }
  return OkStatus();
}

}  // namespace gk
