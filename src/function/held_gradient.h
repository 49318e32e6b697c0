// The gradient that a node holds (own_gradient_attrs.h).
#ifndef GK_FUNCTION_HELD_GRADIENT_H_
#define GK_FUNCTION_HELD_GRADIENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/graph.h"

namespace gk {

struct HeldGradient {
  FunctionAttr function;  // with its definition
  int num_gradients = 0;  // of outputs, which it takes first
  int num_captured = 0;   // of the node's last inputs, which it takes then
  std::vector<int64_t> positions;  // the inputs that its results are for
};

// None unless all of it is there, and fits a node of so many inputs.
std::optional<HeldGradient> HeldGradientOf(const AttrMap& attrs,
                                           int num_inputs);

}  // namespace gk

#endif  // GK_FUNCTION_HELD_GRADIENT_H_
