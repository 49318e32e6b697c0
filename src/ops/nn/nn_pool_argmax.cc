// Gradients of max pooling from the places of the maxima.
#include "ops/fn/nn_pool_argmax.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "ops/element_moves.h"
#include "ops/nn/pool_shape.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/MaxPoolGradGradWithArgmax.h"
#include "ops/with_attrs/MaxPoolGradWithArgmax.h"

namespace gk {
namespace {

// The output of pooling images of this shape.
StatusOr<TensorShape> ArgmaxShape(KernelContext& c, const TensorShape& input) {
  if (input.rank() != 4) {
    return InvalidArgument("tensor_in must be 4-dimensional");
  }
  const auto& window = c.attr<std::vector<int64_t>>("ksize");
  const auto& stride = c.attr<std::vector<int64_t>>("strides");
  if (window.size() != 4 || stride.size() != 4) {
    return InvalidArgument(
        "Sliding window ksize and stride fields must specify 4 dimensions");
  }
  if (window[0] != 1 || stride[0] != 1) {
    return Unimplemented(
        "Pooling is not yet supported on the batch dimension.");
  }
  TensorShape out = input;
  for (int d = 1; d < 4; ++d) {
    GK_ASSIGN_OR_RETURN(const WindowDim dim,
                        SlideWindow(input.dim(d), window[d], stride[d], 1,
                                    c.attr<std::string>("padding")));
    out.SetDim(d, dim.out);
  }
  return out;
}

Status CheckArgmax(const char* what, const TensorShape& expected,
                   const TensorShape& got) {
  if (expected == got) return OkStatus();
  return InvalidArgument("Expected {} shape to be {}, but got {}", what,
                         expected.DebugString(), got.DebugString());
}

// Calls fn(place in the input, place in the output) for each maximum.
template <class Fn>
Status ForEachMaximum(KernelContext& c, const TensorShape& input, Fn&& fn) {
  const Tensor& argmax = c.input(2);
  const int64_t image =
      input.dim(0) > 0 ? input.num_elements() / input.dim(0) : 0;
  const int64_t per_image =
      input.dim(0) > 0 ? argmax.num_elements() / input.dim(0) : 0;
  const bool whole = c.attr<bool>("include_batch_in_index");
  Status status;
  VisitType<int32_t, int64_t>(argmax.dtype(), [&](auto tag) {
    const auto* at = argmax.data<decltype(tag)>();
    for (int64_t i = 0; i < argmax.num_elements(); ++i) {
      const int64_t first = i / per_image * image;
      const int64_t place = at[i] + (whole ? 0 : first);
      if (place < first || place >= first + image) {
        status = InvalidArgument(
            "argmax holds {}, which is no place of image {} of {} elements",
            int64_t{at[i]}, i / per_image, image);
        return;
      }
      fn(place, i);
    }
  });
  return status;
}

Status ComputeGradWithArgmax(KernelContext& c) {
  const Tensor &x = c.input(0), &dy = c.input(1), &argmax = c.input(2);
  GK_ASSIGN_OR_RETURN(const TensorShape shape, ArgmaxShape(c, x.shape()));
  GK_RETURN_IF_ERROR(CheckArgmax("grad", shape, dy.shape()));
  GK_RETURN_IF_ERROR(CheckArgmax("argmax", shape, argmax.shape()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &out));
  ZeroElements(out);
  Status status;
  VisitType<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, bfloat16,
            uint16_t, half, uint32_t, uint64_t>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    T* sums = out->data<T>();
    const T* from = dy.data<T>();
    status = ForEachMaximum(c, x.shape(), [&](int64_t place, int64_t i) {
      sums[place] = Convert<T>(
          static_cast<C>(Convert<C>(sums[place]) + Convert<C>(from[i])));
    });
  });
  return status;
}

Status ComputeGradGradWithArgmax(KernelContext& c) {
  const Tensor &x = c.input(0), &d = c.input(1), &argmax = c.input(2);
  GK_ASSIGN_OR_RETURN(const TensorShape shape, ArgmaxShape(c, x.shape()));
  GK_RETURN_IF_ERROR(CheckArgmax("grad", x.shape(), d.shape()));
  GK_RETURN_IF_ERROR(CheckArgmax("argmax", shape, argmax.shape()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  Status status;
  GK_RETURN_IF_ERROR(VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = static_cast<T*>(out->raw_data());
    const T* from = static_cast<const T*>(d.raw_data());
    status = ForEachMaximum(
        c, x.shape(), [&](int64_t place, int64_t i) { to[i] = from[place]; });
  }));
  return status;
}

Status GradWithArgmaxShape(InferenceContext& c) {
  PartialTensorShape x;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
  c.set_output(0, x);
  return OkStatus();
}

Status GradGradWithArgmaxShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(PoolOutputShape(c, 2, true));
  return CheckGradGradShapes(c, 1, 2);
}

OpAttrs AttrsWithArgmax(const GradContext& g) {
  return OpAttrs(SharedAttrs(
      g.attrs(), {"ksize", "strides", "padding", "include_batch_in_index"}));
}

#define WINDOW_TYPES                                              \
  "T: type in [float, double, int32, uint8, int16, int8, int64, " \
  "bfloat16, uint16, half, uint32, uint64]"
#define ARGMAX_ATTRS                                                       \
  "ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in "    \
  "[SAME, VALID]; include_batch_in_index: bool = False; Targmax: type in " \
  "[int32, int64]; " WINDOW_TYPES

const OpRecord kRecords[] = {
    {.name = "MaxPoolGradWithArgmax",
     .inputs = "input: T; grad: T; argmax: Targmax",
     .outputs = "output: T",
     .attrs = ARGMAX_ATTRS,
     .traits = kExpensive,
     .shape = GradWithArgmaxShape,
     .kernel = {.compute = ComputeGradWithArgmax},
     // Linear in the gradient, and the gradient's is so in turn.
     .gradient =
         [](GradContext& g) {
           if (!g.wants(1)) return;
           g.Set(1, ops::MaxPoolGradGradWithArgmax(AttrsWithArgmax(g), g.x(0),
                                                   g.dy(0), g.x(2)));
         },
     .doc = "The gradient of max pooling from the places of the maxima."},

    {.name = "MaxPoolGradGradWithArgmax",
     .inputs = "input: T; grad: T; argmax: Targmax",
     .outputs = "output: T",
     .attrs = ARGMAX_ATTRS,
     .traits = kExpensive,
     .shape = GradGradWithArgmaxShape,
     .kernel = {.compute = ComputeGradGradWithArgmax},
     .gradient =
         [](GradContext& g) {
           if (!g.wants(1)) return;
           g.Set(1, ops::MaxPoolGradWithArgmax(AttrsWithArgmax(g), g.x(0),
                                               g.dy(0), g.x(2)));
         },
     .doc = "The gradient of the gradient of max pooling from the places of "
            "the maxima."},
};

}  // namespace

GK_REGISTER_OPS(nn_pool_argmax)

}  // namespace gk
