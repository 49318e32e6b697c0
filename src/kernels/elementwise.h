// Elementwise loops: one loop per (function, dtypes, ISA), stamped from the
// arithmetic written in an op record. Raw memory only.
//
// A functor's operator() is written for values (kernels/value.h), free of
// branches that depend on them, so that the compiler vectorises it.
#ifndef GK_KERNELS_ELEMENTWISE_H_
#define GK_KERNELS_ELEMENTWISE_H_

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/half.h"
#include "kernels/isa.h"
#include "kernels/value.h"

namespace gk {

// half and bfloat16 are computed in float, tile by tile.
template <class T>
struct ComputeTypeOf {
  using Type = T;
};
template <>
struct ComputeTypeOf<half> {
  using Type = float;
};
template <>
struct ComputeTypeOf<bfloat16> {
  using Type = float;
};
template <>
struct ComputeTypeOf<float8_e5m2> {
  using Type = float;
};
template <>
struct ComputeTypeOf<float8_e4m3fn> {
  using Type = float;
};
template <class T>
using ComputeType = typename ComputeTypeOf<T>::Type;

template <class To, class From>
GK_INLINE Over<From, To> Convert(From v) {
  if constexpr (std::is_same_v<Over<From, To>, From>) {
    return v;
  } else if constexpr (SymbolicValue<From>) {
    return Over<From, To>(v);
  } else if constexpr (std::is_same_v<ComputeType<From>, From> &&
                       std::is_same_v<ComputeType<To>, To>) {
    return static_cast<To>(v);
  } else if constexpr (std::is_same_v<ComputeType<To>, To>) {
    return static_cast<To>(static_cast<float>(v));
  } else {
    return To(static_cast<float>(v));
  }
}

// A function F of a number whose usual arguments have a shorter way, one that
// vectorises, with the same values to the bit:
//   F::UsualWay way;    what the way needs, a table for instance
//   way.Takes(x)        whether x is usual
//   way(x)              F(x) if so, otherwise anything
template <class F>
concept HasUsualWay = requires {
  typename F::UsualWay;
};

// Functor F (default-constructible lambda type) over element types.
template <class F, class Out, class... In>
struct TileBody {
  static GK_INLINE int Run(void* out, const void* const* in, int64_t n,
                           const void* params) {
    if constexpr (HasUsualWay<F> && (std::is_same_v<In, float> && ...)) {
      if (n == 1) {
        *static_cast<float*>(out) = F()(*static_cast<const float*>(in[0]));
      } else {
        RunUsualWay(static_cast<float*>(out), static_cast<const float*>(in[0]),
                    n);
      }
      return 0;
    } else {
      return RunImpl(out, in, n, params, std::index_sequence_for<In...>());
    }
  }

 private:
  // The few others are done over, from a copy: `out` may be `in`.
  static GK_INLINE void RunUsualWay(float* out, const float* in, int64_t n) {
    constexpr int64_t kBlock = 128;
    const typename F::UsualWay way{};
    float kept[kBlock];
    for (int64_t at = 0; at < n; at += kBlock) {
      const int64_t size = n - at < kBlock ? n - at : kBlock;
      const float* x = in + at;
      float* y = out + at;
      int rare = 0;
#pragma GCC ivdep
      for (int64_t i = 0; i < size; ++i) {
        const float v = x[i];
        kept[i] = v;
        rare |= !way.Takes(v);
        y[i] = way(v);
      }
      if (rare == 0) continue;
      for (int64_t i = 0; i < size; ++i) {
        if (!way.Takes(kept[i])) y[i] = F()(kept[i]);
      }
    }
  }

  template <size_t... I>
  static GK_INLINE int RunImpl(void* out, const void* const* in, int64_t n,
                               const void* params, std::index_sequence<I...>) {
    Out* o = static_cast<Out*>(out);
    const std::tuple<const In*...> p(static_cast<const In*>(in[I])...);
    F f{};
    const auto element = [&](int64_t i) __attribute__((always_inline)) {
      if constexpr (std::is_invocable_v<F, const void*, ComputeType<In>...>) {
        o[i] = Convert<Out>(
            f(params, Convert<ComputeType<In>>(std::get<I>(p)[i])...));
      } else {
        o[i] = Convert<Out>(f(Convert<ComputeType<In>>(std::get<I>(p)[i])...));
      }
    };
    // Scalars: finding out that no vector is full takes longer than they do.
    if (n == 1) {
      element(0);
      return 0;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) element(i);
    return 0;
  }
};

// The same, but reports 1 if check(inputs...) is true anywhere; elements
// where it is true are computed from `f` only after replacing nothing: f must
// be safe for them (e.g. divide by a selected non-zero).
template <class F, class Check, class Out, class... In>
struct CheckedTileBody {
  static GK_INLINE int Run(void* out, const void* const* in, int64_t n,
                           const void* params) {
    return RunImpl(out, in, n, std::index_sequence_for<In...>());
  }

 private:
  template <size_t... I>
  static GK_INLINE int RunImpl(void* out, const void* const* in, int64_t n,
                               std::index_sequence<I...>) {
    Out* o = static_cast<Out*>(out);
    const std::tuple<const In*...> p(static_cast<const In*>(in[I])...);
    F f{};
    Check check{};
    if (n == 1) {
      if (check(*std::get<I>(p)...)) return 1;
      *o = f(*std::get<I>(p)...);
      return 0;
    }
    int bad = 0;
    for (int64_t i = 0; i < n; ++i) bad |= check(std::get<I>(p)[i]...);
    if (bad) return 1;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = f(std::get<I>(p)[i]...);
    return 0;
  }
};

}  // namespace gk

#endif  // GK_KERNELS_ELEMENTWISE_H_
