#include <functional>
#include <set>
#include <utility>

#include "function/ragged/integer_arithmetic.h"
#include "function/ragged/ragged.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Exp.h"
#include "ops/fn/Greater.h"
#include "ops/fn/IsFinite.h"
#include "ops/fn/Log.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Rank.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/ReduceJoin.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Sqrt.h"
#include "ops/fn/Square.h"
#include "ops/fn/StopGradient.h"
#include "ops/fn/StringJoin.h"
#include "ops/fn/UnsortedSegmentMax.h"
#include "ops/fn/UnsortedSegmentMin.h"
#include "ops/fn/UnsortedSegmentProd.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/fn/ZerosLike.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

// The public function that does it with tensors.
std::string_view NameOf(Reduction of) {
  switch (of) {
    case Reduction::kSum:
      return "reduce_sum";
    case Reduction::kMean:
      return "reduce_mean";
    case Reduction::kProd:
      return "reduce_prod";
    case Reduction::kMax:
      return "reduce_max";
    case Reduction::kMin:
      return "reduce_min";
    case Reduction::kAny:
      return "reduce_any";
    case Reduction::kAll:
      return "reduce_all";
    case Reduction::kLogSumExp:
      return "reduce_logsumexp";
    case Reduction::kJoin:
      return "strings.reduce_join";
  }
  return {};
}

// As `/` has it: integers have quotients that are none.
Tensor Divided(const Tensor& x, const Tensor& y) {
  return CallComposition("divide", {x, y})[0];
}

// Integers in the type of their quotients, where squares do not overflow.
Tensor Fractional(const Tensor& x) {
  if (!IsInteger(x.dtype())) return x;
  return CastTo(
      x, DataTypeSize(x.dtype()) <= 2 ? DataType::kFloat : DataType::kDouble);
}

RaggedValue Ratio(const RaggedValue& total, const RaggedValue& count) {
  return total.WithFlat(Divided(total.flat(), count.flat()));
}

RaggedValue Ones(const RaggedValue& like) {
  return like.WithFlat(ops::OnesLike(like.flat()));
}

// The reduction of a tensor; `axis` null: of all elements.
Tensor OfTensor(const RaggedReduction& r, const Tensor& x,
                std::optional<int64_t> axis) {
  CompositionValue along;
  if (axis) along = IntegerConstant(*axis);
  if (r.of == Reduction::kJoin) {
    return CallComposition(NameOf(r.of),
                           {x, along, r.keepdims, r.separator})[0];
  }
  return CallComposition(NameOf(r.of), {x, along, r.keepdims})[0];
}

// The texts of each id, in their order.
Tensor JoinedSegments(const std::string& separator, const Tensor& texts,
                      const Tensor& ids, const Tensor& count) {
  const Tensor order = CallComposition(
      "argsort", {ids, int64_t{-1}, std::string("ASCENDING"), true})[0];
  const Tensor sorted = Take(ids, order);
  const RowPartition rows = RowPartition::FromRowids(sorted, count, false);
  const Tensor values = Take(texts, order);
  const auto constant = [](const std::string& text) {
    return ValueOrThrow(
        OpBuilder::Current()->Constant(Tensor::Scalar(text), {}));
  };
  const Tensor between = CallComposition(
      "where", {ops::Equal(rows.columns(sorted), Number(0, ids)), constant(""),
                constant(separator)})[0];
  const Tensor inner = ops::OnesLike(Part(ops::Shape(values), 1, {}));
  const Tensor before =
      ops::Reshape(between, Concat({Part(ops::Shape(values), {}, 1), inner}));
  // Rows filled up with nothing join to what they held.
  const TensorVector joined{before, values};
  return ops::ReduceJoin(
      RaggedToTensor(RaggedValue(ops::StringJoin(joined), rows)),
      IntegerConstant(1));
}

// log(sum(exp(x))) of each id, shifted by its largest element if that is
// finite.
Tensor LogSumExpSegments(const Tensor& x, const Tensor& ids,
                         const Tensor& count) {
  const Tensor most = ops::UnsortedSegmentMax(x, ids, count);
  const Tensor top = ops::StopGradient(
      Select(ops::IsFinite(most), most, ops::ZerosLike(most)));
  const Tensor powers = ops::Exp(x - Take(top, ids));
  return ops::Log(ops::UnsortedSegmentSum(powers, ids, count)) + top;
}

Tensor Segments(const RaggedReduction& r, const Tensor& x, const Tensor& ids,
                const Tensor& count) {
  switch (r.of) {
    case Reduction::kLogSumExp:
      return LogSumExpSegments(x, ids, count);
    case Reduction::kJoin:
      return JoinedSegments(r.separator, x, ids, count);
    case Reduction::kSum:
      return ops::UnsortedSegmentSum(x, ids, count);
    case Reduction::kProd:
      return ops::UnsortedSegmentProd(x, ids, count);
    case Reduction::kMax:
      return ops::UnsortedSegmentMax(x, ids, count);
    case Reduction::kMin:
      return ops::UnsortedSegmentMin(x, ids, count);
    case Reduction::kMean:
      return Divided(ops::UnsortedSegmentSum(x, ids, count),
                     ops::UnsortedSegmentSum(ops::OnesLike(x), ids, count));
    case Reduction::kAny:
    case Reduction::kAll:
      break;
  }
  // Of nothing: the least int32 or the greatest.
  const Tensor bits = CastTo(x, DataType::kInt32);
  const Tensor found = r.of == Reduction::kAny
                           ? ops::UnsortedSegmentMax(bits, ids, count)
                           : ops::UnsortedSegmentMin(bits, ids, count);
  return ops::Greater(found, IntegerConstant(0));
}

// Joins the slices of `data` that have the same id, element by element: the
// result has a row for each id, as long as its longest slice.
RaggedValue Aggregated(const SegmentFn& join, const RaggedValue& data,
                       const Tensor& ids, const Tensor& count) {
  if (!data.is_ragged()) return join(data.flat(), ids, count);
  const RowPartition& rows = data.rows();
  const Tensor lengths = rows.lengths();
  const Tensor longest =
      Max(ops::UnsortedSegmentMax(lengths, ids, count), Number(0, lengths));
  const RowPartition made = RowPartition::OfLengths(longest);
  const Tensor rowids = rows.rowids();
  const Tensor places =
      Take(made.starts(), Take(ids, rowids)) + rows.columns(rowids);
  return {Aggregated(join, data.values(), places, made.nvals()), made};
}

// Along one axis that is in range.
RaggedValue Along(const RaggedReduction& r, const RaggedValue& value,
                  int axis) {
  if (!value.is_ragged()) {
    const Tensor& x = value.flat();
    if (r.of == Reduction::kMean && IsInteger(x.dtype())) {
      // Below ragged rows integers have means that are none.
      RaggedReduction sum = r;
      sum.of = Reduction::kSum;
      return Divided(OfTensor(sum, x, axis),
                     CastTo(SizeOf(x, axis, DataType::kInt64), x.dtype()));
    }
    return OfTensor(r, x, axis);
  }
  if (axis > 1) {
    return value.WithValues(Along(r, value.values(), axis - 1));
  }
  const SegmentFn join = [&](const Tensor& x, const Tensor& ids,
                             const Tensor& count) {
    return Segments(r, x, ids, count);
  };
  const Tensor rowids = value.rows().rowids();
  const RaggedValue made =
      axis == 1 ? Aggregated(join, value.values(), rowids, value.nrows())
                : Aggregated(join, value.values(), value.rows().columns(rowids),
                             Largest(value.rows().lengths()));
  return r.keepdims ? RaggedExpandDims(made, axis) : made;
}

RaggedValue OfAll(const RaggedReduction& r, const RaggedValue& ragged) {
  RaggedReduction flat = r;
  flat.keepdims = false;
  const Tensor& x = ragged.flat();
  Tensor made;
  if (r.of == Reduction::kMean && IsInteger(x.dtype())) {
    made = Divided(Total(x), Total(ops::OnesLike(x)));
  } else {
    made = OfTensor(flat, x, {});
  }
  if (!r.keepdims) return made;
  const std::vector<int64_t> ones(ragged.rank(), 1);
  return ops::Reshape(made, IntegerVector(ones));
}

}  // namespace

RaggedValue RaggedReduce(const RaggedReduction& r, const RaggedValue& given,
                         const std::optional<std::vector<int64_t>>& axes,
                         bool one) {
  const bool logical = r.of == Reduction::kAny || r.of == Reduction::kAll;
  // Numbers are true whose int32 is not 0.
  const RaggedValue ragged =
      logical && given.is_ragged() && given.dtype() != DataType::kBool
          ? given.WithFlat(
                CastTo(CastTo(given.flat(), DataType::kInt32), DataType::kBool))
          : given;
  if (!axes) return OfAll(r, ragged);
  const int rank = ragged.rank();
  if (one) return Along(r, ragged, CheckedAxis((*axes)[0], rank));
  std::set<int, std::greater<>> from_behind;
  for (int64_t a : *axes) from_behind.insert(CheckedAxis(a, rank));
  if (static_cast<int>(from_behind.size()) == rank &&
      r.of != Reduction::kJoin) {
    return OfAll(r, ragged);
  }
  if (from_behind.size() > 1 && r.of == Reduction::kMean) {
    RaggedReduction sum = r;
    sum.of = Reduction::kSum;
    return Ratio(RaggedReduce(sum, ragged, axes, false),
                 RaggedReduce(sum, Ones(ragged), axes, false));
  }
  RaggedValue made = ragged;
  for (int axis : from_behind) made = Along(r, made, axis);
  return made;
}

RaggedValue RaggedVariance(const RaggedValue& ragged,
                           const std::optional<std::vector<int64_t>>& axes,
                           bool one, bool keepdims) {
  if (IsComplex(ragged.dtype())) {
    throw Error(
        ValueError("reduce_variance is not supported for RaggedTensors with "
                   "complex dtypes."));
  }
  const RaggedReduction mean{Reduction::kMean, keepdims};
  const RaggedValue x = ragged.WithFlat(Fractional(ragged.flat()));
  const RaggedValue center = RaggedReduce(mean, x, axes, one);
  const RaggedValue square =
      RaggedReduce(mean, x.WithFlat(ops::Square(x.flat())), axes, one);
  // Rounding may make the difference of equals negative.
  const Tensor difference = square.flat() - ops::Square(center.flat());
  return center.WithFlat(Max(difference, NumberOf(0, difference.dtype())));
}

RaggedValue RaggedDeviation(const RaggedValue& ragged,
                            const std::optional<std::vector<int64_t>>& axes,
                            bool one, bool keepdims) {
  const RaggedValue variance = RaggedVariance(ragged, axes, one, keepdims);
  return variance.WithFlat(ops::Sqrt(variance.flat()));
}

RaggedValue RaggedSegments(const SegmentFn& join, RaggedValue data,
                           RaggedValue ids, const Tensor& count) {
  Checks checks;
  while (ids.is_ragged()) {
    if (!data.is_ragged()) {
      throw Error(ValueError(
          "segment_ids is ragged, and data is not: they must have the same "
          "rows."));
    }
    checks.Same(data.rows().splits, ids.rows().splits,
                "segment_ids.shape must be a prefix of data.shape");
    data = data.values();
    ids = ids.values();
  }
  const Checks::Scope scope(checks);
  return Aggregated(join, data, ids.flat(), CastTo(count, ids.dtype()));
}

RaggedValue RaggedCumsum(const RaggedValue& ragged, int64_t given,
                         bool exclusive, bool reverse) {
  const int64_t axis = CheckedAxis(given, ragged.rank());
  const Tensor whole = CallComposition(
      "cumsum", {RaggedToTensor(ragged), axis, exclusive, reverse})[0];
  FromTensorOptions options{.splits_type = ragged.splits_type()};
  for (const RowPartition& p : ragged.partitions()) {
    options.lengths.push_back(p.lengths());
  }
  return RaggedFromTensor(whole, options);
}

RaggedValue RaggedSoftmax(const RaggedValue& ragged, int64_t given) {
  const int axis = CheckedAxis(given, ragged.rank());
  if (!ragged.is_ragged()) {
    return CallComposition("nn.softmax", {ragged.flat(), int64_t{axis}})[0];
  }
  if (axis > 1) {
    return ragged.WithValues(RaggedSoftmax(ragged.values(), axis - 1));
  }
  if (ragged.ragged_rank() > 1) {
    throw Error(ValueError("The softmax of rows of ragged tensors."));
  }
  const Tensor &x = ragged.flat(), rowids = ragged.rows().rowids(),
               count = ragged.nrows();
  const Tensor top = Take(ops::UnsortedSegmentMax(x, rowids, count), rowids);
  const Tensor powers = ops::Exp(x - ops::StopGradient(top));
  const Tensor sums = ops::UnsortedSegmentSum(powers, rowids, count);
  return ragged.WithFlat(ops::RealDiv(powers, Take(sums, rowids)));
}

}  // namespace gk
