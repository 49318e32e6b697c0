#include "framework/shape_checks.h"

#include <string_view>

namespace gk {

StatusOr<PartialTensorShape> ConcatenateShapes(const PartialTensorShape& a,
                                               const PartialTensorShape& b) {
  if (a.unknown_rank() || b.unknown_rank()) return PartialTensorShape();
  if (a.rank() + b.rank() > kMaxRank) {
    return ValueError("Rank {} is too large", a.rank() + b.rank());
  }
  PartialTensorShape both = a;
  for (int64_t d : b.dims()) both.AddDim(d);
  return both;
}

StatusOr<PartialTensorShape> MergeShapes(const PartialTensorShape& a,
                                         const PartialTensorShape& b) {
  if (!a.IsCompatibleWith(b)) {
    return ValueError("Shapes {} and {} are not compatible", a.PythonString(),
                      b.PythonString());
  }
  return a.MergeWith(b);
}

Status CheckRank(const PartialTensorShape& shape, RankBound bound,
                 int64_t rank) {
  if (shape.unknown_rank()) return OkStatus();
  const bool holds = bound == RankBound::kExactly   ? shape.rank() == rank
                     : bound == RankBound::kAtLeast ? shape.rank() >= rank
                                                    : shape.rank() <= rank;
  if (holds) return OkStatus();
  const std::string_view words = bound == RankBound::kAtLeast  ? "at least "
                                 : bound == RankBound::kAtMost ? "at most "
                                                               : "";
  return ValueError("Shape {} must have rank {}{}", shape.PythonString(), words,
                    rank);
}

StatusOr<PartialTensorShape> WithRank(const PartialTensorShape& shape,
                                      RankBound bound, int64_t rank) {
  GK_RETURN_IF_ERROR(CheckRank(shape, bound, rank));
  if (!shape.unknown_rank() || bound != RankBound::kExactly) return shape;
  if (rank < 0 || rank > kMaxRank) return ValueError("Invalid rank {}", rank);
  return PartialTensorShape::UnknownOfRank(static_cast<int>(rank));
}

Status CheckSameRank(const PartialTensorShape& a, const PartialTensorShape& b) {
  if (a.unknown_rank() || b.unknown_rank() || a.rank() == b.rank()) {
    return OkStatus();
  }
  return ValueError("Shapes {} and {} must have the same rank",
                    a.PythonString(), b.PythonString());
}

Status CheckFullyDefined(const PartialTensorShape& shape) {
  if (shape.IsFullyDefined()) return OkStatus();
  return ValueError("Shape {} is not fully defined", shape.PythonString());
}

}  // namespace gk
