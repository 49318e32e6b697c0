// Grayscale dilation of images and its gradients.
#include "ops/fn/nn_dilation.h"

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/dilation.h"
#include "ops/element_moves.h"
#include "ops/int32_attrs.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/Dilation2D.h"
#include "ops/with_attrs/Dilation2DBackpropFilter.h"
#include "ops/with_attrs/Dilation2DBackpropInput.h"

namespace gk {
namespace {

struct DilationAttrs {
  std::vector<int64_t> strides, rates;
  std::string padding;
};

StatusOr<DilationAttrs> ReadDilationAttrs(const AttrMap& attrs) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(attrs, {"strides", "rates"}));
  DilationAttrs a;
  for (const auto& [name, what, values] :
       {std::tuple("strides", "stride", &a.strides),
        std::tuple("rates", "rate", &a.rates)}) {
    const auto* given = attrs.Get<std::vector<int64_t>>(name);
    if (given == nullptr || given->size() != 4) {
      return InvalidArgument(
          "Sliding window {} field must specify 4 dimensions", what);
    }
    if ((*given)[0] != 1 || (*given)[3] != 1) {
      return Unimplemented("{} is only supported across spatial dimensions.",
                           what[0] == 's' ? "Stride" : "Rate");
    }
    *values = *given;
  }
  const auto* padding = attrs.Get<std::string>("padding");
  a.padding = padding ? *padding : "VALID";
  return a;
}

StatusOr<Dilation> DescribeDilation(const KernelContext& c) {
  const Tensor &x = c.input(0), &filter = c.input(1);
  GK_ASSIGN_OR_RETURN(const DilationAttrs a, ReadDilationAttrs(c.attrs()));
  if (x.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional: {}",
                           x.shape().DebugString());
  }
  if (filter.rank() != 3) {
    return InvalidArgument("filter must be 3-dimensional: {}",
                           filter.shape().DebugString());
  }
  if (x.dim(3) != filter.dim(2)) {
    return InvalidArgument(
        "input and filter must have the same depth: {} vs {}", x.dim(3),
        filter.dim(2));
  }
  Dilation d;
  d.batch = x.dim(0);
  d.channels = x.dim(3);
  for (int i = 0; i < 2; ++i) {
    d.in[i] = x.dim(i + 1);
    d.filter[i] = filter.dim(i);
    d.stride[i] = a.strides[i + 1];
    d.rate[i] = a.rates[i + 1];
    GK_ASSIGN_OR_RETURN(
        const WindowDim w,
        SlideWindow(d.in[i], d.filter[i], d.stride[i], d.rate[i], a.padding));
    d.out[i] = w.out;
    d.pad[i] = w.pad;
  }
  return d;
}

StatusOr<TensorShape> DilationOutputShape(const Dilation& d) {
  return TensorShape::Make(std::array{d.batch, d.out[0], d.out[1], d.channels});
}

template <class Fn>
void VisitReal(DataType t, Fn&& fn) {
  VisitType<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, bfloat16,
            uint16_t, half, uint32_t, uint64_t>(t, std::forward<Fn>(fn));
}

Status ComputeDilation(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Dilation d, DescribeDilation(c));
  GK_ASSIGN_OR_RETURN(const TensorShape shape, DilationOutputShape(d));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.input(0).dtype(), shape, &out));
  if (out->num_elements() == 0) return OkStatus();
  VisitReal(out->dtype(), [&](auto tag) {
    using T = decltype(tag);
    d.Run(c.input(0).data<T>(), c.input(1).data<T>(), out->data<T>(),
          Parallel(&ThreadPool::Global()));
  });
  return OkStatus();
}

template <bool kOfInput>
Status ComputeBackprop(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Dilation d, DescribeDilation(c));
  GK_ASSIGN_OR_RETURN(const TensorShape shape, DilationOutputShape(d));
  const Tensor& dy = c.input(2);
  if (dy.shape() != shape) {
    return InvalidArgument(
        "out_backprop has incompatible size: {}, expected "
        "{}",
        dy.shape().DebugString(), shape.DebugString());
  }
  const Tensor& like = c.input(kOfInput ? 0 : 1);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, like.dtype(), like.shape(), &out));
  ZeroElements(out);
  if (dy.num_elements() == 0 || out->num_elements() == 0) return OkStatus();
  VisitReal(out->dtype(), [&](auto tag) {
    using T = decltype(tag);
    const Parallel all(&ThreadPool::Global());
    if constexpr (kOfInput) {
      d.ToInput(c.input(0).data<T>(), c.input(1).data<T>(), dy.data<T>(),
                out->data<T>(), all);
    } else {
      d.ToFilter(c.input(0).data<T>(), c.input(1).data<T>(), dy.data<T>(),
                 out->data<T>(), all);
    }
  });
  return OkStatus();
}

Status DilationShape(InferenceContext& c) {
  PartialTensorShape x, filter;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
  GK_RETURN_IF_ERROR(c.WithRank(1, 3, &filter));
  GK_ASSIGN_OR_RETURN(const DilationAttrs a, ReadDilationAttrs(c.attrs()));
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(4);
  const auto dim = [](const PartialTensorShape& s, int i) {
    return s.unknown_rank() ? kUnknownDim : s.dim(i);
  };
  int64_t depth;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(dim(x, 3), dim(filter, 2), &depth));
  out.SetDim(0, dim(x, 0));
  out.SetDim(3, depth);
  for (int i = 0; i < 2; ++i) {
    const int64_t in = dim(x, i + 1), window = dim(filter, i);
    if (in < 0 || window < 0) continue;
    GK_ASSIGN_OR_RETURN(
        const WindowDim w,
        SlideWindow(in, window, a.strides[i + 1], a.rates[i + 1], a.padding));
    out.SetDim(i + 1, w.out);
  }
  c.set_output(0, out);
  return OkStatus();
}

Status DilationFilterShape(InferenceContext& c) {
  c.set_output(0, c.input(1));
  return OkStatus();
}

#define DILATION_ATTRS                                                 \
  "T: type in [float, double, int32, uint8, int16, int8, int64, "      \
  "bfloat16, uint16, half, uint32, uint64]; strides: list(int) >= 4; " \
  "rates: list(int) >= 4; padding: string in [SAME, VALID]"

const OpRecord kRecords[] = {
    {.name = "Dilation2D",
     .inputs = "input: T; filter: T",
     .outputs = "output: T",
     .attrs = DILATION_ATTRS,
     .traits = kExpensive,
     .shape = DilationShape,
     .kernel = {.compute = ComputeDilation},
     .gradient =
         [](GradContext& g) {
           const auto attrs = [&] {
             return OpAttrs(
                 SharedAttrs(g.attrs(), {"strides", "rates", "padding"}));
           };
           if (g.wants(0)) {
             g.Set(0, ops::Dilation2DBackpropInput(attrs(), g.x(0), g.x(1),
                                                   g.dy(0)));
           }
           if (g.wants(1)) {
             g.Set(1, ops::Dilation2DBackpropFilter(attrs(), g.x(0), g.x(1),
                                                    g.dy(0)));
           }
         },
     .doc = "The greatest sum of an image and a filter under each place of the "
            "filter."},

    {.name = "Dilation2DBackpropInput",
     .inputs = "input: T; filter: T; out_backprop: T",
     .outputs = "in_backprop: T",
     .attrs = DILATION_ATTRS,
     .traits = kExpensive,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeBackprop<true>},
     .doc = "The gradient of dilation with respect to its images."},

    {.name = "Dilation2DBackpropFilter",
     .inputs = "input: T; filter: T; out_backprop: T",
     .outputs = "filter_backprop: T",
     .attrs = DILATION_ATTRS,
     .traits = kExpensive,
     .shape = DilationFilterShape,
     .kernel = {.compute = ComputeBackprop<false>},
     .doc = "The gradient of dilation with respect to its filter."},
};

}  // namespace

GK_REGISTER_OPS(nn_dilation)

}  // namespace gk
