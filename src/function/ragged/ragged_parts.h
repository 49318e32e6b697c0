// What compositions give as "RaggedTensor": the values and, of each partition,
// the outermost first, its splits and, if that is one, the length of its rows,
// a scalar. Values alone are a tensor.
#ifndef GK_FUNCTION_RAGGED_RAGGED_PARTS_H_
#define GK_FUNCTION_RAGGED_RAGGED_PARTS_H_

#include <span>
#include <vector>

#include "function/ragged/ragged_value.h"

namespace gk {

inline RaggedValue RaggedOfParts(std::span<const Tensor> parts) {
  std::vector<RowPartition> partitions;
  for (const Tensor& t : parts.subspan(1)) {
    if (t.partial_shape().rank() == 0) {
      partitions.back().uniform = t.KnownValue().scalar<int64_t>();
    } else {
      partitions.push_back({t, {}});
    }
  }
  return {parts[0], std::move(partitions)};
}

}  // namespace gk

#endif  // GK_FUNCTION_RAGGED_RAGGED_PARTS_H_
