// The implementations behind Conv2D::Create; private to the kernels layer.
#ifndef GK_KERNELS_CONV_IMPL_H_
#define GK_KERNELS_CONV_IMPL_H_

#include <memory>

#include "kernels/conv.h"

namespace gk::conv_internal {

using Created = StatusOr<std::shared_ptr<Conv2D>>;

// oneDNN, float. Unimplemented where it has no fitting primitive.
Created CreateDnnl(const Conv2DDesc& desc);
// Minimal filtering of 3x3 float filters. Unimplemented where it would not
// pay.
Created CreateWinograd(const Conv2DDesc& desc);
// Gathered patches times filter by own tiles; float, double, integers.
Created CreatePatches(const Conv2DDesc& desc);
// One input channel a group; float and double.
Created CreateDepthwise(const Conv2DDesc& desc);

}  // namespace gk::conv_internal

#endif  // GK_KERNELS_CONV_IMPL_H_
