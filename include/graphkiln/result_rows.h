// Ragged tensors that functions like gk::strings::split give, of their parts.
#ifndef GRAPHKILN_RESULT_ROWS_H_
#define GRAPHKILN_RESULT_ROWS_H_

#include <graphkiln/ragged_tensor.h>

#include <span>
#include <utility>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  namespace detail {

  // Values and the splits of their rows, the outermost first; scalars between
  // them say how long the rows are.
  inline RaggedTensor RaggedOf(std::span<const Tensor> parts) {
    std::vector<Tensor> splits;
    for (const Tensor& t : parts.subspan(1)) {
      if (t.shape().rank() == 1) splits.push_back(t);
    }
    if (splits.empty()) return parts[0];
    return RaggedTensor::from_nested_row_splits(parts[0], splits, false);
  }

  // Two of them, of equally many parts.
  inline std::pair<RaggedTensor, RaggedTensor> TwoRaggedOf(
      std::span<const Tensor> parts) {
    const size_t half = parts.size() / 2;
    return {RaggedOf(parts.first(half)), RaggedOf(parts.subspan(half))};
  }

  }  // namespace detail
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_RESULT_ROWS_H_
