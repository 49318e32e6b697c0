// Changes to inputs as plain bytes.
#ifndef GK_FUZZ_DRIVER_MUTATE_BYTES_H_
#define GK_FUZZ_DRIVER_MUTATE_BYTES_H_

#include <cstdint>
#include <random>
#include <string>

namespace gk::fuzz {

using Random = std::mt19937_64;

// In [0, n); 0 if n is.
inline uint64_t Below(Random& random, uint64_t n) {
  return n == 0 ? 0 : random() % n;
}
inline bool OneIn(Random& random, uint64_t n) { return Below(random, n) == 0; }

// A number at an edge of some type, or a small one.
int64_t OddInteger(Random& random);

// One change: a bit, a byte, a number, a stretch removed, repeated or taken
// from `other`. Not longer than `max_size`.
void MutateBytes(Random& random, const std::string& other, size_t max_size,
                 std::string* bytes);

// LLVMFuzzerCustomMutator for files with checksums: changes bytes, after which
// `mend` mostly puts the checksums right.
size_t MutateFile(uint8_t* data, size_t size, size_t max_size,
                  unsigned int seed, void (*mend)(std::string* file));

}  // namespace gk::fuzz

#endif  // GK_FUZZ_DRIVER_MUTATE_BYTES_H_
