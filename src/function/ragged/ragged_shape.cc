#include "function/ragged/ragged_shape.h"

#include <algorithm>
#include <utility>

#include "framework/inference_context.h"
#include "function/ragged/checks.h"
#include "function/ragged/integer_arithmetic.h"
#include "function/ragged/ragged.h"
#include "ops/composition.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Fill.h"
#include "ops/fn/LogicalOr.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Size.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

int64_t KnownOr(const Tensor& t, int64_t otherwise) {
  const auto known = KnownInts(t);
  return known && known->size() == 1 ? known->front() : otherwise;
}

// Are two vectors equal, whatever their sizes and dtypes?
Tensor Same(Tensor a, Tensor b) {
  if (a.dtype() != b.dtype()) {
    a = CastTo(a, DataType::kInt64);
    b = CastTo(b, DataType::kInt64);
  }
  return ops::Equal(ops::Size(a), ops::Size(b)) &
         IsAll(ops::Equal(a, b, /*incompatible_shape_error=*/false));
}

}  // namespace

DataType RaggedShape::TypeOf(const std::vector<RowPartition>& partitions,
                             const Tensor& inner) {
  const DataType first =
      partitions.empty() ? inner.dtype() : partitions.front().dtype();
  return first == DataType::kInt32 ? first : DataType::kInt64;
}

RaggedShape::RaggedShape(std::vector<RowPartition> partitions, Tensor inner,
                         DataType dtype, PartialTensorShape known)
    : partitions_(std::move(partitions)), known_(std::move(known)) {
  if (dtype != DataType::kInt32 && dtype != DataType::kInt64) {
    throw Error(ValueError("dtype must be tf.int32 or tf.int64. Received {}.",
                           DataTypeName(dtype)));
  }
  const PartialTensorShape shape = inner.partial_shape();
  if (!shape.unknown_rank() && shape.rank() != 1) {
    throw Error(ValueError("Shape {} must have rank 1", shape.PythonString()));
  }
  if (known_.unknown_rank()) {
    if (const auto sizes = KnownInts(inner)) {
      known_ = PartialTensorShape(std::span<const int64_t>(*sizes));
    } else if (!shape.unknown_rank() && shape.dim(0) >= 0) {
      known_ =
          PartialTensorShape::UnknownOfRank(static_cast<int>(shape.dim(0)));
    } else {
      throw Error(
          ValueError("inner_shape must have a known number of lengths"));
    }
  }
  if (!partitions_.empty() && known_.rank() == 0) {
    throw Error(
        ValueError("If row_partitions are provided, must have inner_rank > 0"));
  }
  for (RowPartition& p : partitions_) p = p.WithType(dtype);
  inner_ = CastTo(inner, dtype);
}

RaggedShape RaggedShape::OfKnown(std::vector<RowPartition> partitions,
                                 const PartialTensorShape& inner,
                                 std::optional<DataType> dtype) {
  if (!inner.IsFullyDefined()) {
    throw Error(
        ValueError("inner_shape {} is not known whole; give a tensor, and what "
                   "is known as static_inner_shape",
                   inner.PythonString()));
  }
  const Tensor sizes = IntegerVector(inner.dims(), DataType::kInt64);
  const DataType type = dtype.value_or(TypeOf(partitions, sizes));
  return {std::move(partitions), sizes, type, inner};
}

RaggedShape RaggedShape::OfPartitions(std::vector<RowPartition> partitions,
                                      std::optional<DataType> dtype) {
  if (partitions.empty()) {
    throw Error(ValueError("row_partitions cannot be empty"));
  }
  const RowPartition& last = partitions.back();
  const PartialTensorShape known({last.known_nvals().value_or(kUnknownDim)});
  const Tensor inner =
      ops::Reshape(last.nvals(), IntegerVector(std::vector<int64_t>{1}));
  const DataType type = dtype.value_or(TypeOf(partitions, inner));
  return {std::move(partitions), inner, type, known};
}

RaggedShape RaggedShape::OfVector(const Tensor& shape) {
  return {{}, shape, DataType::kInt64};
}

RaggedShape RaggedShape::Of(const RaggedValue& value, DataType dtype) {
  return {value.partitions(), ops::Shape(value.flat(), dtype), dtype,
          value.flat().partial_shape()};
}

RaggedShape RaggedShape::OfLengths(const TensorVector& lengths,
                                   std::optional<int64_t> count,
                                   DataType dtype) {
  const int64_t rank = static_cast<int64_t>(lengths.size());
  const auto is_ragged = [&](int64_t axis) {
    return lengths[axis].partial_shape().rank() == 1;
  };
  if (rank > 0 && is_ragged(0)) {
    throw Error(ValueError("The outermost dimension must be uniform"));
  }
  int64_t needed = 0;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (is_ragged(axis)) needed = axis;
  }
  const int64_t partitioned = count.value_or(needed);
  if (partitioned < needed || partitioned >= std::max<int64_t>(rank, 1)) {
    throw Error(ValueError(
        "num_row_partitions ({}) does not fit the lengths of {} dimensions, "
        "the last of which that is ragged is dimension {}",
        partitioned, rank, needed));
  }
  if (rank == 0) {
    return {{}, IntegerVector(std::vector<int64_t>(), dtype), dtype};
  }
  const auto length = [&](int64_t axis) {
    return CastTo(lengths[axis], dtype);
  };
  std::vector<RowPartition> partitions;
  Tensor rows = length(0);
  int64_t known_rows = KnownOr(lengths[0], kUnknownDim);
  for (int64_t axis = 1; axis <= partitioned; ++axis) {
    RowPartition part;
    if (is_ragged(axis)) {
      part = RowPartition::FromLengths(length(axis), true);
      Checks checks;
      checks.Equal(part.nrows(), rows,
                   Format("lengths[{}] has another number of rows", axis));
      part.splits = checks.Then(part.splits);
      part.given_lengths = checks.Then(part.given_lengths);
    } else {
      part = RowPartition::FromUniform(length(axis), rows, {}, true);
    }
    known_rows = part.known_nvals().value_or(kUnknownDim);
    rows = part.nvals();
    partitions.push_back(std::move(part));
  }
  TensorVector inner{rows};
  PartialTensorShape known({known_rows});
  for (int64_t axis = partitioned + 1; axis < rank; ++axis) {
    inner.push_back(length(axis));
    known.AddDim(KnownOr(lengths[axis], kUnknownDim));
  }
  return {std::move(partitions), Vector(inner), dtype, known};
}

std::vector<RaggedShape::Length> RaggedShape::known_lengths(
    bool of_rows) const {
  const auto number = [](int64_t n) {
    return n < 0 ? std::nullopt : std::optional(n);
  };
  std::vector<Length> lengths;
  for (const RowPartition& p : partitions_) {
    if (lengths.empty()) lengths.push_back({p.known_nrows(), {}});
    lengths.push_back({p.uniform, {}});
    if (!p.uniform && of_rows) lengths.back().rows = KnownInts(p.lengths());
  }
  for (int i = lengths.empty() ? 0 : 1; i < known_.rank(); ++i) {
    lengths.push_back({number(known_.dim(i)), {}});
  }
  return lengths;
}

std::string RaggedShape::ToString() const {
  std::string text;
  for (const Length& length : known_lengths(true)) {
    text += text.empty() ? "[" : ", ";
    if (length.uniform) {
      text += Format("{}", *length.uniform);
    } else if (length.rows) {
      std::string rows;
      for (int64_t n : *length.rows) {
        rows += Format("{}{}", rows.empty() ? "" : ", ", n);
      }
      text += Format("({}{})", rows, length.rows->size() == 1 ? "," : "");
    } else {
      text += "None";
    }
  }
  return Format("<DynamicRaggedShape lengths={}] num_row_partitions={}>",
                text.empty() ? "[" : text, num_partitions());
}

bool RaggedShape::IsUniform(int64_t axis) const {
  if (axis < 0) {
    throw Error(
        Status(Code::kIndexError, "Negative axis values are not supported"));
  }
  if (axis >= rank()) {
    throw Error(Status(Code::kIndexError,
                       Format("Expected axis={} < rank={}", axis, rank())));
  }
  return axis == 0 || axis > num_partitions() ||
         partitions_[axis - 1].uniform.has_value();
}

Tensor RaggedShape::At(int64_t index) const {
  const int64_t axis = index < 0 ? index + rank() : index;
  const int count = num_partitions();
  if (axis < 0) {
    throw Error(Status(Code::kIndexError,
                       Format("Index must not be negative: {}", index)));
  }
  if (axis > rank() || (axis == rank() && axis > count + 1)) {
    throw Error(Status(Code::kIndexError,
                       Format("Index is too big: {}>={}", index, rank())));
  }
  if (!IsUniform(axis)) {
    throw Error(ValueError("Index {} is not uniform", axis));
  }
  if (axis > count) return integers::At(inner_, axis - count);
  if (count == 0) return integers::At(inner_, axis);
  if (axis == 0) return partitions_[0].nrows();
  return IntegerConstant(*partitions_[axis - 1].uniform, dtype());
}

RaggedShape RaggedShape::Slice(int64_t from, int64_t to) const {
  const auto place = [&](int64_t i) {
    const int64_t axis = i < 0 ? i + rank() : i;
    return static_cast<int>(std::clamp<int64_t>(axis, 0, rank()));
  };
  const int start = place(from), stop = place(to);
  if (stop <= start) {
    return {{}, IntegerVector(std::vector<int64_t>(), dtype()), dtype()};
  }
  const int count = num_partitions();
  PartialTensorShape known({});
  if (start > 0) {
    for (const RowPartition& p : partitions_) {
      if (!p.uniform) {
        throw Error(ValueError("All relevant dimensions must be uniform"));
      }
    }
    const std::vector<Length> lengths = known_lengths(false);
    TensorVector parts;
    for (int axis = start; axis < stop; ++axis) {
      parts.push_back(At(axis));
      known.AddDim(lengths[axis].uniform.value_or(kUnknownDim));
    }
    return {{}, Vector(parts), dtype(), known};
  }
  if (stop > count) {
    for (int i = 0; i < stop - count; ++i) known.AddDim(known_.dim(i));
    return {partitions_, Part(inner_, {}, stop - count), dtype(), known};
  }
  const RowPartition& below = partitions_[stop - 1];
  known.AddDim(below.known_nrows().value_or(kUnknownDim));
  return {{partitions_.begin(), partitions_.begin() + stop - 1},
          ops::Reshape(below.nrows(), IntegerVector(std::vector<int64_t>{1})),
          dtype(),
          known};
}

RaggedShape RaggedShape::WithType(DataType dtype) const {
  return {partitions_, inner_, dtype, known_};
}

RaggedShape RaggedShape::Checked() const {
  Checks checks;
  for (size_t i = 0; i < partitions_.size(); ++i) {
    checks.Equal(partitions_[i].nvals(),
                 i + 1 < partitions_.size() ? partitions_[i + 1].nrows()
                                            : integers::At(inner_, 0),
                 "the partitions do not fit each other");
  }
  return {partitions_, checks.Then(inner_), dtype(), known_};
}

std::optional<Tensor> RaggedShape::IsEqual(const RaggedShape& other) const {
  if (num_partitions() != other.num_partitions() ||
      !known_.IsCompatibleWith(other.known_)) {
    return std::nullopt;
  }
  Tensor equal = Same(inner_, other.inner_);
  for (int i = 0; i < num_partitions(); ++i) {
    const Tensor &ours = partitions_[i].splits,
                 &theirs = other.partitions_[i].splits;
    if (!ours.partial_shape().IsCompatibleWith(theirs.partial_shape())) {
      return std::nullopt;
    }
    equal = equal & Same(ours, theirs);
  }
  return equal;
}

RaggedValue RaggedShape::Rows(const Tensor& flat) const {
  Refine(flat, known_);
  return {flat, partitions_};
}
RaggedValue RaggedShape::Reshaped(const Tensor& flat) const {
  return Rows(ops::Reshape(flat, inner_));
}
RaggedValue RaggedShape::Filled(const Tensor& value) const {
  return Rows(ops::Fill(inner_, value));
}
RaggedValue RaggedShape::Broadcast(const RaggedValue& value) const {
  const bool scalar = !value.is_ragged() && value.rank() == 0;
  if (scalar && !partitions_.empty()) return Filled(value.flat());
  if (partitions_.empty() && !value.is_ragged()) {
    return ops::BroadcastTo(value.flat(), inner_);
  }
  return RaggedBinary(
      [](const Tensor& x, const Tensor& y) {
        return ops::BroadcastTo(x, ops::Shape(y));
      },
      value, Filled(NumberOf(0, DataType::kInt8)));
}

PartialTensorShape BroadcastStaticShapes(const PartialTensorShape& x,
                                         const PartialTensorShape& y) {
  StatusOr<PartialTensorShape> both = BroadcastPartialShapes(x, y);
  if (!both.ok()) {
    throw Error(ValueError("Incompatible shapes for broadcasting: {} and {}.",
                           x.PythonString(), y.PythonString()));
  }
  return *std::move(both);
}

RaggedShape BroadcastRaggedShapes(const RaggedShape& x, const RaggedShape& y) {
  const auto zeros = [](const RaggedShape& shape) {
    return shape.Filled(NumberOf(0, DataType::kBool));
  };
  return RaggedShape::Of(
      RaggedBinary(
          [](const Tensor& a, const Tensor& b) { return ops::LogicalOr(a, b); },
          zeros(x), zeros(y)),
      DataType::kInt64);
}

}  // namespace gk
