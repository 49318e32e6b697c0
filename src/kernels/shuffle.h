// Values put in random order. Raw memory.
#ifndef GK_KERNELS_SHUFFLE_H_
#define GK_KERNELS_SHUFFLE_H_

#include <cstdint>
#include <utility>

#include "base/interrupt.h"
#include "kernels/random.h"

namespace gk {

// n values in the order of RandomPermutation.
template <class T>
void ShuffleInPlace(const Philox& gen, int64_t n, T* values) {
  PhiloxStream stream(gen);
  TurnPoll poll;
  int64_t i = 0;
  for (; n - i > UINT32_MAX; ++i) {
    poll();
    std::swap(values[i], values[i + stream.Word() % (n - i)]);
  }
  // Short divisions take half the time.
  for (; i + 1 < n; ++i) {
    poll();
    std::swap(values[i],
              values[i + stream.Word() % static_cast<uint32_t>(n - i)]);
  }
}

}  // namespace gk

#endif  // GK_KERNELS_SHUFFLE_H_
