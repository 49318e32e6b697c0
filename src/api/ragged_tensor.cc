#include "graphkiln/ragged_tensor.h"

#include "api/inner.h"
#include "api/inner_index.h"
#include "function/ragged/ragged.h"
#include "ops/fn/UnsortedSegmentMax.h"
#include "ops/fn/UnsortedSegmentMin.h"
#include "ops/fn/UnsortedSegmentProd.h"
#include "ops/fn/UnsortedSegmentSum.h"

namespace gk::api {
namespace {

using Partition = ::gk::RowPartition;

// Runs `f`, which gives a value of the library's, at the border.
template <class F>
RaggedTensor MadeRagged(F&& f) {
  return MadeAs<RaggedTensor>([&] { return RaggedValue(f()); });
}

InnerTensor Integers(const Tensor& t) {
  const InnerTensor inner = Inner(t);
  if (inner.dtype() != InnerType::kInt32 &&
      inner.dtype() != InnerType::kInt64) {
    throw ::gk::Error(
        ValueError("row partitions must have dtype int32 or int64"));
  }
  return inner;
}

// Of the dtype that the splits of the values have.
RaggedValue Rows(RaggedValue values, Partition rows, bool check) {
  if (values.is_ragged() && values.splits_type() != rows.dtype()) {
    rows = rows.WithType(InnerType::kInt64);
    values = values.WithSplitsType(InnerType::kInt64);
  }
  if (check) rows = rows.Checked(values.nrows());
  return {std::move(values), std::move(rows)};
}

const RaggedValue& Ragged(const RaggedValue& value) {
  if (!value.is_ragged()) {
    throw ::gk::Error(
        ValueError("A tensor without ragged dimensions has no rows"));
  }
  return value;
}

// What `f` makes of each partition, the outermost first.
template <class F>
std::vector<Tensor> OfEach(const RaggedTensor& t, F&& f) {
  return Guarded([&] {
    const RaggedValue value = t.value();
    std::vector<Tensor> out;
    for (const Partition& p : Ragged(value).partitions()) {
      out.push_back(Outer(f(p)));
    }
    return out;
  });
}

std::vector<RaggedValue> ValuesOf(const std::vector<RaggedTensor>& tensors) {
  if (tensors.empty()) {
    throw ::gk::Error(ValueError("At least one tensor is needed"));
  }
  std::vector<RaggedValue> values;
  for (const RaggedTensor& t : tensors) values.push_back(t.value());
  return values;
}

RaggedTensor Operated(Operator which, const RaggedTensor& x,
                      const RaggedTensor& y) {
  return MadeRagged(
      [&] { return RaggedOperator(which, x.value(), y.value()); });
}
RaggedTensor Operated(Operator which, const RaggedTensor& x) {
  return MadeRagged([&] { return RaggedOperator(which, x.value()); });
}

}  // namespace

RaggedTensor::RaggedTensor(const RaggedValue& value)
    : flat_values_(Outer(value.flat())) {
  for (const Partition& p : value.partitions()) {
    row_splits_.push_back(Outer(p.splits));
    uniform_.emplace_back();
    if (p.uniform) uniform_.back() = Tensor(*p.uniform);
  }
}

RaggedValue RaggedTensor::value() const {
  std::vector<Partition> partitions;
  for (size_t i = 0; i < row_splits_.size(); ++i) {
    partitions.push_back({Inner(row_splits_[i]), {}});
    if (!uniform_[i]) continue;
    if (const auto known = KnownInts(Inner(*uniform_[i]))) {
      partitions.back().uniform = known->front();
    }
  }
  return {Inner(flat_values_), std::move(partitions)};
}

RaggedTensor RaggedTensor::from_row_splits(const RaggedTensor& values,
                                           const Tensor& row_splits,
                                           bool validate) {
  return MadeRagged([&] {
    return Rows(values.value(),
                Partition::FromSplits(Integers(row_splits), validate),
                validate);
  });
}
RaggedTensor RaggedTensor::from_row_lengths(const RaggedTensor& values,
                                            const Tensor& row_lengths,
                                            bool validate) {
  return MadeRagged([&] {
    return Rows(values.value(),
                Partition::FromLengths(Integers(row_lengths), validate),
                validate);
  });
}
RaggedTensor RaggedTensor::from_value_rowids(const RaggedTensor& values,
                                             const Tensor& value_rowids,
                                             const Tensor& nrows,
                                             bool validate) {
  return MadeRagged([&] {
    return Rows(values.value(),
                Partition::FromRowids(Integers(value_rowids),
                                      InnerOrNull(nrows), validate),
                validate);
  });
}
RaggedTensor RaggedTensor::from_uniform_row_length(const RaggedTensor& values,
                                                   const Tensor& length,
                                                   bool validate) {
  return MadeRagged([&] {
    const RaggedValue inner = values.value();
    return Rows(
        inner,
        Partition::FromUniform(Integers(length), {}, inner.nrows(), validate),
        false);
  });
}

RaggedTensor RaggedTensor::from_row_starts(const RaggedTensor& values,
                                           const Tensor& row_starts,
                                           bool validate) {
  return MadeRagged([&] {
    const RaggedValue inner = values.value();
    return Rows(
        inner,
        Partition::FromStarts(Integers(row_starts), inner.nrows(), validate),
        false);
  });
}
RaggedTensor RaggedTensor::from_row_limits(const RaggedTensor& values,
                                           const Tensor& row_limits,
                                           bool validate) {
  return MadeRagged([&] {
    return Rows(values.value(),
                Partition::FromLimits(Integers(row_limits), validate),
                validate);
  });
}

RaggedTensor RaggedTensor::from_nested_row_splits(
    const Tensor& flat_values, const std::vector<Tensor>& nested_row_splits,
    bool validate) {
  RaggedTensor made = flat_values;
  for (size_t i = nested_row_splits.size(); i-- > 0;) {
    made = from_row_splits(made, nested_row_splits[i], validate);
  }
  return made;
}
RaggedTensor RaggedTensor::from_nested_row_lengths(
    const Tensor& flat_values, const std::vector<Tensor>& nested_row_lengths,
    bool validate) {
  RaggedTensor made = flat_values;
  for (size_t i = nested_row_lengths.size(); i-- > 0;) {
    made = from_row_lengths(made, nested_row_lengths[i], validate);
  }
  return made;
}
RaggedTensor RaggedTensor::from_nested_value_rowids(
    const Tensor& flat_values, const std::vector<Tensor>& nested_value_rowids,
    const std::vector<Tensor>& nested_nrows, bool validate) {
  if (!nested_nrows.empty() &&
      nested_nrows.size() != nested_value_rowids.size()) {
    ThrowPublic(ValueError(
        "Argument `nested_nrows` must have the same length as argument "
        "`nested_value_rowids`. len(nested_nrows) = {} vs. "
        "len(nested_values_rowids) = {}.",
        nested_nrows.size(), nested_value_rowids.size()));
  }
  RaggedTensor made = flat_values;
  for (size_t i = nested_value_rowids.size(); i-- > 0;) {
    made = from_value_rowids(made, nested_value_rowids[i],
                             nested_nrows.empty() ? Tensor() : nested_nrows[i],
                             validate);
  }
  return made;
}

RaggedTensor RaggedTensor::from_tensor(const Tensor& tensor, int ragged_rank) {
  return MadeRagged([&] {
    return RaggedFromTensor(Inner(tensor), {.ragged_rank = ragged_rank});
  });
}
RaggedTensor RaggedTensor::from_tensor(const Tensor& tensor,
                                       const std::vector<Tensor>& lengths) {
  return MadeRagged([&] {
    return RaggedFromTensor(Inner(tensor), {.lengths = Inner(lengths)});
  });
}
RaggedTensor RaggedTensor::from_padded(const Tensor& tensor,
                                       const Tensor& padding) {
  return MadeRagged([&] {
    return RaggedFromTensor(Inner(tensor), {.padding = Inner(padding)});
  });
}
RaggedTensor RaggedTensor::from_sparse(const SparseTensor& sparse) {
  return MadeRagged(
      [&] { return RaggedFromSparse(sparse.value(), InnerType::kInt64); });
}

Shape RaggedTensor::shape() const {
  return Guarded([&] { return Outer(value().shape()); });
}
const Tensor& RaggedTensor::tensor() const {
  if (ragged_rank() > 0) {
    ThrowPublic(ValueError(
        "A ragged tensor of shape {} is no dense tensor; use its to_tensor()",
        value().shape().PythonString()));
  }
  return flat_values_;
}
RaggedTensor RaggedTensor::values() const {
  return MadeRagged([&] { return Ragged(value()).values(); });
}
Tensor RaggedTensor::row_splits() const {
  return MadeTensor([&] { return Ragged(value()).rows().splits; });
}
Tensor RaggedTensor::value_rowids() const {
  return MadeTensor([&] { return Ragged(value()).rows().rowids(); });
}
Tensor RaggedTensor::row_starts() const {
  return MadeTensor([&] { return Ragged(value()).rows().starts(); });
}
Tensor RaggedTensor::row_limits() const {
  return MadeTensor([&] { return Ragged(value()).rows().limits(); });
}
std::optional<int64_t> RaggedTensor::uniform_row_length() const {
  return Guarded([&] { return Ragged(value()).rows().uniform; });
}
std::vector<Tensor> RaggedTensor::nested_row_lengths() const {
  return OfEach(*this, [](const Partition& p) { return p.lengths(); });
}
std::vector<Tensor> RaggedTensor::nested_value_rowids() const {
  return OfEach(*this, [](const Partition& p) { return p.rowids(); });
}
Tensor RaggedTensor::nrows() const {
  return MadeTensor([&] { return value().nrows(); });
}
RaggedTensor RaggedTensor::row_lengths(int64_t axis) const {
  return MadeRagged([&] { return RowLengths(Ragged(value()), axis); });
}
Tensor RaggedTensor::bounding_shape() const {
  return MadeTensor([&] { return BoundingShape(Ragged(value())); });
}

RaggedTensor RaggedTensor::with_values(const RaggedTensor& values) const {
  return MadeRagged([&] { return Ragged(value()).WithValues(values.value()); });
}
RaggedTensor RaggedTensor::with_flat_values(const Tensor& values) const {
  return MadeRagged([&] { return value().WithFlat(Inner(values)); });
}
RaggedTensor RaggedTensor::with_row_splits_dtype(DataType dtype) const {
  return MadeRagged([&] { return value().WithSplitsType(Inner(dtype)); });
}
RaggedTensor RaggedTensor::merge_dims(int64_t outer_axis,
                                      int64_t inner_axis) const {
  return MadeRagged([&] { return MergeDims(value(), outer_axis, inner_axis); });
}

RaggedTensor RaggedTensor::operator[](const Index& index) const {
  return (*this)[{index}];
}
RaggedTensor RaggedTensor::operator[](
    std::initializer_list<Index> indices) const {
  return MadeRagged([&] {
    std::vector<SubscriptEntry> entries;
    for (const Index& index : indices) entries.push_back(Inner(index));
    return RaggedSubscript(value(), std::move(entries));
  });
}

Tensor RaggedTensor::to_tensor(const Tensor& default_value,
                               const Shape& shape) const {
  return MadeTensor([&] {
    const RaggedValue inner = value();
    return inner.is_ragged()
               ? RaggedToTensor(inner, InnerOrNull(default_value), Inner(shape))
               : inner.flat();
  });
}
SparseTensor RaggedTensor::to_sparse() const {
  return Guarded([&] { return SparseTensor(RaggedToSparse(Ragged(value()))); });
}
Tensor RaggedTensor::to_text(int64_t summarize) const {
  return MadeTensor([&] { return RaggedText(value(), summarize); });
}

RaggedTensor RaggedTensor::apply(const Function& f, const RaggedTensor& x,
                                 const RaggedTensor& y) {
  return MadeRagged([&]() -> RaggedValue {
    const auto inner = [&](const InnerTensor& a, const InnerTensor& b) {
      return Inner(f(Outer(a), Outer(b)));
    };
    if (x.ragged_rank() == 0 && y.ragged_rank() == 0) {
      return inner(Inner(x.tensor()), Inner(y.tensor()));
    }
    return RaggedBinary(inner, x.value(), y.value());
  });
}
RaggedTensor operator+(const RaggedTensor& x, const RaggedTensor& y) {
  return Operated(Operator::kAdd, x, y);
}
RaggedTensor operator-(const RaggedTensor& x, const RaggedTensor& y) {
  return Operated(Operator::kSubtract, x, y);
}
RaggedTensor operator*(const RaggedTensor& x, const RaggedTensor& y) {
  return Operated(Operator::kMultiply, x, y);
}
RaggedTensor operator/(const RaggedTensor& x, const RaggedTensor& y) {
  return Operated(Operator::kDivide, x, y);
}
RaggedTensor operator%(const RaggedTensor& x, const RaggedTensor& y) {
  return Operated(Operator::kModulo, x, y);
}
RaggedTensor operator<(const RaggedTensor& x, const RaggedTensor& y) {
  return Operated(Operator::kLess, x, y);
}
RaggedTensor operator<=(const RaggedTensor& x, const RaggedTensor& y) {
  return Operated(Operator::kLessEqual, x, y);
}
RaggedTensor operator>(const RaggedTensor& x, const RaggedTensor& y) {
  return Operated(Operator::kGreater, x, y);
}
RaggedTensor operator>=(const RaggedTensor& x, const RaggedTensor& y) {
  return Operated(Operator::kGreaterEqual, x, y);
}
RaggedTensor operator&(const RaggedTensor& x, const RaggedTensor& y) {
  return Operated(Operator::kAnd, x, y);
}
RaggedTensor operator|(const RaggedTensor& x, const RaggedTensor& y) {
  return Operated(Operator::kOr, x, y);
}
RaggedTensor operator^(const RaggedTensor& x, const RaggedTensor& y) {
  return Operated(Operator::kXor, x, y);
}
RaggedTensor operator-(const RaggedTensor& x) {
  return Operated(Operator::kNegative, x);
}
RaggedTensor operator~(const RaggedTensor& x) {
  return Operated(Operator::kInvert, x);
}

namespace ragged {
namespace {

RaggedTensor Reduced(Reduction of, const RaggedTensor& x, Axis axis,
                     bool keepdims) {
  return MadeRagged([&] {
    std::optional<std::vector<int64_t>> axes;
    if (axis) axes.emplace(1, *axis);
    return RaggedReduce({of, keepdims}, x.value(), axes, true);
  });
}

}  // namespace

RaggedTensor concat(const std::vector<RaggedTensor>& values, int64_t axis) {
  return MadeRagged([&] { return RaggedConcat(ValuesOf(values), axis); });
}
RaggedTensor stack(const std::vector<RaggedTensor>& values, int64_t axis) {
  return MadeRagged([&] { return RaggedStack(ValuesOf(values), axis); });
}
RaggedTensor expand_dims(const RaggedTensor& input, int64_t axis) {
  return MadeRagged([&] { return RaggedExpandDims(input.value(), axis); });
}
RaggedTensor squeeze(const RaggedTensor& input,
                     const std::vector<int64_t>& axes) {
  return MadeRagged([&] { return RaggedSqueeze(input.value(), axes); });
}
RaggedTensor reverse(const RaggedTensor& tensor,
                     const std::vector<int64_t>& axes) {
  return MadeRagged([&] { return RaggedReverse(tensor.value(), axes); });
}
RaggedTensor tile(const RaggedTensor& input, const Tensor& multiples) {
  return MadeRagged(
      [&] { return RaggedTile(input.value(), Inner(multiples)); });
}
RaggedTensor gather(const RaggedTensor& params, const RaggedTensor& indices,
                    int64_t axis, int64_t batch_dims) {
  return MadeRagged([&] {
    return RaggedGather(params.value(), indices.value(), axis, batch_dims);
  });
}
RaggedTensor gather_nd(const RaggedTensor& params,
                       const RaggedTensor& indices) {
  return MadeRagged(
      [&] { return RaggedGatherNd(params.value(), indices.value()); });
}
Tensor where(const RaggedTensor& condition) {
  return MadeTensor([&] { return RaggedWhere(condition.value()); });
}

RaggedTensor reduce_sum(const RaggedTensor& x, Axis axis, bool keepdims) {
  return Reduced(Reduction::kSum, x, axis, keepdims);
}
RaggedTensor reduce_mean(const RaggedTensor& x, Axis axis, bool keepdims) {
  return Reduced(Reduction::kMean, x, axis, keepdims);
}
RaggedTensor reduce_prod(const RaggedTensor& x, Axis axis, bool keepdims) {
  return Reduced(Reduction::kProd, x, axis, keepdims);
}
RaggedTensor reduce_max(const RaggedTensor& x, Axis axis, bool keepdims) {
  return Reduced(Reduction::kMax, x, axis, keepdims);
}
RaggedTensor reduce_min(const RaggedTensor& x, Axis axis, bool keepdims) {
  return Reduced(Reduction::kMin, x, axis, keepdims);
}
RaggedTensor reduce_any(const RaggedTensor& x, Axis axis, bool keepdims) {
  return Reduced(Reduction::kAny, x, axis, keepdims);
}
RaggedTensor reduce_all(const RaggedTensor& x, Axis axis, bool keepdims) {
  return Reduced(Reduction::kAll, x, axis, keepdims);
}
RaggedTensor reduce_logsumexp(const RaggedTensor& x, Axis axis, bool keepdims) {
  return Reduced(Reduction::kLogSumExp, x, axis, keepdims);
}
RaggedTensor cumsum(const RaggedTensor& x, int64_t axis, bool exclusive,
                    bool reverse) {
  return MadeRagged(
      [&] { return RaggedCumsum(x.value(), axis, exclusive, reverse); });
}
RaggedTensor softmax(const RaggedTensor& logits, int64_t axis) {
  return MadeRagged([&] { return RaggedSoftmax(logits.value(), axis); });
}
RaggedTensor matmul(const RaggedTensor& a, const RaggedTensor& b,
                    bool transpose_a, bool transpose_b) {
  return MadeRagged([&] {
    return RaggedMatmul(a.value(), b.value(), {transpose_a, transpose_b});
  });
}

namespace {

RaggedTensor Spread(decltype(RaggedVariance)& of, const RaggedTensor& x,
                    Axis axis, bool keepdims) {
  return MadeRagged([&] {
    std::optional<std::vector<int64_t>> axes;
    if (axis) axes.emplace(1, *axis);
    return of(x.value(), axes, true, keepdims);
  });
}

RaggedTensor Segments(InnerTensor (*join)(const InnerTensor&,
                                          const InnerTensor&,
                                          const InnerTensor&),
                      const RaggedTensor& data, const RaggedTensor& ids,
                      const Tensor& count) {
  return MadeRagged([&] {
    return RaggedSegments(join, data.value(), ids.value(), Inner(count));
  });
}

template <class F>
std::vector<RaggedTensor> Several(F&& f) {
  return Guarded([&] {
    EnsureReady();
    std::vector<RaggedTensor> made;
    for (const RaggedValue& value : f()) made.emplace_back(value);
    return made;
  });
}

}  // namespace

RaggedTensor where(const RaggedTensor& condition, const RaggedTensor& x,
                   const RaggedTensor& y) {
  return MadeRagged(
      [&] { return RaggedSelect(condition.value(), x.value(), y.value()); });
}
std::vector<RaggedTensor> split(const RaggedTensor& value, int64_t num,
                                int64_t axis) {
  return Several([&] { return RaggedSplit(value.value(), num, axis, {}); });
}
std::vector<RaggedTensor> split(const RaggedTensor& value,
                                const std::vector<int64_t>& sizes,
                                int64_t axis) {
  return Several([&] { return RaggedSplit(value.value(), sizes, axis, {}); });
}
std::vector<RaggedTensor> dynamic_partition(const RaggedTensor& data,
                                            const RaggedTensor& partitions,
                                            int64_t num_partitions) {
  return Several([&] {
    return RaggedDynamicPartition(data.value(), partitions.value(),
                                  num_partitions);
  });
}
Tensor size(const RaggedTensor& input) {
  return MadeTensor([&] { return RaggedSize(input.value()); });
}
Tensor rank(const RaggedTensor& input) {
  return MadeTensor([&] { return RaggedRank(input.value()); });
}
RaggedTensor add_n(const std::vector<RaggedTensor>& inputs) {
  return MadeRagged([&] {
    if (inputs.empty()) throw ::gk::Error(ValueError("add_n of no tensors"));
    return RaggedAddN(ValuesOf(inputs));
  });
}
RaggedTensor reduce_variance(const RaggedTensor& x, Axis axis, bool keepdims) {
  return Spread(RaggedVariance, x, axis, keepdims);
}
RaggedTensor reduce_std(const RaggedTensor& x, Axis axis, bool keepdims) {
  return Spread(RaggedDeviation, x, axis, keepdims);
}
RaggedTensor reduce_join(const RaggedTensor& inputs, Axis axis, bool keepdims,
                         const std::string& separator) {
  return MadeRagged([&] {
    std::optional<std::vector<int64_t>> axes;
    if (axis) axes.emplace(1, *axis);
    return RaggedReduce({Reduction::kJoin, keepdims, separator}, inputs.value(),
                        axes, true);
  });
}
RaggedTensor unsorted_segment_sum(const RaggedTensor& data,
                                  const RaggedTensor& segment_ids,
                                  const Tensor& num_segments) {
  return Segments(::gk::ops::UnsortedSegmentSum, data, segment_ids,
                  num_segments);
}
RaggedTensor unsorted_segment_prod(const RaggedTensor& data,
                                   const RaggedTensor& segment_ids,
                                   const Tensor& num_segments) {
  return Segments(::gk::ops::UnsortedSegmentProd, data, segment_ids,
                  num_segments);
}
RaggedTensor unsorted_segment_max(const RaggedTensor& data,
                                  const RaggedTensor& segment_ids,
                                  const Tensor& num_segments) {
  return Segments(::gk::ops::UnsortedSegmentMax, data, segment_ids,
                  num_segments);
}
RaggedTensor unsorted_segment_min(const RaggedTensor& data,
                                  const RaggedTensor& segment_ids,
                                  const Tensor& num_segments) {
  return Segments(::gk::ops::UnsortedSegmentMin, data, segment_ids,
                  num_segments);
}
RaggedTensor sigmoid_cross_entropy_with_logits(const RaggedTensor& labels,
                                               const RaggedTensor& logits) {
  return MadeRagged(
      [&] { return RaggedCrossEntropy(labels.value(), logits.value()); });
}
RaggedTensor join(const std::vector<RaggedTensor>& inputs,
                  const std::string& separator) {
  return MadeRagged([&] { return RaggedJoin(ValuesOf(inputs), separator); });
}
Tensor format(const std::string& text, const std::vector<RaggedTensor>& inputs,
              const std::string& placeholder, int64_t summarize) {
  return MadeTensor([&] {
    return RaggedFormat(text, ValuesOf(inputs), placeholder, summarize);
  });
}

}  // namespace ragged

}  // namespace gk::api
