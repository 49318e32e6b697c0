// Branches as users write them, traced one after the other into an If or a
// Case: BranchBuilder for languages that trace by themselves, BuildIf and
// BuildCase for functions without arguments.
//
// What branches must agree in, and the errors where they do not, are here.
// Used by one thread while the graph around the branches is being built.
#ifndef GK_FUNCTION_BRANCH_BUILDER_H_
#define GK_FUNCTION_BRANCH_BUILDER_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "function/control_flow.h"
#include "function/part_scope.h"

namespace gk {

enum class BranchKind { kIf, kCase };

// An If or a Case being made.
class BranchBuilder {
 public:
  // Enters the scope `name` ("cond" or "switch_case" if empty) until Finish or
  // the end of this object. Throws Error if it cannot be one.
  BranchBuilder(BranchKind kind, std::string_view name);
  // "outer/cond/", "outer/switch_case/indexed_case/".
  const std::string& scope() const { return scope_->name(); }
  // A new branch, traced while a PartScope of it and scope() is open. The
  // first of an If is for true.
  FuncGraph* Add(std::string_view suffix);
  // Makes the node and leaves the scope. `selector` fits CheckCondition or
  // CheckBranchIndex; `results` of the branches agree in number and dtype.
  // Returns what the chosen branch does. Throws Error.
  TensorVector Finish(const Tensor& selector,
                      std::span<const TensorVector> results);

 private:
  BranchKind kind_;
  Ref<FuncGraph> outer_;
  std::unique_ptr<NameScope> case_scope_;
  std::unique_ptr<NameScope> scope_;
  std::vector<Ref<FuncGraph>> branches_;
};

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
// Is `t` an integer scalar, or may it become one? TypeError or ValueError
// else.
Status CheckBranchIndex(const Tensor& t);

}  // namespace gk

#endif  // GK_FUNCTION_BRANCH_BUILDER_H_
