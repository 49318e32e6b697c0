#include "ops/random/random_seeds.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "base/process_mutex.h"
#include "base/status.h"
#include "framework/graph_builder.h"
#include "ops/random/random_place.h"

namespace gk {
namespace {

// What an op's seed joins if the program has none.
constexpr int64_t kDefaultSeed = 87654321;

// The Mersenne twister, started from a number of any length as Python's
// random.Random starts it (init_by_array of Matsumoto and Nishimura).
class SeedStream {
 public:
  explicit SeedStream(std::span<const uint32_t> key) {
    Start(19650218u);
    const size_t length = key.size();
    size_t i = 1, j = 0;
    for (size_t k = std::max<size_t>(kSize, length); k > 0; --k) {
      state_[i] = (state_[i] ^ (Mixed(i) * 1664525u)) + key[j] +
                  static_cast<uint32_t>(j);
      Advance(&i);
      if (++j == length) j = 0;
    }
    for (size_t k = kSize - 1; k > 0; --k) {
      state_[i] =
          (state_[i] ^ (Mixed(i) * 1566083941u)) - static_cast<uint32_t>(i);
      Advance(&i);
    }
    state_[0] = 0x80000000u;
    at_ = kSize;
  }

  // In [0, 2**31), as randint(0, 2**31 - 1) draws it.
  int64_t Next() {
    uint32_t word;
    do word = Word();
    while (word > kSeedModulus);
    return word;
  }

 private:
  static constexpr size_t kSize = 624, kShift = 397;

  void Start(uint32_t seed) {
    state_[0] = seed;
    for (uint32_t i = 1; i < kSize; ++i) {
      state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
    }
  }
  uint32_t Mixed(size_t i) const {
    return state_[i - 1] ^ (state_[i - 1] >> 30);
  }
  void Advance(size_t* i) {
    if (++*i < kSize) return;
    state_[0] = state_[kSize - 1];
    *i = 1;
  }
  uint32_t Word() {
    if (at_ == kSize) Twist();
    uint32_t y = state_[at_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }
  void Twist() {
    for (size_t i = 0; i < kSize; ++i) {
      const uint32_t y =
          (state_[i] & 0x80000000u) | (state_[(i + 1) % kSize] & 0x7fffffffu);
      state_[i] = state_[(i + kShift) % kSize] ^ (y >> 1) ^
                  ((y & 1) != 0 ? 0x9908b0dfu : 0);
    }
    at_ = 0;
  }

  std::array<uint32_t, kSize> state_;
  size_t at_;
};

struct Seeds {
  ProcessMutex mutex;
  std::optional<int64_t> of_program;
  std::optional<SeedStream> stream;
};
Seeds& TheSeeds() {
  static auto* seeds = new Seeds;
  return *seeds;
}

std::atomic<bool> requires_seeds = false;

// Null outside of graphs.
GraphSeeds* CurrentSeeds() {
  GraphBuilder* const graph = GraphBuilder::Current();
  return graph != nullptr ? &graph->random_seeds() : nullptr;
}

void Set(std::optional<int64_t> seed, std::span<const uint32_t> magnitude) {
  if (GraphSeeds* of_graph = CurrentSeeds()) {
    of_graph->graph = seed;
    return;
  }
  {
    Seeds& seeds = TheSeeds();
    std::lock_guard lock(seeds.mutex);
    seeds.of_program = seed;
    seeds.stream.emplace(magnitude);
  }
  ForgetRandomPlaces();
}

std::array<uint32_t, 2> Words(uint64_t value) {
  return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
}

}  // namespace

void SetRandomSeed(std::optional<int64_t> seed) {
  const uint64_t magnitude = !seed       ? RandomSeed()
                             : *seed < 0 ? -static_cast<uint64_t>(*seed)
                                         : static_cast<uint64_t>(*seed);
  const std::array<uint32_t, 2> words = Words(magnitude);
  Set(seed, std::span(words).first(words[1] == 0 ? 1 : 2));
}

void SetRandomSeed(int64_t folded, std::span<const uint32_t> magnitude) {
  Set(folded, magnitude);
}

std::optional<int64_t> ProgramRandomSeed() {
  Seeds& seeds = TheSeeds();
  std::lock_guard lock(seeds.mutex);
  return seeds.of_program;
}

int64_t FoldedSeed(int64_t seed) {
  return (seed % kSeedModulus + kSeedModulus) % kSeedModulus;
}

OpSeeds SeedsOfOp(std::optional<int64_t> seed) {
  GraphSeeds* const of_graph = CurrentSeeds();
  Seeds& seeds = TheSeeds();
  std::optional<int64_t> outer;
  if (of_graph != nullptr) {
    outer = of_graph->graph;
    if (outer && !seed) seed = of_graph->next++;
  } else {
    std::lock_guard lock(seeds.mutex);
    outer = seeds.of_program;
    if (outer && !seed) seed = seeds.stream->Next();
  }
  if (!outer && !seed) {
    if (RequiresSeeds()) {
      throw Error(RuntimeError(
          "Random ops require a seed to be set when determinism is enabled. "
          "Please set a seed before running the op, e.g. by calling "
          "tf.random.set_seed(1)."));
    }
    return {};
  }
  const OpSeeds both = {outer ? FoldedSeed(*outer) : kDefaultSeed,
                        FoldedSeed(*seed)};
  // Two zeros would mean: no seed.
  if (both.seed == 0 && both.seed2 == 0) return {0, kSeedModulus};
  return both;
}

AttrMap SeedAttrs(const OpSeeds& seeds) {
  return {{"seed", seeds.seed}, {"seed2", seeds.seed2}};
}

void SetRequiresSeeds(bool yes) { requires_seeds = yes; }
bool RequiresSeeds() { return requires_seeds; }

}  // namespace gk
