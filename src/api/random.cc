#include "graphkiln/random.h"

#include "api/inner.h"
#include "ops/random/random_algorithm.h"
#include "ops/random/random_place.h"
#include "ops/random/random_seeds.h"

namespace gk::api::random {
namespace {

constexpr int64_t kWords = RandomStateSize(kPhiloxAlgorithm);

Tensor CheckedState(const Tensor& state) {
  return Guarded([&] {
    const PartialTensorShape shape = Inner(state).partial_shape();
    if (state.dtype() != DataType::kInt64 ||
        !shape.IsCompatibleWith(TensorShape({kWords}))) {
      throw ::gk::Error(ValueError(
          "Shapes {} and [{}] are incompatible: the state of a generator is a "
          "vector of {} int64 numbers",
          shape.DebugString(), kWords, kWords));
    }
    return state;
  });
}

Tensor StateOf(int64_t seed) { return {seed, int64_t{0}, int64_t{0}}; }

Tensor Call(const char* name, std::initializer_list<Argument> arguments) {
  return detail::CallPublicFunction(name, arguments)[0];
}

}  // namespace

void set_seed(std::optional<int64_t> seed) {
  Guarded([&] {
    EnsureReady();
    SetRandomSeed(seed);
  });
}

Generator::Generator(const Tensor& state)
    : state_(CheckedState(state), {.name = "StateVar", .trainable = false}) {}

Generator Generator::from_seed(int64_t seed) {
  return Generator(StateOf(seed));
}

Generator Generator::from_state(const Tensor& state) {
  return Generator(state);
}

Generator Generator::from_key_counter(const Tensor& key,
                                      const Tensor& counter) {
  const Tensor word = reshape(cast(key, DataType::kInt64), {1});
  return Generator(concat({cast(counter, DataType::kInt64), word}, 0));
}

Generator Generator::from_non_deterministic_state() {
  const auto word = [] { return static_cast<int64_t>(RandomSeed()); };
  return Generator(Tensor({word(), word(), word()}));
}

Tensor Generator::key() const {
  return reshape(slice(state_.value(), {kWords - 1}, {1}),
                 std::vector<int64_t>());
}

void Generator::reset(const Tensor& state) const {
  state_.assign(CheckedState(state));
}

void Generator::reset_from_seed(int64_t seed) const {
  state_.assign(StateOf(seed));
}

Tensor Generator::skip(const Argument& delta) const {
  return Call("_generator.skip", {state_.handle(), kPhiloxAlgorithm, delta});
}

Tensor Generator::uniform(const Argument& shape, const Argument& minval,
                          const Argument& maxval, DataType dtype) const {
  return Call("_generator.uniform", {state_.handle(), kPhiloxAlgorithm, shape,
                                     minval, maxval, dtype});
}

Tensor Generator::uniform_full_int(const Argument& shape,
                                   DataType dtype) const {
  return Call("_generator.uniform_full_int",
              {state_.handle(), kPhiloxAlgorithm, shape, dtype});
}

Tensor Generator::normal(const Argument& shape, const Argument& mean,
                         const Argument& stddev, DataType dtype) const {
  return Call("_generator.normal", {state_.handle(), kPhiloxAlgorithm, shape,
                                    mean, stddev, dtype});
}

Tensor Generator::truncated_normal(const Argument& shape, const Argument& mean,
                                   const Argument& stddev,
                                   DataType dtype) const {
  return Call("_generator.truncated_normal",
              {state_.handle(), kPhiloxAlgorithm, shape, mean, stddev, dtype});
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
