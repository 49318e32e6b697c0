// What was taken apart into tensors, value by value: results of functions of
// the program, and rows.
#ifndef GK_API_RESULT_PARTS_H_
#define GK_API_RESULT_PARTS_H_

#include <span>
#include <string>
#include <vector>

#include "graphkiln/type_spec.h"

namespace gk::api::detail {

struct ResultPart {
  TypeSpec spec;
  std::span<const Tensor> tensors;  // of the results
};
std::vector<ResultPart> PartsOf(const Results& results);

// "[TensorSpec(...), ...]".
std::string SpecsText(const std::vector<TypeSpec>& specs);

}  // namespace gk::api::detail

#endif  // GK_API_RESULT_PARTS_H_
