#include "function/specs/spec_rows.h"

#include "function/control_flow.h"
#include "function/ragged/checks.h"
#include "function/ragged/integer_arithmetic.h"
#include "function/ragged/ragged.h"
#include "ops/composition.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Fill.h"
#include "ops/fn/Max.h"
#include "ops/fn/Pad.h"
#include "ops/fn/Shape.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

using Kind = TypeSpec::Kind;

RaggedValue RaggedOf(const TensorVector& parts) {
  std::vector<RowPartition> partitions;
  for (size_t i = 1; i < parts.size(); ++i) {
    partitions.push_back({parts[i], {}});
  }
  return {parts[0], std::move(partitions)};
}

// x[..., begin:] or, with an `index`, x[..., index], of a matrix or a vector.
Tensor Columns(const Tensor& x, std::optional<int64_t> index) {
  SubscriptEntry all{.kind = SubscriptEntry::Kind::kEllipsis}, last;
  if (index) {
    last.kind = SubscriptEntry::Kind::kIndex;
    last.begin = SubscriptBound(*index);
  } else {
    last.begin = SubscriptBound(1);
  }
  return Subscript(x, {all, last});
}

// Tensors alone, whose lengths are not all known, as long as the longest.
std::vector<RowSource> Aligned(std::span<const RowSource> sources) {
  TensorVector tensors;
  for (const RowSource& s : sources) {
    if (s.is_tensor()) tensors.push_back(s.tensor());
  }
  if (tensors.size() != sources.size()) return {sources.begin(), sources.end()};
  std::vector<RowSource> made;
  for (const Tensor& t : OfOneLength(tensors)) {
    made.emplace_back(TypeSpec::Tensor(t.dtype(), t.partial_shape()),
                      TensorVector{t});
  }
  return made;
}

}  // namespace

// --- RowSource.

RaggedValue RowSource::Ragged() const {
  std::vector<RowPartition> partitions;
  for (size_t i = 1; i < parts_.size(); ++i) {
    partitions.push_back({parts_[i], {}});
    const int64_t length =
        shape_.unknown_rank() ? kUnknownDim : shape_.dim(static_cast<int>(i));
    if (length >= 0) partitions.back().uniform = length;
  }
  return {parts_[0], std::move(partitions)};
}

Tensor RowSource::Count() const {
  switch (kind_) {
    case Kind::kRagged:
      return CastTo(Ragged().nrows(), DataType::kInt32);
    case Kind::kSparse:
      return CastTo(At(parts_[2], 0), DataType::kInt32);
    default:
      return At(ops::Shape(parts_[0]), 0);
  }
}

TensorVector RowSource::Row(const Tensor& i) const {
  if (is_tensor()) return {Take(parts_[0], i)};
  if (kind_ == Kind::kRagged) {
    SubscriptEntry at{.kind = SubscriptEntry::Kind::kIndex};
    at.begin = SubscriptBound::Of(i);
    const RaggedValue row = RaggedSubscript(Ragged(), {at});
    TensorVector parts = {row.flat()};
    for (const RowPartition& p : row.partitions()) parts.push_back(p.splits);
    return parts;
  }
  const Tensor here =
      ops::Equal(Columns(parts_[0], 0), CastTo(i, DataType::kInt64));
  const auto masked = [&](const Tensor& t) {
    return CallComposition("boolean_mask", {t, here})[0];
  };
  return {Columns(masked(parts_[0]), std::nullopt), masked(parts_[1]),
          Columns(parts_[2], std::nullopt)};
}

// --- RowCollector.

RowCollector::RowCollector(TypeSpec spec, bool infer_shape)
    : spec_(std::move(spec)) {
  const PartialTensorShape& shape = spec_.shape;
  const PartialTensorShape scalar = TensorShape(), vector({kUnknownDim});
  switch (spec_.kind) {
    case Kind::kRagged: {
      PartialTensorShape flat;
      if (!shape.unknown_rank()) flat = vector;
      for (int i = spec_.ragged_rank + 1; i < shape.rank(); ++i) {
        flat.AddDim(shape.dim(i));
      }
      kept_ = {{spec_.dtype, flat, true, false},
               {spec_.splits, scalar, false, false}};
      kept_.insert(kept_.end(), spec_.ragged_rank,
                   {spec_.splits, vector, true, false});
      return;
    }
    case Kind::kSparse: {
      if (shape.unknown_rank()) {
        throw Error(ValueError(
            "The rank of sparse results must be known, got {}", spec_.Text()));
      }
      const int64_t rank = shape.rank();
      kept_ = {{DataType::kInt64, PartialTensorShape({kUnknownDim, rank + 1}),
                true, false},
               {spec_.dtype, vector, true, false},
               {DataType::kInt64, PartialTensorShape({rank}), false, false}};
      return;
    }
    default:
      kept_ = {{spec_.dtype, shape, false, infer_shape}};
  }
}

void RowCollector::Keep(const Tensor& i, const TensorVector& parts,
                        TensorVector* kept) const {
  if (spec_.kind == Kind::kRagged) {
    const RaggedValue row = RaggedOf(parts);
    if (row.ragged_rank() != spec_.ragged_rank) {
      throw Error(
          ValueError("A result has ragged rank {}, its signature says {}",
                     row.ragged_rank(), spec_.ragged_rank));
    }
    kept->push_back(row.flat());
    kept->push_back(CastTo(
        row.is_ragged() ? row.nrows() : SizeOf(parts[0], 0, spec_.splits),
        spec_.splits));
    for (const RowPartition& p : row.partitions()) {
      kept->push_back(CastTo(p.lengths(), spec_.splits));
    }
  } else if (spec_.kind == Kind::kSparse) {
    const Tensor number =
        ops::Fill(Vector({SizeOf(parts[0], 0, DataType::kInt32), Int32Of(1)}),
                  CastTo(i, DataType::kInt64));
    kept->push_back(Concat({number, parts[0]}, 1));
    kept->push_back(parts[1]);
    kept->push_back(parts[2]);
  } else {
    kept->push_back(parts[0]);
  }
}

TensorVector RowCollector::Together(std::span<const Tensor> kept,
                                    const Tensor& count) const {
  if (spec_.kind == Kind::kRagged) {
    // One dimension more: the rows' own lengths.
    TensorVector parts = {kept[0]};
    for (const Tensor& lengths : kept.subspan(1)) {
      parts.push_back(
          RowPartition::FromLengths(lengths, /*validate=*/false).splits);
    }
    return parts;
  }
  if (spec_.kind != Kind::kSparse) return {kept[0]};
  // The largest of the rows' shapes holds all of them.
  const Tensor edges = ValueOrThrow(OpBuilder::Current()->Constant(
      Tensor::OfValues<int32_t>(
          std::vector<int32_t>{1, 0, 0, 0},
          ValueOrThrow(TensorShape::Make(std::vector<int64_t>{2, 2}))),
      {}));
  const Tensor padded = ops::Pad(kept[2], edges);
  const Tensor inner = ops::Max(padded, IntegerConstant(0));
  return {kept[0], kept[1],
          Concat({Vector({CastTo(count, DataType::kInt64)}), inner})};
}

// --- SpecRowHost.

TensorVector SpecRowHost::Parts(const Tensor& place, const TensorVector& row) {
  std::vector<TensorVector> rows;
  size_t next = 0;
  for (size_t k = 0; k < sources_.size(); ++k) {
    if (const TensorVector* shared = Shared(k)) {
      rows.push_back(*shared);
    } else {
      rows.push_back(sources_[k].is_tensor() ? TensorVector{row[next++]}
                                             : sources_[k].Row(place));
    }
  }
  const std::vector<TensorVector> results = Call(rows);
  TensorVector kept;
  for (size_t k = 0; k < collectors_.size(); ++k) {
    collectors_[k].Keep(place, results.at(k), &kept);
  }
  return kept;
}

std::vector<TensorVector> SpecRowHost::Map(
    std::span<const RowSource> sources,
    std::span<const RowCollector> collectors, const FoldOptions& options) {
  sources_ = sources;
  collectors_ = collectors;
  std::vector<PartialTensorShape> shapes;
  TensorVector tensors;
  const RowSource* counted = nullptr;
  for (size_t k = 0; k < sources.size(); ++k) {
    if (Shared(k) != nullptr) continue;
    if (counted == nullptr) counted = &sources[k];
    shapes.push_back(sources[k].shape());
    if (sources[k].is_tensor()) tensors.push_back(sources[k].tensor());
  }
  known_count_ = CommonLength(shapes, "Elements in elems");
  const bool known = known_count_ >= 0;
  const Tensor count = known ? Int32Of(known_count_) : counted->Count();
  // A row that a sparse tensor does not have would pass for an empty one.
  Checks checks;
  for (size_t k = 0; k < sources.size(); ++k) {
    const RowSource& source = sources[k];
    const bool is_count = !known && &source == counted;
    if (Shared(k) != nullptr || source.is_tensor() || is_count) continue;
    if (CommonLength({&source.shape(), 1}) >= 0) continue;
    checks.Equal(source.Count(), count, "Elements in elems differ in length");
  }
  const Checks::Scope checked(checks);
  std::vector<RowPart> parts;
  for (const RowCollector& c : collectors) {
    parts.insert(parts.end(), c.kept().begin(), c.kept().end());
  }
  const TensorVector all =
      MapRows(*this, Rows(tensors, known_count_, known ? Tensor() : count),
              parts, options);
  std::span<const Tensor> rest(all);
  std::vector<TensorVector> made;
  for (const RowCollector& c : collectors) {
    made.push_back(c.Together(rest.first(c.kept().size()), count));
    rest = rest.subspan(c.kept().size());
  }
  return made;
}

std::vector<TensorVector> SpecRowHost::MapSharing(
    std::span<const RowSource> given, std::span<const size_t> sizes,
    const FoldOptions& options) {
  const std::vector<RowSource> aligned = Aligned(given);
  const std::span<const RowSource> sources(aligned);
  std::vector<std::vector<PartialTensorShape>> shapes;
  size_t next = 0;
  for (const size_t size : sizes) {
    std::vector<PartialTensorShape>& own = shapes.emplace_back();
    for (const RowSource& s : sources.subspan(next, size)) {
      own.push_back(s.shape());
    }
    next += size;
  }
  const std::vector<bool> shared = SharedByRows(shapes);
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (size_t k = 0; k < sizes[i]; ++k) {
      const RowSource& source = sources[shared_.size()];
      shared_.push_back(shared[i] ? source.Row(Int32Of(0)) : TensorVector());
    }
  }
  std::span<const RowCollector> collectors;
  const Tensor like = Tensor::Scalar(int32_t{0});
  TracePart("map_row", {{like}}, {{TensorShape()}},
            [&](std::span<const Tensor> place) {
              std::vector<TensorVector> rows;
              for (size_t k = 0; k < sources.size(); ++k) {
                const TensorVector* const all = Shared(k);
                rows.push_back(all ? *all : sources[k].Row(place[0]));
              }
              collectors = CollectorsOf(rows);
              return TensorVector();
            });
  return Map(sources, collectors, options);
}

}  // namespace gk
