// Behind generators: a state in a variable, counter (low, high) and key.
#include <vector>

#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/Bitcast.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Prod.h"
#include "ops/fn/RngReadAndSkip.h"
#include "ops/fn/Slice.h"
#include "ops/random/random_source.h"

namespace gk {
namespace {

// Takes as many numbers as `shape` has.
KeyedNumbers TakeNumbers(const CompositionCall& c) {
  const Tensor& shape = RandomShape(c, 2);
  const Tensor algorithm = Int32Of(c.integer(1));
  // A bad shape moves nothing on before its draw fails.
  const Tensor left = ops::Cast(shape, DataType::kInt64);
  const Tensor sizes = ops::Maximum(left, NumberOf(0, DataType::kInt64));
  const Tensor size = ops::Prod(sizes, IndicesOf(std::vector<int64_t>{0}));
  const Tensor state = ops::RngReadAndSkip(c.tensor(0), algorithm,
                                           ops::Cast(size, DataType::kUint64));
  const auto words = [&](int64_t begin, int64_t count) {
    const Tensor from = IndicesOf(std::vector<int64_t>{begin});
    const Tensor part =
        ops::Slice(state, from, IndicesOf(std::vector<int64_t>{count}));
    return ops::Bitcast(part, DataType::kUint64);
  };
  const Tensor counter = words(0, 2);
  return KeyedNumbers(c, shape, words(2, 1), counter, c.integer(1));
}

TensorVector GeneratorUniform(CompositionCall& c) {
  return {
      UniformNumbers(c, 3, c.type(5), false, [&] { return TakeNumbers(c); })};
}

TensorVector GeneratorFullInts(CompositionCall& c) {
  return {TakeNumbers(c).DrawFullInts(c.type(3), c.name())};
}

template <bool kTruncated>
TensorVector GeneratorNormal(CompositionCall& c) {
  CheckFloatingResult(c.type(5), "Generator.normal");
  return {NormalNumbers(c, 3, c.type(5),
                        kTruncated ? kTruncatedNormal : kNormal,
                        [&] { return TakeNumbers(c); })};
}

TensorVector GeneratorSkip(CompositionCall& c) {
  Tensor delta = c.get<int64_t>(2) ? IntegerOf(c.integer(2), DataType::kInt64)
                                   : c.tensor(2);
  if (delta.dtype() != DataType::kUint64) {
    delta = ops::Cast(delta, DataType::kUint64);
  }
  return {ops::RngReadAndSkip(OpName(c.name()), c.tensor(0),
                              Int32Of(c.integer(1)), delta)};
}

#define DRAW_LIMITS                                   \
  "minval: native(T) = 0; maxval: native(T) = None; " \
  "dtype: type(T) = float32"
#define DRAW_MOMENTS                                 \
  "mean: native(T) = 0.0; stddev: native(T) = 1.0; " \
  "dtype: type(T) = float32"
#define OF_STATE "state: handle; algorithm: int; shape: tensor(int32); "

const CompositionRecord kRecords[] = {
    // Names with an underscore: behind tf.random.Generator and its like in
    // C++.
    {.names = "_generator.uniform",
     .args = OF_STATE DRAW_LIMITS,
     .scope = "stateful_uniform",
     .build = GeneratorUniform},
    {.names = "_generator.uniform_full_int",
     .args = OF_STATE "dtype: type = uint64",
     .scope = "stateful_uniform_full_int",
     .build = GeneratorFullInts},
    {.names = "_generator.normal",
     .args = OF_STATE DRAW_MOMENTS,
     .scope = "stateful_normal",
     .build = GeneratorNormal<false>},
    {.names = "_generator.truncated_normal",
     .args = OF_STATE DRAW_MOMENTS,
     .scope = "truncated_normal",
     .build = GeneratorNormal<true>},
    {.names = "_generator.skip",
     .args = "state: handle; algorithm: int; delta: native",
     .build = GeneratorSkip,
     .takes_name = false},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_generator)

}  // namespace gk
