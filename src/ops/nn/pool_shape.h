// The attributes of pooling ops, and their shape functions.
#ifndef GK_OPS_NN_POOL_SHAPE_H_
#define GK_OPS_NN_POOL_SHAPE_H_

#include <string>
#include <vector>

#include "framework/inference_context.h"

namespace gk {

// By dim of the images, in the order of their format.
struct PoolAttrs {
  std::vector<int64_t> window, stride;
  std::string padding;
  std::vector<int64_t> pads;  // explicit ones, before and after by dim
  bool channels_first = false;
};

// For `spatial` dims between batch and channels, or after both.
StatusOr<PoolAttrs> ReadPoolAttrs(const AttrMap& attrs, int spatial);

Status CheckPoolStrides(const PoolAttrs& a);
bool IsPositiveWindow(const std::vector<int64_t>& window);

// All outputs of pooling input 0; `over_depth`: windows may reach over
// channels.
Status PoolOutputShape(InferenceContext& c, int spatial, bool over_depth);

template <int kSpatial, bool kOverDepth>
Status PoolShape(InferenceContext& c) {
  return PoolOutputShape(c, kSpatial, kOverDepth);
}

// Of the gradient's gradient: output 0 is that of pooling input 0, input
// `like_output` is shaped so, and input `like_input` as input 0.
Status CheckGradGradShapes(InferenceContext& c, int like_input,
                           int like_output);

template <int kSpatial, bool kOverDepth>
Status LikeOutputShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(PoolOutputShape(c, kSpatial, kOverDepth));
  return CheckGradGradShapes(c, 2, 1);
}

}  // namespace gk

#endif  // GK_OPS_NN_POOL_SHAPE_H_
