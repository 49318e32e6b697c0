// The algorithms of random numbers, as programs name them.
#ifndef GK_OPS_RANDOM_RANDOM_ALGORITHM_H_
#define GK_OPS_RANDOM_RANDOM_ALGORITHM_H_

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace gk {

constexpr int64_t kPhiloxAlgorithm = 1, kThreeFryAlgorithm = 2;

// ValueError for one that there is not. Where the choice is left open it is
// Philox, which runs anywhere.
StatusOr<int64_t> RandomAlgorithm(int64_t number);
StatusOr<int64_t> RandomAlgorithm(std::string_view name);

// How many int64 words the state of a generator has.
constexpr int64_t RandomStateSize(int64_t algorithm) {
  return algorithm == kThreeFryAlgorithm ? 2 : 3;
}

}  // namespace gk

#endif  // GK_OPS_RANDOM_RANDOM_ALGORITHM_H_
