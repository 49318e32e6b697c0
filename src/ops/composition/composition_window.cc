// Windows of signals.
#include <numbers>
#include <vector>

#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/BesselI0e.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Cos.h"
#include "ops/fn/Cumsum.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Exp.h"
#include "ops/fn/Fill.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/FloorMod.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pow.h"
#include "ops/fn/Range.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Relu.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sin.h"
#include "ops/fn/Sqrt.h"
#include "ops/fn/Square.h"
#include "ops/fn/Sub.h"
#include "ops/signal/padded_fft.h"

namespace gk {
namespace {

// The length, argument 0, checked.
Tensor LengthOf(const CompositionCall& c, DataType dtype) {
  if (!IsFloating(dtype)) {
    throw Error(ValueError("dtype must be a floating point type. Found {}",
                           DataTypeName(dtype)));
  }
  const Tensor& length = c.tensor(0);
  const PartialTensorShape shape = length.partial_shape();
  if (!shape.unknown_rank() && shape.rank() != 0) {
    throw Error(ValueError("Shape {} must have rank 0", shape.PythonString()));
  }
  return length;
}

bool IsOne(const Tensor& length) {
  const auto known = KnownInts(length);
  return known && (*known)[0] == 1;
}

Tensor OnesOf(const Tensor& length, DataType dtype) {
  return ops::Fill(ops::Reshape(length, IndicesOf(std::vector<int64_t>{1})),
                   NumberOf(1, dtype));
}

Tensor Times(const Tensor& x, double factor) {
  return ops::Mul(NumberOf(factor, x.dtype()), x);
}

Tensor CountTo(const Tensor& length, DataType dtype) {
  const Tensor start = Int32Of(0);
  return CastTo(ops::Range(start, length, Int32Of(1)), dtype);
}

// a - b cos(2 pi j / n), where n is the length, or one less.
Tensor RaisedCosine(const CompositionCall& c, double a, double b) {
  const DataType dtype = c.type(2);
  const Tensor length = LengthOf(c, dtype);
  if (IsOne(length)) return OnesOf(length, dtype);
  const Tensor periodic =
      CastTo(ArgumentAs(c, 1, DataType::kBool, "periodic"), DataType::kInt32);
  const Tensor odd = ops::FloorMod(length, Int32Of(2));
  const Tensor even = ops::Sub(Int32Of(1), odd);
  const Tensor more = ops::AddV2(length, ops::Mul(periodic, even));
  const Tensor n = CastTo(ops::Sub(more, Int32Of(1)), dtype);
  const Tensor angles =
      ops::RealDiv(Times(CountTo(length, dtype), 2 * std::numbers::pi), n);
  const Tensor window =
      ops::Sub(NumberOf(a, dtype), Times(ops::Cos(angles), b));
  if (KnownInts(length)) return window;
  return ops::SelectV2(ops::Equal(length, Int32Of(1)), NumberOf(1, dtype),
                       window);
}

TensorVector Hann(CompositionCall& c) { return {RaisedCosine(c, 0.5, 0.5)}; }
TensorVector Hamming(CompositionCall& c) {
  return {RaisedCosine(c, 0.54, 0.46)};
}

Tensor KaiserOf(const Tensor& length, const Tensor& given, DataType dtype) {
  if (IsOne(length)) return OnesOf(length, dtype);
  const DataType number = DataType::kFloat;
  const Tensor most = ops::Sub(CastTo(length, number), NumberOf(1, number));
  const Tensor half = ops::RealDiv(most, NumberOf(2, number));
  const Tensor end = ops::AddV2(half, NumberOf(0.1, number));
  const Tensor places =
      CastTo(ops::Range(Times(half, -1), end, NumberOf(1, number)), dtype);
  const Tensor beta = CastTo(given, dtype);
  const Tensor ratio = ops::RealDiv(places, CastTo(half, dtype));
  const Tensor inside =
      ops::Relu(ops::Sub(NumberOf(1, dtype), ops::Square(ratio)));
  const Tensor x = ops::Mul(beta, ops::Sqrt(inside));
  const Tensor scale = ops::RealDiv(ops::BesselI0e(x), ops::BesselI0e(beta));
  return ops::Mul(ops::Exp(ops::Sub(x, beta)), scale);
}

Tensor BetaOf(const CompositionCall& c) {
  if (const int64_t* n = c.get<int64_t>(1)) {
    return NumberOf(static_cast<double>(*n), DataType::kFloat);
  }
  if (const double* x = c.get<double>(1)) {
    return NumberOf(*x, DataType::kDouble);
  }
  return c.tensor(1);
}

TensorVector Kaiser(CompositionCall& c) {
  const Tensor length = LengthOf(c, c.type(2));
  return {KaiserOf(length, BetaOf(c), c.type(2))};
}

TensorVector KaiserBesselDerived(CompositionCall& c) {
  const Tensor length = LengthOf(c, c.type(2));
  const Tensor half = ops::FloorDiv(length, Int32Of(2));
  const Tensor kaiser =
      KaiserOf(ops::AddV2(half, Int32Of(1)), BetaOf(c), c.type(2));
  const Tensor sums = ops::Cumsum(kaiser, Int32Of(0));
  const Tensor before = LastSlice(sums, std::nullopt, SubscriptBound(-1));
  const Tensor last = LastSlice(sums, SubscriptBound(-1), std::nullopt);
  const Tensor rising = ops::Sqrt(ops::RealDiv(before, last));
  const Tensor falling =
      LastSlice(rising, std::nullopt, std::nullopt, SubscriptBound(-1));
  return {ops::ConcatV2(TensorVector{rising, falling}, Int32Of(0))};
}

TensorVector Vorbis(CompositionCall& c) {
  const DataType dtype = c.type(1);
  const Tensor length = LengthOf(c, dtype);
  const Tensor step =
      ops::RealDiv(NumberOf(std::numbers::pi, dtype), CastTo(length, dtype));
  const Tensor places =
      ops::AddV2(CountTo(length, dtype), NumberOf(0.5, dtype));
  const Tensor sine = ops::Sin(ops::Mul(step, places));
  const Tensor power = ops::Pow(sine, NumberOf(2, dtype));
  return {ops::Sin(Times(power, std::numbers::pi / 2))};
}

#define LENGTH "window_length: tensor(int32!)"
#define COSINE_ARGS LENGTH "; periodic: native = True; dtype: type = float32"
#define KAISER_ARGS LENGTH "; beta: native = 12.0; dtype: type = float32"
#define COSINE_DOC                                                           \
  "\n\nArgs:\n  periodic: for spectra, rather than symmetric, for filters: " \
  "of an even length\n    the last number is left out that would be the "    \
  "first again.\n  dtype: floating."

const CompositionRecord kRecords[] = {
    {.names = "signal.hann_window",
     .args = COSINE_ARGS,
     .scope = "hann_window",
     .build = Hann,
     .doc = "A Hann window." COSINE_DOC,
     .example = ">>> tf.signal.hann_window(4).numpy().round(4).tolist()\n"
                "[0.0, 0.5, 1.0, 0.5]"},
    {.names = "signal.hamming_window",
     .args = COSINE_ARGS,
     .scope = "hamming_window",
     .build = Hamming,
     .doc = "A Hamming window." COSINE_DOC,
     .example = ">>> tf.signal.hamming_window(3, dtype=tf.float64).numpy()"
                ".round(4).tolist()\n[0.08, 1.0, 0.08]"},
    {.names = "signal.kaiser_window",
     .args = KAISER_ARGS,
     .scope = "kaiser_window",
     .build = Kaiser,
     .doc = "A Kaiser window: the larger `beta`, the lower its side lobes.",
     .example = ">>> tf.signal.kaiser_window(3).numpy()[1].item()\n1.0"},
    {.names = "signal.kaiser_bessel_derived_window",
     .args = KAISER_ARGS,
     .scope = "kaiser_bessel_derived_window",
     .build = KaiserBesselDerived,
     .doc = "The window whose squares a Kaiser window's sums are.",
     .example = ">>> tf.signal.kaiser_bessel_derived_window(4).numpy().shape\n"
                "(4,)"},
    {.names = "signal.vorbis_window",
     .args = LENGTH "; dtype: type = float32",
     .scope = "vorbis_window",
     .build = Vorbis,
     .doc = "The window of the Vorbis codec.",
     .example = ">>> tf.signal.vorbis_window(2).shape\nTensorShape([2])"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_window)

}  // namespace gk
