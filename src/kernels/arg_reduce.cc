#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/reduce_impl.h"

namespace gk {
namespace {

using reduce_internal::Extreme;
using reduce_internal::OrderedType;

constexpr int64_t kTile = 256;

template <class T, bool kLargest>
GK_INLINE bool Better(T a, T b) {
  return kLargest ? a > b : a < b;
}

// One position along the axis for each of `width` columns, `stride` apart
// from row to row.
template <class T, bool kLargest>
struct ArgColumns {
  using C = OrderedType<T>;
  static GK_INLINE void Run(const T* in, int64_t n, int64_t stride,
                            int64_t width, int64_t* index) {
    C best[kTile];
    for (int64_t i = 0; i < width; ++i) {
      best[i] = Extreme<C, kLargest>();
      index[i] = 0;
    }
    for (int64_t r = 0; r < n; ++r) {
      const T* row = in + r * stride;
      for (int64_t i = 0; i < width; ++i) {
        const C v = static_cast<C>(row[i]);
        const bool better = Better<C, kLargest>(v, best[i]);
        best[i] = better ? v : best[i];
        index[i] = better ? r : index[i];
      }
    }
  }
};

// The best value first, at full vector width, then its first position.
template <class T, bool kLargest>
struct ArgRow {
  using C = OrderedType<T>;
  static GK_INLINE int64_t Run(const T* in, int64_t n) {
    constexpr int kLanes = 64;
    C lanes[kLanes];
    for (int l = 0; l < kLanes; ++l) lanes[l] = Extreme<C, kLargest>();
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int l = 0; l < kLanes; ++l) {
        const C v = static_cast<C>(in[i + l]);
        lanes[l] = Better<C, kLargest>(v, lanes[l]) ? v : lanes[l];
      }
    }
    C best = lanes[0];
    for (int l = 1; l < kLanes; ++l) {
      best = Better<C, kLargest>(lanes[l], best) ? lanes[l] : best;
    }
    for (; i < n; ++i) {
      const C v = static_cast<C>(in[i]);
      best = Better<C, kLargest>(v, best) ? v : best;
    }
    for (int64_t j = 0; j < n; ++j) {
      if (static_cast<C>(in[j]) == best) return j;
    }
    return 0;
  }
};

template <class T, bool kLargest, class Index>
void RunArg(int64_t outer, int64_t n, int64_t inner, const T* in, Index* out,
            ThreadPool& pool) {
  if (outer <= 0 || inner <= 0) return;
  if (inner == 1) {
    const auto row =
        Stamp<ArgRow<T, kLargest>, int64_t(const T*, int64_t)>::Best();
    pool.ParallelRange(outer, n / 2 + 5, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        out[o] = static_cast<Index>(row(in + o * n, n));
      }
    });
    return;
  }
  const auto columns =
      Stamp<ArgColumns<T, kLargest>, void(const T*, int64_t, int64_t, int64_t,
                                          int64_t*)>::Best();
  const int64_t tile = std::min(inner, kTile);
  const int64_t tiles = (inner + tile - 1) / tile;
  pool.ParallelRange(outer * tiles, n * tile / 2 + 5, [&](int64_t begin,
                                                          int64_t end) {
    int64_t index[kTile];
    for (int64_t b = begin; b < end; ++b) {
      const int64_t o = b / tiles, i0 = b % tiles * tile;
      const int64_t width = std::min(tile, inner - i0);
      columns(in + o * n * inner + i0, n, inner, width, index);
      for (int64_t i = 0; i < width; ++i) {
        out[o * inner + i0 + i] = static_cast<Index>(index[i]);
      }
    }
  });
}

}  // namespace

template <class T, class Index>
void ArgReduce(bool largest, int64_t outer, int64_t n, int64_t inner,
               const T* in, Index* out, ThreadPool& pool) {
  if (largest) {
    RunArg<T, true>(outer, n, inner, in, out, pool);
  } else {
    RunArg<T, false>(outer, n, inner, in, out, pool);
  }
}

#define GK_ARG_REDUCE_TO(T, Index)                                        \
  template void ArgReduce<T, Index>(bool, int64_t, int64_t, int64_t,      \
                                    const T*, Index*, ThreadPool&)
#define GK_ARG_REDUCE(T)          \
  GK_ARG_REDUCE_TO(T, int16_t);   \
  GK_ARG_REDUCE_TO(T, uint16_t);  \
  GK_ARG_REDUCE_TO(T, int32_t);   \
  GK_ARG_REDUCE_TO(T, int64_t)
GK_ARG_REDUCE(bool);
GK_ARG_REDUCE(int8_t);
GK_ARG_REDUCE(int16_t);
GK_ARG_REDUCE(int32_t);
GK_ARG_REDUCE(int64_t);
GK_ARG_REDUCE(uint8_t);
GK_ARG_REDUCE(uint16_t);
GK_ARG_REDUCE(uint32_t);
GK_ARG_REDUCE(uint64_t);
GK_ARG_REDUCE(half);
GK_ARG_REDUCE(bfloat16);
GK_ARG_REDUCE(float);
GK_ARG_REDUCE(double);

}  // namespace gk
