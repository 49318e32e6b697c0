#include <algorithm>
#include <set>
#include <utility>

#include "function/ragged/integer_arithmetic.h"
#include "function/ragged/ragged.h"
#include "ops/fn/AddN.h"
#include "ops/fn/Equal.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Identity.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/ReverseV2.h"
#include "ops/fn/Squeeze.h"
#include "ops/fn/Tile.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

TensorVector Each(std::span<const RaggedValue> values,
                  Tensor (*part)(const RaggedValue&)) {
  TensorVector made;
  for (const RaggedValue& v : values) made.push_back(part(v));
  return made;
}

Tensor LengthsOf(const RaggedValue& v) { return v.rows().lengths(); }
Tensor RowidsOf(const RaggedValue& v) { return v.rows().rowids(); }
Tensor CountOf(const RaggedValue& v) { return v.nrows(); }

std::vector<RaggedValue> ValuesOf(std::span<const RaggedValue> values) {
  std::vector<RaggedValue> made;
  for (const RaggedValue& v : values) made.push_back(v.values());
  return made;
}

// The concatenation of values of one ragged rank.
RaggedValue Joined(std::span<const RaggedValue> values, int axis) {
  if (!values[0].is_ragged()) {
    TensorVector parts;
    for (const RaggedValue& v : values) parts.push_back(v.flat());
    return Concat(parts, axis);
  }
  const std::vector<RaggedValue> inner = ValuesOf(values);
  if (axis == 0) {
    return {Joined(inner, 0),
            RowPartition::OfLengths(Concat(Each(values, LengthsOf)))};
  }
  Checks checks;
  if (axis > 1) {
    for (const RaggedValue& v : values.subspan(1)) {
      checks.Same(values[0].rows().splits, v.rows().splits,
                  "Inputs must have identical ragged splits");
    }
    const Checks::Scope scope(checks);
    return values[0].WithValues(Joined(inner, axis - 1));
  }
  const TensorVector counts = Each(values, CountOf);
  for (size_t i = 1; i < counts.size(); ++i) {
    checks.Same(counts[i], counts[0], "Input tensors have incompatible shapes");
  }
  const Checks::Scope scope(checks);
  // The values in the order of their rows, those of one row as given.
  const Tensor order =
      CallComposition("argsort", {Concat(Each(values, RowidsOf)), int64_t{-1},
                                  std::string("ASCENDING"), true})[0];
  return {GatherRows(Joined(inner, 0), order),
          RowPartition::OfLengths(ops::AddN(Each(values, LengthsOf)))};
}

}  // namespace

RaggedValue RaggedConcat(std::span<const RaggedValue> given, int64_t axis) {
  if (given.size() == 1) return given[0];
  const std::vector<RaggedValue> values = AllRagged(given);
  return Joined(values, CheckedAxis(axis, values[0].rank()));
}

RaggedValue RaggedStack(std::span<const RaggedValue> given, int64_t axis) {
  const std::vector<RaggedValue> values = AllRagged(given);
  const int rank = values[0].rank();
  const int at = CheckedAxis(axis, rank < 0 ? rank : rank + 1);
  std::vector<RaggedValue> deeper;
  if (values.size() == 1 || at > 0) {
    for (const RaggedValue& v : values) {
      deeper.push_back(RaggedExpandDims(v, at));
    }
    return values.size() == 1 ? deeper[0] : Joined(deeper, at);
  }
  const Tensor counts = Vector(Each(values, CountOf));
  return {Joined(values, 0), RowPartition::OfLengths(counts)};
}

RaggedValue RaggedExpandDims(const RaggedValue& ragged, int64_t given) {
  const int rank = ragged.rank();
  const int axis = CheckedAxis(given, rank < 0 ? rank : rank + 1);
  if (!ragged.is_ragged()) {
    return ops::ExpandDims(ragged.flat(), IntegerConstant(axis));
  }
  if (axis > 1) {
    return ragged.WithValues(RaggedExpandDims(ragged.values(), axis - 1));
  }
  const Tensor rows = ragged.nrows(), one = Number(1, rows);
  return {ragged, axis == 0
                      ? RowPartition::FromUniform(rows, one, rows, false)
                      : RowPartition::FromUniform(one, rows, rows, false)};
}

namespace {

RaggedValue Squeezed(const RaggedValue& value, int axis, int shown) {
  if (!value.is_ragged()) return ops::Squeeze(value.flat(), {axis});
  if (axis > 1) {
    return value.WithValues(Squeezed(value.values(), axis - 1, shown));
  }
  Checks checks;
  checks.Require(
      ops::Equal(axis == 0 ? value.nrows() : value.rows().lengths(),
                 Number(1, value.rows().splits)),
      Format("the given axis (axis = {}) is not squeezable!", shown));
  const RaggedValue inner = value.values();
  return inner.WithFlat(checks.Then(inner.flat()));
}

RaggedValue Reversed(const RaggedValue& value, int axis) {
  const auto reversed = [](const Tensor& t, int64_t along) {
    return ops::ReverseV2(t, IntegerVector({&along, 1}));
  };
  if (!value.is_ragged()) return reversed(value.flat(), axis);
  if (axis > 1) {
    return value.WithValues(Reversed(value.values(), axis - 1));
  }
  if (axis == 0) return GatherRows(value, reversed(Count(value.nrows()), 0));
  // Limits are exclusive, and count down.
  const Tensor order =
      FlatRanges(value.rows().limits() - 1, value.rows().starts() - 1, -1);
  return value.WithValues(GatherRows(value.values(), order));
}

bool IsOnce(const Tensor& multiple) {
  const Tensor known = multiple.KnownValue();
  std::vector<int64_t> value;
  return known && IntegerValues(known, &value).ok() && value[0] == 1;
}

RaggedValue Tiled(RaggedValue value, std::span<const Tensor> multiples) {
  if (std::all_of(multiples.begin(), multiples.end(), IsOnce)) return value;
  if (!value.is_ragged()) {
    return ops::Tile(value.flat(),
                     Vector({multiples.begin(), multiples.end()}));
  }
  const Tensor &rows = multiples[0], &columns = multiples[1];
  TensorVector inner{Number(1, rows)};
  inner.insert(inner.end(), multiples.begin() + 2, multiples.end());
  value = value.WithValues(Tiled(value.values(), inner));
  if (!IsOnce(columns)) {
    const RowPartition& p = value.rows();
    const Tensor lengths = p.lengths();
    // Each row so many times.
    const Tensor places =
        RowPartition::OfLengths(columns * ops::OnesLike(lengths)).rowids();
    value = {GatherRows(value.values(), FlatRanges(Take(p.starts(), places),
                                                   Take(p.limits(), places))),
             RowPartition::OfLengths(lengths * columns)};
  }
  if (IsOnce(rows)) return value;
  return GatherRows(value, ops::Tile(Count(value.nrows()), Row(rows)));
}

}  // namespace

RaggedValue RaggedSqueeze(const RaggedValue& ragged,
                          std::span<const int64_t> axes) {
  std::set<int, std::greater<>> from_behind;
  for (size_t i = 0; i < axes.size(); ++i) {
    from_behind.insert(
        CheckedAxis(axes[i], ragged.rank(), Format("axis[{}]", i)));
  }
  RaggedValue made = ragged;
  for (int axis : from_behind) made = Squeezed(made, axis, axis);
  return made;
}

RaggedValue RaggedReverse(const RaggedValue& ragged,
                          std::span<const int64_t> axes) {
  RaggedValue made = ragged;
  for (size_t i = 0; i < axes.size(); ++i) {
    made = Reversed(made,
                    CheckedAxis(axes[i], ragged.rank(), Format("axis[{}]", i)));
  }
  return made;
}

RaggedValue RaggedTile(const RaggedValue& ragged, const Tensor& multiples) {
  const PartialTensorShape shape = multiples.partial_shape();
  const int rank = ragged.rank();
  if (rank < 0 || shape.rank() != 1) {
    throw Error(ValueError("multiples must be a vector, the rank be known."));
  }
  if (shape.dim(0) >= 0 && shape.dim(0) != rank) {
    throw Error(ValueError("Shapes {} and {} are incompatible",
                           shape.PythonString(),
                           PartialTensorShape({rank}).PythonString()));
  }
  return Tiled(ragged, CallComposition("unstack",
                                       {CastTo(multiples, ragged.splits_type()),
                                        int64_t{rank}, int64_t{0}}));
}

std::vector<RaggedValue> RaggedSplit(const RaggedValue& ragged,
                                     const CompositionValue& sizes,
                                     int64_t given,
                                     const CompositionValue& count) {
  const int axis = CheckedAxis(given, ragged.rank());
  const int flat = ragged.ragged_rank();
  if (0 < axis && axis <= flat) {
    throw Error(ValueError(
        "Cannot split a ragged dimension. Got `value` with shape {} and "
        "`axis` {}.",
        ragged.shape().PythonString(), axis));
  }
  std::vector<RaggedValue> made;
  const Tensor split = axis > flat ? ragged.flat() : Count(ragged.nrows());
  const int64_t along = axis > flat ? axis - flat : 0;
  for (const Tensor& part :
       CallComposition("split", {split, sizes, along, count})) {
    made.push_back(axis > flat ? ragged.WithFlat(part)
                               : GatherRows(ragged, part));
  }
  return made;
}

}  // namespace gk
