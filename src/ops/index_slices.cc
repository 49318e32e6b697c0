#include "ops/index_slices.h"

#include <string>

namespace gk {
namespace {

int64_t IndexAt(const Tensor& indices, int64_t i) {
  return indices.dtype() == DataType::kInt32 ? indices.data<int32_t>()[i]
                                             : indices.data<int64_t>()[i];
}

std::string Position(const TensorShape& shape, int64_t flat) {
  std::string text;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    text = Format("{}{}{}", flat % shape.dim(d), text.empty() ? "" : ",", text);
    flat /= shape.dim(d);
  }
  return text;
}

}  // namespace

StatusOr<IndexSlices> RowSlices(const TensorShape& value, const Tensor& indices,
                                int batch_dims) {
  IndexSlices slices;
  const int64_t limit = value.dim(batch_dims);
  for (int d = batch_dims + 1; d < value.rank(); ++d) {
    slices.size *= value.dim(d);
  }
  int64_t batches = 1;
  for (int d = 0; d < batch_dims; ++d) batches *= value.dim(d);
  const int64_t n = indices.num_elements();
  const int64_t per_batch = batches > 0 ? n / batches : 0;
  slices.offsets.resize(n);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = IndexAt(indices, i);
    if (at < 0 || at >= limit) {
      return InvalidArgument("indices[{}] = {} is not in [0, {})",
                             Position(indices.shape(), i), at, limit);
    }
    slices.offsets[i] = (i / per_batch * limit + at) * slices.size;
  }
  return slices;
}

StatusOr<IndexSlices> NdSlices(const TensorShape& value,
                               const Tensor& indices) {
  if (indices.rank() < 1) {
    return InvalidArgument("indices must be at least a vector");
  }
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > value.rank()) {
    return InvalidArgument(
        "index innermost dimension length must be <= params rank; saw: {} vs. "
        "{}",
        depth, value.rank());
  }
  IndexSlices slices;
  for (int d = depth; d < value.rank(); ++d) slices.size *= value.dim(d);
  int64_t n = 1;
  for (int d = 0; d + 1 < indices.rank(); ++d) n *= indices.dim(d);
  slices.offsets.resize(n);
  for (int64_t i = 0; i < n; ++i) {
    int64_t flat = 0;
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t at = IndexAt(indices, i * depth + d);
      if (at < 0 || at >= value.dim(d)) {
        std::string tuple;
        for (int64_t k = 0; k < depth; ++k) {
          tuple += Format("{}{}", k > 0 ? ", " : "",
                          IndexAt(indices, i * depth + k));
        }
        const TensorShape outer(
            indices.shape().dims().first(indices.rank() - 1));
        return InvalidArgument(
            "indices[{}] = [{}] does not index into shape "
            "{}",
            Position(outer, i), tuple, value.DebugString());
      }
      flat = flat * value.dim(d) + at;
    }
    slices.offsets[i] = flat * slices.size;
  }
  return slices;
}

}  // namespace gk
