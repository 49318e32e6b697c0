// From the attrs and shapes of 2-D convolution ops to a Conv2DDesc.
#ifndef GK_OPS_NN_CONV_GEOMETRY_H_
#define GK_OPS_NN_CONV_GEOMETRY_H_

#include "framework/inference_context.h"
#include "framework/kernel_context.h"
#include "framework/tensor_shape.h"
#include "kernels/conv.h"

namespace gk {

// Attrs of an op over NHWC or NCHW images, checked.
struct ConvAttrs {
  int64_t stride_h = 1, stride_w = 1;
  int64_t dilation_h = 1, dilation_w = 1;
  std::string padding;
  int64_t pads[4] = {0, 0, 0, 0};  // top, bottom, left, right if explicit
  bool channels_first = false;
};
StatusOr<ConvAttrs> ParseConvAttrs(const AttrMap& attrs, bool depthwise);

// The description of a convolution of `input` (NHWC) with `filter` (HWIO, or
// for depthwise ones HWCM).
StatusOr<Conv2DDesc> DescribeConv(DataType type, ConvPass pass,
                                  const TensorShape& input,
                                  const TensorShape& filter,
                                  const ConvAttrs& attrs, bool depthwise);

// Runs the convolution kept at this call site.
Status RunConv(KernelContext& c, const Conv2DDesc& desc, const Tensor& x,
               const Tensor& y, Tensor* result);

// Do as many groups as a filter of `filter_in` channels cuts `in` of them into
// divide `out`? What is not known does.
Status CheckConvGroups(int64_t in, int64_t filter_in, int64_t out);

// The shape of a forward op's output from partial shapes.
StatusOr<PartialTensorShape> ConvOutputShape(const PartialTensorShape& input,
                                             const PartialTensorShape& filter,
                                             const ConvAttrs& attrs,
                                             bool depthwise);

}  // namespace gk

#endif  // GK_OPS_NN_CONV_GEOMETRY_H_
