#include "ops/batch_rows.h"

#include <vector>

#include "framework/op_builder.h"
#include "ops/composite.h"
#include "ops/dynamic_axes.h"

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
  const Tensor sizes = MakeOp1("Shape", {indices}, {{"out_type", type}});
  const Tensor column = Joined({sizes, number(1)});
  const Tensor scalar = IntsTensor(std::vector<int64_t>{}, DataType::kInt32);
  TensorVector parts;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
    const Tensor size =
        MakeOp1("Reshape",
                {MakeOp1("Slice", {sizes, number(axis), number(1)}), scalar});
    const Tensor steps =
        MakeOp1("Range", {MakeOp1("Reshape", {number(0), scalar}), size,
                          MakeOp1("Reshape", {number(1), scalar})});
    std::vector<int64_t> along(shape.rank() + 1, 1);
    along[axis] = -1;
    parts.push_back(MakeOp1(
        "BroadcastTo",
        {MakeOp1("Reshape", {steps, IntsTensor(along, DataType::kInt32)}),
         column}));
  }
  parts.push_back(MakeOp1("Reshape", {indices, column}));
  if (parts.size() == 1) return parts[0];
  const auto n = static_cast<int64_t>(parts.size());
  parts.push_back(Int32Of(-1));
  return MakeOp("ConcatV2", std::move(parts), {{"N", n}})[0];
}

}  // namespace gk
