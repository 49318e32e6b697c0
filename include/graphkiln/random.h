// Random tensors: seeds and generators. The functions that draw are in
// functions.h: gk::random::uniform, gk::random::normal, ...
//
// With a seed set, a program draws the same numbers each time it runs, and
// those that Python draws with this seed; a traced function draws new ones at
// each call. Thread-safe.
#ifndef GRAPHKILN_RANDOM_H_
#define GRAPHKILN_RANDOM_H_

#include <graphkiln/argument.h>
#include <graphkiln/functions.h>
#include <graphkiln/variable.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  namespace random {

  // The seed of the program, or of the graph that is being traced; all random
  // operations begin anew. nullopt: other numbers each time.
  GK_EXPORT void set_seed(std::optional<int64_t> seed);

  // Of kInt32 or kInt64, in [low, high).
  inline Tensor uniform_int(const Shape& shape, int64_t low, int64_t high,
                            DataType dtype = DataType::kInt32) {
    return uniform(shape, low, high, dtype);
  }

  // Philox runs on every device; where the choice is left open it is that.
  enum class Algorithm { kPhilox = 1, kThreeFry = 2, kAutoSelect = 3 };

  // The state that a generator of a seed begins with.
  GK_EXPORT Tensor create_rng_state(int64_t seed,
                                    Algorithm algorithm = Algorithm::kPhilox);

  // Random numbers from a state of its own, which is a variable. A handle;
  // copying shares the state.
  class GK_EXPORT Generator {
   public:
    // Equal seeds draw equal numbers, also in Python's tf.random.Generator.
    static Generator from_seed(int64_t seed,
                               Algorithm algorithm = Algorithm::kPhilox);
    // Goes on from a state: counter (low, high) and key, int64.
    static Generator from_state(const Tensor& state,
                                Algorithm algorithm = Algorithm::kPhilox);
    // Of a key and a counter of two numbers.
    static Generator from_key_counter(const Tensor& key, const Tensor& counter);
    static Generator from_non_deterministic_state();

    // The variable with the state, and how it makes numbers.
    const Variable& state() const { return state_; }
    Algorithm algorithm() const { return algorithm_; }
    // The last word of the state.
    Tensor key() const;

    // Begins anew: from a state, a seed, or a key and a counter.
    void reset(const Tensor& state) const;
    void reset_from_seed(int64_t seed) const;
    void reset_from_key_counter(const Tensor& key, const Tensor& counter) const;
    // Moves on as if `delta` numbers had been drawn; the old state.
    Tensor skip(const Argument& delta) const;

    // In [minval, maxval); integers need both.
    Tensor uniform(const Argument& shape, const Argument& minval = {},
                   const Argument& maxval = {},
                   DataType dtype = DataType::kFloat) const;
    // Integers of the whole range of `dtype`.
    Tensor uniform_full_int(const Argument& shape,
                            DataType dtype = DataType::kUint64) const;
    Tensor normal(const Argument& shape, const Argument& mean = {},
                  const Argument& stddev = {},
                  DataType dtype = DataType::kFloat) const;
    // Within two deviations.
    Tensor truncated_normal(const Argument& shape, const Argument& mean = {},
                            const Argument& stddev = {},
                            DataType dtype = DataType::kFloat) const;
    // How many of `counts` trials succeed that each do with probability
    // `probs`.
    Tensor binomial(const Argument& shape, const Tensor& counts,
                    const Tensor& probs,
                    DataType dtype = DataType::kInt32) const;
    // Seeds [2, count] for stateless functions.
    Tensor make_seeds(int64_t count = 1) const;
    // Generators that are independent of this one.
    std::vector<Generator> split(int64_t count = 1) const;

   private:
    Generator(const Tensor& state, Algorithm algorithm);
    // Calls the core's function of a state.
    Tensor Call(const char* name, std::vector<Argument> rest) const;

    Algorithm algorithm_;
    Variable state_;
  };

  // The one that the whole program shares; unless it was set, of an
  // unpredictable state.
  GK_EXPORT Generator get_global_generator();
  GK_EXPORT void set_global_generator(const Generator& generator);

  }  // namespace random
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_RANDOM_H_
