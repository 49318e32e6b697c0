// Numbers in a row, and single elements set among others.
//
// Raw memory; narrow floats are computed as floats, and rounded at each step as
// their own type would be.
#ifndef GK_KERNELS_SEQUENCE_H_
#define GK_KERNELS_SEQUENCE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "kernels/elementwise.h"

namespace gk {

// start + i * delta, rounded after each operation; counts of 32 bits vectorise.
template <class T, class C, class Count>
struct RangeBody {
  static GK_INLINE void Run(C start, C delta, int64_t n, T* out) {
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<C>) {
        // Wraps where the last step would pass the type's end.
        using U = std::make_unsigned_t<std::common_type_t<C, int>>;
        out[i] = static_cast<T>(
            U(U(start) + U(static_cast<U>(Count(i)) * U(delta))));
      } else {
        const C step = Rounded(Rounded(static_cast<C>(Count(i))) * delta);
        out[i] = Convert<T>(C(start + step));
      }
    }
  }

 private:
  static GK_INLINE C Rounded(C v) {
    if constexpr (std::is_same_v<C, T>) {
      return v;
    } else {
      return Convert<C>(Convert<T>(v));
    }
  }
};

// start, start + delta, ...; C: what T is computed as.
template <class T, class C>
void FillRange(C start, C delta, int64_t n, T* out) {
  using Loop = void(C, C, int64_t, T*);
  if (n <= (1 << 30)) {
    Stamp<RangeBody<T, C, int32_t>, Loop>::template Best<Isa::kV3>()(
        start, delta, n, out);
  } else {
    RangeBody<T, C, int64_t>::Run(start, delta, n, out);
  }
}

// The steps of FillLinspace but its ends; float counts of 32 bits vectorise.
template <class T, class C, class Count>
struct LinspaceBody {
  static GK_INLINE void Run(C start, C step, int64_t n, T* out) {
    for (int64_t i = 1; i < n - 1; ++i) {
      out[i] = Convert<T>(C(start + step * static_cast<C>(Count(i))));
    }
  }
};

// n > 0 numbers from start to stop, both among them if n > 1.
template <class T>
void FillLinspace(T start_value, T stop_value, int64_t n, T* out) {
  using C = ComputeType<T>;
  const C start = Convert<C>(start_value), stop = Convert<C>(stop_value);
  out[0] = Convert<T>(start);
  if (n == 1) return;
  const C step =
      Convert<C>(Convert<T>(C((stop - start) / static_cast<C>(n - 1))));
  using Loop = void(C, C, int64_t, T*);
  if (n <= (1 << 30)) {
    Stamp<LinspaceBody<T, C, int32_t>, Loop>::template Best<Isa::kV3>()(
        start, step, n, out);
  } else {
    LinspaceBody<T, C, int64_t>::Run(start, step, n, out);
  }
  out[n - 1] = Convert<T>(stop);
}

// hot [rows, inner], out [rows, depth, inner]: sets the element that each names
// on the middle axis; those outside of it name none.
template <class T>
void SetHot(std::span<const int64_t> hot, int64_t depth, int64_t inner,
            const T& on, T* out) {
  for (size_t i = 0; i < hot.size(); ++i) {
    const int64_t v = hot[i], at = static_cast<int64_t>(i);
    if (v < 0 || v >= depth) continue;
    out[(at / inner * depth + v) * inner + at % inner] = on;
  }
}

}  // namespace gk

#endif  // GK_KERNELS_SEQUENCE_H_
