// HashCombine: mixes two hashes (the finaliser of MurmurHash3).
#ifndef GK_BASE_HASH_H_
#define GK_BASE_HASH_H_

#include <cstddef>
#include <cstdint>

namespace gk {

inline size_t HashCombine(size_t a, size_t b) {
  uint64_t h = a * 0x9e3779b97f4a7c15u + b;
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdu;
  h ^= h >> 33;
  return h;
}

}  // namespace gk

#endif  // GK_BASE_HASH_H_
