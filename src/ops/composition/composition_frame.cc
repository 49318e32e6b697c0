// Signals cut into frames, their spectra, and what is heard of them.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Ceil.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/EnsureShape.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Exp.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Fill.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Log.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Neg.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Pad.h"
#include "ops/fn/PadV2.h"
#include "ops/fn/Pow.h"
#include "ops/fn/Range.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/ReverseV2.h"
#include "ops/fn/Rsqrt.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Size.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Split.h"
#include "ops/fn/Square.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/Tile.h"
#include "ops/fn/Transpose.h"
#include "ops/fn/ZerosLike.h"
#include "ops/signal/padded_fft.h"

namespace gk {
namespace {

// An integer scalar argument.
Tensor ScalarArgument(const CompositionCall& c, int i, std::string_view what) {
  const Tensor t = c.tensor(i);
  if (!IsInteger(t.dtype())) {
    throw Error(ValueError("{} must be an integer. Got {}", what,
                           DataTypeName(t.dtype())));
  }
  const PartialTensorShape shape = t.partial_shape();
  if (!shape.unknown_rank() && shape.rank() != 0) {
    throw Error(ValueError("{}: Shape {} must have rank 0", what,
                           shape.PythonString()));
  }
  return CastTo(t, DataType::kInt32);
}

std::optional<int64_t> Known(const Tensor& t) {
  const auto known = KnownInts(t);
  if (!known || known->size() != 1) return std::nullopt;
  return (*known)[0];
}

Tensor OneLong(const Tensor& scalar) {
  return ops::Reshape(scalar, IndicesOf(std::vector<int64_t>{1}));
}
Tensor Int32s(std::vector<int64_t> values) {
  return IntsTensor(values, DataType::kInt32);
}

int64_t CeilDiv(int64_t a, int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}
Tensor CeilDiv(const Tensor& a, const Tensor& b) {
  return ops::Neg(ops::FloorDiv(ops::Neg(a), b));
}

// ---- Frames ----

struct Frames {
  Tensor length, step, pad_value;  // no pad_value: frames are whole
};

// The size of an axis, a scalar.
Tensor SizeAlong(const Tensor& x, const Tensor& axis) {
  const PartialTensorShape shape = x.partial_shape();
  const auto known = Known(axis);
  if (!shape.unknown_rank() && known && shape.dim(*known) >= 0) {
    return Int32Of(shape.dim(*known));
  }
  return ops::GatherV2(ShapeTensor(x), axis, Int32Of(0));
}

// How many frames of so many samples there are.
Tensor CountOf(const Frames& f, const Tensor& size) {
  const auto n = Known(size), length = Known(f.length), step = Known(f.step);
  if (n && length && step) {
    return Int32Of(f.pad_value    ? std::max<int64_t>(0, CeilDiv(*n, *step))
                   : *n < *length ? 0
                                  : 1 + (*n - *length) / *step);
  }
  const Tensor zero = Int32Of(0);
  if (f.pad_value) return ops::Maximum(CeilDiv(size, f.step), zero);
  const Tensor more = ops::FloorDiv(ops::Sub(size, f.length), f.step);
  return ops::Maximum(ops::AddV2(more, Int32Of(1)), zero);
}

Tensor Padded(const Tensor& x, const Tensor& axis, const Tensor& after,
              const Tensor& value) {
  if (Known(after) == int64_t{0}) return x;
  const Tensor rank = RankOf(x);
  const Tensor zero = Int32Of(0);
  const Tensor axes = ops::Range(zero, rank, Int32Of(1));
  const Tensor more = ops::SelectV2(ops::Equal(axes, axis), after, zero);
  return ops::PadV2(x, ops::Pack(TensorVector{ops::ZerosLike(more), more}, 1),
                    value);
}

Tensor FramesOf(Tensor x, const Frames& f, int64_t axis_given) {
  CheckRankAtLeast(x, 1);
  const PartialTensorShape shape = x.partial_shape();
  const Tensor axis =
      shape.unknown_rank()
          ? ops::Reshape(PositiveAxes(x, {{axis_given}}), Int32s({}))
          : Int32Of(PositiveAxis(axis_given, shape.rank()));
  const auto length = Known(f.length), step = Known(f.step);
  if ((length && *length < 0) || (step && *step <= 0)) {
    throw Error(InvalidArgument(
        "frame_length must not be negative and frame_step must be positive"));
  }
  const Tensor size = SizeAlong(x, axis);
  const Tensor count = CountOf(f, size);
  if (f.pad_value) {
    Tensor after;
    const auto n = Known(size), frames = Known(count);
    if (n && frames && length && step) {
      after =
          Int32Of(std::max<int64_t>(0, *length + *step * (*frames - 1) - *n));
    } else {
      const Tensor last = ops::Mul(f.step, ops::Sub(count, Int32Of(1)));
      after =
          ops::Maximum(ops::Sub(ops::AddV2(f.length, last), size), Int32Of(0));
    }
    x = Padded(x, axis, after, f.pad_value);
  }
  // Whole pieces that frames are made of are moved at once, where their size
  // is known.
  const int64_t piece =
      length && step && *length > 0 ? std::gcd(*length, *step) : 1;
  const Tensor unit = Int32Of(piece);
  const Tensor pieces = ops::FloorDiv(SizeAlong(x, axis), unit);
  const Tensor zero = Int32Of(0), one = Int32Of(1);
  const Tensor rank = RankOf(x);
  if (piece > 1) {
    const Tensor sizes = ShapeTensor(x);
    const Tensor outer = ops::Slice(sizes, Int32s({0}), OneLong(axis));
    const Tensor inner =
        ops::Slice(sizes, OneLong(ops::AddV2(axis, one)), Int32s({-1}));
    const Tensor whole = OneLong(ops::Mul(pieces, unit));
    const Tensor wanted =
        ops::ConcatV2(TensorVector{outer, whole, inner}, zero);
    const Tensor cut = ops::Slice(x, ops::ZerosLike(wanted), wanted);
    x = ops::Reshape(cut, ops::ConcatV2(TensorVector{outer, OneLong(pieces),
                                                     OneLong(unit), inner},
                                        zero));
  }
  const Tensor starts =
      ops::Mul(ops::Range(zero, count, one), ops::FloorDiv(f.step, unit));
  const Tensor within = ops::Range(zero, ops::FloorDiv(f.length, unit), one);
  const Tensor places =
      ops::AddV2(ops::ExpandDims(starts, one), ops::ExpandDims(within, zero));
  Tensor frames = ops::GatherV2(x, places, axis);
  if (piece > 1) {
    // [..., frames, pieces, piece, ...]
    const Tensor sizes = ShapeTensor(frames);
    const Tensor outer = ops::Slice(sizes, Int32s({0}), OneLong(axis));
    const Tensor inner =
        ops::Slice(sizes, OneLong(ops::AddV2(axis, Int32Of(3))), Int32s({-1}));
    frames = ops::Reshape(frames,
                          ops::ConcatV2(TensorVector{outer, OneLong(count),
                                                     OneLong(f.length), inner},
                                        zero));
  }
  // What is known of the shape may have been lost where its parts were joined.
  if (!shape.unknown_rank()) {
    std::vector<int64_t> dims;
    const int64_t at = PositiveAxis(axis_given, shape.rank());
    for (int i = 0; i < shape.rank(); ++i) {
      if (i != at) {
        dims.push_back(shape.dim(i));
        continue;
      }
      dims.push_back(Known(count).value_or(-1));
      dims.push_back(length.value_or(-1));
    }
    const PartialTensorShape known = PartialTensorShape::Make(dims).value();
    if (!frames.partial_shape().IsFullyDefined() &&
        !(frames.partial_shape() == known)) {
      frames = ops::EnsureShape(frames, known);
    }
  }
  return frames;
}

TensorVector Frame(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  Frames f{ScalarArgument(c, 1, "frame_length"),
           ScalarArgument(c, 2, "frame_step"), Tensor()};
  if (c.flag(3)) {
    const int64_t* whole = c.get<int64_t>(4);
    f.pad_value = whole ? NumberOf(double(*whole), x.dtype())
                        : ArgumentAs(c, 4, x.dtype(), "pad_value");
    const PartialTensorShape shape = f.pad_value.partial_shape();
    if (shape.rank() > 0) {
      throw Error(
          ValueError("Shape {} must have rank 0", shape.PythonString()));
    }
  }
  int64_t axis = -1;
  if (const int64_t* given = c.get<int64_t>(5)) {
    axis = *given;
  } else if (const auto known = Known(c.tensor(5))) {
    axis = *known;
  } else {
    throw Error(ValueError("axis must be known while a function is traced"));
  }
  return {FramesOf(x, f, axis)};
}

// ---- Overlapping sums ----

Tensor OverlapAndAdd(Tensor x, const Tensor& step) {
  CheckRankAtLeast(x, 2);
  const auto dim = [&](int place) {
    const auto known = KnownSizeFromEnd(x, place);
    if (known) return Int32Of(*known);
    return ops::Reshape(LastSlice(ShapeTensor(x), SubscriptBound(-place),
                                  place == 1 ? std::optional<SubscriptBound>()
                                             : SubscriptBound(1 - place)),
                        Int32s({}));
  };
  const Tensor length = dim(1), frames = dim(2), one = Int32Of(1);
  const Tensor outer =
      LastSlice(ShapeTensor(x), std::nullopt, SubscriptBound(-2));
  const auto shaped = [&](const Tensor& t, std::vector<Tensor> inner) {
    TensorVector parts{outer};
    for (const Tensor& n : inner) parts.push_back(OneLong(n));
    return ops::Reshape(t, ops::ConcatV2(parts, Int32Of(0)));
  };
  const Tensor size = ops::AddV2(length, ops::Mul(step, ops::Sub(frames, one)));
  const auto known = Known(step);
  if (known && *known <= 0) {
    throw Error(InvalidArgument("frame_step must be positive, got {}", *known));
  }
  if (known && KnownSizeFromEnd(x, 1) == known) return shaped(x, {size});
  const Tensor segments = CeilDiv(length, step);
  const Tensor rest = ops::Sub(ops::Mul(segments, step), length);
  const Tensor outer_zeros =
      ops::Fill(ops::Shape(outer, DataType::kInt32), Int32Of(0));
  const Tensor after = ops::ConcatV2(
      TensorVector{outer_zeros, OneLong(segments), OneLong(rest)}, Int32Of(0));
  x = ops::Pad(x, ops::Pack(TensorVector{ops::ZerosLike(after), after}, 1));
  x = shaped(x, {ops::AddV2(frames, segments), segments, step});
  // Each frame's segments one place further than the frame's before: a row
  // less than there is room for.
  const Tensor outer_rank = ops::Size(outer, DataType::kInt32);
  const Tensor order =
      ops::ConcatV2(TensorVector{ops::Range(Int32Of(0), outer_rank, one),
                                 ops::AddV2(outer_rank, Int32s({1, 0, 2}))},
                    Int32Of(0));
  x = ops::Transpose(x, order);
  x = shaped(x, {ops::Mul(ops::AddV2(frames, segments), segments), step});
  const Tensor rows = ops::Sub(ops::AddV2(frames, segments), one);
  SubscriptEntry all, some, whole;
  all.kind = SubscriptEntry::Kind::kEllipsis;
  some.end = SubscriptBound::Of(ops::Mul(rows, segments));
  x = Subscript(x, {all, some, whole});
  x = shaped(x, {segments, rows, step});
  x = ops::Sum(x, Int32Of(-3));
  x = shaped(x, {ops::Mul(rows, step)});
  return LastSlice(x, std::nullopt, SubscriptBound::Of(size));
}

TensorVector Overlap(CompositionCall& c) {
  return {OverlapAndAdd(c.tensor(0), ScalarArgument(c, 1, "frame_step"))};
}

// ---- Short-time transforms, of windows that are made already ----

// The least power of two that is not below.
Tensor EnclosingPower(const Tensor& n) {
  if (const auto known = Known(n)) {
    int64_t power = 1;
    while (power < *known) power *= 2;
    return Int32Of(power);
  }
  const Tensor log2 = ops::RealDiv(ops::Log(CastTo(n, DataType::kFloat)),
                                   NumberOf(std::log(2.0), DataType::kFloat));
  return CastTo(ops::Pow(NumberOf(2, DataType::kFloat), ops::Ceil(log2)),
                DataType::kInt32);
}

Tensor FftLengthOf(const CompositionCall& c, int i, const Tensor& length) {
  return c.has(i) ? ScalarArgument(c, i, "fft_length") : EnclosingPower(length);
}

TensorVector Stft(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor length = ScalarArgument(c, 1, "frame_length");
  Frames f{length, ScalarArgument(c, 2, "frame_step"), Tensor()};
  const Tensor fft_length = FftLengthOf(c, 3, length);
  if (c.flag(4)) f.pad_value = NumberOf(0, x.dtype());
  Tensor frames = FramesOf(x, f, -1);
  if (c.has(5)) frames = ops::Mul(frames, c.tensor(5));
  return {PaddedRfft({}, frames, 1, OneLong(fft_length))};
}

TensorVector InverseStft(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  CheckRankAtLeast(x, 2);
  const Tensor length = ScalarArgument(c, 1, "frame_length");
  const Tensor step = ScalarArgument(c, 2, "frame_step");
  const Tensor fft_length = FftLengthOf(c, 3, length);
  Tensor frames = PaddedIrfft({}, x, 1, OneLong(fft_length));
  const auto size = KnownSizeFromEnd(frames, 1), wanted = Known(length);
  if (!size || !wanted || *size > *wanted) {
    frames = LastSlice(frames, std::nullopt, SubscriptBound::Of(length));
  }
  frames = PaddedTo(frames, length);
  if (c.has(4)) frames = ops::Mul(frames, c.tensor(4));
  return {OverlapAndAdd(frames, step)};
}

// The window, over the sum of the squares of all that overlap.
TensorVector InverseWindow(CompositionCall& c) {
  const Tensor& window = c.tensor(0);
  const Tensor length = ScalarArgument(c, 1, "frame_length");
  const Tensor step = ScalarArgument(c, 2, "frame_step");
  const Tensor overlaps = CeilDiv(length, step);
  const Tensor whole = ops::Mul(overlaps, step);
  const Tensor squares = PaddedTo(ops::Square(window), whole);
  const Tensor form = ops::Pack(TensorVector{overlaps, step});
  const Tensor sums =
      ops::Sum(ops::Reshape(squares, form), Int32Of(0), /*keep_dims=*/true);
  const Tensor times = ops::Pack(TensorVector{overlaps, Int32Of(1)});
  const Tensor all =
      LastSlice(ops::Reshape(ops::Tile(sums, times), OneLong(whole)),
                std::nullopt, SubscriptBound::Of(length));
  return {ops::SelectV2(ops::Equal(all, NumberOf(0, all.dtype())),
                        ops::ZerosLike(window), ops::RealDiv(window, all))};
}

TensorVector Quarters(const Tensor& x, int64_t parts) {
  return ops::Split(Int32Of(-1), x, parts);
}
Tensor Reversed(const Tensor& x) { return ops::ReverseV2(x, Int32s({-1})); }

bool Orthonormal(const CompositionCall& c, int i) {
  if (!c.has(i)) return false;
  if (c.text(i) == "ortho") return true;
  throw Error(ValueError(
      "Unknown normalization. Expected None or 'ortho', got: {}", c.text(i)));
}

Tensor Windowed(const CompositionCall& c, int i, const Tensor& frames) {
  if (c.has(i)) return ops::Mul(frames, c.tensor(i));
  return ops::Mul(frames, NumberOf(1 / std::sqrt(2.0), frames.dtype()));
}

TensorVector Mdct(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor length = ScalarArgument(c, 1, "frame_length");
  if (const auto known = Known(length); known && *known % 4 != 0) {
    throw Error(ValueError("The frame length must be a multiple of 4."));
  }
  const auto known = Known(length);
  Frames f{length,
           known ? Int32Of(*known / 2) : ops::FloorDiv(length, Int32Of(2)),
           Tensor()};
  if (c.flag(2)) f.pad_value = NumberOf(0, x.dtype());
  const TensorVector parts = Quarters(Windowed(c, 4, FramesOf(x, f, -1)), 4);
  const Tensor first = ops::Sub(ops::Neg(Reversed(parts[2])), parts[3]);
  const Tensor second = ops::Sub(parts[0], Reversed(parts[1]));
  const Tensor folded = ops::ConcatV2(TensorVector{first, second}, Int32Of(-1));
  return {CosineTransform(folded, 4, Tensor(), Orthonormal(c, 3))};
}

TensorVector InverseMdct(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  CheckRankAtLeast(x, 2);
  const auto half = KnownSizeFromEnd(x, 1);
  if (!half) {
    throw Error(ValueError(
        "inverse_mdct needs to know the last dimension, got shape {}",
        x.partial_shape().PythonString()));
  }
  const bool orthonormal = Orthonormal(c, 1);
  Tensor back = CosineTransform(x, 4, Tensor(), orthonormal);
  if (!orthonormal) {
    back = ops::Mul(NumberOf(0.5 / double(*half), back.dtype()), back);
  }
  const TensorVector parts = Quarters(back, 2);
  const Tensor frames = ops::ConcatV2(
      TensorVector{parts[1], ops::Neg(Reversed(parts[1])),
                   ops::Neg(Reversed(parts[0])), ops::Neg(parts[0])},
      Int32Of(-1));
  return {OverlapAndAdd(Windowed(c, 2, frames), Int32Of(*half))};
}

// ---- What is heard ----

constexpr double kBreakHertz = 700, kHighQ = 1127;

Tensor HertzToMel(const Tensor& hertz) {
  const DataType t = hertz.dtype();
  const Tensor ratio = ops::RealDiv(hertz, NumberOf(kBreakHertz, t));
  return ops::Mul(NumberOf(kHighQ, t),
                  ops::Log(ops::AddV2(NumberOf(1, t), ratio)));
}

void CheckMel(const CompositionCall& c, std::optional<double> rate) {
  const double lower = c.real(3), upper = c.real(4);
  if (c.integer(0) <= 0) {
    throw Error(
        ValueError("num_mel_bins must be positive. Got: {}", c.integer(0)));
  }
  if (lower < 0) {
    throw Error(
        ValueError("lower_edge_hertz must be non-negative. Got: {}", lower));
  }
  if (lower >= upper) {
    throw Error(ValueError("lower_edge_hertz {:.1f} >= upper_edge_hertz {:.1f}",
                           lower, upper));
  }
  if (rate && *rate <= 0) {
    throw Error(ValueError("sample_rate must be positive. Got: {}", *rate));
  }
  if (rate && upper > *rate / 2) {
    throw Error(ValueError(
        "upper_edge_hertz must not be larger than the Nyquist frequency "
        "(sample_rate / 2). Got {} for sample_rate: {}",
        upper, *rate));
  }
  if (!IsFloating(c.type(5))) {
    throw Error(ValueError("dtype must be a floating point type. Got: {}",
                           DataTypeName(c.type(5))));
  }
}

std::optional<double> RateOf(const CompositionCall& c) {
  if (const int64_t* n = c.get<int64_t>(2)) return *n;
  if (const double* x = c.get<double>(2)) return *x;
  const Tensor known = c.tensor(2).KnownValue();
  if (!known || known.num_elements() != 1) return std::nullopt;
  double rate = 0;
  const bool number =
      VisitType<int32_t, int64_t, float, double>(known.dtype(), [&](auto tag) {
        rate = static_cast<double>(*known.data<decltype(tag)>());
      });
  if (!number) return std::nullopt;
  return rate;
}

TensorVector MelWeights(CompositionCall& c) {
  const std::optional<double> known_rate = RateOf(c);
  CheckMel(c, known_rate);
  const DataType t = c.type(5);
  const int64_t bins = c.integer(0);
  const Tensor rate =
      known_rate ? NumberOf(*known_rate, t) : CastTo(c.tensor(2), t);
  const Tensor nyquist = ops::RealDiv(rate, NumberOf(2, t));
  const Tensor zero = NumberOf(0, t);
  CompositionValue count;
  if (const int64_t* n = c.get<int64_t>(1)) {
    count = *n;
  } else {
    count = c.tensor(1);
  }
  const Tensor linear =
      LastSlice(CallComposition("linspace", {zero, nyquist, count})[0],
                SubscriptBound(1), std::nullopt);
  const Tensor mels = ops::ExpandDims(HertzToMel(linear), Int32Of(1));
  const Tensor edges = ops::ExpandDims(
      CallComposition("linspace",
                      {HertzToMel(NumberOf(c.real(3), t)),
                       HertzToMel(NumberOf(c.real(4), t)), bins + 2})[0],
      Int32Of(0));
  const auto edge = [&](int64_t from) {
    return LastSlice(edges, SubscriptBound(from), SubscriptBound(from + bins));
  };
  const Tensor lower = edge(0), center = edge(1), upper = edge(2);
  const Tensor rising =
      ops::RealDiv(ops::Sub(mels, lower), ops::Sub(center, lower));
  const Tensor falling =
      ops::RealDiv(ops::Sub(upper, mels), ops::Sub(upper, center));
  const Tensor weights = ops::Maximum(zero, ops::Minimum(rising, falling));
  const Tensor paddings = ops::Reshape(Int32s({1, 0, 0, 0}), Int32s({2, 2}));
  return {ops::Pad(OpName(c.name()), weights, paddings)};
}

TensorVector Mfccs(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const auto known = KnownSizeFromEnd(x, 1);
  if (known == int64_t{0}) {
    throw Error(ValueError("num_mel_bins must be positive. Got: {}",
                           x.partial_shape().PythonString()));
  }
  const Tensor size =
      known ? Int32Of(*known)
            : LastSlice(ShapeTensor(x), SubscriptBound(-1), std::nullopt);
  const Tensor y = CosineTransform(x, 2, Tensor(), false);
  const Tensor twice =
      ops::Mul(CastTo(size, y.dtype()), NumberOf(2, y.dtype()));
  return {ops::Mul(y, ops::Rsqrt(twice))};
}

const CompositionRecord kRecords[] = {
    {.names = "signal.frame",
     .args = "signal: tensor; frame_length: tensor; frame_step: tensor; "
             "pad_end: bool = False; pad_value: native = 0; axis: native = -1",
     .scope = "frame",
     .build = Frame,
     .doc = "Cuts an axis into frames, each `frame_step` after the one "
            "before.\n\nArgs:\n  pad_end: also frames that are not whole, "
            "filled up with `pad_value`.\n  axis: becomes two, frames and "
            "samples.",
     .example = ">>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy().tolist()\n"
                "[[1, 2, 3], [3, 4, 5]]"},
    {.names = "signal.overlap_and_add",
     .args = "signal: tensor; frame_step: tensor",
     .scope = "overlap_and_add",
     .build = Overlap,
     .doc = "The sum of frames [..., frames, samples], each put `frame_step` "
            "after the one before.",
     .example = ">>> tf.signal.overlap_and_add([[1, 2, 3], [4, 5, 6]], 2)"
                ".numpy().tolist()\n[1, 2, 7, 5, 6]"},
    {.names = "signal.linear_to_mel_weight_matrix",
     .args = "num_mel_bins: int = 20; num_spectrogram_bins: native = 129; "
             "sample_rate: native = 8000; lower_edge_hertz: float = 125.0; "
             "upper_edge_hertz: float = 3800.0; dtype: type = float32",
     .scope = "linear_to_mel_weight_matrix",
     .build = MelWeights,
     .doc = "The matrix [num_spectrogram_bins, num_mel_bins] by which a "
            "spectrum becomes one of bands that are equally wide to the ear.",
     .example = ">>> tf.signal.linear_to_mel_weight_matrix(4, 9).shape\n"
                "TensorShape([9, 4])"},
    {.names = "signal.mfccs_from_log_mel_spectrograms",
     .args = "log_mel_spectrograms: tensor",
     .scope = "mfccs_from_log_mel_spectrograms",
     .build = Mfccs,
     .doc = "The cepstral coefficients of logarithms of mel spectra, a cosine "
            "transform of the last dimension.",
     .example = ">>> tf.signal.mfccs_from_log_mel_spectrograms([[1., 1.]])"
                "[:, 0].numpy().tolist()\n[2.0]"},
    // Behind functions that take a function that makes a window.
    {.names = "_signal.stft",
     .args = "signals: tensor; frame_length: tensor; frame_step: tensor; "
             "fft_length: tensor = None; pad_end: bool = False; window: "
             "tensor = None",
     .scope = "stft",
     .build = Stft},
    {.names = "_signal.inverse_stft",
     .args = "stfts: tensor; frame_length: tensor; frame_step: tensor; "
             "fft_length: tensor = None; window: tensor = None",
     .scope = "inverse_stft",
     .build = InverseStft},
    {.names = "_signal.inverse_stft_window",
     .args = "window: tensor; frame_length: tensor; frame_step: tensor",
     .scope = "inverse_stft_window_fn",
     .build = InverseWindow},
    {.names = "_signal.mdct",
     .args = "signals: tensor; frame_length: tensor; pad_end: bool = False; "
             "norm: string = None; window: tensor = None",
     .scope = "mdct",
     .build = Mdct},
    {.names = "_signal.inverse_mdct",
     .args = "mdcts: tensor; norm: string = None; window: tensor = None",
     .scope = "inverse_mdct",
     .build = InverseMdct},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_frame)

}  // namespace gk
