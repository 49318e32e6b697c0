// SeedGenerator: gives each iterator of a dataset its pair of seeds.
#ifndef GK_OPS_DATA_SEED_GENERATOR_H_
#define GK_OPS_DATA_SEED_GENERATOR_H_

#include <memory>

#include "kernels/random.h"
#include "ops/data/dataset_kernel.h"
#include "ops/random/random_place.h"

namespace gk {

// Always the same seeds, or the next two numbers of a stream.
class SeedGenerator final : public SeedSource {
 public:
  // `free`: they may be any.
  SeedGenerator(uint64_t seed, uint64_t seed2, bool free, bool reshuffle)
      : reshuffle_(reshuffle), free_(free) {
    now_.seed = seed;
    now_.seed2 = seed2;
  }

  // Of an iterator over a dataset in the pass `context`.
  Philox Next(int depth, IterationContext& context) {
    const Seeds seeds = context.Draw(depth, *this);
    Philox drawn = Philox::FromSeeds(seeds.seed, seeds.seed2);
    if (!reshuffle_) return drawn;
    // Two pairs to a block.
    drawn.Skip(seeds.drawn / 2);
    PhiloxStream stream(drawn);
    if (seeds.drawn % 2 == 1) {
      stream.Word();
      stream.Word();
    }
    const uint64_t a = stream.Word(), b = stream.Word();
    return Philox::FromSeeds(a, b);
  }

  Seeds Now() const override { return now_; }
  void Continue(const Seeds& seeds) override {
    now_ = seeds;
    free_ = false;
  }
  void Advance() override {
    ++now_.drawn;
    free_ = false;
  }
  bool Free() const override { return free_; }

 private:
  const bool reshuffle_;
  // Under SeedSource::Lock:
  bool free_;
  Seeds now_;
};

// Of the scalar inputs `seed`, at `first`, and `seed2` behind it; anything if
// both are 0.
inline StatusOr<std::shared_ptr<SeedGenerator>> ReadSeeds(KernelContext& c,
                                                          int first,
                                                          bool each_its_own) {
  int64_t seed = 0, seed2 = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, first, "seed", &seed));
  GK_RETURN_IF_ERROR(ScalarInput(c, first + 1, "seed2", &seed2));
  auto a = static_cast<uint64_t>(seed), b = static_cast<uint64_t>(seed2);
  const bool free = a == 0 && b == 0;
  if (free) {
    a = RandomSeed();
    b = RandomSeed();
  }
  return std::make_shared<SeedGenerator>(a, b, free, each_its_own);
}

}  // namespace gk

#endif  // GK_OPS_DATA_SEED_GENERATOR_H_
