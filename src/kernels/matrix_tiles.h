// Matrices gone through square by square, so that what stands in columns stays
// in the cache.
//
// Raw memory.
#ifndef GK_KERNELS_MATRIX_TILES_H_
#define GK_KERNELS_MATRIX_TILES_H_

#include <algorithm>
#include <cstdint>

namespace gk {

// Calls body(i, j) for all of rows x columns.
template <class Body>
void ForTiles(int64_t rows, int64_t columns, Body&& body) {
  constexpr int64_t kTile = 16;
  for (int64_t row = 0; row < rows; row += kTile) {
    const int64_t row_end = std::min(rows, row + kTile);
    for (int64_t column = 0; column < columns; column += kTile) {
      const int64_t column_end = std::min(columns, column + kTile);
      for (int64_t i = row; i < row_end; ++i) {
        for (int64_t j = column; j < column_end; ++j) body(i, j);
      }
    }
  }
}

// Element j of row i of a becomes element i of row j.
template <class T>
void TransposeTo(int64_t rows, int64_t columns, const T* a, T* out) {
  ForTiles(columns, rows, [=](int64_t j, int64_t i) {
    out[j * rows + i] = a[i * columns + j];
  });
}

}  // namespace gk

#endif  // GK_KERNELS_MATRIX_TILES_H_
