#include "ops/ragged/row_numbers.h"

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "framework/op_builder.h"
#include "kernels/search.h"

namespace gk {

namespace {

bool IsValue(const Tensor& splits) {
  return OpBuilder::Current() == OpBuilder::Eager() && !splits.is_symbolic() &&
         splits.rank() == 1 && splits.dim(0) > 0;
}

}  // namespace

Tensor RowLengthsOfValue(const Tensor& splits) {
  if (!IsValue(splits)) return {};
  Tensor made;
  VisitType<int32_t, int64_t>(splits.dtype(), [&](auto tag) {
    using T = decltype(tag);
    using Bits = std::make_unsigned_t<T>;  // Splits may be any numbers.
    const std::span<const T> places = splits.flat<T>();
    made = ValueOrThrow(
        Tensor::Allocate(splits.dtype(), TensorShape({splits.dim(0) - 1})));
    T* const lengths = made.data<T>();
    for (size_t i = 1; i < places.size(); ++i) {
      lengths[i - 1] = static_cast<T>(static_cast<Bits>(places[i]) -
                                      static_cast<Bits>(places[i - 1]));
    }
  });
  return made;
}

Tensor RowNumbersOfValue(const Tensor& splits) {
  if (!IsValue(splits)) return {};
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
