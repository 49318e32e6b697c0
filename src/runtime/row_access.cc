#include "runtime/row_access.h"

#include <algorithm>
#include <cstring>

#include "ops/strided_slice.h"
#include "runtime/planned_shape.h"

namespace gk {
namespace {

template <class Index>
int CopyRow(void* out, const void* const* in, int64_t n, const void* params) {
  const auto rows =
      static_cast<int64_t>(static_cast<const TileParams*>(params)->value);
  int64_t row = *static_cast<const Index*>(in[1]);
  if (row < 0) row += rows;
  if (row < 0 || row >= rows) return 1;
  std::memmove(out, static_cast<const char*>(in[0]) + row * n, n);
  return 0;
}

}  // namespace

std::optional<RowAccess> RowAccessOf(const Node& node) {
  if (!node.op().Has(kSlices) || node.num_inputs() != 4) return {};
  const auto info = [&](int i) -> const Node::OutputInfo& {
    return node.input(i).node->output(node.input(i).index);
  };
  const std::optional<TensorShape> x = PlannedShape(node.input(0)),
                                   row = PlannedShape(node.output(0).shape,
                                                      node.output(0).dtype);
  const SliceMasks masks = SliceMasks::FromAttrs(node.attrs());
  if (!x || !row || x->rank() < 1 ||
      !std::equal(x->dims().begin() + 1, x->dims().end(), row->dims().begin(),
                  row->dims().end()) ||
      node.output(0).dtype != info(0).dtype || IsObjectType(info(0).dtype) ||
      DataTypeSize(info(0).dtype) <= 0 || masks.shrink_axis != 1 ||
      masks.begin != 0 || masks.ellipsis != 0 || masks.new_axis != 0) {
    return {};
  }
  for (int i = 1; i < 4; ++i) {
    const PartialTensorShape& shape = info(i).shape;
    if (shape.rank() != 1 || shape.dim(0) != 1) return {};
  }
  const Tensor& stride = info(3).value;
  const bool is_one =
      stride && (stride.dtype() == DataType::kInt32
                     ? stride.scalar<int32_t>() == 1
                     : stride.dtype() == DataType::kInt64 &&
                           stride.scalar<int64_t>() == 1);
  const DataType index = info(1).dtype;
  if (!is_one || (index != DataType::kInt32 && index != DataType::kInt64)) {
    return {};
  }
  RowAccess access;
  access.tile =
      index == DataType::kInt32 ? &CopyRow<int32_t> : &CopyRow<int64_t>;
  access.params.value = static_cast<double>(x->dim(0));
  access.num_bytes = row->num_elements() * DataTypeSize(info(0).dtype);
  return access;
}

}  // namespace gk
