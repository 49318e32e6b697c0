// Fourier transforms over the last one to three dimensions, and over any.
#include "ops/fn/signal_fft.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Fill.h"
#include "ops/fn/FloorMod.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/LogicalOr.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Pad.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Range.h"
#include "ops/fn/Rank.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sub.h"
#include "ops/fn/ZerosLike.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_divide.h"
#include "ops/scalar_constant.h"
#include "ops/signal/fft_axes.h"

namespace gk {
namespace {

using Kind = FftKind;

// ---- Shapes ----

constexpr int kAnyRank = 0;

template <Kind kKind>
int64_t OutputLength(int64_t length, bool last) {
  if (length < 0) return kUnknownDim;
  return kKind == Kind::kReal && last ? HalfBins(length) : length;
}

template <int kRank, Kind kKind>
Status FftShape(InferenceContext& c) {
  PartialTensorShape x;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, kRank, &x));
  if (kKind == Kind::kComplex) {
    c.set_output(0, std::move(x));
    return OkStatus();
  }
  PartialTensorShape lengths;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &lengths));
  if (lengths.dim(0) >= 0 && lengths.dim(0) != kRank) {
    return InvalidArgument("Dimension must be {} but is {}", kRank,
                           lengths.dim(0));
  }
  if (x.unknown_rank()) return OkStatus();
  const auto known = c.ValueAsInts(1);
  for (int i = 0; i < kRank; ++i) {
    x.SetDim(
        x.rank() - kRank + i,
        known ? OutputLength<kKind>((*known)[i], i + 1 == kRank) : kUnknownDim);
  }
  c.set_output(0, std::move(x));
  return OkStatus();
}

template <Kind kKind>
Status FftNdShape(InferenceContext& c) {
  PartialTensorShape lengths, axes, x = c.input(0);
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &lengths));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &axes));
  int64_t count;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(lengths.dim(0), axes.dim(0), &count));
  if (x.unknown_rank()) return OkStatus();
  if (count > x.rank()) {
    return InvalidArgument("Shape must be at least rank {} but is rank {}",
                           count, x.rank());
  }
  const auto known_axes = c.ValueAsInts(2), known = c.ValueAsInts(1);
  if (!known_axes) {
    c.set_output(0, PartialTensorShape::UnknownOfRank(x.rank()));
    return OkStatus();
  }
  for (size_t i = 0; i < known_axes->size(); ++i) {
    const int axis = NormalAxis((*known_axes)[i], x.rank());
    if (axis < 0) {
      return InvalidArgument("axes[{}] = {} is out of range for rank {}", i,
                             (*known_axes)[i], x.rank());
    }
    x.SetDim(axis, known ? OutputLength<kKind>((*known)[i],
                                               i + 1 == known_axes->size())
                         : kUnknownDim);
  }
  c.set_output(0, std::move(x));
  return OkStatus();
}

// ---- Kernels ----

template <int kRank, Kind kKind, bool kInverse>
Status ComputeFft(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < kRank) {
    return InvalidArgument("Input must have rank of at least {} but got: {}",
                           kRank, x.shape().DebugString());
  }
  FftAxes a;
  for (int i = 0; i < kRank; ++i) a.axes.push_back(x.rank() - kRank + i);
  if constexpr (kKind == Kind::kComplex) {
    for (int axis : a.axes) a.lengths.push_back(x.dim(axis));
  } else {
    if (c.input(1).rank() != 1 || c.input(1).dim(0) != kRank) {
      return InvalidArgument("fft_length must have shape [{}]", kRank);
    }
    GK_RETURN_IF_ERROR(IntegerValues(c.input(1), &a.lengths));
    for (int i = 0; i < kRank; ++i) {
      if (a.lengths[i] < 0) {
        return InvalidArgument("fft_length[{}] must >= 0, but got: {}", i,
                               a.lengths[i]);
      }
    }
  }
  return FftOver(c, kKind, kInverse, a);
}

template <Kind kKind, bool kInverse>
Status ComputeFftNd(KernelContext& c) {
  const Tensor &x = c.input(0), &lengths = c.input(1), &axes = c.input(2);
  if (lengths.rank() != 1 || axes.rank() != 1 ||
      lengths.dim(0) != axes.dim(0)) {
    return InvalidArgument(
        "fft_length and axes must be vectors of the same length, got shapes "
        "{} and {}",
        lengths.shape().DebugString(), axes.shape().DebugString());
  }
  if (axes.dim(0) > x.rank() || (axes.dim(0) == 0 && kKind != Kind::kComplex)) {
    return InvalidArgument("Input must have rank of at least {} but got: {}",
                           std::max<int64_t>(axes.dim(0), 1),
                           x.shape().DebugString());
  }
  FftAxes a;
  GK_RETURN_IF_ERROR(IntegerValues(lengths, &a.lengths));
  std::vector<int64_t> given;
  GK_RETURN_IF_ERROR(IntegerValues(axes, &given));
  for (size_t i = 0; i < given.size(); ++i) {
    const int axis = NormalAxis(given[i], x.rank());
    if (axis < 0) {
      return InvalidArgument("axes[{}] = {} is out of range for rank {}", i,
                             given[i], x.rank());
    }
    if (std::ranges::count(a.axes, axis) > 0) {
      return InvalidArgument("axes holds {} twice", given[i]);
    }
    if (a.lengths[i] < 0) {
      return InvalidArgument("fft_length[{}] must >= 0, but got: {}", i,
                             a.lengths[i]);
    }
    a.axes.push_back(axis);
  }
  return FftOver(c, kKind, kInverse, a);
}

// ---- Gradients ----

// The product of the sizes of the last `rank` dimensions, a scalar of `dtype`.
Tensor SizeOfLast(const Tensor& x, int rank, DataType dtype) {
  const PartialTensorShape shape = x.partial_shape();
  double size = 1;
  for (int i = 0; i < rank && size >= 0; ++i) {
    const int64_t n =
        shape.unknown_rank() ? -1 : shape.dim(shape.rank() - 1 - i);
    size = n < 0 ? -1 : size * static_cast<double>(n);
  }
  if (size >= 0) return ScalarConstant(dtype, size);
  std::vector<int64_t> places(rank);
  std::iota(places.begin(), places.end(), -rank);
  const Tensor whole = ops::Rank(x);
  const Tensor at = ops::AddV2(whole, IntegerVector(places));
  const Tensor sizes = ops::GatherV2(ShapeTensor(x), at, IntegerConstant(0));
  return CastTo(ops::Prod(sizes, IntegerConstant(0)), dtype);
}

Tensor ProductAs(const Tensor& lengths, DataType dtype) {
  return ops::Prod(CastTo(lengths, dtype), IntegerConstant(0));
}

// Zeros behind the elements up to the size of `x`, of which only the first
// ones were looked at.
Tensor PaddedLike(const Tensor& grad, const Tensor& x) {
  const PartialTensorShape a = grad.partial_shape(), b = x.partial_shape();
  if (a.IsFullyDefined() && b.IsFullyDefined() && a == b) return grad;
  const Tensor more = ops::Sub(ShapeTensor(x), ShapeTensor(grad));
  return ops::Pad(grad, ops::Pack(TensorVector{ops::ZerosLike(more), more}, 1));
}

template <int kRank, bool kInverse>
void FftGradient(GradContext& g) {
  const Tensor dy = g.dy(0);
  const Tensor size = SizeOfLast(dy, kRank, dy.dtype());
  if constexpr (kInverse) {
    const Tensor there = kRank == 1   ? ops::FFT(dy)
                         : kRank == 2 ? ops::FFT2D(dy)
                                      : ops::FFT3D(dy);
    g.Set(0, ops::RealDiv(there, size));
  } else {
    const Tensor back = kRank == 1   ? ops::IFFT(dy)
                        : kRank == 2 ? ops::IFFT2D(dy)
                                     : ops::IFFT3D(dy);
    g.Set(0, ops::Mul(back, size));
  }
}

template <bool kInverse>
void FftNdGradient(GradContext& g) {
  const Tensor dy = g.dy(0);
  const Tensor size = ProductAs(g.x(1), dy.dtype());
  const Tensor there = kInverse
                           ? ops::RealDiv(ops::FFTND(dy, g.x(1), g.x(2)), size)
                           : ops::Mul(ops::IFFTND(dy, g.x(1), g.x(2)), size);
  g.Set(0, PaddedLike(there, g.x(0)));
}

// `x` times 1 along an axis at its ends, where the whole spectrum has one
// element for the one here, and times `inside` where it has two. `axis` is a
// scalar below the rank.
Tensor WeighBins(const Tensor& x, const Tensor& lengths, const Tensor& axis,
                 double inside) {
  const Tensor zero = IntegerConstant(0), shape = ShapeTensor(x);
  const Tensor bins = ops::GatherV2(shape, axis, zero);
  const Tensor places = ops::Range(zero, bins, IntegerConstant(1));
  const Tensor last =
      ops::GatherV2(lengths,
                    ops::Sub(ops::GatherV2(ShapeTensor(lengths), zero, zero),
                             IntegerConstant(1)),
                    zero);
  const Tensor ends = ops::LogicalOr(
      ops::Equal(places, zero), ops::Equal(ops::AddV2(places, places), last));
  const DataType dtype = x.dtype();
  const Tensor weights = ops::SelectV2(ends, ScalarConstant(dtype, 1),
                                       ScalarConstant(dtype, inside));
  const Tensor rank = ops::Rank(x);
  const Tensor axes = ops::Range(zero, rank, IntegerConstant(1));
  const Tensor form =
      ops::SelectV2(ops::Equal(axes, axis), bins, IntegerConstant(1));
  return ops::Mul(x, ops::Reshape(weights, form));
}

// The last axis of those transformed.
Tensor HalvedAxis(const Tensor& x, const Tensor* axes) {
  const Tensor rank = ops::Rank(x);
  if (axes == nullptr) return ops::Sub(rank, IntegerConstant(1));
  const Tensor zero = IntegerConstant(0);
  const Tensor last = ops::Sub(ops::GatherV2(ShapeTensor(*axes), zero, zero),
                               IntegerConstant(1));
  return ops::FloorMod(ops::GatherV2(*axes, last, zero), rank);
}

Tensor RealTransform(int rank, const Tensor& x, const GradContext& g,
                     DataType dtype) {
  const Tensor& n = g.x(1);
  switch (rank) {
    case 1:
      return ops::RFFT(x, n, dtype);
    case 2:
      return ops::RFFT2D(x, n, dtype);
    case 3:
      return ops::RFFT3D(x, n, dtype);
    default:
      return ops::RFFTND(x, n, g.x(2), dtype);
  }
}

Tensor RealInverse(int rank, const Tensor& x, const GradContext& g,
                   DataType dtype) {
  const Tensor& n = g.x(1);
  switch (rank) {
    case 1:
      return ops::IRFFT(x, n, dtype);
    case 2:
      return ops::IRFFT2D(x, n, dtype);
    case 3:
      return ops::IRFFT3D(x, n, dtype);
    default:
      return ops::IRFFTND(x, n, g.x(2), dtype);
  }
}

template <int kRank>
void RealGradient(GradContext& g) {
  const Tensor dy = g.dy(0);
  const DataType dtype = g.x(0).dtype();
  const Tensor* axes = kRank == kAnyRank ? &g.x(2) : nullptr;
  const Tensor weighed = WeighBins(dy, g.x(1), HalvedAxis(dy, axes), 0.5);
  const Tensor back = RealInverse(kRank, weighed, g, dtype);
  g.Set(0, PaddedLike(ops::Mul(back, ProductAs(g.x(1), dtype)), g.x(0)));
}

template <int kRank>
void ToRealGradient(GradContext& g) {
  const Tensor dy = g.dy(0);
  const DataType dtype = g.x(0).dtype();
  const Tensor* axes = kRank == kAnyRank ? &g.x(2) : nullptr;
  const Tensor scaled = ops::RealDiv(dy, ProductAs(g.x(1), dy.dtype()));
  const Tensor there = RealTransform(kRank, scaled, g, dtype);
  g.Set(0, PaddedLike(WeighBins(there, g.x(1), HalvedAxis(there, axes), 2),
                      g.x(0)));
}

#define COMPLEX_ATTR "Tcomplex: type in [complex64, complex128] = complex64"
#define REAL_ATTRS "Treal: type in [float, double] = float; " COMPLEX_ATTR

const OpRecord kRecords[] = {
    {.name = "FFT",
     .inputs = "input: Tcomplex",
     .outputs = "output: Tcomplex",
     .attrs = COMPLEX_ATTR,
     .traits = kExpensive,
     .shape = FftShape<1, Kind::kComplex>,
     .kernel = {.compute = ComputeFft<1, Kind::kComplex, false>},
     .gradient = FftGradient<1, false>,
     .python = {.names = "signal.fft"},
     .doc = "The discrete Fourier transform over the last dimension.",
     .example = ">>> tf.signal.fft([1 + 0j, 2, 3, "
                "4]).numpy().tolist()\n[(10+0j), (-2+2j), (-2+0j), (-2-2j)]"},
    {.name = "IFFT",
     .inputs = "input: Tcomplex",
     .outputs = "output: Tcomplex",
     .attrs = COMPLEX_ATTR,
     .traits = kExpensive,
     .shape = FftShape<1, Kind::kComplex>,
     .kernel = {.compute = ComputeFft<1, Kind::kComplex, true>},
     .gradient = FftGradient<1, true>,
     .python = {.names = "signal.ifft"},
     .doc = "The inverse Fourier transform over the last dimension.",
     .example = ">>> tf.signal.ifft([10 + 0j, -2 + 2j, -2, -2 - "
                "2j]).numpy().real.tolist()\n[1.0, 2.0, 3.0, 4.0]"},
    {.name = "FFT2D",
     .inputs = "input: Tcomplex",
     .outputs = "output: Tcomplex",
     .attrs = COMPLEX_ATTR,
     .traits = kExpensive,
     .shape = FftShape<2, Kind::kComplex>,
     .kernel = {.compute = ComputeFft<2, Kind::kComplex, false>},
     .gradient = FftGradient<2, false>,
     .python = {.names = "signal.fft2d"},
     .doc = "The discrete Fourier transform over the last two dimensions.",
     .example = ">>> tf.signal.fft2d([[1 + 0j, 2], [3, "
                "4]]).numpy().real.tolist()\n[[10.0, -2.0], [-4.0, 0.0]]"},
    {.name = "IFFT2D",
     .inputs = "input: Tcomplex",
     .outputs = "output: Tcomplex",
     .attrs = COMPLEX_ATTR,
     .traits = kExpensive,
     .shape = FftShape<2, Kind::kComplex>,
     .kernel = {.compute = ComputeFft<2, Kind::kComplex, true>},
     .gradient = FftGradient<2, true>,
     .python = {.names = "signal.ifft2d"},
     .doc = "The inverse Fourier transform over the last two dimensions.",
     .example = ">>> tf.signal.ifft2d([[10 + 0j, -2], [-4, "
                "0]]).numpy().real.tolist()\n[[1.0, 2.0], [3.0, 4.0]]"},
    {.name = "FFT3D",
     .inputs = "input: Tcomplex",
     .outputs = "output: Tcomplex",
     .attrs = COMPLEX_ATTR,
     .traits = kExpensive,
     .shape = FftShape<3, Kind::kComplex>,
     .kernel = {.compute = ComputeFft<3, Kind::kComplex, false>},
     .gradient = FftGradient<3, false>,
     .python = {.names = "signal.fft3d"},
     .doc = "The discrete Fourier transform over the last three dimensions.",
     .example = ">>> tf.signal.fft3d([[[1 + 0j, "
                "2]]]).numpy().real.tolist()\n[[[3.0, -1.0]]]"},
    {.name = "IFFT3D",
     .inputs = "input: Tcomplex",
     .outputs = "output: Tcomplex",
     .attrs = COMPLEX_ATTR,
     .traits = kExpensive,
     .shape = FftShape<3, Kind::kComplex>,
     .kernel = {.compute = ComputeFft<3, Kind::kComplex, true>},
     .gradient = FftGradient<3, true>,
     .python = {.names = "signal.ifft3d"},
     .doc = "The inverse Fourier transform over the last three dimensions.",
     .example = ">>> tf.signal.ifft3d([[[3 + 0j, "
                "-1]]]).numpy().real.tolist()\n[[[1.0, 2.0]]]"},
    {.name = "RFFT",
     .inputs = "input: Treal; fft_length: int32",
     .outputs = "output: Tcomplex",
     .attrs = REAL_ATTRS,
     .traits = kExpensive,
     .shape = FftShape<1, Kind::kReal>,
     .kernel = {.compute = ComputeFft<1, Kind::kReal, false>},
     .gradient = RealGradient<1>,
     .doc = "The Fourier transform of real numbers over the last dimension, of "
            "which the first fft_length elements count; of its last dimension "
            "the fft_length / 2 + 1 elements that are not mirror images."},
    {.name = "IRFFT",
     .inputs = "input: Tcomplex; fft_length: int32",
     .outputs = "output: Treal",
     .attrs = REAL_ATTRS,
     .traits = kExpensive,
     .shape = FftShape<1, Kind::kToReal>,
     .kernel = {.compute = ComputeFft<1, Kind::kToReal, true>},
     .gradient = ToRealGradient<1>,
     .doc = "The real numbers of which RFFT made this, fft_length of them."},
    {.name = "RFFT2D",
     .inputs = "input: Treal; fft_length: int32",
     .outputs = "output: Tcomplex",
     .attrs = REAL_ATTRS,
     .traits = kExpensive,
     .shape = FftShape<2, Kind::kReal>,
     .kernel = {.compute = ComputeFft<2, Kind::kReal, false>},
     .gradient = RealGradient<2>,
     .doc =
         "The Fourier transform of real numbers over the last two dimensions, "
         "of which the first fft_length elements count; of its last dimension "
         "the fft_length / 2 + 1 elements that are not mirror images."},
    {.name = "IRFFT2D",
     .inputs = "input: Tcomplex; fft_length: int32",
     .outputs = "output: Treal",
     .attrs = REAL_ATTRS,
     .traits = kExpensive,
     .shape = FftShape<2, Kind::kToReal>,
     .kernel = {.compute = ComputeFft<2, Kind::kToReal, true>},
     .gradient = ToRealGradient<2>,
     .doc = "The real numbers of which RFFT2D made this, fft_length of them."},
    {.name = "RFFT3D",
     .inputs = "input: Treal; fft_length: int32",
     .outputs = "output: Tcomplex",
     .attrs = REAL_ATTRS,
     .traits = kExpensive,
     .shape = FftShape<3, Kind::kReal>,
     .kernel = {.compute = ComputeFft<3, Kind::kReal, false>},
     .gradient = RealGradient<3>,
     .doc = "The Fourier transform of real numbers over the last three "
            "dimensions, of which the first fft_length elements count; of its "
            "last dimension the fft_length / 2 + 1 elements that are not "
            "mirror images."},
    {.name = "IRFFT3D",
     .inputs = "input: Tcomplex; fft_length: int32",
     .outputs = "output: Treal",
     .attrs = REAL_ATTRS,
     .traits = kExpensive,
     .shape = FftShape<3, Kind::kToReal>,
     .kernel = {.compute = ComputeFft<3, Kind::kToReal, true>},
     .gradient = ToRealGradient<3>,
     .doc = "The real numbers of which RFFT3D made this, fft_length of them."},
    {.name = "FFTND",
     .inputs = "input: Tcomplex; fft_length: int32; axes: int32",
     .outputs = "output: Tcomplex",
     .attrs = COMPLEX_ATTR,
     .traits = kExpensive,
     .shape = FftNdShape<Kind::kComplex>,
     .kernel = {.compute = ComputeFftNd<Kind::kComplex, false>},
     .gradient = FftNdGradient<false>,
     .python = {.names = "fftnd"},
     .doc = "The Fourier transform over some dimensions, of which the first "
            "fft_length elements count.",
     .example = ">>> tf.fftnd([[1 + 0j, 2], [3, 4]], [2], [0]).numpy().real"
                ".tolist()\n[[4.0, 6.0], [-2.0, -2.0]]"},
    {.name = "IFFTND",
     .inputs = "input: Tcomplex; fft_length: int32; axes: int32",
     .outputs = "output: Tcomplex",
     .attrs = COMPLEX_ATTR,
     .traits = kExpensive,
     .shape = FftNdShape<Kind::kComplex>,
     .kernel = {.compute = ComputeFftNd<Kind::kComplex, true>},
     .gradient = FftNdGradient<true>,
     .python = {.names = "ifftnd"},
     .doc = "The inverse Fourier transform over some dimensions.",
     .example = ">>> tf.ifftnd([[4 + 0j, 6], [-2, -2]], [2], [0]).numpy()"
                ".real.tolist()\n[[1.0, 2.0], [3.0, 4.0]]"},
    {.name = "RFFTND",
     .inputs = "input: Treal; fft_length: int32; axes: int32",
     .outputs = "output: Tcomplex",
     .attrs = REAL_ATTRS,
     .traits = kExpensive,
     .shape = FftNdShape<Kind::kReal>,
     .kernel = {.compute = ComputeFftNd<Kind::kReal, false>},
     .gradient = RealGradient<kAnyRank>,
     .python = {.names = "rfftnd"},
     .doc = "The Fourier transform of real numbers over some dimensions, "
            "without mirror images in the last one of `axes`.",
     .example = ">>> tf.rfftnd([1., 2., 3., 4.], [4], [0]).numpy().tolist()\n"
                "[(10+0j), (-2+2j), (-2+0j)]"},
    {.name = "IRFFTND",
     .inputs = "input: Tcomplex; fft_length: int32; axes: int32",
     .outputs = "output: Treal",
     .attrs = REAL_ATTRS,
     .traits = kExpensive,
     .shape = FftNdShape<Kind::kToReal>,
     .kernel = {.compute = ComputeFftNd<Kind::kToReal, true>},
     .gradient = ToRealGradient<kAnyRank>,
     .python = {.names = "irfftnd"},
     .doc = "The real numbers of which RFFTND made this.",
     .example = ">>> x = tf.constant([10 + 0j, -2 + 2j, -2], tf.complex64)\n"
                ">>> tf.irfftnd(x, [4], [0]).numpy()"
                ".tolist()\n[1.0, 2.0, 3.0, 4.0]"},
};

}  // namespace

GK_REGISTER_OPS(signal_fft)

}  // namespace gk
