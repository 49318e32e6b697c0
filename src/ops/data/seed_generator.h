// SeedGenerator: gives each iterator of a dataset its pair of seeds.
// Thread-safe.
#ifndef GK_OPS_DATA_SEED_GENERATOR_H_
#define GK_OPS_DATA_SEED_GENERATOR_H_

#include <memory>
#include <mutex>
#include <optional>

#include "base/process_mutex.h"
#include "kernels/random.h"
#include "ops/data/dataset_kernel.h"
#include "ops/random/random_place.h"

namespace gk {

// Always the same seeds, or the next two numbers of a stream.
class SeedGenerator {
 public:
  SeedGenerator(uint64_t seed, uint64_t seed2, bool reshuffle)
      : reshuffle_(reshuffle),
        seed_(seed),
        seed2_(seed2),
        stream_(Philox::FromSeeds(seed, seed2)) {}

  // Of an iterator of the pass `context`. One that goes on with a saved pass
  // draws what that drew, and those behind it go on from there.
  Philox Next(IterationContext& context) {
    const std::optional<IterationContext::Seeds> saved = context.NextSeeds();
    IterationContext::Seeds seeds;
    const Philox drawn = Draw(saved, &seeds);
    if (!saved) context.NoteSeeds(seeds);
    return drawn;
  }

 private:
  Philox Draw(const std::optional<IterationContext::Seeds>& saved,
              IterationContext::Seeds* seeds) {
    std::lock_guard lock(ProcessMutex::Of(this));
    if (saved) {
      seed_ = saved->seed;
      seed2_ = saved->seed2;
      stream_ = PhiloxStream(Philox::FromSeeds(seed_, seed2_));
      for (drawn_ = 0; reshuffle_ && drawn_ < saved->drawn; ++drawn_) {
        stream_.Word();
        stream_.Word();
      }
    }
    seeds->seed = seed_;
    seeds->seed2 = seed2_;
    seeds->drawn = drawn_;
    if (!reshuffle_) return Philox::FromSeeds(seed_, seed2_);
    ++drawn_;
    const uint64_t a = stream_.Word(), b = stream_.Word();
    return Philox::FromSeeds(a, b);
  }

  const bool reshuffle_;
  // Under ProcessMutex::Of(this):
  uint64_t seed_, seed2_;
  PhiloxStream stream_;
  uint64_t drawn_ = 0;  // pairs of the stream
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
