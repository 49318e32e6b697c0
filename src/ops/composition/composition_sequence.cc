// Numbers at equal distances, grids, masks of lengths; counts in bins.
#include <algorithm>
#include <optional>

#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/BroadcastArgs.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/Equal.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Floor.h"
#include "ops/fn/HistogramFixedWidth.h"
#include "ops/fn/InTopKV2.h"
#include "ops/fn/Less.h"
#include "ops/fn/Max.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Range.h"
#include "ops/fn/Rank.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Size.h"
#include "ops/fn/Sub.h"
#include "ops/subscript.h"

namespace gk {
namespace {

std::optional<DataType> TypeForDistances(DataType t) {
  if (IsFloating(t) || IsComplex(t)) return std::nullopt;
  return DataType::kDouble;
}

// The shape of a broadcast of both, known or computed.
Tensor BroadcastShape(const Tensor& x, const Tensor& y) {
  const auto shape_of = [](const Tensor& t) { return ShapeTensor(t); };
  const Tensor s0 = shape_of(x);
  return ops::BroadcastArgs(s0, shape_of(y));
}

TensorVector Linspace(CompositionCall& c) {
  Tensor start = c.tensor(0), stop = c.tensor(1);
  if (start.dtype() != stop.dtype()) {
    throw Error(ValueError(
        "Tensor conversion requested dtype {} for Tensor with dtype {}: stop",
        DataTypeName(start.dtype()), DataTypeName(stop.dtype())));
  }
  if (const auto t = TypeForDistances(start.dtype())) {
    start = CastTo(start, *t);
    stop = CastTo(stop, *t);
  }
  Tensor count =
      c.get<int64_t>(2) ? IndexOf(c.integer(2), c.name("num")) : c.tensor(2);
  if (count.dtype() != DataType::kInt64) {
    count = CastTo(count, DataType::kInt32);
  }
  const Tensor shape = BroadcastShape(start, stop);
  start = ops::BroadcastTo(start, shape);
  stop = ops::BroadcastTo(stop, shape);
  const auto number = [&](int64_t v) { return IntegerOf(v, count.dtype()); };
  const Tensor spaces = ops::Sub(count, number(1));
  const Tensor last = ops::Maximum(spaces, number(1));
  const Tensor zero = number(0);
  Tensor steps = ops::Range(zero, count, number(1));
  // The steps along the new axis.
  int64_t axis = c.integer(4);
  const PartialTensorShape known = start.partial_shape();
  Tensor form, at;
  if (!known.unknown_rank()) {
    const int64_t rank = known.rank() + 1;
    if (axis < -rank || axis >= rank) {
      throw Error(
          InvalidArgument("axis {} is not in [{}, {})", axis, -rank, rank));
    }
    axis = axis < 0 ? axis + rank : axis;
    std::vector<int64_t> dims(rank, 1);
    dims[axis] = -1;
    form = IndicesOf(dims);
    at = Int32Of(axis);
  } else {
    const Tensor given = ops::Rank(start);
    const Tensor rank = ops::AddV2(given, Int32Of(1));
    at = axis >= 0 ? Int32Of(axis) : ops::AddV2(rank, Int32Of(axis));
    const Tensor first = Int32Of(0);
    const Tensor axes = ops::Range(first, rank, Int32Of(1));
    const Tensor condition = ops::Equal(axes, at);
    const Tensor t = Int32Of(-1);
    form = ops::SelectV2(condition, t, Int32Of(1));
  }
  start = ops::ExpandDims(start, at);
  stop = ops::ExpandDims(stop, at);
  steps = ops::Reshape(steps, form);
  const DataType dtype = start.dtype();
  const Tensor left = ops::Sub(stop, start);
  const Tensor delta = ops::RealDiv(left, CastTo(last, dtype));
  const Tensor inner = ops::AddV2(start, ops::Mul(delta, CastTo(steps, dtype)));
  // The end is met exactly.
  return {ops::SelectV2(ops::Equal(steps, last), stop, inner)};
}

TensorVector Meshgrid(CompositionCall& c) {
  const TensorVector& given = c.tensors(0);
  const std::string& indexing = c.text(1);
  if (indexing != "xy" && indexing != "ij") {
    throw Error(
        ValueError("Argument `indexing` parameter must be either 'xy' "
                   "or 'ij', got '{}'",
                   indexing));
  }
  const size_t n = given.size();
  std::vector<size_t> place(n);  // of each vector's axis
  for (size_t i = 0; i < n; ++i) place[i] = i;
  if (indexing == "xy" && n > 1) std::swap(place[0], place[1]);
  TensorVector vectors, sizes(n), grids;
  const Tensor flat = IndicesOf(std::vector<int64_t>{-1});
  for (size_t i = 0; i < n; ++i) {
    vectors.push_back(ops::Reshape(given[i], flat));
    sizes[place[i]] = ops::Size(vectors[i]);
  }
  if (n == 0) return {};
  const Tensor shape = ops::Pack(sizes);
  for (size_t i = 0; i < n; ++i) {
    std::vector<int64_t> form(n, 1);
    form[place[i]] = -1;
    grids.push_back(
        ops::BroadcastTo(ops::Reshape(vectors[i], IndicesOf(form)), shape));
  }
  return grids;
}

bool IsWide(DataType dtype) {
  return dtype == DataType::kInt64 || dtype == DataType::kUint32 ||
         dtype == DataType::kUint64;
}

TensorVector SequenceMask(CompositionCall& c) {
  Tensor lengths = c.tensor(0);
  Tensor most;
  if (const int64_t* n = c.get<int64_t>(1)) {
    const bool fits = *n == static_cast<int32_t>(*n);
    most = IntegerOf(
        *n,
        fits && !IsWide(lengths.dtype()) ? DataType::kInt32 : DataType::kInt64,
        c.name("maxlen"));
  } else if (c.has(1)) {
    most = c.tensor(1);
  } else {
    const Tensor left = ops::Max(lengths, AllAxes(lengths));
    most = ops::Maximum(left, NumberOf(0, lengths.dtype()));
  }
  // Of two types neither may hold what the other does.
  if (most.dtype() != lengths.dtype()) {
    const DataType both = IsWide(most.dtype()) || IsWide(lengths.dtype())
                              ? DataType::kInt64
                              : DataType::kInt32;
    most = CastTo(most, both);
    lengths = CastTo(lengths, both);
  }
  const DataType dtype = most.dtype();
  const Tensor start = NumberOf(0, dtype);
  const Tensor row = ops::Range(start, most, NumberOf(1, dtype));
  const Tensor mask = ops::Less(row, ops::ExpandDims(lengths, Int32Of(-1)));
  return {CastTo(mask, c.type(2))};
}

TensorVector HistogramFixedWidth(CompositionCall& c) {
  const Tensor bins =
      c.get<int64_t>(2) ? Int32Of(c.integer(2), c.name("nbins")) : c.tensor(2);
  return {ops::HistogramFixedWidth(OpName(c.name()), c.tensor(0), c.tensor(1),
                                   bins, c.type(3))};
}

TensorVector HistogramBins(CompositionCall& c) {
  const Tensor &values = c.tensor(0), &range = c.tensor(1);
  const Tensor bins =
      c.get<int64_t>(2) ? Int32Of(c.integer(2), c.name("nbins")) : c.tensor(2);
  CallComposition("debugging.assert_positive",
                  {bins, std::string("nbins must be > 0")});
  const auto limit = [&](int64_t i) {
    SubscriptEntry entry;
    entry.kind = SubscriptEntry::Kind::kIndex;
    entry.begin = i;
    return Subscript(range, {entry});
  };
  const Tensor low = limit(0);
  const Tensor places = CallComposition(
      "truediv", {ops::Sub(values, low), ops::Sub(limit(1), low)})[0];
  const Tensor numbers =
      ops::Floor(ops::Mul(CastTo(bins, places.dtype()), places));
  const Tensor last = ops::Sub(CastTo(bins, DataType::kInt32), Int32Of(1));
  return CallComposition("clip_by_value",
                         {CastTo(numbers, DataType::kInt32), Int32Of(0), last});
}

TensorVector InTopK(CompositionCall& c) {
  return {ops::InTopKV2(OpName(c.name("InTopKV2")), c.tensor(1), c.tensor(0),
                        c.tensor(2))};
}

const CompositionRecord kRecords[] = {
    {.names = "linspace",
     .args = "start: tensor(T); stop: tensor(T); num: native; name: name = "
             "None; axis: int = 0",
     .scope = "linspace",
     .build = Linspace,
     .doc = "`num` numbers from `start` to `stop` at equal distances.",
     .example = ">>> tf.linspace(0., 1., 3).numpy().tolist()\n"
                "[0.0, 0.5, 1.0]"},
    {.names = "meshgrid",
     .args = "*args: tensors; indexing: string = 'xy'",
     .scope = "meshgrid",
     .build = Meshgrid,
     .result = "list",
     .doc = "Grids [y, x, ...] (or [x, y, ...] for indexing \"ij\") of "
            "vectors.",
     .example = ">>> x, y = tf.meshgrid([1, 2], [3, 4])\n"
                ">>> x.numpy().tolist(), y.numpy().tolist()\n"
                "([[1, 2], [1, 2]], [[3, 3], [4, 4]])"},
    {.names = "sequence_mask",
     .args = "lengths: tensor; maxlen: native = None; dtype: type? = bool",
     .scope = "SequenceMask",
     .build = SequenceMask,
     .doc = "True for the first `lengths` places of rows of `maxlen`.",
     .example = ">>> tf.sequence_mask([1, 2]).numpy().tolist()\n"
                "[[True, False], [True, True]]"},
    {.names = "histogram_fixed_width",
     .args = "values: tensor(T); value_range: tensor(T); nbins: tensor(int32!) "
             "= 100; "
             "dtype: type? = int32",
     .scope = "histogram_fixed_width",
     .build = HistogramFixedWidth,
     .doc = "How many values fall into each of `nbins` equal bins of a "
            "range.\n\nValues outside count in the first and last bin.",
     .example = ">>> tf.histogram_fixed_width([0., 0.9], [0., 1.], nbins=2)"
                ".numpy().tolist()\n[1, 1]"},
    {.names = "histogram_fixed_width_bins",
     .args = "values: tensor(T); value_range: tensor(T); nbins: native = 100; "
             "dtype: type = int32",
     .scope = "histogram_fixed_width_bins",
     .build = HistogramBins,
     .doc = "The number of the bin that each value falls into, of `nbins` "
            "equal bins of a range.\n\nValues outside fall into the first and "
            "last bin. The numbers are int32, whatever `dtype` says.",
     .example = ">>> bins = tf.histogram_fixed_width_bins([0., 0.9, 7.], [0., "
                "1.], nbins=2)\n>>> bins.numpy().tolist()\n[0, 1, 1]"},
    {.names = "math.in_top_k|nn.in_top_k",
     .args = "targets: tensor(T); predictions: tensor(float32); k: tensor(T)",
     .scope = "in_top_k",
     .build = InTopK,
     .doc = "Is the score of each target among the `k` largest of its row?",
     .example = ">>> tf.math.in_top_k([1], [[0.1, 0.9]], 1).numpy().tolist()\n"
                "[True]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_sequence)

}  // namespace gk
