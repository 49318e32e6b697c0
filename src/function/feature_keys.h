// Names of features that are asked for in one way, each once.
#ifndef GK_FUNCTION_FEATURE_KEYS_H_
#define GK_FUNCTION_FEATURE_KEYS_H_

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/op_builder.h"
#include "function/example_feature.h"

namespace gk {

// A value of the parser's own: a node of the graph that is built.
inline Tensor OwnConstant(const Tensor& value, std::string_view name = {}) {
  return ValueOrThrow(OpBuilder::Current()->Constant(value, name));
}
inline Tensor OwnTexts(const std::vector<std::string>& texts,
                       std::string_view name) {
  return OwnConstant(Tensor::Vector(std::span<const std::string>(texts)), name);
}
inline Tensor OwnIntegers(const std::vector<int64_t>& values,
                          std::string_view name = {}) {
  return OwnConstant(Tensor::Vector(std::span<const int64_t>(values)), name);
}

struct FeatureKeys {
  std::vector<std::string> names;
  std::vector<DataType> types, splits;

  // Their number, if there is none of that name.
  size_t Find(std::string_view name) const {
    return std::find(names.begin(), names.end(), name) - names.begin();
  }
  // ValueError if it is there with other types.
  void Add(const std::string& name, DataType type,
           DataType split = DataType::kInvalid);
  // Those that tell how a ragged feature is divided.
  void AddPartitions(const ExampleFeature& feature);
  // "['a', 'b']"
  std::string Text() const;
};

}  // namespace gk

#endif  // GK_FUNCTION_FEATURE_KEYS_H_
