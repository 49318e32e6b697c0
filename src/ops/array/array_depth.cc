// Blocks of images moved to the depth and back, and patches of images.
#include "ops/fn/array_depth.h"

#include <algorithm>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/fn/Complex.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Conv2DBackpropInput.h"
#include "ops/fn/Fill.h"
#include "ops/fn/Imag.h"
#include "ops/fn/MatrixDiag.h"
#include "ops/fn/Real.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Slice.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

enum Direction { kToDepth, kToSpace };

// A format of five dimensions that no kernel here takes.
constexpr const char* kVectors = "NCHW_VECT_C";

// Where the axes are in an image of rank 4.
struct ImageAxes {
  int height, width, depth;
};
Status AxesOf(const std::string& format, ImageAxes* axes) {
  if (format == kVectors) {
    return InvalidArgument("data_format NCHW_VECT_C has no kernel on CPU");
  }
  *axes = format == "NCHW" ? ImageAxes{2, 3, 1} : ImageAxes{1, 2, 3};
  return OkStatus();
}

Status MovedDims(Direction to, const PartialTensorShape& x,
                 const ImageAxes& axes, int64_t block,
                 PartialTensorShape* out) {
  *out = x;
  const int64_t height = x.dim(axes.height), width = x.dim(axes.width);
  const int64_t depth = x.dim(axes.depth);
  const int64_t area = MultiplyWithoutOverflow(block, block);
  if (area < 0) return InvalidArgument("block_size {} is too large", block);
  auto scaled = [](int64_t d, int64_t by) {
    return d < 0 ? kUnknownDim : MultiplyWithoutOverflow(d, by);
  };
  if (to == kToDepth) {
    if ((width >= 0 && width % block != 0) ||
        (height >= 0 && height % block != 0)) {
      return InvalidArgument(
          "Image width {} and height {} should be divisible by block_size: {}",
          width, height, block);
    }
    out->SetDim(axes.height, height < 0 ? height : height / block);
    out->SetDim(axes.width, width < 0 ? width : width / block);
    out->SetDim(axes.depth, scaled(depth, area));
    if (depth >= 0 && out->dim(axes.depth) < 0) {
      return InvalidArgument("block_size {} is too large", block);
    }
    return OkStatus();
  }
  if (depth >= 0 && depth % area != 0) {
    return InvalidArgument(
        "Input depth dimension {} should be divisible by: {}", depth, area);
  }
  out->SetDim(axes.height, scaled(height, block));
  out->SetDim(axes.width, scaled(width, block));
  out->SetDim(axes.depth, depth < 0 ? depth : depth / area);
  if ((height >= 0 && out->dim(axes.height) < 0) ||
      (width >= 0 && out->dim(axes.width) < 0)) {
    return InvalidArgument("block_size {} is too large", block);
  }
  return OkStatus();
}

template <Direction kTo>
Status DepthShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"block_size"}));
  ImageAxes axes;
  PartialTensorShape x, out;
  if (c.attr<std::string>("data_format") == kVectors) {
    GK_RETURN_IF_ERROR(c.WithRank(0, 5, &x));
    out = PartialTensorShape::UnknownOfRank(5);
    out.SetDim(4, 4);
    c.set_output(0, std::move(out));
    return OkStatus();
  }
  GK_RETURN_IF_ERROR(AxesOf(c.attr<std::string>("data_format"), &axes));
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
  GK_RETURN_IF_ERROR(
      MovedDims(kTo, x, axes, c.attr<int64_t>("block_size"), &out));
  c.set_output(0, std::move(out));
  return OkStatus();
}

template <Direction kTo>
Status ComputeDepth(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"block_size"}));
  const Tensor& x = c.input(0);
  if (x.rank() != 4) {
    return InvalidArgument("Input rank should be: 4 instead of: {}", x.rank());
  }
  ImageAxes axes;
  GK_RETURN_IF_ERROR(AxesOf(c.attr<std::string>("data_format"), &axes));
  const int64_t block = c.attr<int64_t>("block_size");
  PartialTensorShape partial;
  GK_RETURN_IF_ERROR(MovedDims(kTo, x.shape(), axes, block, &partial));
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(partial.dims()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  const TensorShape& deep = kTo == kToDepth ? shape : x.shape();
  const TensorShape& wide = kTo == kToDepth ? x.shape() : shape;
  const auto d = StridesOf(deep), w = StridesOf(wide);
  StridedBox box;
  auto add = [&](int64_t extent, int64_t in_deep, int64_t in_wide) {
    box.AddAxis(extent, kTo == kToDepth ? in_wide : in_deep,
                kTo == kToDepth ? in_deep : in_wide);
  };
  const int64_t depth = wide.dim(axes.depth);
  auto depth_axis = [&] { add(depth, d[axes.depth], w[axes.depth]); };
  add(wide.dim(0), d[0], w[0]);
  if (axes.depth == 1) depth_axis();
  add(deep.dim(axes.height), d[axes.height], block * w[axes.height]);
  add(block, block * depth * d[axes.depth], w[axes.height]);
  add(deep.dim(axes.width), d[axes.width], block * w[axes.width]);
  add(block, depth * d[axes.depth], w[axes.width]);
  if (axes.depth == 3) depth_axis();
  return CopyBox(box, x, 0, out, 0);
}

// Moves back, by the other op.
template <Tensor (*kBack)(const Tensor&, int64_t, std::string_view)>
void MoveGradient(GradContext& g) {
  if (!g.wants(0)) return;
  g.Set(0, kBack(g.dy(0), g.attr<int64_t>("block_size"),
                 g.attr<std::string>("data_format")));
}

// ---- ExtractImagePatches ----

struct PatchAxis {
  int64_t size, stride, rate;
  int64_t in, out, before;
};

// `axis` is 1 or 2; in and out are unknown if the image's size is.
template <class Context>
Status ReadPatchAxis(Context& c, int axis, int64_t in, PatchAxis* p) {
  const std::vector<int64_t> ksizes =
      c.template attr<std::vector<int64_t>>("ksizes");
  const std::vector<int64_t> strides =
      c.template attr<std::vector<int64_t>>("strides");
  const std::vector<int64_t> rates =
      c.template attr<std::vector<int64_t>>("rates");
  const std::pair<const char*, const std::vector<int64_t>*> lists[] = {
      {"ksizes", &ksizes}, {"strides", &strides}, {"rates", &rates}};
  GK_RETURN_IF_ERROR(
      CheckInt32Attrs(c.attrs(), {"ksizes", "strides", "rates"}));
  for (const auto& [name, list] : lists) {
    if (list->size() != 4) {
      return InvalidArgument(
          "ExtractImagePatches requires the {} attribute to contain 4 values, "
          "but got: {}",
          name, list->size());
    }
    if ((*list)[0] != 1 || (*list)[3] != 1) {
      return Unimplemented("Only support {} across space.", name);
    }
    if ((*list)[axis] < 1 || (*list)[axis] > INT32_MAX) {
      return OutOfRange("{} is out of range.", name);
    }
  }
  *p = {ksizes[axis], strides[axis], rates[axis], in, kUnknownDim, 0};
  if (in < 0) return OkStatus();
  const int64_t reach = (p->size - 1) * p->rate + 1;
  if (c.template attr<std::string>("padding") == "SAME") {
    p->out = in / p->stride + (in % p->stride != 0);
    p->before =
        std::max<int64_t>(
            p->out == 0 ? 0 : (p->out - 1) * p->stride + reach - in, 0) /
        2;
    return OkStatus();
  }
  const int64_t steps = in - reach + p->stride;
  if (steps < 0) {
    return InvalidArgument(
        "Computed output size would be negative: {} [input_size: {}, "
        "effective_filter_size: {}, stride: {}]",
        (steps - p->stride + 1) / p->stride, in, reach, p->stride);
  }
  p->out = steps / p->stride;
  return OkStatus();
}

Status PatchesShape(InferenceContext& c) {
  PartialTensorShape x;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
  PatchAxis h, w;
  GK_RETURN_IF_ERROR(ReadPatchAxis(c, 1, x.dim(1), &h));
  GK_RETURN_IF_ERROR(ReadPatchAxis(c, 2, x.dim(2), &w));
  int64_t depth = kUnknownDim;
  if (x.dim(3) >= 0) {
    depth = MultiplyWithoutOverflow(x.dim(3),
                                    MultiplyWithoutOverflow(h.size, w.size));
    if (depth < 0) return InvalidArgument("ksizes are too large");
  }
  c.set_output(0, {x.dim(0), h.out, w.out, depth});
  return OkStatus();
}

// The outputs o for which 0 <= o * stride + from < in.
void Reached(const PatchAxis& p, int64_t from, int64_t* first, int64_t* last) {
  *first = from < 0 ? (-from + p.stride - 1) / p.stride : 0;
  *last = from < p.in ? std::min(p.out, (p.in - from + p.stride - 1) / p.stride)
                      : 0;
}

Status ComputePatches(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional{}",
                           x.shape().DebugString());
  }
  PatchAxis h, w;
  GK_RETURN_IF_ERROR(ReadPatchAxis(c, 1, x.dim(1), &h));
  GK_RETURN_IF_ERROR(ReadPatchAxis(c, 2, x.dim(2), &w));
  const int64_t depth = x.dim(3);
  const int64_t patch =
      MultiplyWithoutOverflow(depth, MultiplyWithoutOverflow(h.size, w.size));
  if (patch < 0) return InvalidArgument("ksizes are too large");
  GK_ASSIGN_OR_RETURN(TensorShape shape,
                      TensorShape::Make({{x.dim(0), h.out, w.out, patch}}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  ZeroElements(out);
  const auto from = StridesOf(x.shape()), to = StridesOf(shape);
  for (int64_t i = 0; i < h.size; ++i) {
    const int64_t row = i * h.rate - h.before;
    int64_t h0, h1;
    Reached(h, row, &h0, &h1);
    for (int64_t j = 0; h1 > h0 && j < w.size; ++j) {
      const int64_t column = j * w.rate - w.before;
      int64_t w0, w1;
      Reached(w, column, &w0, &w1);
      if (w1 <= w0) continue;
      StridedBox box;
      box.AddAxis(x.dim(0), from[0], to[0]);
      box.AddAxis(h1 - h0, h.stride * from[1], to[1]);
      box.AddAxis(w1 - w0, w.stride * from[2], to[2]);
      box.AddAxis(depth, 1, 1);
      GK_RETURN_IF_ERROR(CopyBox(
          box, x,
          (h0 * h.stride + row) * from[1] + (w0 * w.stride + column) * from[2],
          out, h0 * to[1] + w0 * to[2] + (i * w.size + j) * depth));
    }
  }
  return OkStatus();
}

// Taking patches is a convolution whose filter is an identity matrix, and so
// its gradient is one of convolution.
Tensor PatchesPutBack(GradContext& g, const Tensor& shape, const Tensor& dy) {
  const auto sizes = g.attr<std::vector<int64_t>>("ksizes");
  const Tensor last = IntegerVector({{3}}), one = IntegerVector({{1}});
  const Tensor depth = ops::Slice(shape, last, one);
  const Tensor patch = ops::Slice(ShapeTensor(dy), last, one);
  const Tensor ones = ops::Fill(patch, CastTo(IntegerConstant(1), dy.dtype()));
  const Tensor parts[] = {IntegerVector({{sizes[1], sizes[2]}}), depth, patch};
  const Tensor axis = IntegerConstant(0);
  const Tensor diagonal = ops::MatrixDiag(ones);
  const Tensor filter = ops::Reshape(diagonal, ops::ConcatV2(parts, axis));
  return ops::Conv2DBackpropInput(
      shape, filter, dy, g.attr<std::vector<int64_t>>("strides"),
      g.attr<std::string>("padding"), true, {}, "NHWC",
      g.attr<std::vector<int64_t>>("rates"));
}

void PatchesGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor dy = g.dy(0), shape = ShapeTensor(g.x(0));
  if (!IsComplex(dy.dtype())) {
    return g.Set(0, PatchesPutBack(g, shape, dy));
  }
  const DataType part = RealType(dy.dtype());
  const Tensor real = PatchesPutBack(g, shape, ops::Real(dy, part));
  const Tensor imag = PatchesPutBack(g, shape, ops::Imag(dy, part));
  g.Set(0, ops::Complex(real, imag, dy.dtype()));
}

const OpRecord kRecords[] = {
    {.name = "SpaceToDepth",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; block_size: int >= 2; data_format: string in [NHWC, "
              "NCHW, NCHW_VECT_C] = 'NHWC'",
     .shape = DepthShape<kToDepth>,
     .kernel = {.compute = ComputeDepth<kToDepth>},
     .gradient = MoveGradient<ops::DepthToSpace>,
     .python = {.names = "nn.space_to_depth"},
     .doc = "Square blocks of images moved to the depth.",
     .example = ">>> tf.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], "
                "2).numpy().tolist()\n[[[[1, 2, 3, 4]]]]"},

    {.name = "DepthToSpace",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; block_size: int >= 2; data_format: string in [NHWC, "
              "NCHW, NCHW_VECT_C] = 'NHWC'",
     .shape = DepthShape<kToSpace>,
     .kernel = {.compute = ComputeDepth<kToSpace>},
     .gradient = MoveGradient<ops::SpaceToDepth>,
     .python = {.names = "nn.depth_to_space"},
     .doc = "The depth of images moved to square blocks of space.",
     .example = ">>> tf.nn.depth_to_space([[[[1, 2, 3, 4]]]], "
                "2).numpy().tolist()\n[[[[1], [2]], [[3], [4]]]]"},

    {.name = "ExtractImagePatches",
     .inputs = "images: T",
     .outputs = "patches: T",
     .attrs = "ksizes: list(int) >= 4; strides: list(int) >= 4; rates: "
              "list(int) >= 4; T: type in [bfloat16, half, float, double, "
              "int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
              "complex64, complex128, bool]; padding: string in [SAME, VALID]",
     .shape = PatchesShape,
     .kernel = {.compute = ComputePatches},
     .gradient = PatchesGradient,
     .doc = "The patches of images that a window sees, in the depth."},
};

}  // namespace

GK_REGISTER_OPS(array_depth)

}  // namespace gk
