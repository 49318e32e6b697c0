#include "function/feature_keys.h"

#include "base/status.h"

namespace gk {

void FeatureKeys::Add(const std::string& name, DataType type, DataType split) {
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

void FeatureKeys::AddPartitions(const ExampleFeature& feature) {
  for (const FeaturePartition& p : feature.partitions) {
    if (p.kind != FeaturePartition::Kind::kUniform) {
      Add(p.key, DataType::kInt64, feature.splits_type);
    }
  }
}

std::string FeatureKeys::Text() const {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "'" : ", '") + name + "'";
  }
  return "[" + text + "]";
}

}  // namespace gk
