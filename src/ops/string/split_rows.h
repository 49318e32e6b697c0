// Strings taken to pieces, as a sparse matrix with a row for each of them.
#ifndef GK_OPS_STRING_SPLIT_ROWS_H_
#define GK_OPS_STRING_SPLIT_ROWS_H_

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "framework/kernel_context.h"
#include "framework/text_memory.h"
#include "ops/string/put_text.h"

namespace gk {

// Outputs indices, values and shape of the pieces of a vector of strings.
// for_each(text, emit) calls emit with each piece, a part of the text; it is
// called twice, the first time to count.
template <class ForEach>
Status OutputPieces(KernelContext& c, const Tensor& x, ForEach for_each) {
  const int64_t rows = x.num_elements();
  const std::string* texts = x.data<std::string>();
  std::vector<int64_t> first(rows + 1);
  constexpr int64_t kNanoseconds = 200;
  ThreadPool& pool = ThreadPool::Global();
  pool.ParallelRange(rows, kNanoseconds, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t n = 0;
      for_each(std::string_view(texts[i]), [&](std::string_view) { ++n; });
      first[i + 1] = n;
    }
  });
  int64_t widest = 0;
  for (int64_t i = 0; i < rows; ++i) {
    widest = std::max(widest, first[i + 1]);
    first[i + 1] += first[i];
  }
  const int64_t n = first[rows];
  Tensor *indices, *values, *shape;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kInt64, TensorShape({n, 2}), &indices));
  GK_RETURN_IF_ERROR(
      c.Allocate(1, DataType::kString, TensorShape({n}), &values));
  GK_RETURN_IF_ERROR(c.Allocate(2, DataType::kInt64, TensorShape({2}), &shape));
  shape->data<int64_t>()[0] = rows;
  shape->data<int64_t>()[1] = widest;
  int64_t* places = indices->data<int64_t>();
  std::string* pieces = values->data<std::string>();
  pool.ParallelRange(rows, kNanoseconds, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      CountText(static_cast<int64_t>(texts[i].size()));
      int64_t at = first[i];
      for_each(std::string_view(texts[i]), [&](std::string_view piece) {
        places[2 * at] = i;
        places[2 * at + 1] = at - first[i];
        PutText(piece, &pieces[at++]);
      });
    }
  });
  return OkStatus();
}

}  // namespace gk

#endif  // GK_OPS_STRING_SPLIT_ROWS_H_
