// What ops on pictures [batch, height, width, channels] ask of their inputs.
#ifndef GK_OPS_IMAGE_PICTURE_SIZES_H_
#define GK_OPS_IMAGE_PICTURE_SIZES_H_

#include <string_view>

#include "framework/inference_context.h"
#include "framework/kernel_context.h"
#include "framework/op_builder.h"
#include "kernels/resize.h"

namespace gk {

// Of a tensor of rank 4.
PictureSizes SizesOf(const Tensor& picture);

struct NewSize {
  int64_t height = 0, width = 0;
};
// Input 0 is a picture and input 1 its new size; `what` names that in errors.
Status CheckResize(const KernelContext& c, std::string_view what,
                   NewSize* size);

// [batch, height, width, channels] of a picture and a vector of two sizes, of
// which little may be known.
Status ResizedShape(InferenceContext& c, int picture, int size);
// Output 0 is as input `i`, of rank 4.
template <int i>
Status PictureLikeInput(InferenceContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(c.WithRank(i, 4, &shape));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// For gradients: height and width as an int32 vector.
Tensor SizeTensor(const Tensor& picture);

}  // namespace gk

#endif  // GK_OPS_IMAGE_PICTURE_SIZES_H_
