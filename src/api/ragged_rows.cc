// tf.ragged's functions that make rows: see graphkiln/ragged_tensor.h.
#include "api/inner.h"
#include "function/ragged/flat_values.h"
#include "function/ragged/ragged.h"
#include "graphkiln/ragged_tensor.h"

namespace gk::api::ragged {
namespace {

template <class F>
RaggedTensor MadeOfRows(F&& f) {
  return MadeAs<RaggedTensor>([&] { return RaggedValue(f()); });
}

}  // namespace

RaggedTensor boolean_mask(const RaggedTensor& data, const RaggedTensor& mask) {
  return MadeOfRows(
      [&] { return RaggedBooleanMask(data.value(), mask.value()); });
}
RaggedTensor range(const Tensor& starts, const Tensor& limits,
                   const Tensor& deltas, DataType row_splits_dtype) {
  return MadeOfRows([&] {
    return RaggedRanges(Inner(starts), Inner(limits), Inner(deltas),
                        Inner(row_splits_dtype));
  });
}
RaggedTensor stack_dynamic_partitions(const RaggedTensor& data,
                                      const RaggedTensor& partitions,
                                      const Tensor& num_partitions) {
  return MadeOfRows([&] {
    return StackDynamicPartitions(data.value(), partitions.value(),
                                  Inner(num_partitions));
  });
}
Tensor row_splits_to_segment_ids(const Tensor& splits) {
  return MadeTensor([&] {
    const ::gk::Tensor inner = Inner(splits);
    return RowSplitsToSegmentIds(inner, inner.dtype());
  });
}
Tensor segment_ids_to_row_splits(const Tensor& segment_ids,
                                 const Tensor& num_segments) {
  return MadeTensor([&] {
    const ::gk::Tensor inner = Inner(segment_ids);
    return SegmentIdsToRowSplits(inner, InnerOrNull(num_segments),
                                 inner.dtype());
  });
}
RaggedTensor map_flat_values(
    const std::function<Tensor(const std::vector<Tensor>&)>& f,
    const std::vector<RaggedTensor>& arguments) {
  return MadeOfRows([&] {
    std::vector<RaggedValue> values;
    std::vector<Tensor> flat;
    for (const RaggedTensor& a : arguments) {
      values.push_back(a.value());
      flat.push_back(a.flat_values());
    }
    return MapFlatValues(values, [&] { return Inner(f(flat)); });
  });
}

}  // namespace gk::api::ragged
