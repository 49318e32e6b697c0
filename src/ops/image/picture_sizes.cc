#include "ops/image/picture_sizes.h"

#include <vector>

#include "ops/element_moves.h"
#include "ops/fn/Slice.h"

namespace gk {

PictureSizes SizesOf(const Tensor& picture) {
  return {picture.dim(0), picture.dim(1), picture.dim(2), picture.dim(3)};
}

Status CheckResize(const KernelContext& c, std::string_view what,
                   NewSize* size) {
  const Tensor &in = c.input(0), &sizes = c.input(1);
  if (in.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional{}",
                           in.shape().DebugString());
  }
  if (sizes.rank() != 1) {
    return InvalidArgument("{} must be 1-dimensional{}", what,
                           sizes.shape().DebugString());
  }
  if (sizes.num_elements() != 2) {
    return InvalidArgument("{} must have two elements{}", what,
                           sizes.shape().DebugString());
  }
  size->height = sizes.data<int32_t>()[0];
  size->width = sizes.data<int32_t>()[1];
  if (size->height <= 0 || size->width <= 0) {
    return InvalidArgument("output dimensions must be positive");
  }
  if (in.dim(1) <= 0 || in.dim(2) <= 0) {
    return InvalidArgument("input image must be of non-zero size");
  }
  if (in.dim(3) <= 0) {
    return InvalidArgument("image must have at least one channel");
  }
  return OkStatus();
}

Status ResizedShape(InferenceContext& c, int picture, int size) {
  PartialTensorShape in, sizes;
  GK_RETURN_IF_ERROR(c.WithRank(picture, 4, &in));
  GK_RETURN_IF_ERROR(c.WithRank(size, 1, &sizes));
  int64_t two;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(sizes.dim(0), 2, &two));
  const PartialTensorShape known = c.ValueAsShape(size);
  for (int i = 0; i < 2; ++i) {
    in.SetDim(i + 1, known.rank() == 2 ? known.dim(i) : kUnknownDim);
  }
  c.set_output(0, std::move(in));
  return OkStatus();
}

Tensor SizeTensor(const Tensor& picture) {
  const PartialTensorShape s = picture.partial_shape();
  if (s.rank() == 4 && s.dim(1) >= 0 && s.dim(2) >= 0) {
    return IntegerVector(std::vector<int64_t>{s.dim(1), s.dim(2)});
  }
  return ops::Slice(ShapeTensor(picture),
                    IntegerVector(std::vector<int64_t>{1}),
                    IntegerVector(std::vector<int64_t>{2}));
}

}  // namespace gk
