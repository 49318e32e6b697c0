#include "kernels/transpose.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/isa.h"

namespace gk {
namespace {

constexpr int64_t kTile = 64;

struct Axis {
  int64_t extent;
  int64_t in_stride;
  int64_t out_stride;
};

using U32x8 = uint32_t __attribute__((vector_size(32)));
using U64x4 = uint64_t __attribute__((vector_size(32)));
struct alignas(16) Bytes16 {
  uint64_t words[2];
};

// Square register blocks: halves, quarters, ... change places across the
// diagonal.
template <class T>
struct Block {
  static constexpr int kSize = 1;
  static GK_INLINE void Run(const T* in, int64_t, T* out, int64_t) {
    *out = *in;
  }
};

template <>
struct Block<uint32_t> {
  static constexpr int kSize = 8;
  static GK_INLINE void Run(const uint32_t* in, int64_t in_stride,
                            uint32_t* out, int64_t out_stride) {
    U32x8 a[8], b[8];
    for (int i = 0; i < 8; ++i) std::memcpy(&a[i], in + i * in_stride, 32);
    for (int i = 0; i < 4; ++i) {
      b[i] = __builtin_shuffle(a[i], a[i + 4], U32x8{0, 1, 2, 3, 8, 9, 10, 11});
      b[i + 4] =
          __builtin_shuffle(a[i], a[i + 4], U32x8{4, 5, 6, 7, 12, 13, 14, 15});
    }
    for (int i : {0, 1, 4, 5}) {
      a[i] = __builtin_shuffle(b[i], b[i + 2], U32x8{0, 1, 8, 9, 4, 5, 12, 13});
      a[i + 2] =
          __builtin_shuffle(b[i], b[i + 2], U32x8{2, 3, 10, 11, 6, 7, 14, 15});
    }
    for (int i = 0; i < 8; i += 2) {
      b[i] =
          __builtin_shuffle(a[i], a[i + 1], U32x8{0, 8, 2, 10, 4, 12, 6, 14});
      b[i + 1] =
          __builtin_shuffle(a[i], a[i + 1], U32x8{1, 9, 3, 11, 5, 13, 7, 15});
    }
    for (int i = 0; i < 8; ++i) std::memcpy(out + i * out_stride, &b[i], 32);
  }
};

template <>
struct Block<uint64_t> {
  static constexpr int kSize = 4;
  static GK_INLINE void Run(const uint64_t* in, int64_t in_stride,
                            uint64_t* out, int64_t out_stride) {
    U64x4 a[4], b[4];
    for (int i = 0; i < 4; ++i) std::memcpy(&a[i], in + i * in_stride, 32);
    for (int i = 0; i < 2; ++i) {
      b[i] = __builtin_shuffle(a[i], a[i + 2], U64x4{0, 1, 4, 5});
      b[i + 2] = __builtin_shuffle(a[i], a[i + 2], U64x4{2, 3, 6, 7});
    }
    for (int i = 0; i < 4; i += 2) {
      a[i] = __builtin_shuffle(b[i], b[i + 1], U64x4{0, 4, 2, 6});
      a[i + 1] = __builtin_shuffle(b[i], b[i + 1], U64x4{1, 5, 3, 7});
    }
    for (int i = 0; i < 4; ++i) std::memcpy(out + i * out_stride, &a[i], 32);
  }
};

// `in` has contiguous rows of `rows` elements, `columns` of them, in_stride
// apart; they become the columns of `out`.
template <class T>
struct Tile {
  static GK_INLINE void Run(const void* in_bytes, int64_t in_stride,
                            void* out_bytes, int64_t out_stride, int64_t rows,
                            int64_t columns) {
    const T* in = static_cast<const T*>(in_bytes);
    T* out = static_cast<T*>(out_bytes);
    constexpr int64_t kSize = Block<T>::kSize;
    const int64_t full_rows = rows / kSize * kSize;
    const int64_t full_columns = columns / kSize * kSize;
    for (int64_t r = 0; r < full_rows; r += kSize) {
      for (int64_t c = 0; c < full_columns; c += kSize) {
        Block<T>::Run(in + c * in_stride + r, in_stride,
                      out + r * out_stride + c, out_stride);
      }
    }
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = r < full_rows ? full_columns : 0; c < columns; ++c) {
        out[r * out_stride + c] = in[c * in_stride + r];
      }
    }
  }
};

template <class T>
TransposeTileFn TileFor() {
  return Stamp<Tile<T>, void(const void*, int64_t, void*, int64_t, int64_t,
                             int64_t)>::Best();
}

// Output axes, outermost first, merged where neighbours stay neighbours.
std::vector<Axis> Collapse(std::span<const int64_t> extents,
                           std::span<const int64_t> perm) {
  std::vector<int64_t> in_stride(extents.size());
  int64_t stride = 1;
  for (size_t i = extents.size(); i-- > 0;) {
    in_stride[i] = stride;
    stride *= extents[i];
  }
  std::vector<Axis> axes;
  for (int64_t p : perm) {
    if (extents[p] == 1) continue;
    if (!axes.empty() &&
        axes.back().in_stride == in_stride[p] * extents[p]) {
      axes.back().extent *= extents[p];
      axes.back().in_stride = in_stride[p];
    } else {
      axes.push_back({extents[p], in_stride[p], 0});
    }
  }
  stride = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    axes[i].out_stride = stride;
    stride *= axes[i].extent;
  }
  return axes;
}

struct Offsets {
  int64_t in = 0;
  int64_t out = 0;
};
Offsets Locate(const std::vector<Axis>& axes, int64_t index) {
  Offsets at;
  for (size_t i = axes.size(); i-- > 0;) {
    const int64_t digit = index % axes[i].extent;
    index /= axes[i].extent;
    at.in += digit * axes[i].in_stride;
    at.out += digit * axes[i].out_stride;
  }
  return at;
}

}  // namespace

TransposeTileFn TransposeTileFor(int64_t element_size) {
  switch (element_size) {
    case 1:
      return TileFor<uint8_t>();
    case 2:
      return TileFor<uint16_t>();
    case 4:
      return TileFor<uint32_t>();
    case 8:
      return TileFor<uint64_t>();
    default:
      return TileFor<Bytes16>();
  }
}

void Transpose(std::span<const int64_t> extents, std::span<const int64_t> perm,
               int64_t element_size, const void* in, void* out,
               ThreadPool& pool) {
  int64_t count = 1;
  for (int64_t extent : extents) count *= extent;
  if (count == 0) return;
  const char* from = static_cast<const char*>(in);
  char* to = static_cast<char*>(out);
  std::vector<Axis> axes = Collapse(extents, perm);
  // The contiguous axis of the output: whole rows if it is the input's too.
  const Axis inner = axes.empty() ? Axis{1, 1, 1} : axes.back();
  if (!axes.empty()) axes.pop_back();
  if (inner.in_stride == 1) {
    // One long row is cut as well.
    const int64_t piece = std::max<int64_t>(1, (64 << 10) / element_size);
    const int64_t pieces = (inner.extent + piece - 1) / piece;
    const int64_t bytes = std::min(piece, inner.extent) * element_size;
    const int64_t rows = count / inner.extent;
    pool.ParallelRange(
        rows * pieces, bytes / 10 + 5, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const Offsets at = Locate(axes, i / pieces);
            const int64_t skip = i % pieces * piece;
            std::memcpy(
                to + (at.out + skip) * element_size,
                from + (at.in + skip) * element_size,
                std::min(piece, inner.extent - skip) * element_size);
          }
        });
    return;
  }
  const auto it = std::find_if(axes.begin(), axes.end(), [](const Axis& a) {
    return a.in_stride == 1;
  });
  const Axis row = *it;
  axes.erase(it);
  const TransposeTileFn tile = TransposeTileFor(element_size);
  const int64_t row_tiles = (row.extent + kTile - 1) / kTile;
  const int64_t column_tiles = (inner.extent + kTile - 1) / kTile;
  const int64_t tiles = row_tiles * column_tiles;
  const int64_t batches = count / row.extent / inner.extent;
  const int64_t elements =
      std::min(row.extent, kTile) * std::min(inner.extent, kTile);
  pool.ParallelRange(
      batches * tiles, elements * element_size / 5 + 10,
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const Offsets at = Locate(axes, i / tiles);
          const int64_t r = i % tiles / column_tiles * kTile;
          const int64_t c = i % column_tiles * kTile;
          tile(from + (at.in + r + c * inner.in_stride) * element_size,
               inner.in_stride,
               to + (at.out + r * row.out_stride + c) * element_size,
               row.out_stride, std::min(kTile, row.extent - r),
               std::min(kTile, inner.extent - c));
        }
      });
}

}  // namespace gk
