#include "kernels/block_product.h"

#include <algorithm>
#include <complex>
#include <memory>
#include <type_traits>

#include "base/thread_pool.h"
#include "kernels/gemm_block.h"

namespace gk {
namespace {

// How a's copy stands: as a itself, so that both are walked through in order.
struct Strides {
  int64_t row, k;
};
template <class T>
Strides StridesOfCopy(const BlockProduct<T>& p, int64_t parts) {
  return p.a_row == 1 ? Strides{1, p.m} : Strides{parts * p.k, 1};
}

// Calls body(i, j) for all of m x k, in the order in which a stands in memory.
template <class T, class Body>
void ForElementsOfA(const BlockProduct<T>& p, Body&& body) {
  if (p.a_row == 1) {
    for (int64_t j = 0; j < p.k; ++j) {
      for (int64_t i = 0; i < p.m; ++i) body(i, j);
    }
    return;
  }
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.k; ++j) body(i, j);
  }
}

template <class T>
struct PartsOf {
  using Real = T;
  static constexpr int64_t kParts = 1;
};
template <class R>
struct PartsOf<std::complex<R>> {
  using Real = R;
  static constexpr int64_t kParts = 2;
};

// Of one block on one thread: its operands, packed, stay in the second-level
// cache.
constexpr int64_t kRows = 64;
template <class T>
constexpr int64_t kColumns = 192 / PartsOf<T>::kParts;
template <class T>
constexpr int64_t kDepth = 128 / PartsOf<T>::kParts;

template <class R>
GemmBlockFn RealBlock() {
  return GemmBlockFor(std::is_same_v<R, float> ? ElementType::kFloat
                                               : ElementType::kDouble);
}

// c += (-a) b of numbers of one part.
template <class R>
void AddBlock(const BlockProduct<R>& p, R* room) {
  const auto block = RealBlock<R>();
  const Strides s = StridesOfCopy(p, 1);
  if (p.a_row == 1) {
    for (int64_t j = 0; j < p.k; ++j) {
      const R* from = p.a + j * p.a_k;
      for (int64_t i = 0; i < p.m; ++i) room[j * p.m + i] = -from[i];
    }
  } else {
    ForElementsOfA(p, [&](int64_t i, int64_t j) {
      room[i * p.k + j] = -p.a[i * p.a_row + j * p.a_k];
    });
  }
  block({room, s.row, s.k, p.b, p.b_row, p.c, p.c_row, p.m, p.n, p.k, true});
}

// Both parts of c stand side by side: to them belong the real parts of a
// times b and the imaginary ones times i b.
template <class R>
void AddBlock(const BlockProduct<std::complex<R>>& p, R* room) {
  const auto block = RealBlock<R>();
  R *const left = room, *const right = room + 2 * p.m * p.k;
  const R sign = p.conjugate ? R(1) : R(-1);
  const Strides s = StridesOfCopy(p, 2);
  ForElementsOfA(p, [&](int64_t i, int64_t j) {
    const std::complex<R> from = p.a[i * p.a_row + j * p.a_k];
    left[i * s.row + j * s.k] = -from.real();
    left[i * s.row + (p.k + j) * s.k] = sign * from.imag();
  });
  for (int64_t j = 0; j < p.k; ++j) {
    const R* from = reinterpret_cast<const R*>(p.b + j * p.b_row);
    R *whole = right + 2 * j * p.n, *turned = whole + 2 * p.k * p.n;
    for (int64_t l = 0; l < p.n; ++l) {
      const R re = from[2 * l], im = from[2 * l + 1];
      whole[2 * l] = re;
      whole[2 * l + 1] = im;
      turned[2 * l] = -im;
      turned[2 * l + 1] = re;
    }
  }
  block({left, s.row, s.k, right, 2 * p.n, reinterpret_cast<R*>(p.c),
         2 * p.c_row, p.m, 2 * p.n, 2 * p.k, true});
}

template <class T>
auto RoomFor(const BlockProduct<T>& p) {
  constexpr int64_t kParts = PartsOf<T>::kParts;
  const int64_t k = std::min(p.k, kDepth<T>);
  int64_t size = kParts * std::min(p.m, kRows) * k;
  if (kParts > 1) size += 4 * k * std::min(p.n, kColumns<T>);
  return std::make_unique_for_overwrite<typename PartsOf<T>::Real[]>(size);
}

template <class T, class R>
void SubtractTile(const BlockProduct<T>& p, int64_t row, int64_t column,
                  R* room) {
  BlockProduct<T> part = p;
  part.m = std::min(kRows, p.m - row);
  part.n = std::min(kColumns<T>, p.n - column);
  part.c = p.c + row * p.c_row + column;
  for (int64_t from = 0; from < p.k; from += kDepth<T>) {
    part.k = std::min(kDepth<T>, p.k - from);
    part.a = p.a + row * p.a_row + from * p.a_k;
    part.b = p.b + from * p.b_row + column;
    AddBlock(part, room);
  }
}

}  // namespace

template <class T>
void SubtractProduct(const BlockProduct<T>& p) {
  if (p.k == 0) return;
  const auto room = RoomFor(p);
  for (int64_t row = 0; row < p.m; row += kRows) {
    for (int64_t column = 0; column < p.n; column += kColumns<T>) {
      SubtractTile(p, row, column, room.get());
    }
  }
}

template <class T>
void SubtractProductInParts(const BlockProduct<T>& p, bool lower) {
  if (p.k == 0 || p.m == 0 || p.n == 0) return;
  const int64_t rows = (p.m + kRows - 1) / kRows;
  const int64_t columns = (p.n + kColumns<T> - 1) / kColumns<T>;
  // Some 30 multiplications and additions a nanosecond.
  const int64_t cost = PartsOf<T>::kParts * kRows * 192 * p.k / 30;
  ThreadPool::Global().ParallelRange(
      rows * columns, cost, [&](int64_t begin, int64_t end) {
        const auto room = RoomFor(p);
        for (int64_t i = begin; i < end; ++i) {
          const int64_t row = i / columns * kRows,
                        column = i % columns * kColumns<T>;
          if (lower && column >= row + kRows) continue;
          SubtractTile(p, row, column, room.get());
        }
      });
}

#define GK_INSTANTIATE(T)                                \
  template void SubtractProduct(const BlockProduct<T>&); \
  template void SubtractProductInParts(const BlockProduct<T>&, bool);
GK_INSTANTIATE(float)
GK_INSTANTIATE(double)
GK_INSTANTIATE(std::complex<float>)
GK_INSTANTIATE(std::complex<double>)
#undef GK_INSTANTIATE

}  // namespace gk
