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
    const AttrValue* const attr = attrs.Find(name);
    if (const auto* value = std::get_if<int64_t>(attr)) {
      GK_RETURN_IF_ERROR(CheckInt32(name, *value));
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(attr)) {
      for (const int64_t v : *list) GK_RETURN_IF_ERROR(CheckInt32(name, v));
    }
  }
  return OkStatus();
}

}  // namespace gk
