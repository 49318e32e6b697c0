// Values put in random order. Raw memory.
#ifndef GK_KERNELS_SHUFFLE_H_
#define GK_KERNELS_SHUFFLE_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/interrupt.h"
#include "kernels/random.h"

namespace gk {

// Puts n values in a random order.
template <class T>
void ShuffleInPlace(const Philox& gen, int64_t n, T* values) {
  // Places are drawn ahead of the swaps, which wait for memory far apart.
  constexpr int64_t kBlocks = 64, kWords = 4 * kBlocks;
  uint32_t words[kWords];
  int64_t places[kWords];
  uint64_t block = 0;
  for (int64_t i = 0; i + 1 < n;) {
    PollInterrupt();
    const int64_t count = std::min(kWords, n - 1 - i);
    PhiloxWords(gen, block, (count + 3) / 4, words);
    block += kBlocks;
    // Short divisions take half the time.
    const bool is_short = n - i <= UINT32_MAX;
    for (int64_t k = 0; k < count; ++k) {
      const int64_t left = n - i - k;
      places[k] =
          i + k +
          (is_short ? words[k] % static_cast<uint32_t>(left) : words[k] % left);
      __builtin_prefetch(values + places[k], 1);
    }
    for (int64_t k = 0; k < count; ++k) {
      std::swap(values[i + k], values[places[k]]);
    }
    i += count;
  }
}

// Writes a random permutation of 0 .. n-1.
inline void RandomPermutation(const Philox& gen, int64_t n, int64_t* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = i;
  ShuffleInPlace(gen, n, out);
}

}  // namespace gk

#endif  // GK_KERNELS_SHUFFLE_H_
