#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/reduce_impl.h"

namespace gk {
namespace {

using reduce_internal::Extreme;
using reduce_internal::OrderedType;

// Integers are rare here.
template <class T>
constexpr Isa kMaxIsa = std::is_same_v<T, float> ? Isa::kV4
                        : std::is_integral_v<T>  ? Isa::kV2
                                                 : Isa::kV3;

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
  static GK_INLINE void Run(const void* input, int64_t n, int64_t stride,
                            int64_t width, int64_t* index) {
    const T* in = static_cast<const T*>(input);
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
  static GK_INLINE int64_t Run(const void* input, int64_t n) {
    const T* in = static_cast<const T*>(input);
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

struct ArgLoops {
  int64_t element_size;
  int64_t (*row)(const void* in, int64_t n);
  void (*columns)(const void* in, int64_t n, int64_t stride, int64_t width,
                  int64_t* index);
};

template <class T, bool kLargest>
ArgLoops LoopsOf() {
  using Row = Stamp<ArgRow<T, kLargest>, int64_t(const void*, int64_t)>;
  using Columns = Stamp<ArgColumns<T, kLargest>,
                        void(const void*, int64_t, int64_t, int64_t, int64_t*)>;
  return {sizeof(T), Row::template Best<kMaxIsa<T>>(),
          Columns::template Best<kMaxIsa<T>>()};
}

// Writes the indices of results first ... first + n - 1.
using StoreIndices =
    FunctionRef<void(int64_t first, int64_t n, const int64_t* index)>;

void RunArg(const ArgLoops& loops, int64_t outer, int64_t n, int64_t inner,
            const void* input, ThreadPool& pool, StoreIndices store) {
  if (outer <= 0 || inner <= 0) return;
  const char* in = static_cast<const char*>(input);
  const int64_t size = loops.element_size;
  if (inner == 1) {
    pool.ParallelRange(outer, n / 2 + 5, [&](int64_t begin, int64_t end) {
      int64_t index[kTile];
      for (int64_t o = begin; o < end; o += kTile) {
        const int64_t rows = std::min(kTile, end - o);
        for (int64_t i = 0; i < rows; ++i) {
          index[i] = loops.row(in + (o + i) * n * size, n);
        }
        store(o, rows, index);
      }
    });
    return;
  }
  const int64_t tile = std::min(inner, kTile);
  const int64_t tiles = (inner + tile - 1) / tile;
  pool.ParallelRange(outer * tiles, n * tile / 2 + 5,
                     [&](int64_t begin, int64_t end) {
                       int64_t index[kTile];
                       for (int64_t b = begin; b < end; ++b) {
                         const int64_t o = b / tiles, i0 = b % tiles * tile;
                         const int64_t width = std::min(tile, inner - i0);
                         loops.columns(in + (o * n * inner + i0) * size, n,
                                       inner, width, index);
                         store(o * inner + i0, width, index);
                       }
                     });
}

}  // namespace

template <class T, class Index>
void ArgReduce(bool largest, int64_t outer, int64_t n, int64_t inner,
               const T* in, Index* out, ThreadPool& pool) {
  RunArg(largest ? LoopsOf<T, true>() : LoopsOf<T, false>(), outer, n, inner,
         in, pool, [out](int64_t first, int64_t count, const int64_t* index) {
           for (int64_t i = 0; i < count; ++i) {
             out[first + i] = static_cast<Index>(index[i]);
           }
         });
}

#define GK_ARG_REDUCE_TO(T, Index)                                             \
  template void ArgReduce<T, Index>(bool, int64_t, int64_t, int64_t, const T*, \
                                    Index*, ThreadPool&)
#define GK_ARG_REDUCE(T)         \
  GK_ARG_REDUCE_TO(T, int16_t);  \
  GK_ARG_REDUCE_TO(T, uint16_t); \
  GK_ARG_REDUCE_TO(T, int32_t);  \
  GK_ARG_REDUCE_TO(T, int64_t)
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
