// What a strided slice selects: begin, end, strides and five masks turned
// into one range for each dimension of the input.
#ifndef GK_OPS_STRIDED_SLICE_H_
#define GK_OPS_STRIDED_SLICE_H_

#include <optional>
#include <vector>

#include "base/status.h"
#include "framework/attr_value.h"
#include "framework/tensor_shape.h"

namespace gk {

struct SliceMasks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
  static SliceMasks FromAttrs(const AttrMap& attrs);
};

// One entry an input dimension; extent -1 where it is not known.
struct SliceRange {
  int64_t begin = 0, stride = 1, extent = kUnknownDim;
};

struct StridedSliceSpec {
  std::vector<SliceRange> ranges;
  PartialTensorShape final_shape;  // with new and without shrunk dimensions
};

// `begin` and `end` may be unknown while a graph is built; `strides` gives
// the number of entries. The input's rank must be known.
Status ResolveStridedSlice(const PartialTensorShape& input,
                           const std::optional<std::vector<int64_t>>& begin,
                           const std::optional<std::vector<int64_t>>& end,
                           const std::vector<int64_t>& strides,
                           const SliceMasks& masks, StridedSliceSpec* out);

}  // namespace gk

#endif  // GK_OPS_STRIDED_SLICE_H_
