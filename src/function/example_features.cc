#include "function/example_features.h"

#include <algorithm>
#include <utility>

#include "function/divided_feature.h"
#include "function/feature_keys.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/ParseExampleV2.h"
#include "ops/fn/Reshape.h"

namespace gk {
namespace {

using FeatureKind = ExampleFeature::Kind;

void CheckApart(std::string_view one, const FeatureKeys& a,
                std::string_view other, const FeatureKeys& b) {
  FeatureKeys both;
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
  return OwnConstant(ValueOrThrow(Tensor::Zeros(dtype, TensorShape({0}))));
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

  const std::span<const ExampleFeature> features_;
  FeatureKeys sparse_, dense_, ragged_;
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
      ragged_.AddPartitions(f);
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
      otherwise = ops::Reshape(otherwise, OwnIntegers(dims, "Reshape/shape"));
    } else {
      otherwise = NoDefault(f.dtype);
    }
  } else {
    PartialTensorShape shape = f.shape;
    shape.InsertDim(0, -1);
    shapes_.push_back(std::move(shape));
    // What pads a batch.
    otherwise = otherwise
                    ? ops::Reshape(otherwise, OwnIntegers({}, "Reshape/shape"))
                    : OwnConstant(ValueOrThrow(Tensor::Zeros(f.dtype, {})));
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
      serialized, names ? names : OwnTexts({}, "ParseExampleV2/names"),
      OwnTexts(sparse_.names, "ParseExampleV2/sparse_keys"),
      OwnTexts(dense_.names, "ParseExampleV2/dense_keys"),
      OwnTexts(ragged_.names, "ParseExampleV2/ragged_keys"), defaults_,
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
  const Tensor last = OwnConstant(Tensor::Scalar(int32_t{1})),
               zero = OwnConstant(Tensor::Scalar(int32_t{0}));
  const SparseValue first = SparseOf(f.index_keys[0]);
  if (is_batch_) {
    columns.push_back(
        ops::ExpandDims(ops::GatherV2(first.indices, zero, last), last));
  }
  for (const std::string& key : f.index_keys) {
    columns.push_back(ops::ExpandDims(SparseOf(key).values, last));
  }
  const Tensor indices =
      columns.size() == 1 ? columns[0] : ops::ConcatV2(columns, last);
  Tensor shape = OwnIntegers(f.size);
  if (is_batch_) {
    const Tensor rows =
        ops::GatherV2(values.dense_shape, OwnIntegers({0}), zero);
    const Tensor parts[] = {rows, shape};
    shape = ops::ConcatV2(parts, zero);
  }
  const SparseValue merged = SparseValue::Make(indices, values.values, shape);
  return f.already_sorted ? merged : merged.Reordered();
}

ExampleValue Request::ValueOf(const ExampleFeature& f) const {
  switch (f.kind) {
    case FeatureKind::kVariable:
      return SparseOf(f.key);
    case FeatureKind::kSparse:
      return Merged(f);
    case FeatureKind::kRagged: {
      RaggedValue value = RaggedOf(f.value_key.empty() ? f.key : f.value_key);
      return DividedFeature(
          std::move(value), f, is_batch_,
          [&](const std::string& key) { return RaggedOf(key); });
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
