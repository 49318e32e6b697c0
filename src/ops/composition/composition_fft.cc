// Fourier and cosine transforms, and what goes with them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/FFTND.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/FloorMod.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/IFFTND.h"
#include "ops/fn/IRFFTND.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Neg.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Pad.h"
#include "ops/fn/Prod.h"
#include "ops/fn/RFFTND.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Roll.h"
#include "ops/fn/Sqrt.h"
#include "ops/fn/Sub.h"
#include "ops/fn/TensorScatterUpdate.h"
#include "ops/fn/ZerosLike.h"
#include "ops/signal/padded_fft.h"

namespace gk {
namespace {

template <int kRank>
TensorVector Rfft(CompositionCall& c) {
  return {PaddedRfft(c.name(), c.tensor(0), kRank,
                     c.has(1) ? c.tensor(1) : Tensor())};
}

template <int kRank>
TensorVector Irfft(CompositionCall& c) {
  return {PaddedIrfft(c.name(), c.tensor(0), kRank,
                      c.has(1) ? c.tensor(1) : Tensor())};
}

// ---- Over any dimensions ----

enum class Form { kForward, kInverse, kReal, kToReal };

// The last one becomes what f makes of it.
template <class F>
Tensor LastChanged(const Tensor& sizes, F f) {
  if (auto known = KnownInts(sizes); known && !known->empty()) {
    const Tensor last = f(Int32Of(known->back()));
    if (const auto made = KnownInts(last)) {
      known->back() = (*made)[0];
      return IntsTensor(*known, DataType::kInt32);
    }
  }
  return ops::ConcatV2(TensorVector{AllButLast(sizes), f(LastOf(sizes))},
                       Int32Of(0));
}

Tensor BinsOf(const Tensor& n) {
  return ops::AddV2(ops::FloorDiv(n, Int32Of(2)), Int32Of(1));
}

Tensor LengthOfBins(const Tensor& n) {
  return ops::Maximum(ops::Mul(ops::Sub(n, Int32Of(1)), Int32Of(2)),
                      Int32Of(0));
}

// Zeros along `axes` up to `sizes`.
Tensor PaddedAlong(const Tensor& x, const Tensor& axes, const Tensor& sizes) {
  const Tensor shape = ShapeTensor(x);
  const Tensor places =
      ops::ExpandDims(ops::FloorMod(axes, RankOf(x)), Int32Of(-1));
  const Tensor wanted = ops::TensorScatterUpdate(shape, places, sizes);
  const Tensor more = ops::Maximum(ops::Sub(wanted, shape), Int32Of(0));
  if (const auto known = KnownInts(more);
      known && std::ranges::count(*known, 0) == int64_t(known->size())) {
    return x;
  }
  return ops::Pad(x, ops::Pack(TensorVector{ops::ZerosLike(more), more}, 1));
}

template <Form kForm>
TensorVector FftNd(CompositionCall& c) {
  Tensor x = c.tensor(0);
  const bool real = kForm == Form::kReal;
  if (IsComplex(x.dtype()) == real || (real && x.dtype() != DataType::kFloat &&
                                       x.dtype() != DataType::kDouble)) {
    throw Error(ValueError(
        "{} requires {} inputs, got: {}", real ? "RFFT" : "FFT",
        real ? "tf.float32 or tf.float64" : "tf.complex64 or tf.complex128",
        DataTypeName(x.dtype())));
  }
  const Tensor axes = c.has(2) ? c.tensor(2) : AllAxes(x);
  Tensor lengths;
  if (c.has(1)) {
    lengths = c.tensor(1);
  } else {
    lengths = ops::GatherV2(ShapeTensor(x), ops::FloorMod(axes, RankOf(x)),
                            Int32Of(0));
    if (kForm == Form::kToReal) lengths = LastChanged(lengths, LengthOfBins);
  }
  x = PaddedAlong(
      x, axes, kForm == Form::kToReal ? LastChanged(lengths, BinsOf) : lengths);
  const std::string norm = c.has(3) ? c.text(3) : "backward";
  if (norm != "backward") {
    Tensor size = ops::Prod(CastTo(lengths, x.dtype()), Int32Of(0));
    if (norm == "ortho") {
      size = ops::Sqrt(size);
    } else if (norm != "forward") {
      throw Error(ValueError(
          "norm must be 'backward', 'forward' or 'ortho', got: '{}'", norm));
    }
    const bool divides = kForm == Form::kForward || kForm == Form::kReal;
    x = divides ? ops::RealDiv(x, size) : ops::Mul(x, size);
  }
  const OpName node(c.name());
  const bool wide =
      x.dtype() == DataType::kDouble || x.dtype() == DataType::kComplex128;
  switch (kForm) {
    case Form::kForward:
      return {ops::FFTND(node, x, lengths, axes)};
    case Form::kInverse:
      return {ops::IFFTND(node, x, lengths, axes)};
    case Form::kReal:
      return {ops::RFFTND(node, x, lengths, axes,
                          wide ? DataType::kComplex128 : DataType::kComplex64)};
    default:
      return {ops::IRFFTND(node, x, lengths, axes,
                           wide ? DataType::kDouble : DataType::kFloat)};
  }
}

// ---- Shifts ----

template <bool kInverse>
TensorVector Shift(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor sizes = ShapeTensor(x);
  Tensor axes, shift;
  if (!c.has(1)) {
    if (x.partial_shape().unknown_rank()) {
      throw Error(TypeError("fftshift of an unknown rank needs `axes`"));
    }
    axes = AllAxes(x);
    shift = sizes;
  } else {
    axes = ArgumentAs(c, 1, DataType::kInt32, "axes");
    const Tensor rank = RankOf(x);
    axes = ops::FloorMod(axes, rank);
    shift = ops::GatherV2(sizes, axes, Int32Of(0));
  }
  shift = ops::FloorDiv(shift, Int32Of(2));
  if (kInverse) shift = ops::Neg(shift);
  return {ops::Roll(OpName(c.name()), x, shift, axes)};
}

// ---- Cosine transforms ----

void CheckCosine(const CompositionCall& c) {
  const int64_t type = c.integer(1);
  if (c.integer(3) != -1) {
    throw Error(Unimplemented("axis must be -1. Got: {}", c.integer(3)));
  }
  if (const int64_t* n = c.get<int64_t>(2); n != nullptr && *n < 1) {
    throw Error(ValueError("n should be a positive integer or None"));
  }
  if (type < 1 || type > 4) {
    throw Error(ValueError("Types I, II, III and IV (I)DCT are supported."));
  }
  const std::string norm = c.has(4) ? c.text(4) : "";
  if (type == 1) {
    if (norm == "ortho") {
      throw Error(
          ValueError("Normalization is not supported for the Type-I DCT."));
    }
    if (KnownSizeFromEnd(c.tensor(0), 1).value_or(2) < 2) {
      throw Error(ValueError(
          "Type-I DCT requires the dimension to be greater than one."));
    }
  }
  if (c.has(4) && norm != "ortho") {
    throw Error(ValueError(
        "Unknown normalization. Expected None or 'ortho', got: {}", norm));
  }
}

template <bool kInverse>
TensorVector Dct(CompositionCall& c) {
  CheckCosine(c);
  int64_t type = c.integer(1);
  if (kInverse && (type == 2 || type == 3)) type = 5 - type;
  Tensor n;
  if (c.has(2)) n = ArgumentAs(c, 2, DataType::kInt32, "n");
  return {CosineTransform(c.tensor(0), type, n, c.has(4))};
}

#define REAL_ARGS \
  "input_tensor: tensor(float32); fft_length: tensor(int32!) = None"
#define COMPLEX_ARGS \
  "input_tensor: tensor(complex64); fft_length: tensor(int32!) = None"
#define ND_ARGS "; axes: tensor(int32!) = None; norm: string = None"
#define DCT_ARGS                                                              \
  "input: tensor; type: int = 2; n: native = None; axis: int = -1; " \
  "norm: string = None"
#define ND_DOC                                                            \
  "\n\nArgs:\n  fft_length: how many elements of each axis count; zeros " \
  "are added where there\n    are fewer. All, if left out.\n  axes: the " \
  "dimensions, all if left out.\n  norm: \"backward\" (the inverse "      \
  "divides by the number of elements), \"forward\"\n    or \"ortho\" "    \
  "(both by its root)."

const CompositionRecord kRecords[] = {
    {.names = "signal.rfft",
     .args = REAL_ARGS,
     .scope = "rfft",
     .build = Rfft<1>,
     .doc = "The Fourier transform of real numbers over the last dimension: "
            "its first fft_length / 2 + 1 elements.",
     .example = ">>> tf.signal.rfft([1., 2., 3., 4.]).numpy().tolist()\n"
                "[(10+0j), (-2+2j), (-2+0j)]"},
    {.names = "signal.rfft2d",
     .args = REAL_ARGS,
     .scope = "rfft2d",
     .build = Rfft<2>,
     .doc = "The Fourier transform of real numbers over the last two "
            "dimensions.",
     .example = ">>> tf.signal.rfft2d(tf.ones([2, 4])).shape\n"
                "TensorShape([2, 3])"},
    {.names = "signal.rfft3d",
     .args = REAL_ARGS,
     .scope = "rfft3d",
     .build = Rfft<3>,
     .doc = "The Fourier transform of real numbers over the last three "
            "dimensions.",
     .example = ">>> tf.signal.rfft3d(tf.ones([2, 2, 4])).shape\n"
                "TensorShape([2, 2, 3])"},
    {.names = "signal.irfft",
     .args = COMPLEX_ARGS,
     .scope = "irfft",
     .build = Irfft<1>,
     .doc = "The real numbers of which `tf.signal.rfft` made this.",
     .example = ">>> tf.signal.irfft([10 + 0j, -2 + 2j, -2]).numpy()"
                ".tolist()\n[1.0, 2.0, 3.0, 4.0]"},
    {.names = "signal.irfft2d",
     .args = COMPLEX_ARGS,
     .scope = "irfft2d",
     .build = Irfft<2>,
     .doc = "The real numbers of which `tf.signal.rfft2d` made this.",
     .example = ">>> tf.signal.irfft2d(tf.signal.rfft2d([[1., 2.], [3., 4.]]))"
                ".numpy().tolist()\n[[1.0, 2.0], [3.0, 4.0]]"},
    {.names = "signal.irfft3d",
     .args = COMPLEX_ARGS,
     .scope = "irfft3d",
     .build = Irfft<3>,
     .doc = "The real numbers of which `tf.signal.rfft3d` made this.",
     .example = ">>> tf.signal.irfft3d(tf.signal.rfft3d([[[1., 2.]]]))"
                ".numpy().tolist()\n[[[1.0, 2.0]]]"},
    {.names = "signal.fftnd",
     .args = COMPLEX_ARGS ND_ARGS,
     .scope = "fftnd",
     .build = FftNd<Form::kForward>,
     .doc = "The Fourier transform over some dimensions." ND_DOC,
     .example = ">>> tf.signal.fftnd([[1 + 0j, 2], [3, 4]]).numpy().real"
                ".tolist()\n[[10.0, -2.0], [-4.0, 0.0]]"},
    {.names = "signal.ifftnd",
     .args = COMPLEX_ARGS ND_ARGS,
     .scope = "ifftnd",
     .build = FftNd<Form::kInverse>,
     .doc = "The inverse Fourier transform over some dimensions." ND_DOC,
     .example = ">>> tf.signal.ifftnd([[10 + 0j, -2], [-4, 0]]).numpy().real"
                ".tolist()\n[[1.0, 2.0], [3.0, 4.0]]"},
    {.names = "signal.rfftnd",
     .args = REAL_ARGS ND_ARGS,
     .scope = "rfftnd",
     .build = FftNd<Form::kReal>,
     .doc = "The Fourier transform of real numbers over some dimensions; of "
            "the last one half is left out, which mirrors the rest." ND_DOC,
     .example = ">>> tf.signal.rfftnd(tf.ones([2, 4])).shape\n"
                "TensorShape([2, 3])"},
    {.names = "signal.irfftnd",
     .args = COMPLEX_ARGS ND_ARGS,
     .scope = "irfftnd",
     .build = FftNd<Form::kToReal>,
     .doc = "The real numbers of which `tf.signal.rfftnd` made this." ND_DOC,
     .example = ">>> tf.signal.irfftnd([10 + 0j, -2 + 2j, -2]).numpy()"
                ".tolist()\n[1.0, 2.0, 3.0, 4.0]"},
    {.names = "signal.fftshift",
     .args = "x: tensor; axes: native = None",
     .scope = "fftshift",
     .build = Shift<false>,
     .doc = "Brings frequency zero to the middle of each axis.",
     .example = ">>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy().tolist()\n"
                "[-2, -1, 0, 1, 2]"},
    {.names = "signal.ifftshift",
     .args = "x: tensor; axes: native = None",
     .scope = "ifftshift",
     .build = Shift<true>,
     .doc = "Brings the middle of each axis to its beginning.",
     .example = ">>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy().tolist()\n"
                "[0, 1, 2, -2, -1]"},
    {.names = "signal.dct",
     .args = DCT_ARGS,
     .scope = "dct",
     .build = Dct<false>,
     .doc = "The discrete cosine transform of type 1 to 4 over the last "
            "dimension.\n\nArgs:\n  n: how many elements count; zeros are "
            "added where there are fewer.\n  axis: must be -1.\n  norm: None "
            "or \"ortho\".",
     .example = ">>> tf.signal.dct([[1.], [2.]]).numpy().tolist()\n"
                "[[2.0], [4.0]]"},
    {.names = "signal.idct",
     .args = DCT_ARGS,
     .scope = "idct",
     .build = Dct<true>,
     .doc = "The inverse of `tf.signal.dct`; unless `norm` is \"ortho\", times "
            "2 n.",
     .example = ">>> tf.signal.idct([4., 0.]).numpy().round(4).tolist()\n"
                "[4.0, 4.0]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_fft)

}  // namespace gk
