// SeedGenerator: gives each iterator of a dataset its pair of seeds.
// Thread-safe.
#ifndef GK_OPS_DATA_SEED_GENERATOR_H_
#define GK_OPS_DATA_SEED_GENERATOR_H_

#include <memory>
#include <mutex>

#include "base/process_mutex.h"
#include "kernels/random.h"
#include "ops/data/dataset_kernel.h"
#include "ops/random/random_place.h"

namespace gk {

// Always the same seeds, or the next two numbers of a stream.
class SeedGenerator {
 public:
  SeedGenerator(uint64_t seed, uint64_t seed2, bool reshuffle)
      : seed_(seed),
        seed2_(seed2),
        reshuffle_(reshuffle),
        stream_(Philox::FromSeeds(seed, seed2)) {}

  Philox Next() {
    if (!reshuffle_) return Philox::FromSeeds(seed_, seed2_);
    std::lock_guard lock(ProcessMutex::Of(this));
    const uint64_t a = stream_.Word(), b = stream_.Word();
    return Philox::FromSeeds(a, b);
  }

 private:
  const uint64_t seed_, seed2_;
  const bool reshuffle_;
  PhiloxStream stream_;  // under ProcessMutex::Of(this)
};

// Of the scalar inputs `seed`, at `first`, and `seed2` behind it; anything if
// both are 0.
inline StatusOr<std::unique_ptr<SeedGenerator>> ReadSeeds(KernelContext& c,
                                                          int first,
                                                          bool each_its_own) {
  int64_t seed = 0, seed2 = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, first, "seed", &seed));
  GK_RETURN_IF_ERROR(ScalarInput(c, first + 1, "seed2", &seed2));
  auto a = static_cast<uint64_t>(seed), b = static_cast<uint64_t>(seed2);
  if (a == 0 && b == 0) {
    a = RandomSeed();
    b = RandomSeed();
  }
  return std::make_unique<SeedGenerator>(a, b, each_its_own);
}

}  // namespace gk

#endif  // GK_OPS_DATA_SEED_GENERATOR_H_
