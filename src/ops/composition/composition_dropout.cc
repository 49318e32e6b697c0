// Dropout: by a seed of the op, or a function of a seed alone.
#include <utility>

#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pack.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Unpack.h"
#include "ops/random/random_source.h"
#include "ops/with_attrs/RandomUniform.h"

namespace gk {
namespace {

// The shape of the choice: sizes left open are those of the input.
Tensor NoiseShape(const CompositionCall& c, int i) {
  const Tensor& x = c.tensor(0);
  if (!c.has(i)) return ShapeTensor(x);
  const auto* given = c.get<std::vector<int64_t>>(i);
  if (given == nullptr) return RandomShape(c, i);
  std::vector<int64_t> dims = *given;
  const PartialTensorShape known = x.partial_shape();
  const bool alike =
      !known.unknown_rank() && known.rank() == static_cast<int>(dims.size());
  for (size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] >= 0) continue;
    if (!alike) {
      throw Error(
          ValueError("`noise_shape` leaves size {} open, and has {} of them; "
                     "`x` has shape {}",
                     k, dims.size(), known.PythonString()));
    }
    dims[k] = known.dim(static_cast<int>(k));
  }
  if (PartialTensorShape(dims).IsFullyDefined()) {
    return IntsTensor(dims, DataType::kInt32, c.name("noise_shape"));
  }
  TensorVector sizes;
  const Tensor whole = ShapeTensor(x);
  const TensorVector own = ops::Unpack(whole, known.rank());
  for (size_t k = 0; k < dims.size(); ++k) {
    sizes.push_back(
        dims[k] >= 0 ? NumberOf(static_cast<double>(dims[k]), DataType::kInt32)
                     : own[k]);
  }
  return ops::Pack(sizes);
}

// Scaled elements where `keep` holds, of the choice made by `uniform`.
template <class Uniform>
TensorVector Dropout(const CompositionCall& c, int noise_shape,
                     Uniform&& uniform) {
  const Tensor& x = c.tensor(0);
  const DataType dtype = x.dtype();
  if (!IsFloating(dtype)) {
    throw Error(ValueError(
        "`x.dtype` must be a floating point tensor as `x` will be scaled. "
        "Received: x.dtype=tf.{}",
        DataTypeName(dtype)));
  }
  const int64_t* whole = c.get<int64_t>(1);
  const double* part = c.get<double>(1);
  Tensor rate, scaled;
  if (whole != nullptr || part != nullptr) {
    const double value = part ? *part : static_cast<double>(*whole);
    if (!(value >= 0 && value < 1)) {
      throw Error(
          ValueError("`rate` must be a scalar tensor or a float in "
                     "the range [0, 1). Received: rate={}",
                     value));
    }
    if (value == 0) return {x};
    rate = NumberOf(value, dtype, c.name("rate"));
    scaled = ops::Mul(OpName(c.name("Mul")), x,
                      NumberOf(1.0 / (1.0 - value), dtype, c.name("Const")));
  } else {
    rate = CastTo(c.tensor(1), dtype);
    scaled = ops::RealDiv(x, ops::Sub(NumberOf(1, dtype), rate));
  }
  const Tensor shape = NoiseShape(c, noise_shape);
  const Tensor keep = ops::GreaterEqual(OpName(c.name("GreaterEqual")),
                                        uniform(shape, dtype), rate);
  return {ops::SelectV2(OpName(c.name("SelectV2")), keep, scaled,
                        NumberOf(0, dtype, c.name("Const_1")))};
}

TensorVector StatefulDropout(CompositionCall& c) {
  return Dropout(c, 2, [&](const Tensor& shape, DataType dtype) {
    AttrMap attrs = SeedAttrsOf(c, 3);
    attrs.Set("dtype", dtype);
    const std::string name = c.name("random_uniform/RandomUniform");
    return ops::RandomUniform(OpAttrs(std::move(attrs), name), shape);
  });
}

TensorVector StatelessDropout(CompositionCall& c) {
  return Dropout(c, 4, [&](const Tensor& shape, DataType dtype) {
    RandomAlgorithmChoice algorithm = AlgorithmOf(c, 3);
    const TensorVector pair = KeyCounter(c, 2);
    return KeyedNumbers(c, shape, pair[0], pair[1], std::move(algorithm))
        .Draw(kUniform, dtype);
  });
}

#define DROPOUT_SEED "seed: tensor(int32) as StatelessRandomGetKeyCounter/seed"

const CompositionRecord kRecords[] = {
    {.names = "nn.dropout",
     .args = "x: tensor; rate: native; noise_shape: native(partial) = "
             "None; seed: seed = None",
     .scope = "dropout",
     .ragged = RaggedForm::kDropout,
     .build = StatefulDropout,
     .doc = "Sets a random part of the elements to 0 and scales up the "
            "others.\n\nArgs:\n  rate: the part, in [0, 1).\n  noise_shape: "
            "of the choice, broadcast to the shape of `x`; None stands for a "
            "size of `x`.",
     .example = ">>> tf.nn.dropout([1., 2.], 0.).numpy().tolist()\n"
                "[1.0, 2.0]"},
    {.names = "nn.experimental.stateless_dropout",
     .args = "x: tensor; rate: native; " DROPOUT_SEED "; rng_alg: native = "
             "'auto_select'; noise_shape: native(partial) = None",
     .scope = "stateless_dropout",
     .ragged = RaggedForm::kDropout,
     .build = StatelessDropout,
     .doc = "Dropout whose choice is a function of `seed` alone.",
     .example = ">>> tf.nn.experimental.stateless_dropout([1., 2.], 0.5, [1, "
                "0]).shape\nTensorShape([2])"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_dropout)

}  // namespace gk
