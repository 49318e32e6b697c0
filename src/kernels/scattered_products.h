// Products of many small matrices of one size that lie anywhere.
//
// Elements of a matrix need not lie side by side, so that nothing has to be
// transposed before or after: heads of attention lie between the places of a
// sequence. Each element is summed over k in order. Thread-safe; the result
// does not depend on the number of threads.
#ifndef GK_KERNELS_SCATTERED_PRODUCTS_H_
#define GK_KERNELS_SCATTERED_PRODUCTS_H_

#include <cstdint>
#include <span>

#include "base/status.h"
#include "kernels/element_type.h"
#include "kernels/parallel.h"
#include "kernels/part_done.h"

namespace gk {

// c = a b, m x k times k x n. Strides and places count elements.
struct ScatteredProducts {
  ElementType type = ElementType::kFloat;
  int64_t m = 0, k = 0, n = 0;
  const void* a = nullptr;
  int64_t a_row = 0, a_k = 0;
  const void* b = nullptr;
  int64_t b_k = 0, b_column = 0;  // one of them is 1
  void* c = nullptr;
  int64_t c_row = 0;  // elements of a row lie side by side
  // Where each product's matrices begin; of one length.
  std::span<const int64_t> a_at, b_at, c_at;
};

// Whether RunProducts knows the type, and such sizes are not better served by
// MatMul, transposes and all.
bool IsForScatteredProducts(ElementType type, int64_t m, int64_t k, int64_t n);

// Tells of parts if the results lie one behind the other.
Status RunProducts(const ScatteredProducts& products, Parallel parallel = {},
                   const PartDone* done = nullptr);

}  // namespace gk

#endif  // GK_KERNELS_SCATTERED_PRODUCTS_H_
