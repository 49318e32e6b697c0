#include "function/example_sequences.h"

#include <algorithm>
#include <string>

#include "function/divided_feature.h"
#include "function/feature_keys.h"
#include "ops/fn/ParseSequenceExampleV2.h"
#include "ops/fn/Reshape.h"

namespace gk {
namespace {

using SequenceKind = ExampleFeature::Kind;

// Features that are asked for in one way, as the op takes them.
struct SequenceRequest {
  std::vector<std::string> sparse, dense;
  FeatureKeys ragged;
  std::vector<DataType> sparse_types, dense_types;
  std::vector<PartialTensorShape> dense_shapes;
  TensorVector defaults;
  std::vector<bool> may_miss;

  SequenceRequest(std::span<const ExampleFeature> features,
                  SequenceKind dense_kind) {
    for (const ExampleFeature& f : features) Add(f, dense_kind);
  }

  // Where the results of feature i are among those of its way.
  std::vector<size_t> places;

 private:
  void Add(const ExampleFeature& f, SequenceKind dense_kind) {
    if (f.dtype == DataType::kInvalid) {
      throw Error(ValueError(
          "Missing type for feature {}. Received feature={}.", f.key, f.shown));
    }
    if (f.kind == SequenceKind::kVariable) {
      places.push_back(sparse.size());
      sparse.push_back(f.key);
      sparse_types.push_back(f.dtype);
    } else if (f.kind == SequenceKind::kRagged) {
      const std::string& key = f.value_key.empty() ? f.key : f.value_key;
      ragged.Add(key, f.dtype, f.splits_type);
      ragged.AddPartitions(f);
      places.push_back(ragged.Find(key));
    } else if (f.kind == dense_kind) {
      if (f.shape.unknown_rank() || !f.shape.IsFullyDefined()) {
        throw Error(ValueError(
            "All dimensions of shape for feature {} need to be known but "
            "received {}.",
            f.key, f.shape.unknown_rank() ? "None" : f.shape.PythonString()));
      }
      places.push_back(dense.size());
      dense.push_back(f.key);
      dense_types.push_back(f.dtype);
      dense_shapes.push_back(f.shape);
      may_miss.push_back(f.allow_missing);
      if (dense_kind == SequenceKind::kSequence) {
        if (!f.default_value) return;
        throw Error(ValueError(
            "Unsupported: a list of features has no default_value, but feature "
            "{} is {}",
            f.key, f.shown));
      }
      std::vector<int64_t> dims(f.shape.dims().begin(), f.shape.dims().end());
      defaults.push_back(
          f.default_value
              ? ops::Reshape(f.default_value,
                             OwnIntegers(dims, "Reshape/shape"))
              : OwnConstant(
                    ValueOrThrow(Tensor::Zeros(f.dtype, TensorShape({0})))));
    } else {
      throw Error(ValueError(
          "Unsupported {} for feature {}: a {} takes others", f.shown, f.key,
          dense_kind == SequenceKind::kFixed ? "context" : "list of features"));
    }
  }
};

Tensor Flags(const std::vector<bool>& flags) {
  Tensor t = ValueOrThrow(Tensor::Allocate(
      DataType::kBool, TensorShape({static_cast<int64_t>(flags.size())})));
  std::copy(flags.begin(), flags.end(), t.data<bool>());
  return OwnConstant(t);
}

Tensor NameVector(const std::vector<std::string>& names) {
  return OwnTexts(names, "ParseSequenceExample/keys");
}

}  // namespace

SequenceValues ParseSequenceExample(const Tensor& serialized,
                                    const Tensor& names,
                                    std::span<const ExampleFeature> context,
                                    std::span<const ExampleFeature> sequence) {
  const PartialTensorShape shape = serialized.partial_shape();
  if (shape.unknown_rank()) {
    throw Error(ValueError(
        "The rank of serialized examples must be known: a scalar is one "
        "example, a vector a batch. Set it with set_shape or an input "
        "signature."));
  }
  const bool batch = shape.rank() > 0;
  const SequenceRequest c(context, SequenceKind::kFixed),
      s(sequence, SequenceKind::kSequence);
  const TensorVector made = ops::ParseSequenceExampleV2(
      serialized, names ? names : NameVector({}), NameVector(c.sparse),
      NameVector(c.dense), NameVector(c.ragged.names), NameVector(s.sparse),
      NameVector(s.dense), NameVector(s.ragged.names), Flags(s.may_miss),
      c.defaults, static_cast<int64_t>(c.sparse.size()), c.sparse_types,
      c.ragged.types, c.ragged.splits, c.dense_shapes,
      static_cast<int64_t>(s.sparse.size()),
      static_cast<int64_t>(s.dense.size()), s.dense_types, s.sparse_types,
      s.ragged.types, s.ragged.splits, s.dense_shapes);

  SequenceValues values;
  size_t first = 0;
  const auto part = [&](std::span<const ExampleFeature> features,
                        const SequenceRequest& r, bool lists,
                        std::vector<ExampleValue>* to) {
    const size_t sparse = r.sparse.size(), dense = r.dense.size(),
                 ragged = r.ragged.names.size();
    const size_t first_dense = first + 3 * sparse;
    const size_t first_ragged = first_dense + (lists ? 2 : 1) * dense;
    for (size_t i = 0; i < features.size(); ++i) {
      const size_t at = r.places[i];
      if (lists) values.lengths.emplace_back();
      if (features[i].kind == SequenceKind::kVariable) {
        const size_t k = first + at;
        to->push_back(
            SparseValue::Make(made[k], made[sparse + k], made[2 * sparse + k]));
      } else if (features[i].kind == SequenceKind::kRagged) {
        const auto rows = [&](size_t at, size_t group) {
          return RowPartition::FromSplits(
              made[first_ragged + at + group * ragged], false);
        };
        // A step of a list is divided as an example is.
        const auto read = [&](size_t at) -> RaggedValue {
          RaggedValue value = made[first_ragged + at];
          if (!lists && !batch) return value;
          return {std::move(value), rows(at, lists ? 2 : 1)};
        };
        RaggedValue value = DividedFeature(
            read(at), features[i], lists || batch,
            [&](const std::string& key) { return read(r.ragged.Find(key)); });
        if (lists && batch) value = {std::move(value), rows(at, 1)};
        if (value.is_ragged()) {
          to->push_back(std::move(value));
        } else {
          to->push_back(value.flat());
        }
      } else {
        to->push_back(made[first_dense + at]);
        if (lists) values.lengths.back() = made[first_dense + dense + at];
      }
    }
    first = first_ragged + (lists ? 3 : 2) * ragged;
  };
  part(context, c, false, &values.context);
  part(sequence, s, true, &values.sequence);
  return values;
}

}  // namespace gk
