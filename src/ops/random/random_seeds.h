// The seeds of stateful random ops, by TensorFlow's rules.
//
// An op has two: that of the program, or of the graph it is made in, and one
// of its own. Eager ops that were given none draw theirs from a stream that
// the program's seed starts; in a graph they count. Thread-safe.
#ifndef GK_OPS_RANDOM_RANDOM_SEEDS_H_
#define GK_OPS_RANDOM_RANDOM_SEEDS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "framework/attr_value.h"

namespace gk {

// Sets the seed of the program, or of the graph that is being built; the first
// begins all streams anew. None: other numbers each time.
void SetRandomSeed(std::optional<int64_t> seed);
// A seed that 64 bits do not hold: `folded` stands for it in ops; the stream
// starts from its absolute value, lowest word first.
void SetRandomSeed(int64_t folded, std::span<const uint32_t> magnitude);
// That of the program, which functions traced from now on share.
std::optional<int64_t> ProgramRandomSeed();

struct OpSeeds {
  int64_t seed = 0, seed2 = 0;  // both 0: none
};
// Of an op with this `seed` argument, made now. Throws Error: RuntimeError if
// there is no seed at all and results must repeat.
OpSeeds SeedsOfOp(std::optional<int64_t> seed);
AttrMap SeedAttrs(const OpSeeds& seeds);

// Random ops without any seed are errors.
void SetRequiresSeeds(bool yes);
bool RequiresSeeds();

// As ops have it: a remainder of this that is not negative.
inline constexpr int64_t kSeedModulus = 0x7fffffff;
int64_t FoldedSeed(int64_t seed);

}  // namespace gk

#endif  // GK_OPS_RANDOM_RANDOM_SEEDS_H_
