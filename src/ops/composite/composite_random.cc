// Random tensors: stateful, stateless, and from a generator's state.
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "ops/composite.h"
#include "ops/element_moves.h"
#include "ops/random/random_algorithm.h"
#include "ops/random/random_seeds.h"

namespace gk {
namespace {

bool IsRandomInteger(DataType t) {
  return t == DataType::kInt32 || t == DataType::kInt64 ||
         t == DataType::kUint32 || t == DataType::kUint64;
}

bool IsNumber(const CompositeCall& c, int i, int64_t number) {
  if (const int64_t* v = c.get<int64_t>(i)) return *v == number;
  const double* v = c.get<double>(i);
  return v != nullptr && *v == static_cast<double>(number);
}

const Tensor& ShapeOf(const CompositeCall& c, int i) {
  const Tensor& shape = c.tensor(i);
  const PartialTensorShape form = shape.partial_shape();
  if (!form.unknown_rank() && form.rank() != 1) {
    throw Error(ValueError(
        "`shape` must be a list, tuple or tensor of rank 1, got one of rank {}",
        form.rank()));
  }
  return shape;
}

// x * scale + shift, the names of its nodes as operators give them.
Tensor Affine(const CompositeCall& c, const Tensor& x, const Tensor& scale,
              const Tensor& shift) {
  const Tensor scaled = MakeOp1("Mul", {x, scale}, {}, c.name("mul"));
  return MakeOp1("AddV2", {scaled, shift}, {}, c.name());
}

// Where the numbers of one call come from: the op of a kind and its inputs
// but the limits.
class Source {
 public:
  virtual ~Source() = default;
  virtual Tensor Draw(std::string_view kind, DataType dtype) = 0;
  virtual Tensor DrawInts(const Tensor& low, const Tensor& high,
                          std::string_view name) = 0;
};

class StatefulSource final : public Source {
 public:
  StatefulSource(const CompositeCall& c, const Tensor& shape, int seed)
      : c_(c), shape_(shape) {
    const int64_t* given = c.get<int64_t>(seed);
    attrs_ = SeedAttrs(SeedsOfOp(given ? std::optional(*given) : std::nullopt));
  }
  Tensor Draw(std::string_view kind, DataType dtype) override {
    const std::string_view op = kind == "Uniform"  ? "RandomUniform"
                                : kind == "Normal" ? "RandomStandardNormal"
                                                   : "TruncatedNormal";
    attrs_.Set("dtype", dtype);
    return MakeOp1(op, {shape_}, attrs_, c_.name(op));
  }
  Tensor DrawInts(const Tensor& low, const Tensor& high,
                  std::string_view name) override {
    return MakeOp1("RandomUniformInt", {shape_, low, high}, attrs_, name);
  }

 private:
  const CompositeCall& c_;
  Tensor shape_;
  AttrMap attrs_;
};

// A tensor is left to the op's own check.
using Algorithm = std::variant<int64_t, Tensor>;

// The argument `alg`; a choice is Philox, which runs anywhere.
Algorithm AlgorithmOf(const CompositeCall& c, int i) {
  if (const Tensor* t = c.get<Tensor>(i)) return *t;
  if (const int64_t* v = c.get<int64_t>(i)) {
    return ValueOrThrow(RandomAlgorithm(*v));
  }
  if (const std::string* s = c.get<std::string>(i)) {
    return ValueOrThrow(RandomAlgorithm(*s));
  }
  throw Error(TypeError(
      "Can't convert argument `alg` to int: expected 1, 2, 3, 'philox', "
      "'threefry', 'auto_select' or a tensor"));
}

Tensor MakeAlgorithm(const CompositeCall& c, const Algorithm& algorithm,
                     std::string_view node) {
  if (const Tensor* t = std::get_if<Tensor>(&algorithm)) return *t;
  return Int32Of(std::get<int64_t>(algorithm), c.name(node));
}

// From a key and a counter.
class KeyedSource final : public Source {
 public:
  KeyedSource(const CompositeCall& c, Tensor shape, Tensor key, Tensor counter,
              Algorithm algorithm)
      : c_(c),
        shape_(std::move(shape)),
        key_(std::move(key)),
        counter_(std::move(counter)),
        algorithm_(std::move(algorithm)) {}

  Tensor Draw(std::string_view kind, DataType dtype) override {
    const std::string_view op = kind == "Uniform" ? "StatelessRandomUniformV2"
                                : kind == "Normal"
                                    ? "StatelessRandomNormalV2"
                                    : "StatelessTruncatedNormalV2";
    const std::string node = Format("{}/alg", op);
    return MakeOp1(op, {shape_, key_, counter_, Number(node)},
                   {{"dtype", dtype}}, c_.name(op));
  }
  Tensor DrawInts(const Tensor& low, const Tensor& high,
                  std::string_view name) override {
    return MakeOp1("StatelessRandomUniformIntV2",
                   {shape_, key_, counter_, Number("alg"), low, high}, {},
                   name);
  }
  Tensor DrawFullInts(DataType dtype, std::string_view name) {
    return MakeOp1("StatelessRandomUniformFullIntV2",
                   {shape_, key_, counter_, Number("alg")},
                   {{"dtype", dtype}}, name);
  }

 private:
  Tensor Number(std::string_view node) const {
    return MakeAlgorithm(c_, algorithm_, node);
  }

  const CompositeCall& c_;
  Tensor shape_, key_, counter_;
  Algorithm algorithm_;
};

// Key and counter of a seed.
TensorVector KeyCounter(const CompositeCall& c, int seed) {
  return MakeOp("StatelessRandomGetKeyCounter", TensorVector{c.tensor(seed)},
                {}, c.name("StatelessRandomGetKeyCounter"));
}

// Of a shape (0), a seed (1) and an algorithm (6).
KeyedSource StatelessSource(const CompositeCall& c) {
  const Tensor& shape = ShapeOf(c, 0);
  Algorithm algorithm = AlgorithmOf(c, 6);
  const TensorVector pair = KeyCounter(c, 1);
  return KeyedSource(c, shape, pair[0], pair[1], std::move(algorithm));
}

void CheckFloating(DataType t, std::string_view what) {
  if (t == DataType::kHalf || t == DataType::kBfloat16 ||
      t == DataType::kFloat || t == DataType::kDouble) {
    return;
  }
  throw Error(ValueError("Argument `dtype` of {} must be a floating type, got "
                         "{}",
                         what, DataTypeName(t)));
}

void CheckUniform(const CompositeCall& c, int maxval, DataType dtype) {
  if (!IsRandomInteger(dtype) && !IsFloating(dtype)) {
    throw Error(ValueError(
        "Argument `dtype` got invalid value tf.{}. Accepted dtypes are "
        "['int32', 'int64', 'uint32', 'uint64', 'float16', 'bfloat16', "
        "'float32', 'float64'].",
        DataTypeName(dtype)));
  }
  if (IsRandomInteger(dtype) && !c.has(maxval)) {
    throw Error(ValueError(
        "Must specify maxval for integer dtype tf.{}. Got maxval=None.",
        DataTypeName(dtype)));
  }
}

Tensor UpperLimit(const CompositeCall& c, int i, DataType dtype) {
  return c.has(i) ? ArgumentAs(c, i, dtype, "max")
                  : NumberOf(1, dtype, c.name("max"));
}

// Uniform numbers of [minval, maxval); the arguments begin at `first`. Limits
// are made before the source is.
template <class MakeSource>
Tensor Uniform(const CompositeCall& c, int first, DataType dtype,
               bool plain_without_limits, MakeSource&& make_source) {
  const int minval = first, maxval = first + 1;
  CheckUniform(c, maxval, dtype);
  if (plain_without_limits && !IsRandomInteger(dtype) &&
      IsNumber(c, minval, 0) &&
      (!c.has(maxval) || IsNumber(c, maxval, 1))) {
    return make_source().Draw("Uniform", dtype);
  }
  const Tensor low = ArgumentAs(c, minval, dtype, "min");
  const Tensor high = UpperLimit(c, maxval, dtype);
  auto source = make_source();
  if (IsRandomInteger(dtype)) return source.DrawInts(low, high, c.name());
  const Tensor values = source.Draw("Uniform", dtype);
  const Tensor range = MakeOp1("Sub", {high, low}, {}, c.name("sub"));
  return Affine(c, values, range, low);
}

template <class MakeSource>
Tensor Normal(const CompositeCall& c, int first, DataType dtype,
              std::string_view kind, MakeSource&& make_source) {
  const Tensor mean = ArgumentAs(c, first, dtype, "mean");
  const Tensor stddev = ArgumentAs(c, first + 1, dtype, "stddev");
  return Affine(c, make_source().Draw(kind, dtype), stddev, mean);
}

TensorVector RandomUniform(CompositeCall& c) {
  const Tensor& shape = ShapeOf(c, 0);
  return {Uniform(c, 1, c.type(3), true,
                  [&] { return StatefulSource(c, shape, 4); })};
}

TensorVector RandomNormal(CompositeCall& c) {
  CheckFloating(c.type(3), "random.normal");
  const Tensor& shape = ShapeOf(c, 0);
  return {Normal(c, 1, c.type(3), "Normal",
                 [&] { return StatefulSource(c, shape, 4); })};
}

TensorVector RandomTruncatedNormal(CompositeCall& c) {
  CheckFloating(c.type(3), "random.truncated_normal");
  const Tensor& shape = ShapeOf(c, 0);
  return {Normal(c, 1, c.type(3), "TruncatedNormal",
                 [&] { return StatefulSource(c, shape, 4); })};
}

AttrMap SeedAttrsOf(const CompositeCall& c, int i) {
  const int64_t* seed = c.get<int64_t>(i);
  return SeedAttrs(SeedsOfOp(seed ? std::optional(*seed) : std::nullopt));
}

TensorVector Shuffle(CompositeCall& c) {
  return {MakeOp1("RandomShuffle", {c.tensor(0)}, SeedAttrsOf(c, 1),
                  c.name())};
}

TensorVector Categorical(CompositeCall& c) {
  AttrMap attrs = SeedAttrsOf(c, 3);
  attrs.Set("output_dtype", c.has(2) ? c.type(2) : DataType::kInt64);
  return {MakeOp1("Multinomial", {c.tensor(0), c.tensor(1)}, std::move(attrs),
                  c.name("Multinomial"))};
}

double SmallestNormal(DataType t) {
  switch (t) {
    case DataType::kHalf:
      return 6.104e-05;
    case DataType::kDouble:
      return 2.2250738585072014e-308;
    default:
      return 1.1754944e-38;
  }
}

TensorVector Gamma(CompositeCall& c) {
  const DataType dtype = c.type(3);
  CheckFloating(dtype, "random.gamma");
  const Tensor& shape = ShapeOf(c, 0);
  const Tensor alpha = ArgumentAs(c, 1, dtype, "alpha");
  const Tensor beta = c.has(2) ? ArgumentAs(c, 2, dtype, "beta")
                               : NumberOf(1, dtype, c.name("beta"));
  const Tensor wide_alpha =
      MakeOp1("AddV2", {alpha, MakeOp1("ZerosLike", {beta})});
  const Tensor wide_beta =
      MakeOp1("AddV2", {beta, MakeOp1("ZerosLike", {alpha})});
  const Tensor values = MakeOp1("RandomGamma", {shape, wide_alpha},
                                SeedAttrsOf(c, 4), c.name("RandomGamma"));
  return {MakeOp1("Maximum", {NumberOf(SmallestNormal(dtype), dtype),
                              MakeOp1("RealDiv", {values, wide_beta})})};
}

TensorVector Poisson(CompositeCall& c) {
  AttrMap attrs = SeedAttrsOf(c, 3);
  attrs.Set("dtype", c.type(2));
  return {MakeOp1("RandomPoissonV2", {ShapeOf(c, 0), c.tensor(1)},
                  std::move(attrs), c.name("RandomPoissonV2"))};
}

TensorVector StatelessUniform(CompositeCall& c) {
  const DataType dtype = c.type(4);
  const auto source = [&] { return StatelessSource(c); };
  if (IsRandomInteger(dtype) && !c.has(2) && !c.has(3)) {
    return {source().DrawFullInts(dtype, c.name())};
  }
  return {Uniform(c, 2, dtype, false, source)};
}

TensorVector StatelessNormal(CompositeCall& c) {
  CheckFloating(c.type(4), "random.stateless_normal");
  return {Normal(c, 2, c.type(4), "Normal",
                 [&] { return StatelessSource(c); })};
}

TensorVector StatelessTruncatedNormal(CompositeCall& c) {
  CheckFloating(c.type(4), "random.stateless_truncated_normal");
  return {Normal(c, 2, c.type(4), "TruncatedNormal",
                 [&] { return StatelessSource(c); })};
}

TensorVector StatelessCategorical(CompositeCall& c) {
  return {MakeOp1("StatelessMultinomial",
                  {c.tensor(0), c.tensor(1), c.tensor(2)},
                  {{"output_dtype", c.type(3)}},
                  c.name("StatelessMultinomial"))};
}

TensorVector StatelessShuffle(CompositeCall& c) {
  const Algorithm algorithm = AlgorithmOf(c, 2);
  const TensorVector pair = KeyCounter(c, 1);
  return {MakeOp1("StatelessShuffle",
                  {c.tensor(0), pair[0], pair[1],
                   MakeAlgorithm(c, algorithm, "StatelessShuffle/alg")},
                  {}, c.name("StatelessShuffle"))};
}

// ---- Dropout ----

// Scaled elements where `keep` holds, of the choice made by `uniform`.
template <class Uniform>
TensorVector Dropout(const CompositeCall& c, int noise_shape,
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
      throw Error(ValueError("`rate` must be a scalar tensor or a float in "
                             "the range [0, 1). Received: rate={}",
                             value));
    }
    if (value == 0) return {x};
    rate = NumberOf(value, dtype, c.name("rate"));
    scaled = MakeOp1("Mul", {x, NumberOf(1.0 / (1.0 - value), dtype,
                                         c.name("Const"))}, {},
                     c.name("Mul"));
  } else {
    rate = CastTo(c.tensor(1), dtype);
    scaled = MakeOp1("RealDiv",
                     {x, MakeOp1("Sub", {NumberOf(1, dtype), rate})});
  }
  const Tensor shape =
      c.has(noise_shape) ? ShapeOf(c, noise_shape) : ShapeTensor(x);
  const Tensor keep =
      MakeOp1("GreaterEqual", {uniform(shape, dtype), rate}, {},
              c.name("GreaterEqual"));
  return {MakeOp1("SelectV2",
                  {keep, scaled, NumberOf(0, dtype, c.name("Const_1"))}, {},
                  c.name("SelectV2"))};
}

TensorVector StatefulDropout(CompositeCall& c) {
  return Dropout(c, 2, [&](const Tensor& shape, DataType dtype) {
    AttrMap attrs = SeedAttrsOf(c, 3);
    attrs.Set("dtype", dtype);
    return MakeOp1("RandomUniform", {shape}, std::move(attrs),
                   c.name("random_uniform/RandomUniform"));
  });
}

TensorVector StatelessDropout(CompositeCall& c) {
  return Dropout(c, 4, [&](const Tensor& shape, DataType dtype) {
    Algorithm algorithm = AlgorithmOf(c, 3);
    const TensorVector pair = KeyCounter(c, 2);
    return KeyedSource(c, shape, pair[0], pair[1], std::move(algorithm))
        .Draw("Uniform", dtype);
  });
}

// Seeds of a seed: integers of the whole range, by Philox.
Tensor SeedsOf(const CompositeCall& c, const Tensor& shape, DataType dtype,
               int algorithm) {
  Algorithm alg = AlgorithmOf(c, algorithm);
  const TensorVector pair = KeyCounter(c, 0);
  return KeyedSource(c, shape, pair[0], pair[1], std::move(alg))
      .DrawFullInts(dtype, c.name());
}

TensorVector Split(CompositeCall& c) {
  Tensor shape;
  if (const int64_t* n = c.get<int64_t>(1)) {
    shape = IndicesOf(std::vector<int64_t>{*n, 2}, c.name("shape"));
  } else {
    const Tensor& count = c.tensor(1);
    shape = MakeOp("Pack", TensorVector{count, IntegerOf(2, count.dtype())},
                   {{"N", int64_t{2}}, {"axis", int64_t{0}}},
                   c.name("shape"))[0];
  }
  return {SeedsOf(c, shape, c.tensor(0).dtype(), 2)};
}

TensorVector FoldIn(CompositeCall& c) {
  const Tensor& data = c.tensor(1);
  return {MakeOp(
      "Pack",
      TensorVector{SeedsOf(c, IndicesOf({}, c.name("shape")), data.dtype(), 2),
                   data},
      {{"N", int64_t{2}}, {"axis", int64_t{0}}})[0]};
}

// ---- Generators: a state in a variable, counter (low, high) and key ----

// Takes as many numbers as `shape` has.
KeyedSource TakeNumbers(const CompositeCall& c) {
  const Tensor& shape = ShapeOf(c, 2);
  const Tensor algorithm = Int32Of(c.integer(1));
  // A bad shape moves nothing on before its draw fails.
  const Tensor sizes = MakeOp1("Maximum", {
      MakeOp1("Cast", {shape}, {{"DstT", DataType::kInt64}}),
      NumberOf(0, DataType::kInt64)});
  const Tensor size =
      MakeOp1("Prod", {sizes, IndicesOf(std::vector<int64_t>{0})});
  const Tensor state =
      MakeOp1("RngReadAndSkip",
              {c.tensor(0), algorithm,
               MakeOp1("Cast", {size}, {{"DstT", DataType::kUint64}})});
  const auto words = [&](int64_t begin, int64_t count) {
    const Tensor part = MakeOp1(
        "Slice", {state, IndicesOf(std::vector<int64_t>{begin}),
                  IndicesOf(std::vector<int64_t>{count})});
    return MakeOp1("Bitcast", {part}, {{"type", DataType::kUint64}});
  };
  const Tensor counter = words(0, 2);
  return KeyedSource(c, shape, words(2, 1), counter, c.integer(1));
}

TensorVector GeneratorUniform(CompositeCall& c) {
  return {Uniform(c, 3, c.type(5), false, [&] { return TakeNumbers(c); })};
}

TensorVector GeneratorFullInts(CompositeCall& c) {
  return {TakeNumbers(c).DrawFullInts(c.type(3), c.name())};
}

template <bool kTruncated>
TensorVector GeneratorNormal(CompositeCall& c) {
  CheckFloating(c.type(5), "Generator.normal");
  return {Normal(c, 3, c.type(5), kTruncated ? "TruncatedNormal" : "Normal",
                 [&] { return TakeNumbers(c); })};
}

TensorVector GeneratorSkip(CompositeCall& c) {
  Tensor delta = c.get<int64_t>(2) ? IntegerOf(c.integer(2), DataType::kInt64)
                                   : c.tensor(2);
  if (delta.dtype() != DataType::kUint64) {
    delta = MakeOp1("Cast", {delta}, {{"DstT", DataType::kUint64}});
  }
  return {MakeOp1("RngReadAndSkip",
                  {c.tensor(0), Int32Of(c.integer(1)), delta}, {}, c.name())};
}

#define DRAWN "shape: tensor(int32); "
#define LIMITS "minval: native(T) = 0; maxval: native(T) = None; " \
               "dtype: type(T) = float32"
#define MOMENTS "mean: native(T) = 0.0; stddev: native(T) = 1.0; " \
                "dtype: type(T) = float32"
#define OF_SEED "; seed: seed = None"
#define SEEDED "seed: tensor(int32) as StatelessRandomGetKeyCounter/seed"
#define BY_ALGORITHM "; name: name = None; alg: native = 'auto_select'"
#define OF_STATE "state: handle; algorithm: int; shape: tensor(int32); "

const CompositeRecord kRecords[] = {
    {.names = "random.uniform",
     .args = DRAWN LIMITS OF_SEED,
     .scope = "random_uniform",
     .build = RandomUniform,
     .doc = "Uniform numbers in [minval, maxval).\n\nArgs:\n  shape: of the "
            "result: ints or an integer tensor.\n  minval, maxval: limits, "
            "broadcast to `shape`; integers need `maxval`.\n  dtype: floating, "
            "int32 or int64.\n  seed: of this op; see `tf.random.set_seed`.\n"
            "  name: of the scope.\n\nRaises ValueError for another dtype or a "
            "missing `maxval`.",
     .example = ">>> tf.random.uniform([2, 3]).shape\nTensorShape([2, 3])"},
    {.names = "random.normal",
     .args = DRAWN MOMENTS OF_SEED,
     .scope = "random_normal",
     .build = RandomNormal,
     .doc = "Normally distributed numbers of the given mean and deviation.",
     .example = ">>> tf.random.normal([4]).shape\nTensorShape([4])"},
    {.names = "random.truncated_normal",
     .args = DRAWN MOMENTS OF_SEED,
     .scope = "truncated_normal",
     .build = RandomTruncatedNormal,
     .doc = "Normal numbers; those beyond two deviations are drawn again.",
     .example = ">>> bool(abs(tf.random.truncated_normal([])) <= 2)\nTrue"},
    {.names = "random.shuffle",
     .args = "value: tensor; seed: seed = None",
     .scope = "RandomShuffle",
     .build = Shuffle,
     .doc = "The slices along the first dimension in random order.",
     .example = ">>> sorted(tf.random.shuffle([3, 1, 2]).numpy().tolist())\n"
                "[1, 2, 3]"},
    {.names = "random.categorical",
     .args = "logits: tensor; num_samples: tensor(int32!); dtype: type = "
             "None; seed: seed = None",
     .scope = "categorical",
     .build = Categorical,
     .doc = "Class numbers drawn from unnormalised log probabilities.\n\n"
            "Args:\n  logits: [batch, classes].\n  num_samples: how many for "
            "each row.\n  dtype: int64 unless given.",
     .example = ">>> tf.random.categorical([[0., -1e9]], 3).numpy().tolist()\n"
                "[[0, 0, 0]]"},
    {.names = "random.gamma",
     .args = DRAWN "alpha: native(T); beta: native(T) = None; dtype: type(T) = "
             "float32; seed: seed = None",
     .scope = "random_gamma",
     .build = Gamma,
     .doc = "Gamma distributed numbers, of shape `shape` + that of alpha / "
            "beta.",
     .example = ">>> tf.random.gamma([2], [1., 2.]).shape\n"
                "TensorShape([2, 2])"},
    {.names = "random.poisson",
     .args = DRAWN "lam: tensor; dtype: type = float32; seed: seed = None",
     .scope = "random_poisson",
     .build = Poisson,
     .doc = "Poisson distributed numbers, of shape `shape` + that of `lam`.",
     .example = ">>> tf.random.poisson([3], 0.).numpy().tolist()\n"
                "[0.0, 0.0, 0.0]"},
    {.names = "random.stateless_uniform",
     .args = DRAWN SEEDED "; " LIMITS BY_ALGORITHM,
     .scope = "stateless_random_uniform",
     .build = StatelessUniform,
     .doc = "Uniform numbers in [minval, maxval), a function of `seed` "
            "alone.\n\nArgs:\n  seed: two integers.\n  minval, maxval: both "
            "None for integers: the whole range.",
     .example = ">>> tf.random.stateless_uniform([], seed=[1, 2]).numpy()"
                ".item() < 1\nTrue"},
    {.names = "random.stateless_normal",
     .args = DRAWN SEEDED "; " MOMENTS BY_ALGORITHM,
     .scope = "stateless_random_normal",
     .build = StatelessNormal,
     .doc = "Normal numbers, a function of `seed` alone.",
     .example = ">>> tf.random.stateless_normal([2], seed=[1, 2]).shape\n"
                "TensorShape([2])"},
    {.names = "random.stateless_truncated_normal",
     .args = DRAWN SEEDED "; " MOMENTS BY_ALGORITHM,
     .scope = "stateless_truncated_normal",
     .build = StatelessTruncatedNormal,
     .doc = "Truncated normal numbers, a function of `seed` alone.",
     .example = ">>> tf.random.stateless_truncated_normal([2], seed=[1, 2])"
                ".shape\nTensorShape([2])"},
    {.names = "random.stateless_categorical",
     .args = "logits: tensor; num_samples: tensor(int32!); seed: "
             "tensor(int32); dtype: type = int64",
     .scope = "stateless_categorical",
     .build = StatelessCategorical,
     .doc = "Class numbers of unnormalised log probabilities, by `seed` "
            "alone.",
     .example = ">>> tf.random.stateless_categorical([[0., -1e9]], 2, [1, 2])"
                ".shape\nTensorShape([1, 2])"},
    {.names = "random.experimental.stateless_shuffle",
     .args = "value: tensor; " SEEDED "; alg: native = 'auto_select'",
     .scope = "stateless_shuffle",
     .build = StatelessShuffle,
     .doc = "The slices along the first dimension in an order given by "
            "`seed`.",
     .example = ">>> tf.random.experimental.stateless_shuffle([0, 1, 2, 3, 4, "
                "5],\n...     seed=[1, 2]).numpy().tolist()\n"
                "[4, 5, 0, 3, 1, 2]"},

    {.names = "nn.dropout",
     .args = "x: tensor; rate: native; noise_shape: tensor(int32) = None; "
             "seed: seed = None",
     .scope = "dropout",
     .build = StatefulDropout,
     .doc = "Sets a random part of the elements to 0 and scales up the "
            "others.\n\nArgs:\n  rate: the part, in [0, 1).\n  noise_shape: "
            "of the choice, broadcast to the shape of `x`.",
     .example = ">>> tf.nn.dropout([1., 2.], 0.).numpy().tolist()\n"
                "[1.0, 2.0]"},
    {.names = "nn.experimental.stateless_dropout",
     .args = "x: tensor; rate: native; " SEEDED "; rng_alg: native = "
             "'auto_select'; noise_shape: tensor(int32) = None",
     .scope = "stateless_dropout",
     .build = StatelessDropout,
     .doc = "Dropout whose choice is a function of `seed` alone.",
     .example = ">>> tf.nn.experimental.stateless_dropout([1., 2.], 0.5, [1, "
                "0]).shape\nTensorShape([2])"},
    {.names = "random.split|random.experimental.stateless_split",
     .args = SEEDED "; num: native = 2; alg: native = 'auto_select'",
     .scope = "stateless_random_uniform",
     .build = Split,
     .doc = "`num` new seeds [num, 2] of one.",
     .example = ">>> tf.random.split([1, 2], 2).numpy().tolist()\n"
                "[[1105988140, 1738052849], [-335576002, 370444179]]",
     .takes_name = false},
    {.names = "random.fold_in|random.experimental.stateless_fold_in",
     .args = SEEDED "; data: tensor; alg: native = 'auto_select'",
     .scope = "stateless_random_uniform",
     .build = FoldIn,
     .doc = "A new seed of a seed and a number.",
     .example = ">>> tf.random.fold_in([1, 2], 3).numpy().tolist()\n"
                "[1105988140, 3]",
     .takes_name = false},

    // Names with an underscore: behind tf.random.Generator and its like in
    // C++.
    {.names = "_generator.uniform",
     .args = OF_STATE LIMITS,
     .scope = "stateful_uniform",
     .build = GeneratorUniform},
    {.names = "_generator.uniform_full_int",
     .args = OF_STATE "dtype: type = uint64",
     .scope = "stateful_uniform_full_int",
     .build = GeneratorFullInts},
    {.names = "_generator.normal",
     .args = OF_STATE MOMENTS,
     .scope = "stateful_normal",
     .build = GeneratorNormal<false>},
    {.names = "_generator.truncated_normal",
     .args = OF_STATE MOMENTS,
     .scope = "truncated_normal",
     .build = GeneratorNormal<true>},
    {.names = "_generator.skip",
     .args = "state: handle; algorithm: int; delta: native",
     .build = GeneratorSkip,
     .takes_name = false},
};

}  // namespace

GK_REGISTER_COMPOSITES(composite_random)

}  // namespace gk
