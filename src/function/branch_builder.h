// Branches as users write them, traced one after the other into an If or a
// Case: BranchBuilder makes the node, BuildBranches says what branches must
// agree in, and what is told where they do not.
//
// Used by one thread while the graph around the branches is being built.
#ifndef GK_FUNCTION_BRANCH_BUILDER_H_
#define GK_FUNCTION_BRANCH_BUILDER_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "function/control_flow.h"
#include "function/part_scope.h"
#include "function/staged_value.h"

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
  // Makes the node and leaves the scope. `selector` fits ConditionOf or
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

// Branches that the host traces, and the values that they give: one, of
// whatever structure, or one for each symbol.
class BranchHost : public ValueHost {
 public:
  // Runs branch `b`; in its part.
  virtual void Run(size_t b) = 0;
  // How many values branches give, once all have run.
  virtual size_t size() const { return 1; }
  enum class Choice {
    kChosen,
    kPasses,  // it is the same in all: there is nothing to choose
    kLost,    // it is a name that no branch assigns
  };
  virtual Choice ChoiceOf(size_t) const { return Choice::kChosen; }
  // Value `i` of branch `b`; makes nodes in its part.
  virtual StagedValue Value(size_t b, size_t i) = 0;
  virtual void SetResult(size_t i, const StagedValue& value) = 0;
  // `text` is what is said where the name is read.
  virtual void SetLost(size_t, const std::string& /*text*/) {}

  // Errors that speak of symbols: do they call the second branch the main one
  // where value `i` is concerned? Others: "true_fn", and where it was written.
  virtual bool IsMoved(size_t) const { return false; }
  virtual std::string Label(size_t) const { return ""; }
  virtual std::string Place(size_t) const { return ""; }
  // May zeros stand in for every symbol that one branch does not assign?
  virtual bool fills() const { return false; }
};

// Traces `n` branches into an If or a Case, and gives the host what the one
// that `selector` chooses does. Throws Error, before a branch is traced if
// that can be no selector, and what the branches throw.
void BuildBranches(BranchKind kind, const Tensor& selector, size_t n,
                   std::string_view name, BranchHost& host);

// Is `t` an integer scalar, or may it become one? TypeError or ValueError
// else.
Status CheckBranchIndex(const Tensor& t);

}  // namespace gk

#endif  // GK_FUNCTION_BRANCH_BUILDER_H_
