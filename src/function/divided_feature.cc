#include "function/divided_feature.h"

#include <utility>
#include <vector>

#include "function/feature_keys.h"
#include "function/ragged/ragged.h"
#include "ops/fn/Cast.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/UnsortedSegmentMax.h"
#include "ops/operators.h"

namespace gk {
namespace {

// A tensor's rows of so many elements each.
RaggedValue Rows(const Tensor& flat, int64_t length) {
  std::vector<int64_t> dims{-1, length};
  const PartialTensorShape shape = flat.partial_shape();
  for (int i = 1; i < shape.rank(); ++i) dims.push_back(shape.dim(i));
  return ops::Reshape(flat, OwnIntegers(dims, "Reshape/shape"));
}

// Rows of `inner` as numbers of one kind tell.
RowPartition RowsBy(FeaturePartition::Kind kind, const Tensor& numbers,
                    const RaggedValue& inner, const ExampleFeature& f) {
  using By = FeaturePartition::Kind;
  switch (kind) {
    case By::kSplits:
      return RowPartition::FromSplits(numbers, f.validate);
    case By::kLengths:
      return RowPartition::FromLengths(numbers, f.validate);
    case By::kLimits:
      return RowPartition::FromLimits(numbers, f.validate);
    case By::kStarts: {
      Tensor count = inner.nrows();
      if (count.dtype() != f.splits_type) {
        count = ops::Cast(count, f.splits_type);
      }
      return RowPartition::FromStarts(numbers, count, f.validate);
    }
    default:
      return RowPartition::FromRowids(numbers, Tensor(), f.validate);
  }
}

// As many as are told: lists of features may have other numbers of steps, and
// numbers of rows others than there are values.
void CheckAsMany(const PartialTensorShape& there,
                 const PartialTensorShape& told, const ExampleFeature& f,
                 const FeaturePartition& p) {
  if (there.IsCompatibleWith(told)) return;
  throw Error(ValueError(
      "Shapes {} and {} are incompatible: those of feature {} and of {}, which "
      "divides it",
      there.PythonString(), told.PythonString(), f.key, p.key));
}

// How many rows there are, if that is known.
PartialTensorShape RowsKnown(const RaggedValue& value) {
  const Tensor& first = value.is_ragged() ? value.rows().splits : value.flat();
  const PartialTensorShape shape = first.partial_shape();
  if (shape.unknown_rank() || shape.dim(0) < 0) {
    return PartialTensorShape(std::vector<int64_t>{-1});
  }
  return PartialTensorShape(
      std::vector<int64_t>{shape.dim(0) - (value.is_ragged() ? 1 : 0)});
}

// The rows of `values` (of a batch: of those below its first partition) as a
// feature divides them.
RaggedValue DividedBy(RaggedValue values, const ExampleFeature& f,
                      const FeaturePartition& p, bool is_batch,
                      FunctionRef<RaggedValue(const std::string&)> numbers_of) {
  using By = FeaturePartition::Kind;
  const auto cast = [&](Tensor t) {
    return t.dtype() == f.splits_type ? t
                                      : ops::Cast(std::move(t), f.splits_type);
  };
  const auto number = [&](int64_t n) {
    return cast(OwnConstant(Tensor::Scalar(n)));
  };
  RaggedValue inner = is_batch ? values.values() : values;
  const auto divide = [&](const RowPartition& rows) -> RaggedValue {
    return {inner, f.validate ? rows.Checked(cast(inner.nrows())) : rows};
  };
  if (p.kind == By::kUniform) {
    RaggedValue divided =
        inner.is_ragged()
            ? divide(RowPartition::FromUniform(number(p.length), Tensor(),
                                               cast(inner.nrows()), f.validate))
            : Rows(inner.flat(), p.length);
    if (!is_batch) return divided;
    const Tensor outer =
        Apply(Operator::kFloorDivide, values.rows().splits, number(p.length));
    return {std::move(divided), RowPartition::FromSplits(outer, f.validate)};
  }
  const RaggedValue told = numbers_of(p.key);
  const Tensor numbers = cast(told.flat());
  if (p.kind == By::kRowids) {
    CheckAsMany(RowsKnown(inner), RowsKnown(numbers), f, p);
  }
  if (!is_batch) return divide(RowsBy(p.kind, numbers, inner, f));
  // Numbers count from the begin of an example: they are moved to where that
  // is in the batch.
  const auto moved = [&](const Tensor& from, const Tensor& begins,
                         const RowPartition& of) {
    const Tensor zero = OwnConstant(Tensor::Scalar(int32_t{0}));
    return Apply(Operator::kAdd, from,
                 ops::GatherV2(begins, of.rowids(), zero));
  };
  const RowPartition& outer = told.rows();
  CheckAsMany(RowsKnown(values), RowsKnown(told), f, p);
  const Tensor begins = values.rows().starts();
  if (p.kind == By::kLengths) {
    return {divide(RowsBy(p.kind, numbers, inner, f)), outer};
  }
  if (p.kind == By::kStarts || p.kind == By::kLimits) {
    const Tensor places = moved(numbers, begins, outer);
    return {divide(RowsBy(p.kind, places, inner, f)), outer};
  }
  if (p.kind == By::kSplits) {
    // The first of each example is 0; the others are limits.
    const RaggedValue rest =
        RaggedSubscript(RaggedValue(numbers, std::vector<RowPartition>{outer}),
                        {{}, {.begin = int64_t{1}}});
    const Tensor limits = moved(rest.flat(), begins, rest.rows());
    return {divide(RowsBy(By::kLimits, limits, inner, f)), rest.rows()};
  }
  // As many rows in each example as its ids need.
  const Tensor most =
      ops::UnsortedSegmentMax(numbers, outer.rowids(), outer.nrows());
  const RowPartition rows = RowPartition::FromLengths(
      ops::Maximum(Apply(Operator::kAdd, most, number(1)), number(0)), false);
  const Tensor ids = moved(numbers, rows.starts(), outer);
  return {divide(RowPartition::FromRowids(ids, rows.nvals(), f.validate)),
          rows};
}

}  // namespace

RaggedValue DividedFeature(
    RaggedValue values, const ExampleFeature& feature, bool is_batch,
    FunctionRef<RaggedValue(const std::string&)> numbers_of) {
  const auto& partitions = feature.partitions;
  for (auto p = partitions.rbegin(); p != partitions.rend(); ++p) {
    values = DividedBy(std::move(values), feature, *p, is_batch, numbers_of);
  }
  return values;
}

}  // namespace gk
