#include "ops/batch_rows.h"

#include <vector>

#include "framework/op_builder.h"
#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Slice.h"

namespace gk {

Tensor BatchRows(const Tensor& indices) {
  const PartialTensorShape shape = indices.partial_shape();
  if (shape.unknown_rank() || shape.rank() == 0) {
    throw Error(ValueError(
        "indices of batches must be of a known rank of at least 1, got shape "
        "{}",
        shape.PythonString()));
  }
  const DataType type = indices.dtype();
  const auto number = [&](int64_t n) {
    return IntsTensor(std::vector<int64_t>{n}, type);
  };
  const Tensor sizes = ops::Shape(indices, type);
  const Tensor column = Joined({sizes, number(1)});
  const Tensor scalar = IntsTensor(std::vector<int64_t>{}, DataType::kInt32);
  TensorVector parts;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
    const Tensor begin = number(axis);
    const Tensor size =
        ops::Reshape(ops::Slice(sizes, begin, number(1)), scalar);
    const Tensor start = ops::Reshape(number(0), scalar);
    const Tensor steps =
        ops::Range(start, size, ops::Reshape(number(1), scalar));
    std::vector<int64_t> along(shape.rank() + 1, 1);
    along[axis] = -1;
    parts.push_back(ops::BroadcastTo(
        ops::Reshape(steps, IntsTensor(along, DataType::kInt32)), column));
  }
  parts.push_back(ops::Reshape(indices, column));
  if (parts.size() == 1) return parts[0];
  return ops::ConcatV2(parts, Int32Of(-1));
}

}  // namespace gk
