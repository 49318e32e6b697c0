// The loops behind kernels/reduce.h, for the files that instantiate them.
//
// Fold<Op> reduces a block of outputs over a range of the reduced part; it is
// stamped per ISA. RunReduce cuts the work by shape and combines the parts.
#ifndef GK_KERNELS_REDUCE_IMPL_H_
#define GK_KERNELS_REDUCE_IMPL_H_

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "base/half.h"
#include "kernels/isa.h"
#include "kernels/reduce.h"

namespace gk::reduce_internal {

constexpr int64_t kBlock = 512;        // Accumulators of one block.
constexpr int64_t kRun = 4096;         // Elements folded in one go.
constexpr int64_t kSlice = 32 * 1024;  // Elements of a slice of few outputs.

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
  static constexpr A kIdentity{0};
  static GK_INLINE A Apply(A a, A b) { return a + b; }
};
template <class S>
struct WideSumOp {
  using T = S;
  using A = uint64_t;
  static constexpr A kIdentity{0};
  static GK_INLINE A Apply(A a, A b) { return a + b; }
};
template <class S>
struct ProdOp {
  using T = S;
  using A = typename Accumulator<T>::Type;
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
  static constexpr A kIdentity = 1;
  static GK_INLINE A Apply(A a, A b) { return a & b; }
};
struct AnyOp {
  using T = uint8_t;
  using A = uint8_t;
  static constexpr A kIdentity = 0;
  static GK_INLINE A Apply(A a, A b) { return a | b; }
};

// Outputs [k0, k1) x [i0, i1), reduced over combinations [m0, m1) of the
// outer reduced axes and, where the inner axis is reduced, its [r0, r1).
template <class Op>
struct Task {
  const ReduceLayout* layout;
  const typename Op::T* in;
  typename Op::A* acc;
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

  static GK_INLINE A Run1(const T* in, int64_t n) {
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

  static GK_INLINE void Rows(const Task<Op>& t) {
    for (int64_t k = t.k0; k < t.k1; ++k) {
      const T* base = t.in + Offset(t.layout->kept, k);
      A acc = Op::kIdentity;
      for (int64_t m = t.m0; m < t.m1; ++m) {
        const T* row = base + Offset(t.layout->reduced, m);
        for (int64_t r = t.r0; r < t.r1; r += kRun) {
          acc = Op::Apply(acc, Run1(row + r, std::min(kRun, t.r1 - r)));
        }
      }
      t.acc[k - t.k0] = acc;
    }
  }

  static GK_INLINE void Columns(const Task<Op>& t) {
    const int64_t width = t.i1 - t.i0;
    constexpr int64_t kRows = 256;
    A part[kBlock];
    for (int64_t k = t.k0; k < t.k1; ++k) {
      const T* base = t.in + Offset(t.layout->kept, k) + t.i0;
      A* acc = t.acc + (k - t.k0) * width;
      for (int64_t i = 0; i < width; ++i) acc[i] = Op::kIdentity;
      for (int64_t m0 = t.m0; m0 < t.m1; m0 += kRows) {
        const int64_t m1 = std::min(m0 + kRows, t.m1);
        for (int64_t i = 0; i < width; ++i) part[i] = Op::kIdentity;
        for (int64_t m = m0; m < m1; ++m) {
          const T* row = base + Offset(t.layout->reduced, m);
          for (int64_t i = 0; i < width; ++i) {
            part[i] = Op::Apply(part[i], Load<A>(row[i]));
          }
        }
        for (int64_t i = 0; i < width; ++i) {
          acc[i] = Op::Apply(acc[i], part[i]);
        }
      }
    }
  }

  static GK_INLINE void Run(const Task<Op>* t) {
    if (t->layout->inner_reduced) {
      Rows(*t);
    } else {
      Columns(*t);
    }
  }
};

// `store(output, accumulator)` writes one result.
template <class Op, class Store>
void RunReduce(const ReduceLayout& layout, const typename Op::T* in,
               ThreadPool& pool, Store store) {
  using A = typename Op::A;
  const auto fold = Stamp<Fold<Op>, void(const Task<Op>*)>::Best();
  const int64_t outputs = layout.outputs();
  const int64_t per_output = layout.reduced_per_output();
  if (outputs == 0) return;
  if (per_output == 0) {
    for (int64_t i = 0; i < outputs; ++i) store(i, Op::kIdentity);
    return;
  }
  const int64_t width = layout.inner_reduced ? 1 : layout.inner;
  const int64_t tile = std::min(width, kBlock);
  const int64_t tiles = (width + tile - 1) / tile;
  const int64_t group = std::clamp<int64_t>(kSlice / per_output / tile, 1,
                                            kBlock / tile);
  const int64_t groups = (layout.kept_count + group - 1) / group;
  const int64_t blocks = groups * tiles;
  // Few outputs of many elements: cut the reduced part as well.
  const bool cut_inner = layout.inner_reduced && layout.reduced_count == 1;
  const int64_t length = cut_inner ? layout.inner : layout.reduced_count;
  const int64_t work = per_output * tile * group;
  int64_t slices = 1;
  if (blocks < 64 && work >= 2 * kSlice) {
    slices = std::min({(work - 1) / kSlice + 1, length, int64_t{128}});
  }
  const auto run = [&](int64_t block, int64_t slice, A* acc) {
    const int64_t k0 = block / tiles * group, i0 = block % tiles * tile;
    const int64_t from = length / slices * slice +
                         std::min(slice, length % slices);
    const int64_t to = length / slices * (slice + 1) +
                       std::min(slice + 1, length % slices);
    Task<Op> task{&layout, in, acc, k0,
                  std::min(k0 + group, layout.kept_count), i0,
                  std::min(i0 + tile, width),
                  cut_inner ? 0 : from, cut_inner ? 1 : to,
                  cut_inner ? from : 0, cut_inner ? to : layout.inner};
    fold(&task);
    return task;
  };
  const auto write = [&](const Task<Op>& t) {
    const int64_t w = t.i1 - t.i0;
    for (int64_t k = t.k0; k < t.k1; ++k) {
      for (int64_t i = 0; i < w; ++i) {
        store(k * width + t.i0 + i, t.acc[(k - t.k0) * w + i]);
      }
    }
  };
  if (slices == 1) {
    // About 0.2 ns an element; a block is some 30,000 of them or one output.
    pool.ParallelRange(blocks, work / 4 + 1, [&](int64_t begin, int64_t end) {
      A acc[kBlock];
      for (int64_t b = begin; b < end; ++b) write(run(b, 0, acc));
    });
    return;
  }
  const auto parts =
      std::make_unique_for_overwrite<A[]>(blocks * slices * kBlock);
  pool.ParallelFor(blocks * slices, [&](int64_t i) {
    run(i / slices, i % slices, parts.get() + i * kBlock);
  });
  for (int64_t b = 0; b < blocks; ++b) {
    A* first = parts.get() + b * slices * kBlock;
    const int64_t k0 = b / tiles * group, i0 = b % tiles * tile;
    Task<Op> task{&layout, in, first, k0,
                  std::min(k0 + group, layout.kept_count), i0,
                  std::min(i0 + tile, width)};
    const int64_t n = (task.k1 - task.k0) * (task.i1 - task.i0);
    for (int64_t s = 1; s < slices; ++s) {
      for (int64_t i = 0; i < n; ++i) {
        first[i] = Op::Apply(first[i], first[s * kBlock + i]);
      }
    }
    write(task);
  }
}

template <class Op, class T>
void ReduceTo(const ReduceLayout& layout, const T* in, T* out,
              ThreadPool& pool) {
  RunReduce<Op>(layout, in, pool, [out](int64_t i, typename Op::A a) {
    out[i] = static_cast<T>(a);
  });
}

template <class T>
void ReduceMean(const ReduceLayout& layout, const T* in, T* out,
                ThreadPool& pool) {
  const int64_t n = layout.reduced_per_output();
  if constexpr (std::is_integral_v<T>) {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    RunReduce<WideSumOp<T>>(layout, in, pool, [=](int64_t i, uint64_t sum) {
      out[i] = n ? static_cast<T>(static_cast<Wide>(sum) / Wide(n)) : T(0);
    });
  } else {
    using A = typename SumOp<T>::A;
    RunReduce<SumOp<T>>(layout, in, pool, [=](int64_t i, A sum) {
      if constexpr (kIsComplex<A>) {
        out[i] = n ? sum / static_cast<typename A::value_type>(n) : A(0);
      } else {
        out[i] = static_cast<T>(sum / static_cast<A>(n));
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
      return ReduceTo<SumOp<T>>(layout, in, out, pool);
    case ReduceKind::kMean:
      return ReduceMean(layout, in, out, pool);
    case ReduceKind::kProd:
      return ReduceTo<ProdOp<T>>(layout, in, out, pool);
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

#define GK_REDUCE(T)                                                       \
  template void Reduce<T>(ReduceKind, const ReduceLayout&, const T*, T*, \
                          ThreadPool&)

#endif  // GK_KERNELS_REDUCE_IMPL_H_
