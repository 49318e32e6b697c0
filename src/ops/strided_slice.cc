#include "ops/strided_slice.h"

#include <algorithm>

namespace gk {
namespace {

bool Bit(int64_t mask, int i) { return i < 63 && ((mask >> i) & 1); }

// One entry for each dimension of the input, the ellipsis spread out.
struct DenseEntry {
  int64_t begin = 0, end = 0, stride = 1;
  bool begin_masked = true, end_masked = true, shrink = false;
};

constexpr int kNewAxis = -1;

Status OneRange(const DenseEntry& e, int i, int64_t dim, bool values_known,
                SliceRange* out) {
  if (e.stride == 0) {
    return InvalidArgument("strides[{}] must be non-zero", i);
  }
  out->stride = e.stride;
  if (dim < 0) {
    out->extent = e.shrink ? 1 : kUnknownDim;
    return OkStatus();
  }
  if (e.shrink && e.stride < 0) {
    return InvalidArgument("only stride 1 allowed on non-range indexing.");
  }
  const bool forward = e.stride > 0;
  const bool all = e.begin_masked && e.end_masked;
  if (!values_known && !e.shrink && !all) return OkStatus();
  if (e.shrink) {
    out->extent = 1;
    if (!values_known) return OkStatus();
    const int64_t at = e.begin < 0 ? dim + e.begin : e.begin;
    if (at < 0 || at >= dim) {
      return InvalidArgument("slice index {} of dimension {} out of bounds.",
                             at, i);
    }
    out->begin = at;
    return OkStatus();
  }
  const int64_t low = forward ? 0 : -1, high = forward ? dim : dim - 1;
  auto bound = [&](int64_t v, bool masked, int64_t open) {
    return masked ? open : std::clamp(v < 0 ? dim + v : v, low, high);
  };
  const int64_t begin = bound(e.begin, e.begin_masked, forward ? low : high);
  const int64_t end = bound(e.end, e.end_masked, forward ? high : low);
  const int64_t length = end - begin;
  out->begin = begin;
  out->extent = 0;
  if (length != 0 && (length < 0) == (e.stride < 0)) {
    out->extent = length / e.stride + (length % e.stride != 0 ? 1 : 0);
  }
  return OkStatus();
}

}  // namespace

SliceMasks SliceMasks::FromAttrs(const AttrMap& attrs) {
  auto mask = [&](const char* name) {
    const int64_t* v = attrs.Get<int64_t>(name);
    return v ? *v : 0;
  };
  return {mask("begin_mask"), mask("end_mask"), mask("ellipsis_mask"),
          mask("new_axis_mask"), mask("shrink_axis_mask")};
}

Status ResolveStridedSlice(const PartialTensorShape& input,
                           const std::optional<std::vector<int64_t>>& begin,
                           const std::optional<std::vector<int64_t>>& end,
                           const std::vector<int64_t>& strides,
                           const SliceMasks& masks, StridedSliceSpec* out) {
  const int n = static_cast<int>(strides.size());
  const int rank = input.rank();
  if (masks.ellipsis & (masks.ellipsis - 1)) {
    return InvalidArgument("Multiple ellipses in slice spec not allowed");
  }
  int ellipsis = n;  // an implied one behind the last entry
  int new_after_ellipsis = 0;
  for (int i = 0; i < n; ++i) {
    if (Bit(masks.ellipsis, i)) ellipsis = i;
  }
  for (int i = ellipsis + 1; i < n; ++i) {
    if (Bit(masks.new_axis, i)) ++new_after_ellipsis;
  }
  const int count = std::max(n, ellipsis + 1);
  std::vector<DenseEntry> dense;
  std::vector<int> gather;  // input dimension or kNewAxis; shrunk ones left out
  for (int i = 0; i < count; ++i) {
    if (i == ellipsis) {
      const int next =
          std::min(rank - (count - i) + 1 + new_after_ellipsis, rank);
      while (static_cast<int>(dense.size()) < next) {
        gather.push_back(static_cast<int>(dense.size()));
        dense.emplace_back();
      }
    } else if (Bit(masks.new_axis, i)) {
      gather.push_back(kNewAxis);
    } else {
      const int at = static_cast<int>(dense.size());
      if (rank == 0) {
        return InvalidArgument("Attempting to slice scalar input.");
      }
      if (at == rank) {
        return InvalidArgument(
            "Index out of range using input dim {}; input has only {} dims", at,
            rank);
      }
      DenseEntry e;
      if (begin) e.begin = (*begin)[i];
      if (end) e.end = (*end)[i];
      e.stride = strides[i];
      e.begin_masked = Bit(masks.begin, i);
      e.end_masked = Bit(masks.end, i);
      e.shrink = Bit(masks.shrink_axis, i);
      if (!e.shrink) gather.push_back(at);
      dense.push_back(e);
    }
  }
  if (gather.size() > static_cast<size_t>(kMaxRank)) {
    return InvalidArgument("Slice has rank {}; at most {} is supported",
                           gather.size(), kMaxRank);
  }
  out->ranges.assign(dense.size(), {});
  for (size_t i = 0; i < dense.size(); ++i) {
    // The entries of an ellipsis are known whatever the values are.
    GK_RETURN_IF_ERROR(OneRange(dense[i], static_cast<int>(i),
                                input.dim(static_cast<int>(i)), begin && end,
                                &out->ranges[i]));
  }
  out->final_shape = PartialTensorShape::UnknownOfRank(0);
  for (int d : gather) {
    out->final_shape.AddDim(d == kNewAxis ? 1 : out->ranges[d].extent);
  }
  return OkStatus();
}

}  // namespace gk
