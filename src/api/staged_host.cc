#include "api/staged_host.h"

#include <algorithm>

namespace gk::api::detail {

std::string Difference(const ResultShape& a, const ResultShape& b) {
  auto list = [](const std::vector<int64_t>& sizes) {
    std::string text;
    for (int64_t n : sizes) text += Format("{}{}", text.empty() ? "" : ", ", n);
    return "[" + text + "]";
  };
  if (a.sizes.size() != b.sizes.size() || a.sizes != b.sizes) {
    return Format(
        "The structures differ in the lengths of their containers or in which "
        "of their tensors are defined(): {} and {}",
        list(a.sizes), list(b.sizes));
  }
  for (size_t i = 0; i < std::min(a.keys.size(), b.keys.size()); ++i) {
    if (a.keys[i] == b.keys[i]) continue;
    return Format("The structures differ in the keys '{}' and '{}'", a.keys[i],
                  b.keys[i]);
  }
  for (size_t i = 0; i < std::min(a.arrays.size(), b.arrays.size()); ++i) {
    if (a.arrays[i].dtype() == b.arrays[i].dtype()) continue;
    return Format("No common supertype of {} and {}.", a.arrays[i].to_string(),
                  b.arrays[i].to_string());
  }
  return "";
}

}  // namespace gk::api::detail
