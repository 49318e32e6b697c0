// What programs ask of static shapes one by one, for both languages; whatever
// a shape cannot be is a ValueError with TensorFlow's words.
#ifndef GK_FRAMEWORK_SHAPE_CHECKS_H_
#define GK_FRAMEWORK_SHAPE_CHECKS_H_

#include <cstdint>

#include "framework/tensor_shape.h"

namespace gk {

// The dimensions of `a`, then those of `b`.
StatusOr<PartialTensorShape> ConcatenateShapes(const PartialTensorShape& a,
                                               const PartialTensorShape& b);
// What both say.
StatusOr<PartialTensorShape> MergeShapes(const PartialTensorShape& a,
                                         const PartialTensorShape& b);

enum class RankBound { kExactly, kAtLeast, kAtMost };
// OK if the rank is not known.
Status CheckRank(const PartialTensorShape& shape, RankBound bound,
                 int64_t rank);
// The shape, of a rank that is then known if it is told exactly.
StatusOr<PartialTensorShape> WithRank(const PartialTensorShape& shape,
                                      RankBound bound, int64_t rank);
Status CheckSameRank(const PartialTensorShape& a, const PartialTensorShape& b);
Status CheckFullyDefined(const PartialTensorShape& shape);

}  // namespace gk

#endif  // GK_FRAMEWORK_SHAPE_CHECKS_H_
