// Max pooling whose windows and strides are inputs.
#include "ops/fn/nn_pool_sizes.h"

#include "framework/grad_context.h"
#include "ops/element_moves.h"
#include "ops/fn/ZerosLike.h"
#include "ops/nn/delegated.h"
#include "ops/nn/pool_shape.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/MaxPoolGradGradV2.h"
#include "ops/with_attrs/MaxPoolGradV2.h"

namespace gk {
namespace {

// The op's name without "V2".
std::string_view PlainName(const OpRecord& record) {
  std::string_view name = record.name;
  name.remove_suffix(2);
  return name;
}

Status ComputeOfSizes(KernelContext& c) {
  const int n = c.num_inputs() - 2;
  AttrMap attrs = c.attrs();
  for (const auto& [name, i] :
       {std::pair("ksize", n), std::pair("strides", n + 1)}) {
    std::vector<int64_t> sizes;
    GK_RETURN_IF_ERROR(IntegerValues(c.input(i), &sizes));
    if (sizes.size() != 4) {
      return InvalidArgument(
          "Sliding window {} field must specify 4 dimensions", name);
    }
    // The gradients look at these first.
    const bool first = IsChannelsFirst(attrs);
    if (first && sizes[1] != 1) {
      return InvalidArgument(
          "Default MaxPoolingOp only supports NHWC on device type CPU");
    }
    if (n == 3 && !first && (sizes[0] != 1 || sizes[3] != 1)) {
      return Unimplemented(
          "MaxPoolingGrad is not yet supported on the {} "
          "dimension.",
          sizes[0] != 1 ? "batch" : "depth");
    }
    // How far apart windows along the depth are is not looked at.
    if (n == 1 && i > n) sizes[3] = 1;
    attrs.Set(name, std::move(sizes));
  }
  std::vector<const Tensor*> inputs;
  for (int i = 0; i < n; ++i) inputs.push_back(&c.input(i));
  return RunAs(c, PlainName(c.record()), attrs, inputs);
}

template <int kSizes>
Status PoolOfSizesShape(InferenceContext& c) {
  PartialTensorShape x;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
  if (c.attr<std::string>("data_format") == "NCHW_VECT_C") {
    return InvalidArgument("data_format NCHW_VECT_C has no kernel on CPU");
  }
  const auto window = c.ValueAsInts(kSizes),
             strides = c.ValueAsInts(kSizes + 1);
  if (!window || !strides) {
    c.set_output(0, PartialTensorShape::UnknownOfRank(4));
    return OkStatus();
  }
  AttrMap attrs = c.attrs();
  attrs.Set("ksize", *window);
  attrs.Set("strides", *strides);
  const PartialTensorShape in[] = {x};
  return ShapeAs(c, "MaxPool", attrs, in);
}

Status GradGradOfSizesShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(PoolOfSizesShape<3>(c));
  return CheckGradGradShapes(c, 2, 1);
}

// The places of the maxima are given: nothing depends on the images themselves.
void ZerosBeforeGradient(GradContext& g) {
  for (int i = 0; i < 2; ++i) {
    if (g.wants(i)) g.Set(i, ops::ZerosLike(g.x(i)));
  }
}

OpAttrs SizelessAttrs(const GradContext& g) {
  return OpAttrs(SharedAttrs(g.attrs(), {"padding", "data_format"}));
}

#define SIZES_TYPES                                               \
  "T: type in [float, double, int32, uint8, int16, int8, int64, " \
  "bfloat16, uint16, half, uint32, uint64]"
#define SIZES_ATTRS                                                          \
  "padding: string in [SAME, VALID]; data_format: string in [NHWC, NCHW] = " \
  "'NHWC'; "

const OpRecord kRecords[] = {
    {.name = "MaxPoolV2",
     .inputs = "input: T; ksize: int32; strides: int32",
     .outputs = "output: T",
     .attrs = "T: type in [half, bfloat16, float, double, int32, int64, uint8, "
              "int16, int8, uint16, qint8] = float; padding: string in [SAME, "
              "VALID]; data_format: string in [NHWC, NCHW, NCHW_VECT_C] = "
              "'NHWC'",
     .traits = kExpensive,
     .shape = PoolOfSizesShape<1>,
     .kernel = {.compute = ComputeOfSizes},
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::MaxPoolGradV2(SizelessAttrs(g), g.x(0), g.y(0),
                                       g.dy(0), g.x(1), g.x(2)));
         },
     .doc = "The maxima of windows, of sizes given as tensors, sliding over "
            "images."},

    {.name = "MaxPoolGradV2",
     .inputs = "orig_input: T; orig_output: T; grad: T; ksize: int32; strides: "
               "int32",
     .outputs = "output: T",
     .attrs = SIZES_ATTRS SIZES_TYPES " = float",
     .traits = kExpensive,
     .shape =
         [](InferenceContext& c) {
           PartialTensorShape x;
           GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
           c.set_output(0, std::move(x));
           return OkStatus();
         },
     .kernel = {.compute = ComputeOfSizes},
     // Linear in the gradient, and the gradient's is so in turn.
     .gradient =
         [](GradContext& g) {
           ZerosBeforeGradient(g);
           if (!g.wants(2)) return;
           g.Set(2, ops::MaxPoolGradGradV2(SizelessAttrs(g), g.x(0), g.x(1),
                                           g.dy(0), g.x(3), g.x(4)));
         },
     .doc = "The gradient of MaxPoolV2."},

    {.name = "MaxPoolGradGradV2",
     .inputs = "orig_input: T; orig_output: T; grad: T; ksize: int32; strides: "
               "int32",
     .outputs = "output: T",
     .attrs = SIZES_ATTRS SIZES_TYPES,
     .traits = kExpensive,
     .shape = GradGradOfSizesShape,
     .kernel = {.compute = ComputeOfSizes},
     .gradient =
         [](GradContext& g) {
           ZerosBeforeGradient(g);
           if (!g.wants(2)) return;
           g.Set(2, ops::MaxPoolGradV2(SizelessAttrs(g), g.x(0), g.x(1),
                                       g.dy(0), g.x(3), g.x(4)));
         },
     .doc = "The gradient of the gradient of MaxPoolV2."},
};

}  // namespace

GK_REGISTER_OPS(nn_pool_sizes)

}  // namespace gk
