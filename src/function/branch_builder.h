// Branches as users write them: functions without arguments, traced one after
// the other into an If or a Case.
//
// What branches must agree in, and the errors where they do not, are here.
// Called while the graph around the branches is being built.
#ifndef GK_FUNCTION_BRANCH_BUILDER_H_
#define GK_FUNCTION_BRANCH_BUILDER_H_

#include <functional>
#include <span>
#include <string>

#include "function/control_flow.h"

namespace gk {

struct BranchSource {
  // Returns the results, of any graph; runs once.
  std::function<TensorVector()> trace;
  // Of its graph: "true", "branch0".
  std::string suffix;
  // In errors: "true_fn", and where it was written: "net.cc:12".
  std::string label;
  std::string place;
};

// TypeError: branches a and b of a conditional return unlike structures,
// printed as `a_text` and `b_text`; `details` says where they differ.
Status BranchesDiffer(const BranchSource& a, const BranchSource& b,
                      std::string_view a_text, std::string_view b_text,
                      std::string_view details);

// "(Tensor(shape=(2,), dtype=float32), ...)".
std::string TypesText(std::span<const Tensor> tensors);

// The results of the branch that `selector` chooses. `check` is asked about
// each branch but the first after it was traced; numbers and dtypes of the
// results are compared here. Throws Error, and what the branches throw.
TensorVector BuildIf(const Tensor& condition,
                     std::span<const BranchSource> branches,
                     std::string_view name,
                     const std::function<Status(size_t)>& check);
TensorVector BuildCase(const Tensor& index,
                       std::span<const BranchSource> branches,
                       std::string_view name,
                       const std::function<Status(size_t)>& check);

// `t` if it is a bool scalar or may become one; TypeError or ValueError
// naming `what` else.
Status CheckCondition(const Tensor& t, std::string_view what);

}  // namespace gk

#endif  // GK_FUNCTION_BRANCH_BUILDER_H_
