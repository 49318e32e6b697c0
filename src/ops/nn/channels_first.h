// Images whose channels come before their places (NCHW, NCDHW): such an op runs
// by its kernel for channels last, on images turned around.
#ifndef GK_OPS_NN_CHANNELS_FIRST_H_
#define GK_OPS_NN_CHANNELS_FIRST_H_

#include <span>

#include "framework/kernel_context.h"
#include "ops/nn/window.h"

namespace gk {

// What an input or output of such an op is.
enum class ImagePart { kImages, kSizes, kOther };

// Runs `compute`, which takes channels last, on the inputs with images and
// sizes turned around, and turns its output back if that is images.
Status RunChannelsLast(KernelContext& c, ComputeFn compute, ImagePart output,
                       std::span<const ImagePart> inputs);

// `kCompute`, which takes channels last, for either order.
template <ComputeFn kCompute, ImagePart kOutput, ImagePart... kInputs>
Status EitherOrder(KernelContext& c) {
  if (!IsChannelsFirst(c.attrs())) return kCompute(c);
  static constexpr ImagePart kParts[] = {kInputs...};
  return RunChannelsLast(c, kCompute, kOutput, kParts);
}

}  // namespace gk

#endif  // GK_OPS_NN_CHANNELS_FIRST_H_
