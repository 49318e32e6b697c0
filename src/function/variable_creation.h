// VariableCreation: whether a function that is traced on this thread may make
// variables, and how their initial values are computed (make_variable.h).
//
// A function makes its variables in its first trace only, which is then made
// anew: the trace that stays finds them there.
#ifndef GK_FUNCTION_VARIABLE_CREATION_H_
#define GK_FUNCTION_VARIABLE_CREATION_H_

#include "base/function_ref.h"
#include "base/status.h"
#include "framework/tensor.h"
#include "function/host_words.h"

namespace gk {

class FuncGraph;

// In effect on this thread for as long as it lives; scopes nest, the
// innermost counts.
class VariableCreation {
 public:
  enum class Rule : uint8_t {
    kAllowed,  // the first trace
    kRefused,  // a later one of a function that has made its variables
    kLate,     // a later one of a function that has made none: it fails, but
               // when it is done
  };
  // `inputs`: asks what the call gives for the arguments of the graph, in
  // order, null where it gives none; outlives this.
  using Inputs = FunctionRef<StatusOr<TensorVector>()>;
  VariableCreation(Rule rule, Inputs inputs, const HostWords& words);
  ~VariableCreation();
  VariableCreation(const VariableCreation&) = delete;

  // That of the function that is traced here; null where none is, or a graph
  // for its own sake is made inside of it.
  static VariableCreation* Here();
  // The graph that the innermost is about to be traced into; its arguments are
  // what the inputs are for.
  static void EnterGraph(const FuncGraph* graph);

  // A variable is about to be made, which outlives the trace if it is
  // `lifted` out of it. ValueError where it may not.
  Status Note(bool lifted);
  // The trace is done: ValueError if it made what it may not have.
  Status Settle() const;
  bool happened() const { return happened_; }
  // Are initial values to be computed now?
  bool lifts() const { return rule_ == Rule::kAllowed; }

  // The value of a tensor of this function, a part of it or one around it,
  // computed now. FailedPrecondition if it depends on what is not known.
  StatusOr<Tensor> Lift(const Tensor& initial) const;

  // The handles of those that were made and whose values were computed.
  void AddMade(const Tensor& handle) { made_.push_back(handle); }
  const TensorVector& made() const { return made_; }

 private:
  const Rule rule_;
  const Inputs inputs_;
  const HostWords& words_;
  const FuncGraph* graph_ = nullptr;
  bool happened_ = false;
  TensorVector made_;
  VariableCreation* const outer_;
};

// Traces a function that is traced for one kind of call, by calling `trace`:
// again if it made variables.
Status TraceMakingVariables(const HostWords& words,
                            FunctionRef<Status()> trace);

}  // namespace gk

#endif  // GK_FUNCTION_VARIABLE_CREATION_H_
