// PlannedShape: the shape that a plan may rely on. Stateless.
#ifndef GK_RUNTIME_PLANNED_SHAPE_H_
#define GK_RUNTIME_PLANNED_SHAPE_H_

#include <cstdint>
#include <optional>

#include "framework/graph.h"

namespace gk {

// Declared shapes may be lies, and larger than anything that there can be. A
// value beyond this is made, or refused, when the op runs: so sums and
// products of the sizes in a plan stay far from overflow.
inline constexpr int64_t kMaxPlannedBytes = int64_t{1} << 48;
// The same for a value's place in the arena, which is there before anything
// runs.
inline constexpr int64_t kMaxPlaceBytes = int64_t{1} << 36;

// The declared shape if it is complete and not larger than that.
std::optional<TensorShape> PlannedShape(const PartialTensorShape& shape,
                                        DataType dtype);
std::optional<TensorShape> PlannedShape(const Output& value);

}  // namespace gk

#endif  // GK_RUNTIME_PLANNED_SHAPE_H_
