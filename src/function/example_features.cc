#include "function/example_features.h"

#include <algorithm>
#include <utility>

#include "function/ragged/ragged.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/ParseExampleV2.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/UnsortedSegmentMax.h"
#include "ops/operators.h"

namespace gk {
namespace {

using FeatureKind = ExampleFeature::Kind;

Tensor StringVector(const std::vector<std::string>& texts) {
  return Tensor::Vector(std::span<const std::string>(texts));
}

Tensor Integers(std::vector<int64_t> values) {
  return Tensor::Vector(std::span<const int64_t>(values));
}

// Names of features that are asked for in one way, each once.
struct Keys {
  std::vector<std::string> names;
  std::vector<DataType> types, splits;

  size_t Find(std::string_view name) const {
    return std::find(names.begin(), names.end(), name) - names.begin();
  }
  void Add(const std::string& name, DataType type,
           DataType split = DataType::kInvalid) {
    const size_t at = Find(name);
    if (at == names.size()) {
      names.push_back(name);
      types.push_back(type);
      splits.push_back(split);
      return;
    }
    const auto agree = [&](std::string_view what, DataType had, DataType now) {
      if (had == now) return;
      throw Error(
          ValueError("Conflicting {}type <dtype: '{}'> vs <dtype: '{}'> for "
                     "feature {}.",
                     what, DataTypeName(had), DataTypeName(now), name));
    };
    agree("", types[at], type);
    agree("row_splits ", splits[at], split);
  }
  std::string Text() const {
    std::string text;
    for (const std::string& name : names) {
      text += (text.empty() ? "'" : ", '") + name + "'";
    }
    return "[" + text + "]";
  }
};

void CheckApart(std::string_view one, const Keys& a, std::string_view other,
                const Keys& b) {
  Keys both;
  for (const std::string& name : a.names) {
    if (b.Find(name) < b.names.size()) {
      both.Add(name, DataType::kInvalid);
    }
  }
  if (both.names.empty()) return;
  std::string first(one);
  first[0] = static_cast<char>(first[0] - 'a' + 'A');
  throw Error(
      ValueError("{} and {} keys must not intersect; {}_keys: {}, {}_keys: {}, "
                 "intersection: {}",
                 first, other, one, a.Text(), other, b.Text(), both.Text()));
}

// An empty default: there is none.
Tensor NoDefault(DataType dtype) {
  return ValueOrThrow(Tensor::Zeros(dtype, TensorShape({0})));
}

// A tensor's rows of so many elements each.
RaggedValue Rows(const Tensor& flat, int64_t length) {
  std::vector<int64_t> dims{-1, length};
  const PartialTensorShape shape = flat.partial_shape();
  for (int i = 1; i < shape.rank(); ++i) dims.push_back(shape.dim(i));
  return ops::Reshape(flat, Integers(std::move(dims)));
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

class Request {
 public:
  explicit Request(std::span<const ExampleFeature> features)
      : features_(features) {
    for (const ExampleFeature& f : features) Add(f);
    CheckApart("dense", dense_, "sparse", sparse_);
    CheckApart("dense", dense_, "ragged", ragged_);
    CheckApart("ragged", ragged_, "sparse", sparse_);
  }

  std::vector<ExampleValue> Run(const Tensor& serialized, const Tensor& names);

 private:
  void Add(const ExampleFeature& f);
  void AddDense(const ExampleFeature& f);

  ExampleValue ValueOf(const ExampleFeature& f) const;
  SparseValue SparseOf(const std::string& key) const;
  RaggedValue RaggedOf(const std::string& key) const;
  SparseValue Merged(const ExampleFeature& f) const;
  RaggedValue Divided(RaggedValue values, const ExampleFeature& f,
                      const FeaturePartition& p) const;

  const std::span<const ExampleFeature> features_;
  Keys sparse_, dense_, ragged_;
  std::vector<PartialTensorShape> shapes_;
  TensorVector defaults_;
  TensorVector made_;  // what the op gave
  bool is_batch_ = true;
};

void Request::Add(const ExampleFeature& f) {
  const auto lacks = [&](std::string_view what) {
    return Error(ValueError("Missing {} for SparseFeature {}.", what, f.shown));
  };
  if (f.kind == FeatureKind::kSparse) {
    if (f.index_keys.empty()) throw lacks("index_key");
    if (f.value_key.empty()) throw lacks("value_key");
    if (f.size.size() != f.index_keys.size()) {
      throw Error(
          ValueError("Expected as many sizes as index keys for feature {}, got "
                     "{} and {}. Received feature={}.",
                     f.key, f.size.size(), f.index_keys.size(), f.shown));
    }
  }
  if (f.dtype == DataType::kInvalid) {
    throw Error(ValueError("Missing type for feature {}. Received feature={}.",
                           f.key, f.shown));
  }
  switch (f.kind) {
    case FeatureKind::kFixed:
    case FeatureKind::kSequence:
      return AddDense(f);
    case FeatureKind::kVariable:
      return sparse_.Add(f.key, f.dtype);
    case FeatureKind::kSparse: {
      for (const std::string& key : f.index_keys) {
        sparse_.Add(key, DataType::kInt64);
      }
      return sparse_.Add(f.value_key, f.dtype);
    }
    case FeatureKind::kRagged: {
      const std::string& key = f.value_key.empty() ? f.key : f.value_key;
      ragged_.Add(key, f.dtype, f.splits_type);
      for (const FeaturePartition& p : f.partitions) {
        if (p.kind != FeaturePartition::Kind::kUniform) {
          ragged_.Add(p.key, DataType::kInt64, f.splits_type);
        }
      }
    }
  }
}

void Request::AddDense(const ExampleFeature& f) {
  if (f.kind == FeatureKind::kSequence && !f.allow_missing) {
    throw Error(ValueError(
        "Unsupported: FixedLenSequenceFeature requires allow_missing to be "
        "True."));
  }
  if (f.shape.unknown_rank()) {
    throw Error(ValueError("Missing shape for feature {}. Received feature={}.",
                           f.key, f.shown));
  }
  for (int i = 0; i < f.shape.rank(); ++i) {
    if (f.shape.dim(i) >= 0) continue;
    throw Error(
        i == 0 && f.kind == FeatureKind::kFixed
            ? ValueError("First dimension of shape for feature {} unknown. "
                         "Consider using FixedLenSequenceFeature. Received "
                         "feature={}.",
                         f.key, f.shown)
            : ValueError("All dimensions of shape for feature {} need to be "
                         "known but received {}.",
                         f.key, f.shape.PythonString()));
  }
  dense_.Add(f.key, f.dtype);
  Tensor otherwise = f.default_value;
  if (f.kind == FeatureKind::kFixed) {
    shapes_.push_back(f.shape);
    if (otherwise) {
      std::vector<int64_t> dims(f.shape.dims().begin(), f.shape.dims().end());
      otherwise = ops::Reshape(otherwise, Integers(std::move(dims)));
    } else {
      otherwise = NoDefault(f.dtype);
    }
  } else {
    PartialTensorShape shape = f.shape;
    shape.InsertDim(0, -1);
    shapes_.push_back(std::move(shape));
    // What pads a batch.
    otherwise = otherwise ? ops::Reshape(otherwise, Integers({}))
                          : ValueOrThrow(Tensor::Zeros(f.dtype, {}));
  }
  defaults_.push_back(std::move(otherwise));
}

std::vector<ExampleValue> Request::Run(const Tensor& serialized,
                                       const Tensor& names) {
  const PartialTensorShape shape = serialized.partial_shape();
  if (shape.unknown_rank()) {
    throw Error(ValueError(
        "The rank of serialized examples must be known: a scalar is one "
        "example, a vector a batch. Set it with set_shape or an input "
        "signature."));
  }
  is_batch_ = shape.rank() > 0;
  made_ = ops::ParseExampleV2(
      serialized, names ? names : StringVector({}), StringVector(sparse_.names),
      StringVector(dense_.names), StringVector(ragged_.names), defaults_,
      static_cast<int64_t>(sparse_.names.size()), sparse_.types, ragged_.types,
      ragged_.splits, shapes_);
  std::vector<ExampleValue> values;
  for (const ExampleFeature& f : features_) values.push_back(ValueOf(f));
  return values;
}

SparseValue Request::SparseOf(const std::string& key) const {
  const size_t at = sparse_.Find(key), n = sparse_.names.size();
  return SparseValue::Make(made_[at], made_[n + at], made_[2 * n + at]);
}

RaggedValue Request::RaggedOf(const std::string& key) const {
  const size_t first = 3 * sparse_.names.size() + dense_.names.size();
  const size_t at = first + ragged_.Find(key);
  if (!is_batch_) return made_[at];
  return {made_[at],
          RowPartition::FromSplits(made_[at + ragged_.names.size()], false)};
}

// The values at the places that other features tell.
SparseValue Request::Merged(const ExampleFeature& f) const {
  TensorVector columns;
  const SparseValue values = SparseOf(f.value_key);
  const Tensor last = Tensor::Scalar(int32_t{1});
  const SparseValue first = SparseOf(f.index_keys[0]);
  if (is_batch_) {
    columns.push_back(ops::ExpandDims(
        ops::GatherV2(first.indices, Tensor::Scalar(int32_t{0}), last), last));
  }
  for (const std::string& key : f.index_keys) {
    columns.push_back(ops::ExpandDims(SparseOf(key).values, last));
  }
  const Tensor indices =
      columns.size() == 1 ? columns[0] : ops::ConcatV2(columns, last);
  Tensor shape = Integers(f.size);
  if (is_batch_) {
    const Tensor rows = ops::GatherV2(values.dense_shape, Integers({0}),
                                      Tensor::Scalar(int32_t{0}));
    const Tensor parts[] = {rows, shape};
    shape = ops::ConcatV2(parts, Tensor::Scalar(int32_t{0}));
  }
  const SparseValue merged = SparseValue::Make(indices, values.values, shape);
  return f.already_sorted ? merged : merged.Reordered();
}

// The rows of `values` (of a batch: of those below its first partition) as a
// feature divides them.
RaggedValue Request::Divided(RaggedValue values, const ExampleFeature& f,
                             const FeaturePartition& p) const {
  using By = FeaturePartition::Kind;
  const auto cast = [&](Tensor t) {
    return t.dtype() == f.splits_type ? t
                                      : ops::Cast(std::move(t), f.splits_type);
  };
  const auto number = [&](int64_t n) { return cast(Tensor::Scalar(n)); };
  RaggedValue inner = is_batch_ ? values.values() : values;
  const auto divide = [&](const RowPartition& rows) -> RaggedValue {
    return {inner, f.validate ? rows.Checked(cast(inner.nrows())) : rows};
  };
  if (p.kind == By::kUniform) {
    if (!values.is_ragged()) return Rows(values.flat(), p.length);
    RaggedValue divided = divide(RowPartition::FromUniform(
        number(p.length), Tensor(), cast(inner.nrows()), f.validate));
    if (!is_batch_) return divided;
    const Tensor outer =
        Apply(Operator::kFloorDivide, values.rows().splits, number(p.length));
    return {std::move(divided), RowPartition::FromSplits(outer, f.validate)};
  }
  const RaggedValue told = RaggedOf(p.key);
  const Tensor numbers = cast(told.flat());
  if (!is_batch_) return divide(RowsBy(p.kind, numbers, inner, f));
  // Numbers count from the begin of an example: they are moved to where that
  // is in the batch.
  const auto moved = [&](const Tensor& from, const Tensor& begins,
                         const RowPartition& of) {
    const Tensor zero = Tensor::Scalar(int32_t{0});
    return Apply(Operator::kAdd, from,
                 ops::GatherV2(begins, of.rowids(), zero));
  };
  const RowPartition& outer = told.rows();
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

ExampleValue Request::ValueOf(const ExampleFeature& f) const {
  switch (f.kind) {
    case FeatureKind::kVariable:
      return SparseOf(f.key);
    case FeatureKind::kSparse:
      return Merged(f);
    case FeatureKind::kRagged: {
      RaggedValue value = RaggedOf(f.value_key.empty() ? f.key : f.value_key);
      for (auto p = f.partitions.rbegin(); p != f.partitions.rend(); ++p) {
        value = Divided(std::move(value), f, *p);
      }
      return value;
    }
    default: {
      const size_t at = 3 * sparse_.names.size() + dense_.Find(f.key);
      return made_[at];
    }
  }
}

}  // namespace

std::vector<ExampleValue> ParseExample(
    const Tensor& serialized, const Tensor& names,
    std::span<const ExampleFeature> features) {
  return Request(features).Run(serialized, names);
}

}  // namespace gk
