#include "api/result_parts.h"

namespace gk::api::detail {

std::vector<ResultPart> PartsOf(const Results& results) {
  const std::span<const Tensor> tensors = results.tensors;
  std::vector<ResultPart> parts;
  auto next = results.leaves->entries.begin();
  for (size_t i = 0; i < tensors.size();) {
    if (next != results.leaves->entries.end() && next->first == i) {
      parts.push_back({*next->spec, tensors.subspan(i, next->count)});
      i += next++->count;
    } else {
      const Tensor& t = tensors[i];
      parts.push_back(
          {TensorSpec{t.shape(), t.dtype()}, tensors.subspan(i, 1)});
      ++i;
    }
  }
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
