#include "function/ragged/ragged_value.h"

#include <algorithm>
#include <utility>

#include "function/ragged/checks.h"
#include "function/ragged/integer_arithmetic.h"
#include "ops/composition.h"
#include "ops/fn/Cumsum.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Size.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/fn/UpperBound.h"
#include "ops/fn/ZerosLike.h"
#include "ops/ragged/row_numbers.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

Tensor Zero(DataType dtype) {
  const std::vector<int64_t> zero{0};
  return IntegerVector(zero, dtype);
}

Tensor Differences(const Tensor& v) { return Part(v, 1, {}) - Part(v, {}, -1); }

std::optional<int64_t> KnownInteger(const Tensor& t) {
  const Tensor known = t ? t.KnownValue() : Tensor();
  std::vector<int64_t> values;
  if (!known || !IntegerValues(known, &values).ok() || values.size() != 1) {
    return std::nullopt;
  }
  return values[0];
}

}  // namespace

Tensor RowPartition::starts() const { return Part(splits, {}, -1); }
Tensor RowPartition::limits() const { return Part(splits, 1, {}); }
Tensor RowPartition::lengths() const {
  if (given_lengths) return given_lengths;
  if (Tensor known = RowLengthsOfValue(splits)) return known;
  return limits() - starts();
}
Tensor RowPartition::nrows() const { return SizeOf(splits, 0, dtype()) - 1; }
Tensor RowPartition::nvals() const { return At(splits, -1); }

std::optional<int64_t> RowPartition::known_nrows() const {
  const PartialTensorShape shape = splits.partial_shape();
  if (shape.unknown_rank() || shape.dim(0) < 0) return std::nullopt;
  return shape.dim(0) - 1;
}

std::optional<int64_t> RowPartition::known_nvals() const {
  const auto known = KnownInts(splits);
  return known && !known->empty() ? std::optional(known->back()) : std::nullopt;
}

Tensor RowPartition::rowids() const {
  if (Tensor known = RowNumbersOfValue(splits)) return known;
  const Tensor places = ops::Range(At(splits, 0), nvals(), Number(1, splits));
  const Tensor found = ops::UpperBound(Row(limits()), Row(places), dtype());
  return At(found, 0);
}

Tensor RowPartition::columns(const Tensor& ids) const {
  return Count(ops::Size(ids, dtype())) - Take(starts(), ids);
}

RowPartition RowPartition::WithType(DataType dtype) const {
  if (dtype == this->dtype()) return *this;
  return {CastTo(splits, dtype), uniform};
}

RowPartition RowPartition::OfLengths(const Tensor& lengths,
                                     std::optional<int64_t> uniform) {
  return {
      Concat({Zero(lengths.dtype()), ops::Cumsum(lengths, IntegerConstant(0))}),
      uniform, lengths};
}

RowPartition RowPartition::FromSplits(const Tensor& splits, bool validate) {
  if (splits.partial_shape().dims().size() == 1 &&
      splits.partial_shape().dim(0) == 0) {
    throw Error(ValueError("row_splits tensor may not be empty."));
  }
  if (!validate) return {splits, {}};
  const std::string message =
      "Arguments to from_row_splits do not form a valid RaggedTensor:";
  Checks checks;
  checks.Equal(At(splits, 0), Number(0, splits), message + "zero")
      .NonNegative(Differences(splits), message + "monotonic");
  return {checks.Then(splits), {}};
}

RowPartition RowPartition::FromLengths(const Tensor& lengths, bool validate) {
  Checks checks;
  if (validate) {
    checks.NonNegative(
        lengths,
        "Arguments to from_row_lengths do not form a valid RowPartition");
  }
  return OfLengths(checks.Then(lengths));
}

RowPartition RowPartition::FromRowids(const Tensor& given, const Tensor& nrows,
                                      bool validate) {
  Tensor ids = given;
  const std::optional<int64_t> known = KnownInteger(nrows);
  const Tensor known_ids = ids.KnownValue();
  if (known && *known < 0) {
    throw Error(ValueError("Expected nrows >= 0; got {}", *known));
  }
  if (known && validate && known_ids && known_ids.num_elements() > 0) {
    std::vector<int64_t> values;
    ThrowIfError(IntegerValues(known_ids, &values));
    if (values.back() >= *known) {
      throw Error(
          ValueError("Expected nrows >= value_rowids[-1] + 1; got nrows={}, "
                     "value_rowids[-1]={}",
                     *known, values.back()));
    }
  }
  // The last id plus 1; 0 where there is none.
  const Tensor count =
      nrows ? CastTo(nrows, ids.dtype()) : Total(Part(ids, -1, {}) + 1);
  if (validate) {
    const std::string_view message =
        "Arguments to from_value_rowids do not form a valid RowPartition";
    Checks checks;
    checks.NonNegative(Part(ids, {}, 1), message)
        .NonNegative(Differences(ids), message)
        .LessEqual(Part(ids, -1, {}) + 1, count, message);
    ids = checks.Then(ids);
  }
  RowPartition rows =
      OfLengths(ops::UnsortedSegmentSum(ops::OnesLike(ids), ids, count));
  if (known) Refine(rows.splits, {*known + 1});
  return rows;
}

RowPartition RowPartition::FromStarts(const Tensor& starts, const Tensor& nvals,
                                      bool validate) {
  const Tensor end = CastTo(nvals, starts.dtype());
  Checks checks;
  if (validate) {
    const std::string_view message =
        "Arguments to from_row_starts do not form a valid RaggedTensor";
    checks.Equal(Part(starts, {}, 1), Number(0, starts), message)
        .NonNegative(Differences(starts), message)
        .LessEqual(Part(starts, -1, {}), end, message);
  }
  return {Concat({checks.Then(starts), Row(end)}), {}};
}

RowPartition RowPartition::FromLimits(const Tensor& limits, bool validate) {
  Checks checks;
  if (validate) {
    const std::string_view message =
        "Arguments to from_row_limits do not form a valid RaggedTensor";
    checks.NonNegative(Part(limits, {}, 1), message)
        .NonNegative(Differences(limits), message);
  }
  return {Concat({Zero(limits.dtype()), checks.Then(limits)}), {}};
}

RowPartition RowPartition::FromUniform(const Tensor& length, Tensor nrows,
                                       Tensor nvals, bool validate) {
  if (length.partial_shape().rank() > 0) {
    throw Error(ValueError("Shape {} must have rank 0",
                           length.partial_shape().PythonString()));
  }
  const std::optional<int64_t> known = KnownInteger(length);
  if (known && *known < 0) {
    throw Error(
        ValueError("uniform_row_length={} must be non-negative", *known));
  }
  const auto as_length = [&](const Tensor& t) {
    return t ? CastTo(t, length.dtype()) : t;
  };
  nrows = as_length(nrows);
  nvals = as_length(nvals);
  if (!nvals) nvals = nrows * length;
  if (!nrows) nrows = known == 0 ? Number(0, length) : nvals / length;
  if (validate) {
    const auto rows = KnownInteger(nrows), values = KnownInteger(nvals);
    if (known && rows && values) {
      if (*known * *rows != *values) {
        throw Error(ValueError(
            "uniform_row_length={} times nrows={} must equal nvals={}", *known,
            *rows, *values));
      }
    } else {
      Checks checks;
      checks.Equal(nrows * length, nvals, {});
      nrows = checks.Then(nrows);
    }
  }
  return {Count(nrows + 1) * length, known};
}

RowPartition RowPartition::Checked(const Tensor& nvals) const {
  Checks checks;
  checks.Equal(
      this->nvals(), CastTo(nvals, dtype()),
      "Arguments to _from_row_partition do not form a valid RaggedTensor");
  return {checks.Then(splits), uniform,
          given_lengths ? checks.Then(given_lengths) : Tensor()};
}

RaggedValue::RaggedValue(RaggedValue values, RowPartition rows)
    : flat_(std::move(values.flat_)),
      partitions_(std::move(values.partitions_)) {
  partitions_.insert(partitions_.begin(), std::move(rows));
}

PartialTensorShape RaggedValue::shape() const {
  PartialTensorShape shape = flat_.partial_shape();
  if (shape.unknown_rank() || !is_ragged()) return shape;
  if (shape.rank() > 0) shape.RemoveDim(0);
  for (int i = ragged_rank(); i-- > 0;) {
    shape.InsertDim(0, partitions_[i].uniform.value_or(kUnknownDim));
  }
  shape.InsertDim(0, rows().known_nrows().value_or(kUnknownDim));
  return shape;
}

RaggedValue RaggedValue::values() const {
  return {flat_, {partitions_.begin() + 1, partitions_.end()}};
}

RaggedValue RaggedValue::WithValues(RaggedValue values) const {
  const PartialTensorShape ours = this->values().shape(),
                           theirs = values.shape();
  if (ours.rank() > 0 && theirs.rank() > 0 && ours.dim(0) >= 0 &&
      theirs.dim(0) >= 0 && ours.dim(0) != theirs.dim(0)) {
    throw Error(ValueError("Shapes {} and {} are incompatible",
                           PartialTensorShape({ours.dim(0)}).PythonString(),
                           PartialTensorShape({theirs.dim(0)}).PythonString()));
  }
  if (values.is_ragged() && values.splits_type() != splits_type()) {
    return {values.WithSplitsType(DataType::kInt64),
            rows().WithType(DataType::kInt64)};
  }
  return {std::move(values), rows()};
}

RaggedValue RaggedValue::WithSplitsType(DataType dtype) const {
  std::vector<RowPartition> cast;
  for (const RowPartition& p : partitions_) cast.push_back(p.WithType(dtype));
  return {flat_, std::move(cast)};
}

Tensor RaggedValue::nrows() const {
  return is_ragged() ? rows().nrows() : SizeOf(flat_, 0, DataType::kInt64);
}

std::vector<RaggedValue> AllRagged(std::span<const RaggedValue> values) {
  int rank = 0;
  bool narrow = false, wide = false;
  for (const RaggedValue& v : values) {
    if (!v.is_ragged()) continue;
    rank = std::max(rank, v.ragged_rank());
    (v.splits_type() == DataType::kInt32 ? narrow : wide) = true;
  }
  const DataType dtype = narrow && !wide ? DataType::kInt32 : DataType::kInt64;
  std::vector<RaggedValue> made;
  for (const RaggedValue& v : values) {
    made.push_back(v.Deepened(rank).WithSplitsType(dtype));
  }
  return made;
}

int CheckedAxis(int64_t axis, int rank, std::string_view name) {
  if (rank < 0) {
    if (axis >= 0) return static_cast<int>(axis);
    throw Error(
        ValueError("{}={} may only be negative if ndims is statically known.",
                   name, axis));
  }
  const int found = NormalAxis(axis, rank);
  if (found < 0) {
    throw Error(ValueError("{}={} out of bounds: expected {}<={}<{}", name,
                           axis, -rank, name, rank));
  }
  return found;
}

}  // namespace gk
