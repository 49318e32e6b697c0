// The arithmetic of the ops whose loops are also made in pairs
// (fused_tiles.cc). Their records and the pairs are made of the same functions,
// so a pair gives the bits of its two ops.
#ifndef GK_OPS_FUSED_ARITHMETIC_H_
#define GK_OPS_FUSED_ARITHMETIC_H_

#include <cstdint>
#include <type_traits>

#include "kernels/math.h"
#include "kernels/value.h"

namespace gk::arithmetic {

inline constexpr auto kAdd = [](auto x, auto y) { return decltype(x)(x + y); };
inline constexpr auto kSubtract = [](auto x, auto y) {
  return decltype(x)(x - y);
};
// uint16_t times itself is an int that may overflow.
inline constexpr auto kMultiply = [](auto x, auto y) {
  using T = decltype(x);
  using S = ScalarOf<T>;
  if constexpr (std::is_integral_v<S> && sizeof(S) < 4) {
    using Wide = Over<T, uint32_t>;
    return T(Wide(x) * Wide(y));
  } else {
    return T(x * y);
  }
};
inline constexpr auto kNegate = [](auto x) { return decltype(x)(-x); };
inline constexpr auto kRelu = [](auto x) {
  using T = decltype(x);
  return Select(x < T(0), T(0), x);
};
inline constexpr auto kExp = [](auto x) { return math::Exp(x); };
inline constexpr auto kSigmoid = [](auto x) { return math::Sigmoid(x); };
inline constexpr auto kTanh = [](auto x) { return math::Tanh(x); };

}  // namespace gk::arithmetic

#endif  // GK_OPS_FUSED_ARITHMETIC_H_
