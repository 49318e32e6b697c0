#include <algorithm>
#include <utility>

#include "function/ragged/integer_arithmetic.h"
#include "function/ragged/ragged.h"
#include "function/ragged/rows_at_hand.h"
#include "ops/fn/Cumsum.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/RaggedGather.h"
#include "ops/fn/ZerosLike.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

using Kind = SubscriptEntry::Kind;
using Entries = std::span<const SubscriptEntry>;

bool TakesAll(const SubscriptEntry& e) {
  return e.kind == Kind::kSlice && !e.begin && !e.end && !e.stride;
}

Tensor RangeLengths(const Tensor& starts, const Tensor& limits, int64_t step) {
  const Tensor lengths = step > 0 ? (limits - starts + (step - 1)) / step
                                  : (starts - limits + (-step - 1)) / -step;
  return Max(lengths, Number(0, lengths));
}

// By one kernel, of rows that are at hand.
RaggedValue GatheredAtOnce(const RaggedValue& values, const Tensor& indices) {
  TensorVector made = ops::RaggedGather(SplitsOf(values), values.flat(),
                                        indices, values.ragged_rank());
  std::vector<RowPartition> partitions;
  for (int i = 0; i < values.ragged_rank(); ++i) {
    partitions.push_back({made[i], values.partitions()[i].uniform});
  }
  return {std::move(made.back()), std::move(partitions)};
}

RaggedValue OfLengths(RaggedValue values, const Tensor& lengths,
                      std::optional<int64_t> uniform = {}) {
  return {std::move(values), RowPartition::OfLengths(lengths, uniform)};
}

Tensor BoundTensor(const SubscriptBound& b, DataType dtype) {
  return b.tensor ? CastTo(b.tensor, dtype) : IntegerConstant(b.value, dtype);
}

// values[start:limit] of scalars.
RaggedValue Between(const RaggedValue& values, const Tensor& start,
                    const Tensor& limit) {
  SubscriptEntry entry;
  entry.begin.emplace().tensor = start;
  entry.end.emplace().tensor = limit;
  return RaggedSubscript(values, {entry});
}

// The row at a number, which may be negative or a tensor.
RaggedValue RowOf(const RaggedValue& ragged, SubscriptEntry entry) {
  const RowPartition& rows = ragged.rows();
  const std::optional<int64_t> count = rows.known_nrows();
  const SubscriptBound& i = *entry.begin;
  if (!i.tensor && count && (i.value < -*count || i.value >= *count)) {
    throw Error(IndexError("Row key {} out of bounds", i.value));
  }
  return Between(ragged.values(), Subscript(rows.starts(), {entry}),
                 Subscript(rows.limits(), {entry}));
}

RaggedValue RowsOf(const RaggedValue& ragged, const SubscriptEntry& entry) {
  if (TakesAll(entry)) return ragged;
  const RowPartition& rows = ragged.rows();
  const Tensor starts = Subscript(rows.starts(), {entry}),
               limits = Subscript(rows.limits(), {entry});
  return OfLengths(GatherRows(ragged.values(), FlatRanges(starts, limits)),
                   limits - starts, rows.uniform);
}

// Element i of every row; the rows are of one length.
RaggedValue ColumnOf(const RaggedValue& ragged, const SubscriptBound& i) {
  const RowPartition& rows = ragged.rows();
  if (!rows.uniform) {
    throw Error(ValueError("Cannot index into an inner ragged dimension."));
  }
  const int64_t length = *rows.uniform;
  if (!i.tensor && (i.value < -length || i.value >= length)) {
    throw Error(
        IndexError("Index {} out of bounds for rows of {}", i.value, length));
  }
  const Tensor at = BoundTensor(i, rows.dtype());
  return GatherRows(ragged.values(),
                    rows.starts() + Select(at < 0, at + length, at));
}

// The same slice of every row.
RaggedValue ColumnsOf(const RaggedValue& ragged, const SubscriptEntry& e) {
  const RowPartition& rows = ragged.rows();
  if (e.stride && e.stride->tensor) {
    throw Error(TypeError("The step of a slice of ragged rows is a number."));
  }
  const int64_t step = e.stride ? e.stride->value : 1;
  if (step == 0) throw Error(ValueError("slice step cannot be zero"));
  const Tensor starts = rows.starts(), lengths = rows.limits() - starts;
  const Tensor zero = ops::ZerosLike(lengths);
  // As Python has it for each length.
  const Tensor low = step > 0 ? zero : zero - 1;
  const Tensor high = step > 0 ? lengths : lengths - 1;
  const auto bound = [&](const std::optional<SubscriptBound>& b,
                         const Tensor& otherwise) {
    if (!b) return otherwise;
    const Tensor at = BoundTensor(*b, rows.dtype()) + zero;
    return Min(Max(Select(at < 0, at + lengths, at), low), high);
  };
  const Tensor first = bound(e.begin, step > 0 ? low : high);
  const Tensor last = bound(e.end, step > 0 ? high : low);
  std::optional<int64_t> uniform;
  const bool known = !(e.begin && e.begin->tensor) && !(e.end && e.end->tensor);
  if (rows.uniform && known) {
    const int64_t n = *rows.uniform;
    const auto at = [&](const std::optional<SubscriptBound>& b, int64_t none) {
      if (!b) return none;
      const int64_t i = b->value < 0 ? b->value + n : b->value;
      return std::clamp<int64_t>(i, step > 0 ? 0 : -1, step > 0 ? n : n - 1);
    };
    const int64_t from = at(e.begin, step > 0 ? 0 : n - 1),
                  to = at(e.end, step > 0 ? n : -1);
    const int64_t reach = step > 0 ? to - from : from - to;
    const int64_t stride = step > 0 ? step : -step;
    uniform = std::max<int64_t>(0, (reach + stride - 1) / stride);
  }
  return OfLengths(GatherRows(ragged.values(),
                              FlatRanges(starts + first, starts + last, step)),
                   RangeLengths(first, last, step), uniform);
}

// Applies entries to the dimensions below the rows.
RaggedValue Below(const RaggedValue& ragged, Entries entries) {
  if (std::all_of(entries.begin(), entries.end(), TakesAll)) return ragged;
  if (!ragged.is_ragged()) {
    std::vector<SubscriptEntry> all(1);
    all.insert(all.end(), entries.begin(), entries.end());
    return Subscript(ragged.flat(), std::move(all));
  }
  const SubscriptEntry& first = entries[0];
  const Entries rest = entries.subspan(1);
  switch (first.kind) {
    case Kind::kNewAxis: {
      // Rows of one element each, which holds the row.
      const RaggedValue inner = Below(ragged, rest);
      const RaggedValue rows(inner.is_ragged() ? inner.values() : inner,
                             ragged.rows());
      return {rows, RowPartition{Count(ragged.nrows() + 1), 1}};
    }
    case Kind::kIndex:
      return Below(ColumnOf(ragged, *first.begin), rest);
    default:
      break;
  }
  const RaggedValue cut = TakesAll(first) ? ragged : ColumnsOf(ragged, first);
  return cut.WithValues(Below(cut.values(), rest));
}

RaggedValue Indexed(const RaggedValue& ragged, Entries entries) {
  if (entries.empty()) return ragged;
  if (!ragged.is_ragged()) {
    return Subscript(ragged.flat(), {entries.begin(), entries.end()});
  }
  const SubscriptEntry& first = entries[0];
  const Entries rest = entries.subspan(1);
  if (first.kind == Kind::kIndex) return Indexed(RowOf(ragged, first), rest);
  if (first.kind == Kind::kSlice) return Below(RowsOf(ragged, first), rest);
  // One row, which holds all.
  const RaggedValue inner = Indexed(ragged, rest);
  if (!inner.is_ragged()) return Row(inner.flat());
  const Tensor count = inner.nrows();
  return {inner, RowPartition{Vector({Number(0, count), count}), {}}};
}

}  // namespace

RaggedValue RaggedSubscript(const RaggedValue& ragged,
                            std::vector<SubscriptEntry> entries) {
  const auto is_ellipsis = [](const SubscriptEntry& e) {
    return e.kind == Kind::kEllipsis;
  };
  const auto place = std::find_if(entries.begin(), entries.end(), is_ellipsis);
  if (place != entries.end() && ragged.is_ragged()) {
    if (std::count_if(entries.begin(), entries.end(), is_ellipsis) > 1) {
      throw Error(ValueError("An index can have only one ellipsis ('...')."));
    }
    const int rank = ragged.rank();
    if (rank < 0) {
      throw Error(ValueError(
          "An ellipsis needs a ragged tensor of known rank to stand for."));
    }
    const auto used = std::count_if(entries.begin(), entries.end(),
                                    [](const SubscriptEntry& e) {
                                      return e.kind != Kind::kNewAxis;
                                    }) -
                      1;
    if (used > rank) {
      throw Error(
          ValueError("Too many indices for a tensor of rank {}.", rank));
    }
    const auto at = entries.erase(place);
    const std::vector<SubscriptEntry> all(rank - used);
    entries.insert(at, all.begin(), all.end());
  }
  return Indexed(ragged, entries);
}

RaggedValue GatherRows(const RaggedValue& values, const Tensor& indices) {
  if (!values.is_ragged()) return Take(values.flat(), indices);
  if (RowsAreAtHand(values) && !indices.is_symbolic() && indices.rank() == 1) {
    return GatheredAtOnce(values, indices);
  }
  const RowPartition& rows = values.rows();
  const Tensor starts = Take(rows.starts(), indices),
               limits = Take(rows.limits(), indices);
  return OfLengths(GatherRows(values.values(), FlatRanges(starts, limits)),
                   limits - starts, rows.uniform);
}

Tensor FlatRanges(const Tensor& starts, const Tensor& limits, int64_t step) {
  const RowPartition rows =
      RowPartition::OfLengths(RangeLengths(starts, limits, step));
  const Tensor ids = rows.rowids();
  const Tensor columns = rows.columns(ids);
  return Take(starts, ids) + (step == 1 ? columns : columns * step);
}

}  // namespace gk
