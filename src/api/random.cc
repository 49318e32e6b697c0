#include "graphkiln/random.h"

#include <mutex>

#include "api/inner.h"
#include "framework/op_builder.h"
#include "ops/composite.h"
#include "ops/random/random_algorithm.h"
#include "ops/random/random_place.h"
#include "ops/random/random_seeds.h"

namespace gk::api::random {
namespace {

int64_t NumberOf(Algorithm algorithm) {
  return ValueOrThrow(RandomAlgorithm(static_cast<int64_t>(algorithm)));
}

int64_t SizeOf(Algorithm algorithm) {
  return Guarded([&] { return RandomStateSize(NumberOf(algorithm)); });
}

Tensor CheckedState(const Tensor& state, Algorithm algorithm) {
  return Guarded([&] {
    const int64_t size = SizeOf(algorithm);
    const PartialTensorShape shape = Inner(state).partial_shape();
    if (state.dtype() != DataType::kInt64 ||
        !shape.IsCompatibleWith(TensorShape({size}))) {
      throw ::gk::Error(ValueError(
          "Shapes {} and [{}] are incompatible: the state of a generator is a "
          "vector of {} int64 numbers",
          shape.DebugString(), size, size));
    }
    return state;
  });
}

Tensor StateOfKey(const Tensor& key, const Tensor& counter) {
  const Tensor word = reshape(cast(key, DataType::kInt64), {1});
  return concat({cast(counter, DataType::kInt64), word}, 0);
}

struct Shared {
  std::mutex mutex;
  std::optional<Generator> generator;
};
// Never destroyed: its variable outlives what other statics keep.
Shared& TheShared() {
  static auto* shared = new Shared();
  return *shared;
}

}  // namespace

Tensor create_rng_state(int64_t seed, Algorithm algorithm) {
  std::vector<int64_t> words(SizeOf(algorithm));
  words[0] = seed;
  return Guarded([&] { return Outer(IntsTensor(words, InnerType::kInt64)); });
}

void set_seed(std::optional<int64_t> seed) {
  Guarded([&] {
    EnsureReady();
    SetRandomSeed(seed);
  });
}

Generator::Generator(const Tensor& state, Algorithm algorithm)
    : algorithm_(algorithm == Algorithm::kAutoSelect ? Algorithm::kPhilox
                                                     : algorithm),
      state_(CheckedState(state, algorithm),
             {.name = "StateVar", .trainable = false}) {}

Generator Generator::from_seed(int64_t seed, Algorithm algorithm) {
  return Generator(create_rng_state(seed, algorithm), algorithm);
}

Generator Generator::from_state(const Tensor& state, Algorithm algorithm) {
  return Generator(state, algorithm);
}

Generator Generator::from_key_counter(const Tensor& key,
                                      const Tensor& counter) {
  return Generator(StateOfKey(key, counter), Algorithm::kPhilox);
}

Generator Generator::from_non_deterministic_state() {
  const auto word = [] { return static_cast<int64_t>(RandomSeed()); };
  return Generator(Tensor({word(), word(), word()}), Algorithm::kPhilox);
}

Generator get_global_generator() {
  Shared& shared = TheShared();
  const std::lock_guard<std::mutex> lock(shared.mutex);
  if (!shared.generator) {
    // Outside of whatever is traced.
    const OpBuilder::Scope eager(OpBuilder::Eager());
    shared.generator = Generator::from_non_deterministic_state();
  }
  return *shared.generator;
}

void set_global_generator(const Generator& generator) {
  const std::lock_guard<std::mutex> lock(TheShared().mutex);
  TheShared().generator = generator;
}

Tensor Generator::key() const {
  return reshape(slice(state_.value(), {SizeOf(algorithm_) - 1}, {1}),
                 std::vector<int64_t>());
}

void Generator::reset(const Tensor& state) const {
  state_.assign(CheckedState(state, algorithm_));
}

void Generator::reset_from_seed(int64_t seed) const {
  state_.assign(create_rng_state(seed, algorithm_));
}

void Generator::reset_from_key_counter(const Tensor& key,
                                       const Tensor& counter) const {
  reset(StateOfKey(key, counter));
}

Tensor Generator::Call(const char* name, std::vector<Argument> rest) const {
  rest.insert(rest.begin(),
              {state_.handle(), static_cast<int64_t>(algorithm_)});
  return detail::CallPublicFunction(name, rest)[0];
}

Tensor Generator::skip(const Argument& delta) const {
  return Call("_generator.skip", {delta});
}

Tensor Generator::uniform(const Argument& shape, const Argument& minval,
                          const Argument& maxval, DataType dtype) const {
  return Call("_generator.uniform", {shape, minval, maxval, dtype});
}

Tensor Generator::uniform_full_int(const Argument& shape,
                                   DataType dtype) const {
  return Call("_generator.uniform_full_int", {shape, dtype});
}

Tensor Generator::normal(const Argument& shape, const Argument& mean,
                         const Argument& stddev, DataType dtype) const {
  return Call("_generator.normal", {shape, mean, stddev, dtype});
}

Tensor Generator::truncated_normal(const Argument& shape, const Argument& mean,
                                   const Argument& stddev,
                                   DataType dtype) const {
  return Call("_generator.truncated_normal", {shape, mean, stddev, dtype});
}

Tensor Generator::make_seeds(int64_t count) const {
  const Tensor keys = uniform_full_int({count}, DataType::kInt64);
  return stack({keys, zeros_like(keys)});
}

std::vector<Generator> Generator::split(int64_t count) const {
  const Tensor keys = uniform_full_int({count}, DataType::kInt64);
  const Tensor counter = {int64_t{0}, int64_t{0}};
  std::vector<Generator> made;
  for (int64_t i = 0; i < count; ++i) {
    made.push_back(from_key_counter(slice(keys, {i}, {1}), counter));
  }
  return made;
}

}  // namespace gk::api::random
