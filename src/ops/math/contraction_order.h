// In which order the operands of an einsum are multiplied, two at a time.
#ifndef GK_OPS_MATH_CONTRACTION_ORDER_H_
#define GK_OPS_MATH_CONTRACTION_ORDER_H_

#include <span>
#include <string_view>
#include <vector>

#include "ops/math/einsum_equation.h"

namespace gk {

// The operands `first` < `second` of those that are left become one, which is
// put behind the others. `equation` names the second one first.
struct Contraction {
  int first = 0, second = 0;
  EinsumEquation equation;
};

struct ContractionOrder {
  std::vector<Contraction> steps;
};

// For three or more operands. `strategy`, by opt_einsum's names: "greedy"
// takes what makes the intermediate tensors smallest at each step; "optimal",
// "branch-1", "branch-2", "branch-all" and "dp" look for the least number of
// multiplications; "auto" does that for few operands. Sizes that are not known
// count as if they were all the same. ValueError for another strategy.
StatusOr<ContractionOrder> OrderContractions(
    const EinsumEquation& equation, std::span<const PartialTensorShape> shapes,
    std::string_view strategy);

}  // namespace gk

#endif  // GK_OPS_MATH_CONTRACTION_ORDER_H_
