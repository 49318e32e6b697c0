#include "graphkiln/ragged_shape.h"

#include "api/inner.h"
#include "framework/inference_context.h"
#include "function/ragged/ragged_shape.h"
#include "ops/fn/BroadcastArgs.h"

namespace gk::api {
namespace {

using Partition = ::gk::RowPartition;

RowPartition OuterRows(const Partition& rows) {
  std::optional<Tensor> lengths;
  if (rows.given_lengths) lengths = Outer(rows.given_lengths);
  return {Outer(rows.splits), rows.uniform, std::move(lengths)};
}
Partition InnerRows(const RowPartition& rows) {
  Partition inner{Inner(rows.row_splits()), rows.uniform_row_length()};
  if (rows.given_lengths()) inner.given_lengths = Inner(*rows.given_lengths());
  return inner;
}
std::vector<Partition> InnerRows(const std::vector<RowPartition>& partitions) {
  std::vector<Partition> inner;
  for (const RowPartition& p : partitions) inner.push_back(InnerRows(p));
  return inner;
}
template <class F>
RowPartition MadeRows(F&& f) {
  return Guarded([&] {
    EnsureReady();
    return OuterRows(f());
  });
}

}  // namespace

RowPartition RowPartition::from_row_splits(const Tensor& row_splits,
                                           bool validate) {
  return MadeRows(
      [&] { return Partition::FromSplits(Inner(row_splits), validate); });
}
RowPartition RowPartition::from_row_lengths(const Tensor& row_lengths,
                                            bool validate) {
  return MadeRows(
      [&] { return Partition::FromLengths(Inner(row_lengths), validate); });
}
RowPartition RowPartition::from_row_limits(const Tensor& row_limits,
                                           bool validate) {
  return MadeRows(
      [&] { return Partition::FromLimits(Inner(row_limits), validate); });
}
RowPartition RowPartition::from_row_starts(const Tensor& row_starts,
                                           const Tensor& nvals, bool validate) {
  return MadeRows([&] {
    return Partition::FromStarts(Inner(row_starts), Inner(nvals), validate);
  });
}
RowPartition RowPartition::from_value_rowids(const Tensor& value_rowids,
                                             const Tensor& nrows,
                                             bool validate) {
  return MadeRows([&] {
    return Partition::FromRowids(Inner(value_rowids), InnerOrNull(nrows),
                                 validate);
  });
}
RowPartition RowPartition::from_uniform_row_length(const Tensor& length,
                                                   const Tensor& nrows,
                                                   bool validate) {
  return MadeRows([&] {
    return Partition::FromUniform(Inner(length), Inner(nrows), {}, validate);
  });
}

Tensor RowPartition::row_lengths() const {
  return MadeTensor([&] { return InnerRows(*this).lengths(); });
}
Tensor RowPartition::row_starts() const {
  return MadeTensor([&] { return InnerRows(*this).starts(); });
}
Tensor RowPartition::row_limits() const {
  return MadeTensor([&] { return InnerRows(*this).limits(); });
}
Tensor RowPartition::value_rowids() const {
  return MadeTensor([&] { return InnerRows(*this).rowids(); });
}
Tensor RowPartition::offsets_in_rows() const {
  return MadeTensor([&] {
    const Partition rows = InnerRows(*this);
    return rows.columns(rows.rowids());
  });
}
Tensor RowPartition::nrows() const {
  return MadeTensor([&] { return InnerRows(*this).nrows(); });
}
Tensor RowPartition::nvals() const {
  return MadeTensor([&] { return InnerRows(*this).nvals(); });
}

std::optional<int64_t> RowPartition::static_nrows() const {
  return Guarded([&] { return InnerRows(*this).known_nrows(); });
}
std::optional<int64_t> RowPartition::static_nvals() const {
  return Guarded([&] { return InnerRows(*this).known_nvals(); });
}
RowPartition RowPartition::with_dtype(DataType dtype) const {
  return MadeRows([&] { return InnerRows(*this).WithType(Inner(dtype)); });
}

DynamicRaggedShape::DynamicRaggedShape(const RaggedShape& value)
    : inner_(Outer(value.inner())), known_inner_(Outer(value.known_inner())) {
  for (const Partition& p : value.partitions())
    partitions_.push_back(OuterRows(p));
}
RaggedShape DynamicRaggedShape::value() const {
  const InnerTensor inner = Inner(inner_);
  return {InnerRows(partitions_), inner, inner.dtype(), Inner(known_inner_)};
}

DynamicRaggedShape::DynamicRaggedShape(
    const std::vector<RowPartition>& partitions, const Tensor& inner_shape)
    : DynamicRaggedShape(MadeAs<DynamicRaggedShape>([&] {
        std::vector<Partition> inner = InnerRows(partitions);
        const InnerTensor sizes = Inner(inner_shape);
        const InnerType dtype = RaggedShape::TypeOf(inner, sizes);
        return RaggedShape(std::move(inner), sizes, dtype);
      })) {}
DynamicRaggedShape DynamicRaggedShape::from_row_partitions(
    const std::vector<RowPartition>& partitions) {
  return MadeAs<DynamicRaggedShape>(
      [&] { return RaggedShape::OfPartitions(InnerRows(partitions)); });
}
DynamicRaggedShape DynamicRaggedShape::from_tensor(const RaggedTensor& tensor) {
  return MadeAs<DynamicRaggedShape>([&] {
    const RaggedValue value = tensor.value();
    return RaggedShape::Of(
        value, value.is_ragged() ? value.splits_type() : InnerType::kInt64);
  });
}
DynamicRaggedShape DynamicRaggedShape::from_lengths(
    const std::vector<Tensor>& lengths) {
  return MadeAs<DynamicRaggedShape>([&] {
    return RaggedShape::OfLengths(Inner(lengths), {}, InnerType::kInt64);
  });
}

int DynamicRaggedShape::rank() const {
  return Guarded([&] { return value().rank(); });
}
DynamicRaggedShape DynamicRaggedShape::with_dtype(DataType dtype) const {
  return MadeAs<DynamicRaggedShape>(
      [&] { return value().WithType(Inner(dtype)); });
}
std::vector<DynamicRaggedShape::Length> DynamicRaggedShape::static_lengths(
    bool ragged_lengths) const {
  return Guarded([&] {
    std::vector<Length> lengths;
    for (auto& length : value().known_lengths(ragged_lengths)) {
      lengths.push_back({length.uniform, std::move(length.rows)});
    }
    return lengths;
  });
}
DynamicRaggedShape DynamicRaggedShape::slice(int64_t start,
                                             int64_t stop) const {
  return MadeAs<DynamicRaggedShape>([&] { return value().Slice(start, stop); });
}
bool DynamicRaggedShape::is_uniform(int64_t axis) const {
  return Guarded([&] { return value().IsUniform(axis); });
}
Tensor DynamicRaggedShape::operator[](int64_t axis) const {
  return MadeTensor([&] { return value().At(axis); });
}
std::string DynamicRaggedShape::to_string() const {
  return Guarded([&] { return value().ToString(); });
}
Tensor DynamicRaggedShape::equal(const DynamicRaggedShape& other) const {
  return MadeTensor([&] {
    const auto equal = value().IsEqual(other.value());
    return equal ? *equal : ConstantHere(InnerTensor::Scalar(false));
  });
}

RaggedTensor DynamicRaggedShape::fill(const Tensor& filler) const {
  return MadeAs<RaggedTensor>([&] { return value().Filled(Inner(filler)); });
}
RaggedTensor DynamicRaggedShape::reshape(const Tensor& tensor) const {
  return MadeAs<RaggedTensor>([&] { return value().Reshaped(Inner(tensor)); });
}
RaggedTensor DynamicRaggedShape::broadcast(const RaggedTensor& values) const {
  return MadeAs<RaggedTensor>(
      [&] { return value().Broadcast(values.value()); });
}

Tensor broadcast_dynamic_shape(const Tensor& shape_x, const Tensor& shape_y) {
  return MadeTensor(
      [&] { return ::gk::ops::BroadcastArgs(Inner(shape_x), Inner(shape_y)); });
}
DynamicRaggedShape broadcast_dynamic_shape(const DynamicRaggedShape& shape_x,
                                           const DynamicRaggedShape& shape_y) {
  return MadeAs<DynamicRaggedShape>(
      [&] { return BroadcastRaggedShapes(shape_x.value(), shape_y.value()); });
}
Shape broadcast_static_shape(const Shape& shape_x, const Shape& shape_y) {
  return Guarded([&] {
    return Outer(BroadcastStaticShapes(Inner(shape_x), Inner(shape_y)));
  });
}

}  // namespace gk::api
