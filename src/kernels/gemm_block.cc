#include "kernels/gemm_block.h"

#include <type_traits>

#include "kernels/isa.h"

// Built with -ffp-contract=fast (cmake/layers.cmake): a product without fused
// multiply-add runs at half speed.
namespace gk {
namespace {

// Products of other integers are rare: the oldest registers, simple tails.
template <class T>
constexpr bool kIsUsual =
    std::is_floating_point_v<T> || std::is_same_v<T, uint32_t>;

template <class T, int kBytes>
struct Lanes {
  typedef T Type
      __attribute__((vector_size(kBytes), aligned(sizeof(T)), may_alias));
  static constexpr int kCount = kBytes / static_cast<int>(sizeof(T));
};

// kRows x (kVectors * lanes) elements of C held in registers.
template <class T, int kBytes, int kRows, int kVectors>
GK_INLINE void Tile(const GemmBlock& g, const T* a, const T* b, T* c) {
  using V = typename Lanes<T, kBytes>::Type;
  constexpr int kLanes = Lanes<T, kBytes>::kCount;
  V acc[kRows][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < kVectors; ++j) {
      acc[i][j] =
          g.accumulate
              ? *reinterpret_cast<const V*>(c + i * g.c_row + j * kLanes)
              : V{};
    }
  }
  for (int64_t p = 0; p < g.k; ++p) {
    V row[kVectors];
#pragma GCC unroll 16
    for (int j = 0; j < kVectors; ++j) {
      row[j] = *reinterpret_cast<const V*>(b + j * kLanes);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      // Minus, not plus: x - 0 is x for every x, and so costs nothing.
      const V x = a[i * g.a_row] - V{};
#pragma GCC unroll 16
      for (int j = 0; j < kVectors; ++j) acc[i][j] += x * row[j];
    }
    a += g.a_k;
    b += g.b_row;
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < kVectors; ++j) {
      *reinterpret_cast<V*>(c + i * g.c_row + j * kLanes) = acc[i][j];
    }
  }
}

template <class T, int kBytes, int kRows, int kVectors>
GK_INLINE void RowTiles(const GemmBlock& g, int64_t row, int64_t column) {
  const T* b = static_cast<const T*>(g.b) + column;
  for (; row + kRows <= g.m; row += kRows) {
    Tile<T, kBytes, kRows, kVectors>(
        g, static_cast<const T*>(g.a) + row * g.a_row, b,
        static_cast<T*>(g.c) + row * g.c_row + column);
  }
  if constexpr (kRows > 1) {
    RowTiles<T, kBytes, kRows / 2, kVectors>(g, row, column);
  }
}

template <class T, int kBytes, int kRows, int kVectors>
GK_INLINE void Columns(const GemmBlock& g, int64_t column) {
  constexpr int kLanes = Lanes<T, kBytes>::kCount;
  constexpr int kWidth = kLanes * kVectors;
  for (; column + kWidth <= g.n; column += kWidth) {
    // Two and two beat three and one, whose last has too few sums under way.
    if constexpr (kRows > 1 && kVectors == 3) {
      if ((g.n - column) / kLanes == 4) break;
    }
    RowTiles<T, kBytes, kRows, kVectors>(g, 0, column);
  }
  if constexpr (kVectors > 1) {
    Columns<T, kBytes, kRows, (kVectors > 4 ? kVectors / 2 : kVectors - 1)>(
        g, column);
  } else if constexpr (kBytes > static_cast<int>(sizeof(T))) {
    constexpr int kNext =
        kIsUsual<T> ? kBytes / 2 : static_cast<int>(sizeof(T));
    Columns<T, kNext, kRows, 1>(g, column);
  }
}

template <class T, int kBytes, int kRows>
struct BlockBody {
  GK_INLINE static void Run(const GemmBlock& g) {
    if (g.m == 1) return Columns<T, kBytes, 1, 8>(g, 0);
    Columns<T, kBytes, kRows, 3>(g, 0);
  }
};

template <class T, int kBytes>
struct DotBody {
  template <int kRows>
  GK_INLINE static void Rows(const DotRows& d, int64_t& row) {
    using V = typename Lanes<T, kBytes>::Type;
    constexpr int kLanes = Lanes<T, kBytes>::kCount;
    const T* b = static_cast<const T*>(d.b);
    for (; row + kRows <= d.m; row += kRows) {
      const T* a = static_cast<const T*>(d.a) + row * d.a_row;
      V acc[kRows][2] = {};
      int64_t p = 0;
      for (; p + 2 * kLanes <= d.k; p += 2 * kLanes) {
#pragma GCC unroll 2
        for (int u = 0; u < 2; ++u) {
          const V x = *reinterpret_cast<const V*>(b + p + u * kLanes);
#pragma GCC unroll 4
          for (int i = 0; i < kRows; ++i) {
            acc[i][u] += x * *reinterpret_cast<const V*>(a + i * d.a_row + p +
                                                         u * kLanes);
          }
        }
      }
#pragma GCC unroll 4
      for (int i = 0; i < kRows; ++i) {
        const V lanes = acc[i][0] + acc[i][1];
        T sum = 0;
        for (int l = 0; l < kLanes; ++l) sum += lanes[l];
        for (int64_t q = p; q < d.k; ++q) sum += a[i * d.a_row + q] * b[q];
        T* c = static_cast<T*>(d.c) + (row + i) * d.c_stride;
        *c = d.accumulate ? static_cast<T>(*c + sum) : sum;
      }
    }
  }
  GK_INLINE static void Run(const DotRows& d) {
    int64_t row = 0;
    Rows<4>(d, row);
    Rows<1>(d, row);
  }
};

// Wider registers and more of them allow bigger tiles.
template <class T>
GemmBlockFn Block() {
  [[maybe_unused]] const Isa isa = CurrentIsa();
  using Fn = void(const GemmBlock&);
  [[maybe_unused]] constexpr Isa kV2 = Isa::kV2, kV3 = Isa::kV3, kV4 = Isa::kV4;
  if constexpr (kIsUsual<T>) {
    if (isa >= kV4) return Stamp<BlockBody<T, 64, 8>, Fn>::template Only<kV4>();
    if (isa >= kV3) return Stamp<BlockBody<T, 32, 4>, Fn>::template Only<kV3>();
  }
  return Stamp<BlockBody<T, 16, 4>, Fn>::template Only<kV2>();
}

template <class T>
DotRowsFn Dot() {
  using Fn = void(const DotRows&);
  if constexpr (kIsUsual<T>) {
    const Isa isa = CurrentIsa();
    if (isa >= Isa::kV4) {
      return Stamp<DotBody<T, 64>, Fn>::template Only<Isa::kV4>();
    }
    return Stamp<DotBody<T, 32>, Fn>::template For<Isa::kV3>(isa);
  } else {
    return Stamp<DotBody<T, 32>, Fn>::template Only<Isa::kV2>();
  }
}

}  // namespace

GemmBlockFn GemmBlockFor(ElementType type) {
  switch (type) {
    case ElementType::kFloat: {
      static const GemmBlockFn fn = Block<float>();
      return fn;
    }
    case ElementType::kDouble: {
      static const GemmBlockFn fn = Block<double>();
      return fn;
    }
    case ElementType::kInt8:
    case ElementType::kUInt8: {
      static const GemmBlockFn fn = Block<uint8_t>();
      return fn;
    }
    case ElementType::kInt16:
    case ElementType::kUInt16: {
      static const GemmBlockFn fn = Block<uint16_t>();
      return fn;
    }
    case ElementType::kInt32:
    case ElementType::kUInt32: {
      static const GemmBlockFn fn = Block<uint32_t>();
      return fn;
    }
    case ElementType::kInt64:
    case ElementType::kUInt64: {
      static const GemmBlockFn fn = Block<uint64_t>();
      return fn;
    }
    default:
      return nullptr;
  }
}

DotRowsFn DotRowsFor(ElementType type) {
  switch (type) {
    case ElementType::kFloat:
      return Dot<float>();
    case ElementType::kDouble:
      return Dot<double>();
    case ElementType::kInt8:
    case ElementType::kUInt8:
      return Dot<uint8_t>();
    case ElementType::kInt16:
    case ElementType::kUInt16:
      return Dot<uint16_t>();
    case ElementType::kInt32:
    case ElementType::kUInt32:
      return Dot<uint32_t>();
    case ElementType::kInt64:
    case ElementType::kUInt64:
      return Dot<uint64_t>();
    default:
      return nullptr;
  }
}

}  // namespace gk
