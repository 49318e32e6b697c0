// Diagonals of matrices packed as the rows of a band.
//
// A Band says where the diagonals lower..upper of a [rows, cols] matrix sit
// in a packed [upper - lower + 1, max_length] array, highest diagonal first.
// Raw memory; T is the element or bytes of its size.
#ifndef GK_KERNELS_DIAGONAL_H_
#define GK_KERNELS_DIAGONAL_H_

#include <algorithm>
#include <cstdint>

#include "base/thread_pool.h"

namespace gk {

struct Band {
  int64_t rows = 0, cols = 0;
  int64_t lower = 0, upper = 0;
  int64_t max_length = 0;
  // Which diagonals shorter than max_length begin in the first column.
  bool left_above = true, left_below = true;

  int64_t count() const { return upper - lower + 1; }
  int64_t Length(int64_t d) const {
    const int64_t n = std::min(rows + std::min<int64_t>(d, 0),
                               cols - std::max<int64_t>(d, 0));
    return std::clamp<int64_t>(n, 0, max_length);
  }
  int64_t Offset(int64_t d) const {
    const bool left = (d >= 0 && left_above) || (d <= 0 && left_below);
    return left ? 0 : max_length - Length(d);
  }

  // fn(first element of the matrix, first element of the pack, length) for
  // each diagonal; elements are cols + 1 and 1 apart.
  template <class Fn>
  void ForEach(Fn&& fn) const {
    const int64_t low = std::max(lower, -rows), high = std::min(upper, cols);
    for (int64_t d = high; d >= low; --d) {
      const int64_t n = Length(d);
      if (n == 0) continue;
      fn(std::max<int64_t>(-d, 0) * cols + std::max<int64_t>(d, 0),
         (upper - d) * max_length + Offset(d), n);
    }
  }
};

template <class T>
void UnpackBand(const Band& band, int64_t batch, const T* packed, T* matrix,
                ThreadPool& pool) {
  const int64_t size = band.rows * band.cols;
  const int64_t pack = band.count() * band.max_length;
  pool.ParallelRange(batch, pack * 2 + 4, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      band.ForEach([&](int64_t at, int64_t from, int64_t n) {
        T* to = matrix + b * size + at;
        const T* source = packed + b * pack + from;
        for (int64_t i = 0; i < n; ++i) to[i * (band.cols + 1)] = source[i];
      });
    }
  });
}

template <class T>
void PackBand(const Band& band, int64_t batch, const T* matrix, T* packed,
              ThreadPool& pool) {
  const int64_t size = band.rows * band.cols;
  const int64_t pack = band.count() * band.max_length;
  pool.ParallelRange(batch, pack * 2 + 4, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      band.ForEach([&](int64_t at, int64_t to, int64_t n) {
        const T* source = matrix + b * size + at;
        T* row = packed + b * pack + to;
        for (int64_t i = 0; i < n; ++i) row[i] = source[i * (band.cols + 1)];
      });
    }
  });
}

// Elements with -below <= column - row <= above; zero (or empty) elsewhere.
template <class T>
void KeepBand(const T* x, T* out, int64_t batch, int64_t rows, int64_t cols,
              int64_t below, int64_t above, ThreadPool& pool) {
  pool.ParallelRange(batch * rows, cols + 4, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t row = r % rows;
      const int64_t first = std::min(cols, std::max<int64_t>(row - below, 0));
      const int64_t last = std::max(
          first, above >= cols ? cols : std::min(cols, row + above + 1));
      const T* from = x + r * cols;
      T* to = out + r * cols;
      std::fill(to, to + first, T());
      std::copy(from + first, from + last, to + first);
      std::fill(to + last, to + cols, T());
    }
  });
}

}  // namespace gk

#endif  // GK_KERNELS_DIAGONAL_H_
