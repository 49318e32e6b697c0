// Convolution and its gradients over NHWC images and HWIO filters, or over
// NDHWC volumes and DHWIO filters.
//
// Conv2D is prepared once from a description and shared; Run() is thread-safe
// and allocates nothing once warm. Slices and the order of every sum depend on
// the description alone. Groups equal to the input channels make a depthwise
// convolution (its HWCM filter is the same memory). Creating a large float
// convolution costs 0.4-1.2 ms.
#ifndef GK_KERNELS_CONV_H_
#define GK_KERNELS_CONV_H_

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "kernels/element_type.h"
#include "kernels/parallel.h"
#include "kernels/part_done.h"

namespace gk {

enum class ConvPass : uint8_t { kForward, kBackwardInput, kBackwardFilter };

struct Conv2DDesc {
  // Float, double, half, bfloat16 or an integer type.
  ElementType type = ElementType::kFloat;
  ConvPass pass = ConvPass::kForward;
  int64_t batch = 0;
  int64_t in_h = 0, in_w = 0, in_c = 0;
  int64_t filter_h = 0, filter_w = 0;
  int64_t out_h = 0, out_w = 0, out_c = 0;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dilation_h = 1, dilation_w = 1;
  // Padding after the image follows from the output size.
  int64_t pad_top = 0, pad_left = 0;
  int64_t groups = 1;
  // Volumes, of floats or types that are computed as floats: Create says
  // Unimplemented where pictures whose channels hold the filter's slices are
  // the better way.
  int64_t in_d = 1, filter_d = 1, out_d = 1;
  int64_t stride_d = 1, dilation_d = 1, pad_front = 0;

  bool is_volume() const { return in_d != 1 || filter_d != 1 || out_d != 1; }
  int64_t group_in() const { return groups > 0 ? in_c / groups : 0; }
  int64_t group_out() const { return groups > 0 ? out_c / groups : 0; }
  int64_t input_size() const { return batch * in_d * in_h * in_w * in_c; }
  int64_t filter_size() const {
    return filter_d * filter_h * filter_w * group_in() * out_c;
  }
  int64_t output_size() const { return batch * out_d * out_h * out_w * out_c; }
  bool operator==(const Conv2DDesc&) const = default;
};

class Conv2D {
 public:
  static StatusOr<std::shared_ptr<Conv2D>> Create(const Conv2DDesc& desc);
  // Own kernels even where oneDNN would be used: the reference in tests.
  static StatusOr<std::shared_ptr<Conv2D>> CreateDirect(const Conv2DDesc& desc);
  virtual ~Conv2D() = default;

  // kForward: input, filter -> output. kBackwardInput: output gradient,
  // filter -> input gradient. kBackwardFilter: input, output gradient ->
  // filter gradient.
  // Whoever wants to work on parts of the result is told of them, if they come
  // in parts.
  Status Run(const void* x, const void* y, void* result, Parallel parallel = {},
             const PartDone* done = nullptr) {
    return done != nullptr ? DoRunInParts(x, y, result, parallel, *done)
                           : DoRun(x, y, result, parallel);
  }
  const Conv2DDesc& desc() const { return desc_; }

 protected:
  explicit Conv2D(const Conv2DDesc& desc) : desc_(desc) {}
  virtual Status DoRun(const void* x, const void* y, void* result,
                       Parallel parallel) = 0;
  virtual Status DoRunInParts(const void* x, const void* y, void* result,
                              Parallel parallel, PartDone) {
    return DoRun(x, y, result, parallel);
  }

  const Conv2DDesc desc_;
};

// A shared Conv2D from a bounded cache of recently used ones. Thread-safe.
StatusOr<std::shared_ptr<Conv2D>> GetConv2D(const Conv2DDesc& desc);

}  // namespace gk

#endif  // GK_KERNELS_CONV_H_
