#include "api/result_parts.h"

namespace gk::api::detail {

std::vector<ResultPart> PartsOf(const Results& results) {
  const std::span<const Tensor> tensors = results.tensors;
  std::vector<ResultPart> parts;
  ForEachValue(
      tensors.size(), *results.leaves,
      [&](size_t first, size_t count, const TypeSpec* spec) {
        const std::span<const Tensor> own = tensors.subspan(first, count);
        parts.push_back({spec != nullptr
                             ? *spec
                             : TensorSpec{own[0].shape(), own[0].dtype()},
                         own});
      });
  return parts;
}

std::string SpecsText(const std::vector<TypeSpec>& specs) {
  std::string text;
  for (const TypeSpec& spec : specs) {
    text += (text.empty() ? "" : ", ") + spec.to_string();
  }
  return "[" + text + "]";
}

}  // namespace gk::api::detail
