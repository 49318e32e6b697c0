// Ragged rows that are values, not nodes of a graph: the records' own kernels
// do at once for them what takes many ops on integers otherwise.
#ifndef GK_FUNCTION_RAGGED_ROWS_AT_HAND_H_
#define GK_FUNCTION_RAGGED_ROWS_AT_HAND_H_

#include <algorithm>
#include <span>

#include "function/ragged/ragged_value.h"

namespace gk {

// The number of values that rows hold, or -1 where the splits are no values or
// not from 0 and rising.
inline int64_t ValuesInOrder(const Tensor& splits) {
  if (splits.is_symbolic() || splits.rank() != 1 || splits.dim(0) == 0) {
    return -1;
  }
  int64_t held = -1;
  VisitType<int32_t, int64_t>(splits.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const std::span<const T> places = splits.flat<T>();
    if (places.front() == 0 && std::is_sorted(places.begin(), places.end())) {
      held = places.back();
    }
  });
  return held;
}

// Is it ragged, and does the current builder run ops at once? False, too,
// where splits are not as those kernels want them: from 0, rising, each level
// with as many rows as the one outside of it has values.
inline bool RowsAreAtHand(const RaggedValue& ragged) {
  const Tensor& flat = ragged.flat();
  if (!ragged.is_ragged() || flat.is_symbolic() || flat.rank() == 0 ||
      flat.dtype() == DataType::kVariant ||
      flat.dtype() == DataType::kResource ||
      OpBuilder::Current() != OpBuilder::Eager()) {
    return false;
  }
  int64_t rows = -1;
  for (const RowPartition& p : ragged.partitions()) {
    const int64_t held = ValuesInOrder(p.splits);
    if (held < 0 || p.dtype() != ragged.splits_type()) return false;
    if (rows >= 0 && p.splits.dim(0) != rows + 1) return false;
    rows = held;
  }
  return rows == flat.dim(0);
}

// Those of all partitions, the outermost first.
inline TensorVector SplitsOf(const RaggedValue& ragged) {
  TensorVector splits;
  for (const RowPartition& p : ragged.partitions()) splits.push_back(p.splits);
  return splits;
}

}  // namespace gk

#endif  // GK_FUNCTION_RAGGED_ROWS_AT_HAND_H_
