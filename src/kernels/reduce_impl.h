// The loops behind kernels/reduce.h, for the files that instantiate them.
//
// Fold<Op> reduces a block of outputs over a range of the reduced part; it is
// stamped per ISA. RunReduce, the same code for every op and type, cuts the
// work by shape and combines the parts.
#ifndef GK_KERNELS_REDUCE_IMPL_H_
#define GK_KERNELS_REDUCE_IMPL_H_

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/function_ref.h"
#include "base/half.h"
#include "kernels/isa.h"
#include "kernels/narrow.h"
#include "kernels/reduce.h"

namespace gk::reduce_internal {

constexpr int64_t kBlock = 512;         // Accumulators of one block.
constexpr int64_t kRun = 4096;          // Elements folded in one go.
constexpr int64_t kSlice = 32 * 1024;   // Elements of a slice of few outputs.
constexpr size_t kMaxAccumulator = 16;  // Bytes.

// Newer levels where they pay: floats most, rare sums and products least.
template <class T>
inline constexpr Isa kFloatIsa =
    std::is_floating_point_v<T> ? Isa::kV4 : Isa::kV3;

// Halves are widened in bulk: each by itself takes longer than the rest.
template <class T>
inline constexpr bool kWidened = std::is_same_v<T, half>;

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// What Sum and Prod compute in: integers wrap.
template <class T>
struct Accumulator {
  using Type = T;
};
template <class T>
requires std::is_integral_v<T>
struct Accumulator<T> {
  using Type = std::make_unsigned_t<T>;
};
template <class F>
struct Accumulator<NarrowFloat<F>> {
  using Type = float;
};

template <class A, class T>
GK_INLINE A Load(T v) {
  return static_cast<A>(v);
}

template <class S>
struct SumOp {
  using T = S;
  using A = typename Accumulator<T>::Type;
  static constexpr Isa kIsa = kFloatIsa<T>;
  static constexpr A kIdentity{0};
  static GK_INLINE A Apply(A a, A b) { return a + b; }
};
template <class S>
struct WideSumOp {
  using T = S;
  using A = uint64_t;
  static constexpr Isa kIsa = Isa::kV2;
  static constexpr A kIdentity{0};
  static GK_INLINE A Apply(A a, A b) { return a + b; }
};
template <class S>
struct ProdOp {
  using T = S;
  using A = typename Accumulator<T>::Type;
  static constexpr Isa kIsa = std::is_same_v<A, float> ? Isa::kV3 : Isa::kV2;
  static constexpr A kIdentity{1};
  static GK_INLINE A Apply(A a, A b) {
    if constexpr (kIsComplex<A>) {
      return A(a.real() * b.real() - a.imag() * b.imag(),
               a.real() * b.imag() + a.imag() * b.real());
    } else if constexpr (sizeof(A) == 2 && std::is_integral_v<A>) {
      // Small operands would be promoted to int, which can overflow.
      return static_cast<A>(uint32_t{a} * uint32_t{b});
    } else {
      return static_cast<A>(a * b);
    }
  }
};

template <class T>
using OrderedType = std::conditional_t<kIsNarrowFloat<T>, float, T>;

template <class A, bool kMax>
constexpr A Extreme() {
  using L = std::numeric_limits<A>;
  if constexpr (L::has_infinity) return kMax ? -L::infinity() : L::infinity();
  return kMax ? L::lowest() : L::max();
}

template <class S, bool kMax>
struct ExtremeOp {
  using T = S;
  using A = OrderedType<T>;
  static constexpr Isa kIsa = kFloatIsa<T>;
  static constexpr A kIdentity = Extreme<A, kMax>();
  static GK_INLINE A Apply(A a, A b) {
    const bool better = kMax ? b > a : b < a;
    if constexpr (std::is_floating_point_v<A>) {
      // Bitwise: both are computed, so the loop stays free of branches.
      return (better | (b != b)) ? b : a;
    } else {
      return better ? b : a;
    }
  }
};

struct AllOp {
  using T = uint8_t;
  using A = uint8_t;
  static constexpr Isa kIsa = Isa::kV3;
  static constexpr A kIdentity = 1;
  static GK_INLINE A Apply(A a, A b) { return a & b; }
};
struct AnyOp {
  using T = uint8_t;
  using A = uint8_t;
  static constexpr Isa kIsa = Isa::kV3;
  static constexpr A kIdentity = 0;
  static GK_INLINE A Apply(A a, A b) { return a | b; }
};

// Outputs [k0, k1) x [i0, i1), reduced over combinations [m0, m1) of the
// outer reduced axes and, where the inner axis is reduced, its [r0, r1).
struct Task {
  const ReduceLayout* layout;
  const void* in;
  void* acc;
  int64_t k0, k1, i0, i1, m0, m1, r0, r1;
};

GK_INLINE int64_t Offset(const std::vector<ReduceLayout::Axis>& axes,
                         int64_t index) {
  if (axes.empty()) return 0;
  int64_t offset = 0;
  for (size_t a = axes.size() - 1; a > 0; --a) {
    offset += index % axes[a].extent * axes[a].stride;
    index /= axes[a].extent;
  }
  return offset + index * axes[0].stride;
}

template <class Op>
struct Fold {
  using T = typename Op::T;
  using A = typename Op::A;

  // Sums of complex numbers are those of their parts, which vectorise.
  static GK_INLINE A SumOfParts(const T* in, int64_t n) {
    using R = typename A::value_type;
    constexpr int kLanes = 64;
    const R* parts = reinterpret_cast<const R*>(in);
    R lanes[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= 2 * n; i += kLanes) {
      for (int l = 0; l < kLanes; ++l) lanes[l] += parts[i + l];
    }
    for (int half = kLanes / 2; half > 1; half /= 2) {
      for (int l = 0; l < half; ++l) lanes[l] += lanes[l + half];
    }
    for (; i < 2 * n; i += 2) {
      lanes[0] += parts[i];
      lanes[1] += parts[i + 1];
    }
    return A(lanes[0], lanes[1]);
  }

  static GK_INLINE A Run1(const T* in, int64_t n) {
    if constexpr (kIsComplex<T> && std::is_same_v<Op, SumOp<T>>) {
      return SumOfParts(in, n);
    } else if constexpr (kWidened<T>) {
      alignas(64) float wide[kRun];
      kFloatConversions<T>->widen(in, n, wide);
      return RunLanes(wide, n);
    } else {
      return RunLanes(in, n);
    }
  }

  template <class In>
  static GK_INLINE A RunLanes(const In* in, int64_t n) {
    constexpr int kLanes = 64;
    A total = Op::kIdentity;
    int64_t i = 0;
    if (n >= kLanes) {
      A lanes[kLanes];
      for (int l = 0; l < kLanes; ++l) lanes[l] = Op::kIdentity;
      for (; i + kLanes <= n; i += kLanes) {
        for (int l = 0; l < kLanes; ++l) {
          lanes[l] = Op::Apply(lanes[l], Load<A>(in[i + l]));
        }
      }
      for (int half = kLanes / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; ++l) {
          lanes[l] = Op::Apply(lanes[l], lanes[l + half]);
        }
      }
      total = lanes[0];
    }
    for (; i < n; ++i) total = Op::Apply(total, Load<A>(in[i]));
    return total;
  }

  static GK_INLINE void Rows(const Task& t) {
    const T* in = static_cast<const T*>(t.in);
    A* out = static_cast<A*>(t.acc);
    for (int64_t k = t.k0; k < t.k1; ++k) {
      const T* base = in + Offset(t.layout->kept, k);
      A acc = Op::kIdentity;
      for (int64_t m = t.m0; m < t.m1; ++m) {
        const T* row = base + Offset(t.layout->reduced, m);
        for (int64_t r = t.r0; r < t.r1; r += kRun) {
          acc = Op::Apply(acc, Run1(row + r, std::min(kRun, t.r1 - r)));
        }
      }
      out[k - t.k0] = acc;
    }
  }

  static GK_INLINE void Columns(const Task& t) {
    const T* in = static_cast<const T*>(t.in);
    A* out = static_cast<A*>(t.acc);
    const int64_t width = t.i1 - t.i0;
    constexpr int64_t kRows = 256;
    A part[kBlock];
    alignas(64) float wide[kWidened<T> ? kBlock : 1];
    for (int64_t k = t.k0; k < t.k1; ++k) {
      const T* base = in + Offset(t.layout->kept, k) + t.i0;
      A* acc = out + (k - t.k0) * width;
      for (int64_t i = 0; i < width; ++i) acc[i] = Op::kIdentity;
      for (int64_t m0 = t.m0; m0 < t.m1; m0 += kRows) {
        const int64_t m1 = std::min(m0 + kRows, t.m1);
        for (int64_t i = 0; i < width; ++i) part[i] = Op::kIdentity;
        for (int64_t m = m0; m < m1; ++m) {
          const T* row = base + Offset(t.layout->reduced, m);
          if constexpr (kWidened<T>) {
            kFloatConversions<T>->widen(row, width, wide);
            for (int64_t i = 0; i < width; ++i) {
              part[i] = Op::Apply(part[i], wide[i]);
            }
          } else {
            for (int64_t i = 0; i < width; ++i) {
              part[i] = Op::Apply(part[i], Load<A>(row[i]));
            }
          }
        }
        for (int64_t i = 0; i < width; ++i) {
          acc[i] = Op::Apply(acc[i], part[i]);
        }
      }
    }
  }

  static GK_INLINE void Run(const Task* t) {
    if (t->layout->inner_reduced) {
      Rows(*t);
    } else {
      Columns(*t);
    }
  }
};

// What RunReduce needs of an op.
struct ReduceLoops {
  size_t accumulator_size;
  void (*fold)(const Task*);
  // first[i] = first[i] op part[i] for n accumulators.
  void (*combine)(void* first, const void* part, int64_t n);
};

// Writes the accumulators of outputs first ... first + n - 1.
using StoreResults =
    FunctionRef<void(int64_t first, int64_t n, const void* accumulators)>;

void RunReduce(const ReduceLoops& loops, const ReduceLayout& layout,
               const void* in, ThreadPool& pool, StoreResults store);

template <class Op>
void Combine(void* first, const void* part, int64_t n) {
  using A = typename Op::A;
  A* to = static_cast<A*>(first);
  const A* from = static_cast<const A*>(part);
  for (int64_t i = 0; i < n; ++i) to[i] = Op::Apply(to[i], from[i]);
}

template <class Op>
ReduceLoops LoopsOf() {
  static_assert(sizeof(typename Op::A) <= kMaxAccumulator);
  using Fold = Stamp<Fold<Op>, void(const Task*)>;
  return {sizeof(typename Op::A), Fold::template Best<Op::kIsa>(), Combine<Op>};
}

// out[i] = finish(accumulator).
template <class Op, class T, class Finish>
void ReduceWith(const ReduceLayout& layout, const T* in, T* out,
                ThreadPool& pool, Finish finish) {
  RunReduce(LoopsOf<Op>(), layout, in, pool,
            [=](int64_t first, int64_t n, const void* accumulators) {
              const auto* acc =
                  static_cast<const typename Op::A*>(accumulators);
              for (int64_t i = 0; i < n; ++i) out[first + i] = finish(acc[i]);
            });
}

template <class Op, class T>
void ReduceTo(const ReduceLayout& layout, const T* in, T* out,
              ThreadPool& pool) {
  ReduceWith<Op>(layout, in, out, pool,
                 [](typename Op::A a) { return static_cast<T>(a); });
}

// Wrapped sums and products of signed integers are those of unsigned ones.
template <template <class> class Op, class T>
void ReduceWrapping(const ReduceLayout& layout, const T* in, T* out,
                    ThreadPool& pool) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    ReduceTo<Op<U>>(layout, reinterpret_cast<const U*>(in),
                    reinterpret_cast<U*>(out), pool);
  } else {
    ReduceTo<Op<T>>(layout, in, out, pool);
  }
}

template <class T>
void ReduceMean(const ReduceLayout& layout, const T* in, T* out,
                ThreadPool& pool) {
  const int64_t n = layout.reduced_per_output();
  if constexpr (std::is_integral_v<T>) {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    ReduceWith<WideSumOp<T>>(layout, in, out, pool, [n](uint64_t sum) {
      return n ? static_cast<T>(static_cast<Wide>(sum) / Wide(n)) : T(0);
    });
  } else {
    using A = typename SumOp<T>::A;
    ReduceWith<SumOp<T>>(layout, in, out, pool, [n](A sum) {
      if constexpr (kIsComplex<A>) {
        return n ? sum / static_cast<typename A::value_type>(n) : A(0);
      } else {
        return static_cast<T>(sum / static_cast<A>(n));
      }
    });
  }
}

}  // namespace gk::reduce_internal

namespace gk {

template <class T>
void Reduce(ReduceKind kind, const ReduceLayout& layout, const T* in, T* out,
            ThreadPool& pool) {
  using namespace reduce_internal;
  switch (kind) {
    case ReduceKind::kSum:
      return ReduceWrapping<SumOp>(layout, in, out, pool);
    case ReduceKind::kMean:
      return ReduceMean(layout, in, out, pool);
    case ReduceKind::kProd:
      return ReduceWrapping<ProdOp>(layout, in, out, pool);
    case ReduceKind::kMax:
      if constexpr (!kIsComplex<T>) {
        ReduceTo<ExtremeOp<T, true>>(layout, in, out, pool);
      }
      return;
    case ReduceKind::kMin:
      if constexpr (!kIsComplex<T>) {
        ReduceTo<ExtremeOp<T, false>>(layout, in, out, pool);
      }
      return;
  }
}

}  // namespace gk

#define GK_REDUCE(T)                                                     \
  template void Reduce<T>(ReduceKind, const ReduceLayout&, const T*, T*, \
                          ThreadPool&)

#endif  // GK_KERNELS_REDUCE_IMPL_H_
