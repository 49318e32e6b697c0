// Padding and repeating tensors.
#include "ops/fn/array_pad.h"

#include <algorithm>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "kernels/pad.h"
#include "ops/element_moves.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Size.h"
#include "ops/fn/Slice.h"
#include "ops/fn/StridedSlice.h"
#include "ops/fn/Sum.h"

namespace gk {
namespace {

// ---- Pad ----

// The shape of `x` grown (sign 1) or shrunk (-1) by the paddings in input 1.
Status PaddedShape(InferenceContext& c, int sign) {
  PartialTensorShape paddings;
  GK_RETURN_IF_ERROR(c.WithRank(1, 2, &paddings));
  if (paddings.dim(1) >= 0 && paddings.dim(1) != 2) {
    return InvalidArgument("Dimension must be 2 but is {}", paddings.dim(1));
  }
  PartialTensorShape x = c.input(0);
  const int64_t rank = paddings.dim(0);
  if (x.unknown_rank() && rank >= 0 && rank <= kMaxRank) {
    x = PartialTensorShape::UnknownOfRank(static_cast<int>(rank));
  }
  if (x.unknown_rank()) return OkStatus();
  if (rank >= 0 && rank != x.rank()) {
    return InvalidArgument("Shape must be rank {} but is rank {}", rank,
                           x.rank());
  }
  auto values = c.ValueAsInts(1);
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(x.rank());
  for (int i = 0; values && i < x.rank(); ++i) {
    const int64_t before = (*values)[2 * i], after = (*values)[2 * i + 1];
    if (before < 0 || after < 0) {
      return InvalidArgument("Paddings must be non-negative: {} {}", before,
                             after);
    }
    int64_t sum, grown;
    if (__builtin_add_overflow(before, after, &sum) ||
        __builtin_add_overflow(x.dim(i), sum, &grown)) {
      return InvalidArgument("Paddings are too large: {} {}", before, after);
    }
    if (x.dim(i) < 0) continue;
    const int64_t d = x.dim(i) + sign * sum;
    if (d < 0) {
      return InvalidArgument("Paddings of dimension {} exceed its size {}", i,
                             x.dim(i));
    }
    out.SetDim(i, d);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status PadShape(InferenceContext& c) {
  if (c.num_inputs() == 3 && c.input(2).rank() > 0) {
    return InvalidArgument("Shape must be rank 0 but is rank {}",
                           c.input(2).rank());
  }
  return PaddedShape(c, 1);
}

Status ReadPaddings(const Tensor& x, const Tensor& paddings,
                    std::vector<int64_t>* out) {
  if (paddings.rank() != 2 || paddings.dim(1) != 2) {
    return InvalidArgument("paddings must be a matrix with 2 columns: {}",
                           paddings.shape().DebugString());
  }
  if (paddings.dim(0) != x.rank()) {
    return InvalidArgument(
        "The first dimension of paddings must be the rank of inputs{} {}",
        paddings.shape().DebugString(), x.shape().DebugString());
  }
  return IntegerValues(paddings, out);
}

Status ComputePad(KernelContext& c) {
  const Tensor& x = c.input(0);
  std::vector<int64_t> paddings;
  GK_RETURN_IF_ERROR(ReadPaddings(x, c.input(1), &paddings));
  InlinedVector<int64_t, 8> dims(x.shape().dims());
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t before = paddings[2 * i], after = paddings[2 * i + 1];
    if (before < 0 || after < 0) {
      return InvalidArgument("Paddings must be non-negative: {} {}", before,
                             after);
    }
    if (__builtin_add_overflow(dims[i], before, &dims[i]) ||
        __builtin_add_overflow(dims[i], after, &dims[i])) {
      return InvalidArgument("Paddings are too large: {} {}", before, after);
    }
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  if (c.num_inputs() == 3 && c.input(2).rank() != 0) {
    return InvalidArgument("constant_values must be a scalar. Found: {}",
                           c.input(2).shape().DebugString());
  }
  const Tensor* const value = c.num_inputs() == 3 ? &c.input(2) : nullptr;
  if (value != nullptr) {
    GK_RETURN_IF_ERROR(CheckText(*value, out->num_elements()));
  }
  if (out->num_elements() == 0) return OkStatus();
  const Padding edges(x.shape().dims(), paddings);
  return VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    edges.Fill(static_cast<const T*>(x.raw_data()),
               value ? *static_cast<const T*>(value->raw_data()) : T(),
               static_cast<T*>(out->raw_data()), ThreadPool::Global());
  });
}

void PadGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const DataType index = g.x(1).dtype();
  const Tensor from = IntegerVector({{0, 0}});
  const Tensor to = IntegerVector({{0, 1}});
  Tensor begin = ops::StridedSlice(g.x(1), from, to, IntegerVector({{1, 1}}),
                                   /*begin_mask=*/1, /*end_mask=*/1, 0, 0,
                                   /*shrink_axis_mask=*/2);
  g.Set(0, ops::Slice(g.dy(0), begin, ShapeTensor(g.x(0), index)));
}

// ---- MirrorPad ----

bool Reflects(const KernelContext& c) {
  return c.attr<std::string>("mode") == "REFLECT";
}

Status MirrorShapes(KernelContext& c, bool grad, TensorShape* original,
                    TensorShape* padded, std::vector<int64_t>* pairs) {
  const Tensor& x = c.input(0);
  GK_RETURN_IF_ERROR(ReadPaddings(x, c.input(1), pairs));
  const std::vector<int64_t>& paddings = *pairs;
  const bool reflect = Reflects(c);
  InlinedVector<int64_t, 8> small(x.shape().dims()), large(small);
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t before = paddings[2 * i], after = paddings[2 * i + 1];
    if (before < 0 || after < 0) {
      return InvalidArgument("paddings must be non-negative: {} {}", before,
                             after);
    }
    int64_t sum;
    if (__builtin_add_overflow(before, after, &sum) ||
        __builtin_add_overflow(x.dim(i), sum, &large[i])) {
      return InvalidArgument("paddings are too large: {} {}", before, after);
    }
    if (grad) {
      small[i] = x.dim(i) - sum;
      large[i] = x.dim(i);
    }
    const char* which = grad ? "output dimension size" : "dimension size";
    if (reflect && sum > 0 && (before >= small[i] || after >= small[i])) {
      return InvalidArgument(
          "paddings must be less than the {}: {}, {} not less than {}", which,
          before, after, small[i]);
    }
    if (!reflect && (before > small[i] || after > small[i])) {
      return InvalidArgument(
          "paddings must be no greater than the {}: {}, {} greater than {}",
          which, before, after, small[i]);
    }
  }
  GK_ASSIGN_OR_RETURN(*original, TensorShape::Make(small));
  GK_ASSIGN_OR_RETURN(*padded, TensorShape::Make(large));
  return OkStatus();
}

Status ComputeMirrorPad(KernelContext& c) {
  TensorShape original, padded;
  std::vector<int64_t> paddings;
  const Tensor& x = c.input(0);
  GK_RETURN_IF_ERROR(MirrorShapes(c, false, &original, &padded, &paddings));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), padded, &out));
  if (padded.num_elements() == 0) return OkStatus();
  const Padding edges(original.dims(), paddings);
  return VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    edges.Mirror(static_cast<const T*>(x.raw_data()), Reflects(c),
                 static_cast<T*>(out->raw_data()), ThreadPool::Global());
  });
}

Status ComputeMirrorPadGrad(KernelContext& c) {
  TensorShape original, padded;
  std::vector<int64_t> paddings;
  const Tensor& dy = c.input(0);
  GK_RETURN_IF_ERROR(MirrorShapes(c, true, &original, &padded, &paddings));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, dy.dtype(), original, &out));
  if (padded.num_elements() == 0) return OkStatus();
  const Padding edges(original.dims(), paddings);
  const bool known =
      VisitType<float, double, half, bfloat16, complex64, complex128, int8_t,
                int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                uint64_t>(dy.dtype(), [&](auto tag) {
        using T = decltype(tag);
        edges.FoldMirror(dy.data<T>(), Reflects(c), out->data<T>(),
                         ThreadPool::Global());
      });
  if (known) return OkStatus();
  return c.NoKernel();
}

Status MirrorPadGradShape(InferenceContext& c) { return PaddedShape(c, -1); }

// ---- Tile ----

Status TileShape(InferenceContext& c) {
  PartialTensorShape m;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &m));
  PartialTensorShape x = c.input(0);
  const PartialTensorShape multiples = c.ValueAsShape(1);
  if (x.unknown_rank() && !multiples.unknown_rank()) {
    x = PartialTensorShape::UnknownOfRank(multiples.rank());
  }
  if (x.unknown_rank()) return OkStatus();
  if (m.dim(0) >= 0 && m.dim(0) != x.rank()) {
    return InvalidArgument("Shape must be rank {} but is rank {}", m.dim(0),
                           x.rank());
  }
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(x.rank());
  for (int i = 0; i < x.rank(); ++i) {
    if (multiples.unknown_rank() || multiples.dim(i) < 0 || x.dim(i) < 0) {
      continue;
    }
    const int64_t d = MultiplyWithoutOverflow(x.dim(i), multiples.dim(i));
    if (d < 0) return InvalidArgument("Tile of dimension {} is too large", i);
    out.SetDim(i, d);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeTile(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (c.input(1).rank() != 1) {
    return InvalidArgument("Expected multiples to be 1-D, but got shape {}",
                           c.input(1).shape().DebugString());
  }
  std::vector<int64_t> multiples;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(1), &multiples));
  if (multiples.size() != static_cast<size_t>(x.rank())) {
    return InvalidArgument(
        "Expected multiples argument to be a vector of length {} but got "
        "length {}",
        x.rank(), multiples.size());
  }
  InlinedVector<int64_t, 8> dims;
  for (int i = 0; i < x.rank(); ++i) {
    if (multiples[i] < 0) {
      return InvalidArgument("Expected multiples[{}] >= 0, but got {}", i,
                             multiples[i]);
    }
    const int64_t d = MultiplyWithoutOverflow(x.dim(i), multiples[i]);
    if (d < 0) return InvalidArgument("Tile of dimension {} is too large", i);
    dims.push_back(d);
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  if (x.num_elements() > 0) {
    GK_RETURN_IF_ERROR(CheckText(x, shape.num_elements() / x.num_elements()));
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  const auto from = StridesOf(x.shape()), to = StridesOf(shape);
  StridedBox box;
  for (int i = 0; i < x.rank(); ++i) {
    box.AddAxis(multiples[i], 0, x.dim(i) * to[i]);
    box.AddAxis(x.dim(i), from[i], to[i]);
  }
  return CopyBox(box, x, 0, out, 0);
}

// dy as [m0, d0, m1, d1, ...] summed over the multiples.
void TileGradient(GradContext& g) {
  const DataType index = g.x(1).dtype();
  const Tensor shape = ShapeTensor(g.x(0), index);
  const Tensor both[] = {g.x(1), shape};
  Tensor pairs = ops::Pack(both, 1);
  pairs = ops::Reshape(pairs, IntegerVector({{-1}}));
  const Tensor start = IntegerConstant(0);
  const Tensor limit = ops::Size(pairs);
  Tensor axes = ops::Range(start, limit, IntegerConstant(2));
  Tensor split = ops::Reshape(g.dy(0), pairs);
  Tensor sum = ops::Sum(split, axes, false);
  g.Set(0, ops::Reshape(sum, shape));
}

const OpRecord kRecords[] = {
    {.name = "Pad",
     .inputs = "input: T; paddings: Tpaddings",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: type in [int32, int64] = int32",
     .shape = PadShape,
     .kernel = {.compute = ComputePad},
     .gradient = PadGradient,
     .doc = "Surrounds a tensor with zeros."},

    {.name = "PadV2",
     .inputs = "input: T; paddings: Tpaddings; constant_values: T",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: type in [int32, int64] = int32",
     .shape = PadShape,
     .kernel = {.compute = ComputePad},
     .gradient = PadGradient,
     .doc = "Surrounds a tensor with a value."},

    {.name = "MirrorPad",
     .inputs = "input: T; paddings: Tpaddings",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: type in [int32, int64] = int32; mode: "
              "string in [REFLECT, SYMMETRIC]",
     .shape = PadShape,
     .kernel = {.compute = ComputeMirrorPad},
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::MirrorPadGrad(g.dy(0), g.x(1),
                                       g.attr<std::string>("mode")));
         },
     .doc = "Surrounds a tensor with its mirror images; REFLECT leaves out "
            "the border itself."},

    {.name = "MirrorPadGrad",
     .inputs = "input: T; paddings: Tpaddings",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: type in [int32, int64] = int32; mode: "
              "string in [REFLECT, SYMMETRIC]",
     .shape = MirrorPadGradShape,
     .kernel = {.compute = ComputeMirrorPadGrad},
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::MirrorPad(g.dy(0), g.x(1), g.attr<std::string>("mode")));
         },
     .doc = "The gradient of MirrorPad: mirror images folded back."},

    {.name = "Tile",
     .inputs = "input: T; multiples: Tmultiples",
     .outputs = "output: T",
     .attrs = "T: type; Tmultiples: type in [int32, int64] = int32",
     .shape = TileShape,
     .kernel = {.compute = ComputeTile},
     .gradient = TileGradient,
     .python = {.names = "tile",
                .args = "input: tensor; multiples: shape",
                .ragged = RaggedForm::kTile},
     .doc = "Repeats a tensor multiples[i] times along dimension i.",
     .example = ">>> tf.tile([1, 2], [2]).numpy().tolist()\n[1, 2, 1, 2]"},
};

}  // namespace

GK_REGISTER_OPS(array_pad)

}  // namespace gk
