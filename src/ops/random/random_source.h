// Where the numbers of random compositions come from, and what is made of them.
#ifndef GK_OPS_RANDOM_RANDOM_SOURCE_H_
#define GK_OPS_RANDOM_RANDOM_SOURCE_H_

#include <string_view>
#include <utility>
#include <variant>

#include "ops/composition.h"
#include "ops/fn/StatelessRandomNormalV2.h"
#include "ops/fn/StatelessRandomUniformFullIntV2.h"
#include "ops/fn/StatelessRandomUniformIntV2.h"
#include "ops/fn/StatelessRandomUniformV2.h"
#include "ops/fn/StatelessTruncatedNormalV2.h"
#include "ops/fn/Sub.h"
#include "ops/with_attrs/RandomStandardNormal.h"
#include "ops/with_attrs/RandomUniform.h"
#include "ops/with_attrs/RandomUniformInt.h"
#include "ops/with_attrs/TruncatedNormal.h"

namespace gk {

bool IsRandomInteger(DataType t);
// Is argument `i` this number, and no tensor?
bool IsNumber(const CompositionCall& c, int i, int64_t number);
// The argument `shape`; ValueError unless of rank 1.
const Tensor& RandomShape(const CompositionCall& c, int i);
// x * scale + shift, the names of its nodes as operators give them.
Tensor Affine(const CompositionCall& c, const Tensor& x, const Tensor& scale,
              const Tensor& shift);
// Seeds of a stateful op whose argument `i` is its seed.
AttrMap SeedAttrsOf(const CompositionCall& c, int i);

// A kind of numbers: the ops that draw them, from seeds that are attributes
// and from a key and a counter, and what these call their nodes.
struct Deviates {
  std::string_view name;
  Tensor (*seeded)(OpAttrs, const Tensor&);
  std::string_view keyed_name;
  Tensor (*keyed)(OpName, const Tensor&, const Tensor&, const Tensor&,
                  const Tensor&, DataType);
};
inline constexpr Deviates kUniform{"RandomUniform", ops::RandomUniform,
                                   "StatelessRandomUniformV2",
                                   ops::StatelessRandomUniformV2};
inline constexpr Deviates kNormal{
    "RandomStandardNormal", ops::RandomStandardNormal,
    "StatelessRandomNormalV2", ops::StatelessRandomNormalV2};
inline constexpr Deviates kTruncatedNormal{
    "TruncatedNormal", ops::TruncatedNormal, "StatelessTruncatedNormalV2",
    ops::StatelessTruncatedNormalV2};

// Where the numbers of one call come from: the op of a kind and its inputs
// but the limits.
class NumberSource {
 public:
  virtual ~NumberSource() = default;
  virtual Tensor Draw(const Deviates& kind, DataType dtype) = 0;
  virtual Tensor DrawInts(const Tensor& low, const Tensor& high,
                          std::string_view name) = 0;
};

class StatefulNumbers final : public NumberSource {
 public:
  StatefulNumbers(const CompositionCall& c, const Tensor& shape, int seed)
      : c_(c), shape_(shape), attrs_(SeedAttrsOf(c, seed)) {}
  Tensor Draw(const Deviates& kind, DataType dtype) override {
    attrs_.Set("dtype", dtype);
    const std::string name = c_.name(kind.name);
    return kind.seeded(OpAttrs(attrs_, name), shape_);
  }
  Tensor DrawInts(const Tensor& low, const Tensor& high,
                  std::string_view name) override {
    return ops::RandomUniformInt(OpAttrs(attrs_, name), shape_, low, high);
  }

 private:
  const CompositionCall& c_;
  Tensor shape_;
  AttrMap attrs_;
};

// A tensor is left to the op's own check.
using RandomAlgorithmChoice = std::variant<int64_t, Tensor>;

// The argument `alg`; a choice is Philox, which runs anywhere.
RandomAlgorithmChoice AlgorithmOf(const CompositionCall& c, int i);
Tensor MakeAlgorithm(const CompositionCall& c,
                     const RandomAlgorithmChoice& algorithm,
                     std::string_view node);

// From a key and a counter.
class KeyedNumbers final : public NumberSource {
 public:
  KeyedNumbers(const CompositionCall& c, Tensor shape, Tensor key,
               Tensor counter, RandomAlgorithmChoice algorithm)
      : c_(c),
        shape_(std::move(shape)),
        key_(std::move(key)),
        counter_(std::move(counter)),
        algorithm_(std::move(algorithm)) {}

  Tensor Draw(const Deviates& kind, DataType dtype) override {
    const Tensor number = Number(Format("{}/alg", kind.keyed_name));
    const std::string name = c_.name(kind.keyed_name);
    return kind.keyed(OpName(name), shape_, key_, counter_, number, dtype);
  }
  Tensor DrawInts(const Tensor& low, const Tensor& high,
                  std::string_view name) override {
    return ops::StatelessRandomUniformIntV2(OpName(name), shape_, key_,
                                            counter_, Number("alg"), low, high);
  }
  Tensor DrawFullInts(DataType dtype, std::string_view name) {
    return ops::StatelessRandomUniformFullIntV2(OpName(name), shape_, key_,
                                                counter_, Number("alg"), dtype);
  }

 private:
  Tensor Number(std::string_view node) const {
    return MakeAlgorithm(c_, algorithm_, node);
  }

  const CompositionCall& c_;
  Tensor shape_, key_, counter_;
  RandomAlgorithmChoice algorithm_;
};

// Key and counter of a seed.
TensorVector KeyCounter(const CompositionCall& c, int seed);
void CheckFloatingResult(DataType t, std::string_view what);
void CheckUniformArguments(const CompositionCall& c, int maxval,
                           DataType dtype);
Tensor UpperLimit(const CompositionCall& c, int i, DataType dtype);

// Uniform numbers of [minval, maxval); the arguments begin at `first`.
// Limits are made before the source is.
template <class MakeSource>
Tensor UniformNumbers(const CompositionCall& c, int first, DataType dtype,
                      bool plain_without_limits, MakeSource&& make_source) {
  const int minval = first, maxval = first + 1;
  CheckUniformArguments(c, maxval, dtype);
  if (plain_without_limits && !IsRandomInteger(dtype) &&
      IsNumber(c, minval, 0) && (!c.has(maxval) || IsNumber(c, maxval, 1))) {
    return make_source().Draw(kUniform, dtype);
  }
  const Tensor low = ArgumentAs(c, minval, dtype, "min");
  const Tensor high = UpperLimit(c, maxval, dtype);
  auto source = make_source();
  if (IsRandomInteger(dtype)) return source.DrawInts(low, high, c.name());
  const Tensor values = source.Draw(kUniform, dtype);
  const Tensor range = ops::Sub(OpName(c.name("sub")), high, low);
  return Affine(c, values, range, low);
}

template <class MakeSource>
Tensor NormalNumbers(const CompositionCall& c, int first, DataType dtype,
                     const Deviates& kind, MakeSource&& make_source) {
  const Tensor mean = ArgumentAs(c, first, dtype, "mean");
  const Tensor stddev = ArgumentAs(c, first + 1, dtype, "stddev");
  return Affine(c, make_source().Draw(kind, dtype), stddev, mean);
}

}  // namespace gk

#endif  // GK_OPS_RANDOM_RANDOM_SOURCE_H_
