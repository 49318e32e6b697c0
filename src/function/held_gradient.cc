#include "function/held_gradient.h"

#include <algorithm>

#include "function/own_gradient_attrs.h"

namespace gk {

std::optional<HeldGradient> HeldGradientOf(const AttrMap& attrs,
                                           int num_inputs) {
  const auto* f = attrs.Get<FunctionAttr>(kOwnGradientFunction);
  const auto* count = attrs.Get<int64_t>(kOwnGradientCount);
  const auto* positions =
      attrs.Get<std::vector<int64_t>>(kOwnGradientPositions);
  if (f == nullptr || f->definition == nullptr || count == nullptr ||
      positions == nullptr) {
    return std::nullopt;
  }
  const GraphFunction& function = *f->definition;
  const auto taken = static_cast<int64_t>(function.arguments().size());
  const auto is_input = [&](int64_t p) { return p >= 0 && p < num_inputs; };
  if (*count < 1 || *count > taken || taken - *count > num_inputs ||
      positions->size() != function.results().size() ||
      !std::ranges::all_of(*positions, is_input)) {
    return std::nullopt;
  }
  return HeldGradient{*f, static_cast<int>(*count),
                      static_cast<int>(taken - *count), *positions};
}

}  // namespace gk
