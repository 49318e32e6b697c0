// Where the numbers of random composites come from, and what is made of them.
#ifndef GK_OPS_RANDOM_RANDOM_SOURCE_H_
#define GK_OPS_RANDOM_RANDOM_SOURCE_H_

#include <string_view>
#include <utility>
#include <variant>

#include "ops/composite.h"
#include "ops/fn/StatelessRandomUniformFullIntV2.h"
#include "ops/fn/StatelessRandomUniformIntV2.h"
#include "ops/fn/Sub.h"

namespace gk {

bool IsRandomInteger(DataType t);
// Is argument `i` this number, and no tensor?
bool IsNumber(const CompositeCall& c, int i, int64_t number);
// The argument `shape`; ValueError unless of rank 1.
const Tensor& RandomShape(const CompositeCall& c, int i);
// x * scale + shift, the names of its nodes as operators give them.
Tensor Affine(const CompositeCall& c, const Tensor& x, const Tensor& scale,
              const Tensor& shift);
// Seeds of a stateful op whose argument `i` is its seed.
AttrMap SeedAttrsOf(const CompositeCall& c, int i);

// Where the numbers of one call come from: the op of a kind and its inputs
// but the limits.
class NumberSource {
 public:
  virtual ~NumberSource() = default;
  virtual Tensor Draw(std::string_view kind, DataType dtype) = 0;
  virtual Tensor DrawInts(const Tensor& low, const Tensor& high,
                          std::string_view name) = 0;
};

class StatefulNumbers final : public NumberSource {
 public:
  StatefulNumbers(const CompositeCall& c, const Tensor& shape, int seed)
      : c_(c), shape_(shape), attrs_(SeedAttrsOf(c, seed)) {}
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
using RandomAlgorithmChoice = std::variant<int64_t, Tensor>;

// The argument `alg`; a choice is Philox, which runs anywhere.
RandomAlgorithmChoice AlgorithmOf(const CompositeCall& c, int i);
Tensor MakeAlgorithm(const CompositeCall& c,
                     const RandomAlgorithmChoice& algorithm,
                     std::string_view node);

// From a key and a counter.
class KeyedNumbers final : public NumberSource {
 public:
  KeyedNumbers(const CompositeCall& c, Tensor shape, Tensor key, Tensor counter,
               RandomAlgorithmChoice algorithm)
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

  const CompositeCall& c_;
  Tensor shape_, key_, counter_;
  RandomAlgorithmChoice algorithm_;
};

// Key and counter of a seed.
TensorVector KeyCounter(const CompositeCall& c, int seed);
void CheckFloatingResult(DataType t, std::string_view what);
void CheckUniformArguments(const CompositeCall& c, int maxval, DataType dtype);
Tensor UpperLimit(const CompositeCall& c, int i, DataType dtype);

// Uniform numbers of [minval, maxval); the arguments begin at `first`.
// Limits are made before the source is.
template <class MakeSource>
Tensor UniformNumbers(const CompositeCall& c, int first, DataType dtype,
                      bool plain_without_limits, MakeSource&& make_source) {
  const int minval = first, maxval = first + 1;
  CheckUniformArguments(c, maxval, dtype);
  if (plain_without_limits && !IsRandomInteger(dtype) &&
      IsNumber(c, minval, 0) && (!c.has(maxval) || IsNumber(c, maxval, 1))) {
    return make_source().Draw("Uniform", dtype);
  }
  const Tensor low = ArgumentAs(c, minval, dtype, "min");
  const Tensor high = UpperLimit(c, maxval, dtype);
  auto source = make_source();
  if (IsRandomInteger(dtype)) return source.DrawInts(low, high, c.name());
  const Tensor values = source.Draw("Uniform", dtype);
  const Tensor range = ops::Sub(OpName(c.name("sub")), high, low);
  return Affine(c, values, range, low);
}

template <class MakeSource>
Tensor NormalNumbers(const CompositeCall& c, int first, DataType dtype,
                     std::string_view kind, MakeSource&& make_source) {
  const Tensor mean = ArgumentAs(c, first, dtype, "mean");
  const Tensor stddev = ArgumentAs(c, first + 1, dtype, "stddev");
  return Affine(c, make_source().Draw(kind, dtype), stddev, mean);
}

}  // namespace gk

#endif  // GK_OPS_RANDOM_RANDOM_SOURCE_H_
