// What an instruction keeps of the functions that it calls: their plans and a
// frame for each, so that a turn of a loop allocates no more than its plan
// says.
//
// Kept in the frame of the plan that calls, and so used by one thread at a
// time.
#ifndef GK_RUNTIME_NESTED_FUNCTION_H_
#define GK_RUNTIME_NESTED_FUNCTION_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ops/control/truth.h"
#include "runtime/compiled_function.h"
#include "runtime/frame.h"
#include "runtime/loop_poll.h"
#include "runtime/run_plan.h"
#include "runtime/scalar_code.h"

namespace gk {

// One function with the frame it last ran in.
class NestedFunction {
 public:
  // The function is kept alive by the node that names it.
  static StatusOr<NestedFunction> Make(const GraphFunction& function);
  NestedFunction(NestedFunction&&) = default;
  NestedFunction& operator=(NestedFunction&&) = default;
  ~NestedFunction();

  CompiledFunction& compiled() const { return *compiled_; }
  const std::string& name() const { return compiled_->graph().name; }

  // Takes the arguments out of `inputs` if `consume`.
  Status Run(std::span<Tensor> inputs, bool consume, TensorVector* outputs,
             const CancellationToken* cancellation);

  // For a loop: a turn of the body, from BeginLoop() to EndLoop(). RunTurn() is
  // for bodies that are not closed.
  Status BeginLoop(std::span<const Tensor> state);
  Status RunTurn(TensorVector* state, TensorVector* next,
                 const CancellationToken* cancellation);
  void EndLoop();
  // A body whose shapes are undeclared, and whose last turn gave back those
  // that it took, may become closed.
  bool may_close() const {
    return LowersControlFlow() && !compiled_->is_static();
  }
  Status Close(std::span<const Tensor> state, bool make);
  // The body gives back what it takes: states need no check after the first.
  bool is_closed() const { return closed_; }

  // For a closed body: states stay in the frame
  // from PutStates() to TakeStates().
  void PutStates(TensorVector* state);
  Status RunTurnInPlace(const CancellationToken* cancellation);
  const void* StateData(int i) const {
    return frame_->data[plan_->arguments[i]];
  }
  void CopyStates(TensorVector* state) const;
  void TakeStates(TensorVector* state);

 private:
  NestedFunction() = default;
  StatusOr<const Ref<Plan>*> PlanOf(std::span<const Tensor> inputs);
  Status Enter(const Ref<Plan>& plan, std::span<const Tensor> inputs);
  Status TakeFrame(const Ref<Plan>& plan);
  void LeaveIfRunning();
  Status RunEntered(std::span<Tensor> inputs, bool consume,
                    TensorVector* outputs,
                    const CancellationToken* cancellation, Turn turn);

  CompiledFunction* compiled_ = nullptr;
  Ref<Plan> plan_, last_;  // of the frame; of the last call
  std::unique_ptr<Frame> frame_;
  Ref<Plan> body_;  // made for a loop, during one
  TensorVector scratch_;
  bool first_turn_ = true, closed_ = false;
};

// While: a test and a body.
class NestedLoop final : public KernelState {
 public:
  static StatusOr<std::unique_ptr<NestedLoop>> Make(
      const GraphFunction& condition, const GraphFunction& body);

  // While condition(state) holds, state = body(state).
  Status Run(TensorVector* state, TruthFn truth,
             const CancellationToken* cancellation);

 private:
  NestedLoop(NestedFunction test, NestedFunction step)
      : test_(std::move(test)), step_(std::move(step)) {}
  Status RunTurns(TensorVector* state, TruthFn truth, LoopPoll& poll);
  Status RunTurnsInPlace(TensorVector* state, TruthFn truth, LoopPoll& poll);
  StatusOr<bool> TestByCode(LoopPoll& poll);
  StatusOr<bool> TestByPlan(TensorVector& state, TruthFn truth,
                            LoopPoll& poll);
  StatusOr<bool> Test(TensorVector& state, TruthFn truth, LoopPoll& poll);

  NestedFunction test_, step_;
  TensorVector next_;
  // The test as byte code, where it looks at scalars alone.
  std::unique_ptr<ScalarCode> code_;
  std::unique_ptr<ScalarRegisters> registers_;
  std::vector<const void*> code_inputs_;
};

// If and Case: a function for each branch, made when it is first taken.
class NestedBranches final : public KernelState {
 public:
  explicit NestedBranches(std::vector<const GraphFunction*> branches)
      : functions_(std::move(branches)), branches_(functions_.size()) {}

  int size() const { return functions_.size(); }
  StatusOr<NestedFunction*> Branch(int i);

 private:
  std::vector<const GraphFunction*> functions_;
  std::vector<std::optional<NestedFunction>> branches_;
};

}  // namespace gk

#endif  // GK_RUNTIME_NESTED_FUNCTION_H_
