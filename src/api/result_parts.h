// What was taken apart into tensors, value by value: results of functions of
// the program, and rows.
#ifndef GK_API_RESULT_PARTS_H_
#define GK_API_RESULT_PARTS_H_

#include <span>
#include <string>
#include <vector>

#include "graphkiln/call_structure.h"
#include "graphkiln/type_spec.h"

namespace gk::api::detail {

// Calls `f` with each value that `n` tensors were taken apart from, in order:
// the first of its tensors, how many there are (an extension type may have
// none), and its spec, which is null of a tensor.
template <class F>
void ForEachValue(size_t n, const ElementLeaves& leaves, const F& f) {
  auto next = leaves.entries.begin();
  for (size_t i = 0; i < n || next != leaves.entries.end();) {
    if (next != leaves.entries.end() && next->first == i) {
      f(i, next->count, next->spec.get());
      i += next++->count;
    } else {
      f(i++, 1, nullptr);
    }
  }
}

struct ResultPart {
  TypeSpec spec;
  std::span<const Tensor> tensors;  // of the results
};
std::vector<ResultPart> PartsOf(const Results& results);

// "[TensorSpec(...), ...]".
std::string SpecsText(const std::vector<TypeSpec>& specs);

}  // namespace gk::api::detail

#endif  // GK_API_RESULT_PARTS_H_
