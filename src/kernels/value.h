// What the arithmetic of elements is written in. One definition serves every
// kind of value: of numbers it is a loop (kernels/elementwise.h) or a folded
// constant, of symbolic values it becomes code (framework/expression.h).
//
// So a definition has no branch that depends on a value: Select, And and Or
// stand for ?:, && and ||, whose operands are all computed; loops have counts
// that are known; what cannot be written like this is a function of numbers
// and called by CallOf.
//
// A symbolic type V over numbers of type S offers
//   V::Scalar             S
//   V::template Over<U>   the same over numbers of type U
//   V(S), explicit V(x)   x: another number, or such a value of other numbers
//   the operators of S, with the types that C++ gives to their results
//   V::Bits(x)            x: a value of other numbers with the same bits
//   V::Choose(c, a, b), V::Both(c, d), V::Either(c, d)
//   V::Apply(Primitive, x...), V::Look(table, size, i), V::template
//   Call<F>(x...)
#ifndef GK_KERNELS_VALUE_H_
#define GK_KERNELS_VALUE_H_

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/isa.h"

namespace gk {

template <class V>
concept SymbolicValue = requires {
  typename V::Scalar;
};

namespace internal {

template <class V>
struct ValueTraits {
  using Scalar = V;
  template <class U>
  using Over = U;
};
template <SymbolicValue V>
struct ValueTraits<V> {
  using Scalar = typename V::Scalar;
  template <class U>
  using Over = typename V::template Over<U>;
};

}  // namespace internal

template <class V>
using ScalarOf = typename internal::ValueTraits<V>::Scalar;
// The same kind of value over numbers of type U.
template <class V, class U>
using Over = typename internal::ValueTraits<V>::template Over<U>;
template <class V>
using UnsignedOf = Over<V, std::make_unsigned_t<ScalarOf<V>>>;

template <class V>
inline constexpr bool kIsFloatValue = std::is_same_v<ScalarOf<V>, float>;

// Operations that are neither operators nor calls.
enum class Primitive : uint8_t {
  kAbs,
  kCopySign,
  kSqrt,
  kFloor,
  kCeil,
  kTrunc,
  kRint,
  kPopCount,
};

// a where c holds, else b.
template <class T>
GK_INLINE T Select(bool c, T a, T b) {
  return c ? a : b;
}
template <SymbolicValue C, class A, class B>
inline auto Select(C c, A a, B b) {
  static_assert(std::is_same_v<ScalarOf<A>, ScalarOf<B>>);
  return Over<C, ScalarOf<A>>::Choose(c, a, b);
}

GK_INLINE bool And(bool a, bool b) { return a && b; }
GK_INLINE bool Or(bool a, bool b) { return a || b; }
template <SymbolicValue C>
inline C And(C a, C b) {
  return C::Both(a, b);
}
template <SymbolicValue C>
inline C Or(C a, C b) {
  return C::Either(a, b);
}

// The number of type U with the bits of v.
template <class U, class V>
GK_INLINE Over<V, U> BitCast(V v) {
  if constexpr (SymbolicValue<V>) {
    return Over<V, U>::Bits(v);
  } else {
    return std::bit_cast<U>(v);
  }
}

template <class V>
GK_INLINE Over<V, int> PopCount(V v) {
  if constexpr (SymbolicValue<V>) {
    return Over<V, int>::Apply(Primitive::kPopCount, v);
  } else {
    return std::popcount(v);
  }
}

// table[i], where i is known to be in it.
template <class T, size_t kSize, class I>
GK_INLINE Over<I, T> Lookup(const T (&table)[kSize], I i) {
  if constexpr (SymbolicValue<I>) {
    return Over<I, T>::Look(table, kSize, i);
  } else {
    return table[i];
  }
}

// F(v...), where F is a function of numbers: the C library's, or one whose
// loops depend on them.
template <auto F, class V, class... W>
GK_INLINE auto CallOf(V v, W... w) {
  if constexpr (SymbolicValue<V>) {
    using R = decltype(F(ScalarOf<V>(), ScalarOf<W>()...));
    return Over<V, R>::template Call<F>(v, w...);
  } else {
    return F(v, w...);
  }
}

namespace internal {

template <auto F, class... T>
[[gnu::noinline]] auto OutOfLine(T... x) {
  return F(x...);
}

}  // namespace internal

// A function of doubles, computed in double for all types: called, not
// inlined, so that one copy serves them.
template <auto F, class V, class... W>
GK_INLINE V CallInDouble(V v, W... w) {
  constexpr auto kCall =
      internal::OutOfLine<F, double, std::conditional_t<true, double, W>...>;
  return static_cast<V>(CallOf<kCall>(static_cast<Over<V, double>>(v),
                                      static_cast<Over<W, double>>(w)...));
}

}  // namespace gk

#endif  // GK_KERNELS_VALUE_H_
