// tf.ragged: rows made of ranges, masks and partitions.
#include <optional>
#include <utility>

#include "function/ragged/integer_arithmetic.h"
#include "function/ragged/ragged.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Cumsum.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Max.h"
#include "ops/fn/Pack.h"
#include "ops/fn/RaggedRange.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

Tensor Masked(const Tensor& data, const Tensor& mask) {
  return CallComposition("boolean_mask", {data, mask})[0];
}
Tensor TrueIn(const RaggedValue& mask, DataType dtype) {
  const RaggedValue counts = mask.WithFlat(CastTo(mask.flat(), dtype));
  return RaggedReduce({Reduction::kSum}, counts, std::vector<int64_t>{1}, true)
      .flat();
}

// The same rows, of which it is not known that they are of one length.
RowPartition NotUniform(const RowPartition& rows) {
  return {rows.splits, std::nullopt};
}

// Of tensors both.
RaggedValue MaskedTensor(const Tensor& data, const Tensor& mask,
                         DataType dtype) {
  RaggedValue kept = Masked(data, mask);
  const int rank = mask.partial_shape().rank();
  if (rank < 2) return kept;
  const Tensor counts = CallComposition(
      "math.count_nonzero",
      {mask, IntegerConstant(-1), CompositionValue(), dtype})[0];
  const std::vector<int64_t> flat{-1};
  kept = {kept,
          RowPartition::OfLengths(ops::Reshape(counts, IntegerVector(flat)))};
  // The dimensions outside of those of the counts are as they were.
  const Tensor sizes = ops::Shape(mask, dtype);
  for (int d = rank - 2; d > 0; --d) {
    const Tensor rows = Product(Part(sizes, 0, d));
    kept = {kept, NotUniform(RowPartition::FromUniform(At(sizes, d), rows, {},
                                                       false))};
  }
  return kept;
}

RaggedValue MaskedRows(const RaggedValue& data, const RaggedValue& mask);

// Of a vector: which rows stay.
RaggedValue RowsThatStay(const RaggedValue& data, const Tensor& mask) {
  const Tensor lengths = Masked(data.rows().lengths(), mask);
  const Tensor of_values = Take(mask, data.rows().rowids());
  return {MaskedRows(data.values(), of_values),
          RowPartition::OfLengths(lengths)};
}

RaggedValue MaskedRows(const RaggedValue& data, const RaggedValue& mask) {
  const int rank = mask.rank();
  if (!mask.is_ragged()) {
    if (!data.is_ragged()) {
      return MaskedTensor(data.flat(), mask.flat(), DataType::kInt64);
    }
    if (rank == 1) return RowsThatStay(data, mask.flat());
    return MaskedRows(
        data,
        RaggedFromTensor(mask.flat(),
                         {.ragged_rank = std::min(data.ragged_rank(), rank - 1),
                          .splits_type = data.splits_type()}));
  }
  const RaggedValue rows = data.Deepened(mask.ragged_rank());
  Checks checks;
  checks.Same(mask.rows().splits, rows.rows().splits,
              "Inputs must have identical ragged splits");
  const Checks::Scope scope(checks);
  const RaggedValue inner = MaskedRows(rows.values(), mask.values());
  if (rank > 2) return {inner, mask.rows()};
  return {inner, RowPartition::OfLengths(TrueIn(mask, mask.splits_type()))};
}

}  // namespace

RaggedValue RaggedBooleanMask(const RaggedValue& data,
                              const RaggedValue& mask) {
  const int rank = mask.rank();
  if (rank < 0) {
    throw Error(ValueError("mask.shape.ndims must be known statically."));
  }
  if (rank == 0) throw Error(ValueError("mask cannot be scalar."));
  if (mask.dtype() != DataType::kBool) {
    throw Error(TypeError("mask must be of dtype bool, not {}",
                          DataTypeName(mask.dtype())));
  }
  const auto narrow = [](const RaggedValue& v) {
    return v.is_ragged() && v.splits_type() == DataType::kInt32;
  };
  const bool both = data.is_ragged() && mask.is_ragged();
  if (both && narrow(data) != narrow(mask)) {
    return MaskedRows(data.WithSplitsType(DataType::kInt64),
                      mask.WithSplitsType(DataType::kInt64));
  }
  return MaskedRows(data, mask);
}

RaggedValue RaggedRanges(const Tensor& starts, const Tensor& limits,
                         const Tensor& deltas, DataType splits_type,
                         OpName name) {
  const TensorVector made =
      ops::RaggedRange(name, starts, limits, deltas, splits_type);
  return {RaggedValue(made[1]), RowPartition{made[0], std::nullopt}};
}

RaggedValue RaggedStackOf(std::span<const RaggedValue> values, int64_t axis) {
  if (values.empty()) throw Error(ValueError("rt_inputs may not be empty."));
  const int rank = values[0].rank();
  bool dense = true;
  for (const RaggedValue& v : values) dense = dense && !v.is_ragged();
  if (!dense || rank < 0) {
    const RaggedValue made = RaggedStack(values, axis);
    if (values.size() > 1) return made;
    return {made.values(), NotUniform(made.rows())};
  }
  const int at = CheckedAxis(axis, rank + 1);
  if (rank == 1 && at == 0) {
    return RaggedStack(values, 0).WithSplitsType(DataType::kInt32);
  }
  std::vector<RaggedValue> ragged;
  TensorVector tensors;
  for (const RaggedValue& v : values) {
    tensors.push_back(v.flat());
    if (at < rank - 1) ragged.push_back(v.Deepened(1));
  }
  if (at >= rank - 1) return ops::Pack(tensors, at);
  return RaggedStack(ragged, at);
}

namespace {

// As far as shapes are known: one partition for each slice, and one count.
void CheckPartitionShapes(const RaggedValue& data,
                          const RaggedValue& partitions, const Tensor& count) {
  const PartialTensorShape counted = count.partial_shape();
  if (counted.rank() > 0) {
    throw Error(
        ValueError("Shape {} must have rank 0", counted.PythonString()));
  }
  const PartialTensorShape shape = data.shape();
  const int rank = partitions.rank();
  if (partitions.is_ragged() || shape.rank() < rank) return;
  const PartialTensorShape leading(shape.dims().first(rank));
  const PartialTensorShape given = partitions.shape();
  if (leading.IsCompatibleWith(given)) return;
  throw Error(ValueError("Shapes {} and {} are incompatible",
                         given.PythonString(), leading.PythonString()));
}

}  // namespace

RaggedValue StackDynamicPartitions(const RaggedValue& data,
                                   const RaggedValue& given,
                                   const Tensor& num_partitions) {
  const RaggedValue partitions =
      data.is_ragged()
          ? given.WithFlat(CastTo(given.flat(), data.splits_type()))
          : given;
  const int rank = partitions.rank();
  if (rank < 0) throw Error(ValueError("partitions must have known rank."));
  CheckPartitionShapes(data, partitions, num_partitions);
  const Tensor count = CastTo(num_partitions, partitions.dtype());
  if (!partitions.is_ragged() && rank == 0) {
    const RaggedValue one = RaggedExpandDims(data, 0);
    return {one, RowPartition::FromRowids(
                     ops::Pack(TensorVector{partitions.flat()}), count, false)};
  }
  if (!partitions.is_ragged() && rank == 1) {
    const Tensor& ids = partitions.flat();
    const Tensor order = CallComposition(
        "argsort", {ids, int64_t{-1}, std::string("ASCENDING"), true})[0];
    const Tensor rows = Take(ids, order);
    Checks checks;
    checks.Less(Part(rows, -1, std::nullopt), count,
                "partitions must be less than num_partitions");
    checks.NonNegative(ids, "partitions must be non-negative.");
    const Checks::Scope scope(checks);
    return {GatherRows(data, order),
            RowPartition::FromRowids(rows, count, false)};
  }
  const RaggedValue rows = data.Deepened(1);
  const RaggedValue ids =
      partitions.Deepened(std::max(rows.ragged_rank(), rank - 1));
  Checks checks;
  checks.Same(rows.rows().splits, ids.rows().splits,
              "data and partitions have incompatible ragged shapes");
  const Checks::Scope scope(checks);
  return StackDynamicPartitions(rows.values(), ids.values(), count);
}

Tensor RowSplitsToSegmentIds(const Tensor& splits, DataType out_type) {
  if (splits.dtype() != DataType::kInt32 &&
      splits.dtype() != DataType::kInt64) {
    throw Error(ValueError("splits must have dtype int32 or int64"));
  }
  const PartialTensorShape shape = splits.partial_shape();
  if (!shape.unknown_rank() && shape.rank() != 1) {
    throw Error(ValueError("Shape {} must have rank 1", shape.PythonString()));
  }
  if (!shape.unknown_rank() && shape.dim(0) == 0) {
    throw Error(ValueError("Invalid row_splits: []"));
  }
  return CastTo(RowPartition{splits, std::nullopt}.rowids(), out_type);
}

Tensor SegmentIdsToRowSplits(const Tensor& segment_ids, const Tensor& segments,
                             DataType out_type) {
  for (const Tensor& t : {segment_ids, segments}) {
    if (t && t.dtype() != DataType::kInt32 && t.dtype() != DataType::kInt64) {
      throw Error(
          TypeError("segment_ids and num_segments must be integers, "
                    "not {}",
                    DataTypeName(t.dtype())));
    }
  }
  const Tensor ids = CastTo(segment_ids, out_type);
  Tensor rows;
  if (segments) {
    rows = CastTo(segments, out_type);
  } else {
    // One more than the largest id, which need not be the last; none for none.
    const Tensor none = IntegerVector({{-1}}, out_type);
    const Tensor all =
        ops::ConcatV2(TensorVector{ids, none}, IntegerConstant(0));
    rows =
        ops::Max(all, IntegerConstant(0), false) + IntegerConstant(1, out_type);
  }
  return CastTo(RowPartition::FromRowids(ids, rows, false).splits, out_type);
}

}  // namespace gk
