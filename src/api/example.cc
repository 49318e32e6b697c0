#include "graphkiln/example.h"

#include <utility>

#include "api/inner.h"
#include "function/example_features.h"

namespace gk::api::io {
namespace {

using Inside = ::gk::ExampleFeature;

InnerTensor ValueOrNone(const Tensor& t) {
  return t.defined() ? Inner(t) : InnerTensor();
}

Inside InnerOf(const FixedLenFeature& f) {
  return {.shown = "FixedLenFeature",
          .kind = Inside::Kind::kFixed,
          .dtype = Inner(f.dtype),
          .shape = Inner(f.shape),
          .default_value = ValueOrNone(f.default_value)};
}

Inside InnerOf(const FixedLenSequenceFeature& f) {
  return {.shown = "FixedLenSequenceFeature",
          .kind = Inside::Kind::kSequence,
          .dtype = Inner(f.dtype),
          .shape = Inner(f.shape),
          .default_value = ValueOrNone(f.default_value),
          .allow_missing = f.allow_missing};
}

Inside InnerOf(const VarLenFeature& f) {
  return {.shown = "VarLenFeature",
          .kind = Inside::Kind::kVariable,
          .dtype = Inner(f.dtype)};
}

Inside InnerOf(const SparseFeature& f) {
  return {.shown = "SparseFeature",
          .kind = Inside::Kind::kSparse,
          .dtype = Inner(f.dtype),
          .index_keys = f.index_key,
          .value_key = f.value_key,
          .size = f.size,
          .already_sorted = f.already_sorted};
}

Inside InnerOf(const RaggedFeature& f) {
  std::vector<::gk::FeaturePartition> partitions;
  for (const RaggedFeature::Partition& p : f.partitions) {
    // Both are in one order.
    ::gk::FeaturePartition& to = partitions.emplace_back();
    to.kind = static_cast<::gk::FeaturePartition::Kind>(p.index());
    std::visit(
        [&](const auto& by) {
          if constexpr (requires { by.key; }) {
            to.key = by.key;
          } else {
            to.length = by.length;
          }
        },
        p);
  }
  return {.shown = "RaggedFeature",
          .kind = Inside::Kind::kRagged,
          .dtype = Inner(f.dtype),
          .value_key = f.value_key,
          .partitions = std::move(partitions),
          .splits_type = Inner(f.row_splits_dtype),
          .validate = f.validate};
}

template <class T>
const T& ValueIn(const std::map<std::string, ParsedExample::Value>& values,
                 const std::string& name, const char* kind) {
  return Guarded([&]() -> const T& {
    const auto at = values.find(name);
    if (at == values.end()) {
      throw ::gk::Error(NotFound("No feature '{}' was asked for.", name));
    }
    if (const T* value = std::get_if<T>(&at->second)) return *value;
    throw ::gk::Error(TypeError("The feature '{}' is no {}.", name, kind));
  });
}

}  // namespace

const Tensor& ParsedExample::tensor(const std::string& name) const {
  return ValueIn<Tensor>(values_, name, "dense tensor");
}

const SparseTensor& ParsedExample::sparse(const std::string& name) const {
  return ValueIn<SparseTensor>(values_, name, "sparse tensor");
}

const RaggedTensor& ParsedExample::ragged(const std::string& name) const {
  return ValueIn<RaggedTensor>(values_, name, "ragged tensor");
}

ParsedExample parse_example(const Tensor& serialized,
                            const std::map<std::string, Feature>& features,
                            const Tensor& example_names) {
  return Guarded([&] {
    std::vector<Inside> wanted;
    for (const auto& [name, feature] : features) {
      wanted.push_back(
          std::visit([](const auto& f) { return InnerOf(f); }, feature));
      wanted.back().key = name;
    }
    if (wanted.empty()) {
      throw ::gk::Error(ValueError("parse_example: no features are asked for"));
    }
    std::vector<::gk::ExampleValue> made = ::gk::ParseExample(
        Inner(serialized), ValueOrNone(example_names), wanted);
    std::map<std::string, ParsedExample::Value> values;
    for (size_t i = 0; i < made.size(); ++i) {
      ParsedExample::Value& to = values[wanted[i].key];
      if (auto* dense = std::get_if<InnerTensor>(&made[i])) {
        to = Outer(std::move(*dense));
      } else if (auto* sparse = std::get_if<::gk::SparseValue>(&made[i])) {
        to = SparseTensor(*sparse);
      } else {
        to = RaggedTensor(std::get<::gk::RaggedValue>(made[i]));
      }
    }
    return ParsedExample(std::move(values));
  });
}

}  // namespace gk::api::io
