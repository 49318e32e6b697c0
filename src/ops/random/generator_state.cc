#include "ops/random/generator_state.h"

#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/Pad.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Size.h"
#include "ops/fn/Sub.h"
#include "ops/random/random_algorithm.h"
#include "ops/random/random_place.h"
#include "ops/subscript.h"

namespace gk {
namespace {

Tensor Flat(const Tensor& x, int64_t size) {
  return ops::Reshape(x, IndicesOf(std::vector<int64_t>{size}));
}

}  // namespace

Tensor GeneratorState(std::vector<int64_t> seed, int64_t algorithm) {
  seed.resize(static_cast<size_t>(RandomStateSize(algorithm)));
  return IntsTensor(seed, DataType::kInt64);
}

Tensor GeneratorState(const Tensor& seed, int64_t algorithm) {
  const int64_t size = RandomStateSize(algorithm);
  SubscriptEntry first;
  first.end = size;
  const Tensor flat = Flat(seed, -1);
  const Tensor words = Subscript(CastTo(flat, DataType::kInt64), {first});
  const Tensor missing = ops::Sub(Int32Of(size), ops::Size(words));
  const Tensor sides = CallComposition(
      "stack", {TensorVector{Int32Of(0), missing}, int64_t{0}})[0];
  return ops::Pad(words,
                  CallComposition("expand_dims", {sides, int64_t{0}})[0]);
}

Tensor GeneratorStateOfKey(const Tensor& key, const Tensor& counter) {
  const Tensor words = CastTo(counter, DataType::kInt64);
  return Joined({words, Flat(CastTo(key, DataType::kInt64), 1)});
}

Tensor UnpredictableGeneratorState(int64_t algorithm) {
  std::vector<int64_t> words(static_cast<size_t>(RandomStateSize(algorithm)));
  for (int64_t& word : words) word = static_cast<int64_t>(RandomSeed());
  return GeneratorState(std::move(words), algorithm);
}

void CheckGeneratorState(const Tensor& state, int64_t algorithm) {
  const int64_t size = RandomStateSize(algorithm);
  const PartialTensorShape shape = state.partial_shape();
  if (state.dtype() == DataType::kInt64 &&
      shape.IsCompatibleWith(TensorShape({size}))) {
    return;
  }
  throw Error(ValueError(
      "Shapes {} and [{}] are incompatible: the state of algorithm {} is a "
      "vector of {} int64 numbers",
      shape.PythonString(), size, algorithm, size));
}

Tensor DrawGeneratorKeys(const Tensor& handle, int64_t algorithm,
                         int64_t count) {
  return CallComposition(
      "_generator.uniform_full_int",
      {handle, algorithm, IndicesOf(std::vector<int64_t>{count}),
       DataType::kInt64})[0];
}

Tensor SeedsOfKeys(const Tensor& keys) {
  return CallComposition(
      "stack", {TensorVector{keys, CallComposition("zeros_like", {keys})[0]},
                int64_t{0}})[0];
}

std::vector<Tensor> StatesOfKeys(const Tensor& keys, int64_t count) {
  const Tensor counter =
      IntsTensor(std::vector<int64_t>{0, 0}, DataType::kInt64);
  std::vector<Tensor> states;
  for (const Tensor& key : CallComposition("unstack", {keys, count})) {
    states.push_back(GeneratorStateOfKey(key, counter));
  }
  return states;
}

}  // namespace gk
