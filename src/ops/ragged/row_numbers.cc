#include "ops/ragged/row_numbers.h"

#include <algorithm>
#include <span>
#include <utility>

#include "framework/op_builder.h"
#include "kernels/search.h"

namespace gk {

Tensor RowNumbersOfValue(const Tensor& splits) {
  if (OpBuilder::Current() != OpBuilder::Eager() || splits.is_symbolic() ||
      splits.rank() != 1 || splits.dim(0) == 0) {
    return {};
  }
  Tensor made;
  VisitType<int32_t, int64_t>(splits.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const std::span<const T> places = splits.flat<T>();
    if (places.front() < 0 || !std::is_sorted(places.begin(), places.end())) {
      return;
    }
    Tensor rows = ValueOrThrow(Tensor::Allocate(
        splits.dtype(),
        TensorShape({int64_t{places.back()} - places.front()})));
    FillRowNumbers(places, rows.data<T>());
    made = std::move(rows);
  });
  return made;
}

}  // namespace gk
