#include "graphkiln/random.h"

#include <mutex>

#include "api/inner.h"
#include "base/process_mutex.h"
#include "framework/op_builder.h"
#include "ops/random/generator_state.h"
#include "ops/random/random_algorithm.h"
#include "ops/random/random_seeds.h"

namespace gk::api::random {
namespace {

int64_t NumberOf(Algorithm algorithm) {
  return ValueOrThrow(RandomAlgorithm(static_cast<int64_t>(algorithm)));
}

Tensor CheckedState(const Tensor& state, Algorithm algorithm) {
  Guarded([&] { CheckGeneratorState(Inner(state), NumberOf(algorithm)); });
  return state;
}

Tensor StateOfKey(const Tensor& key, const Tensor& counter) {
  return Guarded([&] {
    EnsureReady();
    return Outer(GeneratorStateOfKey(Inner(key), Inner(counter)));
  });
}

struct Shared {
  ProcessMutex mutex;
  std::optional<Generator> generator;
};
// Never destroyed: its variable outlives what other statics keep.
Shared& TheShared() {
  static auto* shared = new Shared();
  return *shared;
}

}  // namespace

Tensor create_rng_state(int64_t seed, Algorithm algorithm) {
  return Guarded([&] {
    EnsureReady();
    return Outer(GeneratorState({seed}, NumberOf(algorithm)));
  });
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
  EnsureReady();
  return Generator(Outer(UnpredictableGeneratorState(kPhiloxAlgorithm)),
                   Algorithm::kPhilox);
}

Generator get_global_generator() {
  Shared& shared = TheShared();
  {
    const std::lock_guard lock(shared.mutex);
    if (shared.generator) return *shared.generator;
  }
  EnsureReady();
  // Outside of whatever is traced.
  const OpBuilder::Scope eager(OpBuilder::Eager());
  Generator made = Generator::from_non_deterministic_state();
  const std::lock_guard lock(shared.mutex);
  if (!shared.generator) shared.generator = std::move(made);
  return *shared.generator;
}

void set_global_generator(const Generator& generator) {
  std::optional<Generator> gone = generator;  // when nothing is locked
  const std::lock_guard lock(TheShared().mutex);
  TheShared().generator.swap(gone);
}

Tensor Generator::key() const {
  return reshape(
      slice(state_.value(), {RandomStateSize(NumberOf(algorithm_)) - 1}, {1}),
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

Tensor Generator::binomial(const Argument& shape, const Tensor& counts,
                           const Tensor& probs, DataType dtype) const {
  return Call("_generator.binomial", {shape, counts, probs, dtype});
}

Tensor Generator::make_seeds(int64_t count) const {
  return Guarded([&] {
    return Outer(SeedsOfKeys(DrawGeneratorKeys(Inner(state_.handle()),
                                               NumberOf(algorithm_), count)));
  });
}

std::vector<Generator> Generator::split(int64_t count) const {
  return Guarded([&] {
    const auto keys =
        DrawGeneratorKeys(Inner(state_.handle()), NumberOf(algorithm_), count);
    std::vector<Generator> made;
    for (const auto& state : StatesOfKeys(keys, count)) {
      made.push_back(from_state(Outer(state), algorithm_));
    }
    return made;
  });
}

}  // namespace gk::api::random
