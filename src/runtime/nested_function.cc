#include "runtime/nested_function.h"

#include <algorithm>

#include "runtime/executor.h"
#include "runtime/scalar_code_builder.h"

namespace gk {
namespace {

// Every result is of the type and shape that the argument of its number is.
bool IsClosed(const Plan& plan) {
  if (plan.results.size() != plan.arguments.size()) return false;
  for (size_t i = 0; i < plan.results.size(); ++i) {
    const SlotInfo& in = plan.slots[plan.arguments[i]];
    const SlotInfo& out = plan.slots[plan.results[i]];
    if (!in.is_static || !out.is_static || in.dtype != out.dtype ||
        !(in.shape == out.shape)) {
      return false;
    }
  }
  return true;
}

}  // namespace

StatusOr<NestedFunction> NestedFunction::Make(const GraphFunction& function) {
  NestedFunction f;
  GK_ASSIGN_OR_RETURN(f.compiled_, CompiledFunction::Of(function));
  return f;
}

NestedFunction::~NestedFunction() {
  if (frame_) plan_->frames.Give(std::move(frame_));
}

// Has a frame of the plan, or of the one that stands for it if arguments are
// the same variable.
Status NestedFunction::Enter(Ref<Plan> plan, std::span<const Tensor> inputs) {
  if (!plan->updates.empty() && ResourcesAlias(inputs)) {
    GK_ASSIGN_OR_RETURN(plan, plan->WithoutMergedUpdates());
  }
  if (frame_ && plan.get() == plan_.get()) return OkStatus();
  if (frame_) {
    frame_->Clear(*plan_);
    plan_->frames.Give(std::move(frame_));
  }
  plan_ = std::move(plan);
  frame_ = plan_->frames.Take();
  if (!frame_) {
    GK_ASSIGN_OR_RETURN(frame_, Frame::Make(*plan_));
  }
  return OkStatus();
}

Status NestedFunction::RunEntered(std::span<Tensor> inputs, bool consume,
                                  TensorVector* outputs,
                                  const CancellationToken* cancellation,
                                  Turn turn) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const SlotId s = plan_->arguments[i];
    frame_->data[s] = inputs[i].raw_data();
    frame_->slots[s] = consume ? std::move(inputs[i]) : inputs[i];
  }
  const Status status =
      RunInFrame(*plan_, *frame_, outputs, cancellation, turn);
  if (!status.ok()) frame_->Clear(*plan_);
  return status;
}

// A function that calls itself would keep its own plan, for ever.
void NestedFunction::LeaveIfRunning() {
  if (!frame_ || !IsRunning(*plan_)) return;
  plan_->frames.Give(std::move(frame_));
  plan_ = Ref<Plan>();
}

Status NestedFunction::Run(std::span<Tensor> inputs, bool consume,
                           TensorVector* outputs,
                           const CancellationToken* cancellation) {
  const NestingScope scope;
  GK_RETURN_IF_ERROR(scope.Check(name()));
  GK_ASSIGN_OR_RETURN(Ref<Plan> plan, compiled_->PlanFor(inputs));
  GK_RETURN_IF_ERROR(Enter(std::move(plan), inputs));
  const Status status =
      RunEntered(inputs, consume, outputs, cancellation, Turn::kCall);
  LeaveIfRunning();
  return status;
}

Status NestedFunction::BeginLoop(std::span<const Tensor> state) {
  if (LowersControlFlow()) {
    GK_ASSIGN_OR_RETURN(body_, compiled_->LoopBodyPlan());
  }
  first_turn_ = true;
  closed_ = body_ && body_->updates.empty() && IsClosed(*body_);
  // A state that does not fit must show in the turn that it is for.
  closed_ = closed_ && compiled_->CheckArguments(state).ok();
  return closed_ ? Enter(body_, state) : OkStatus();
}

Status NestedFunction::RunTurn(TensorVector* state, TensorVector* next,
                               const CancellationToken* cancellation) {
  if (closed_) {
    const Turn turn = first_turn_ ? Turn::kFirst : Turn::kLater;
    first_turn_ = false;
    return RunEntered(*state, true, next, cancellation, turn);
  }
  Ref<Plan> plan = body_;
  if (plan) {
    GK_RETURN_IF_ERROR(compiled_->CheckArguments(*state));
  } else {
    GK_ASSIGN_OR_RETURN(plan, compiled_->PlanFor(*state));
  }
  const Plan* const before = frame_ ? plan_.get() : nullptr;
  GK_RETURN_IF_ERROR(Enter(std::move(plan), *state));
  // Another plan's frame knows nothing of earlier turns.
  const bool first = first_turn_ || plan_.get() != before;
  first_turn_ = false;
  return RunEntered(*state, true, next, cancellation,
                    first || !body_ ? Turn::kCall : Turn::kLater);
}

void NestedFunction::EndLoop() {
  if (frame_) frame_->Clear(*plan_);
  LeaveIfRunning();
  body_ = Ref<Plan>();
}

StatusOr<std::unique_ptr<NestedLoop>> NestedLoop::Make(
    const GraphFunction& condition, const GraphFunction& body) {
  GK_ASSIGN_OR_RETURN(NestedFunction test, NestedFunction::Make(condition));
  GK_ASSIGN_OR_RETURN(NestedFunction step, NestedFunction::Make(body));
  std::unique_ptr<NestedLoop> loop(
      new NestedLoop(std::move(test), std::move(step)));
  const FunctionGraph& graph = loop->test_.compiled().graph();
  ScalarCodeBuilder builder(graph.name, graph.graph);
  if (!LowersControlFlow() || graph.results.size() != 1 ||
      !builder.AddFunction(graph)) {
    return loop;
  }
  std::unique_ptr<ScalarCode> code = builder.Finish({});
  if (!code || code->registers()[code->outputs()[0]].dtype != DataType::kBool) {
    return loop;
  }
  loop->code_ = std::move(code);
  loop->registers_ = std::make_unique<ScalarRegisters>(*loop->code_);
  return loop;
}

// `checked`: the state is known to be what the test takes.
StatusOr<bool> NestedLoop::Test(TensorVector& state, TruthFn truth,
                                bool checked, LoopPoll& poll) {
  if (code_) {
    if (!checked) {
      GK_RETURN_IF_ERROR(test_.compiled().CheckArguments(state));
    }
    code_inputs_.clear();
    for (const Tensor& t : state) code_inputs_.push_back(t.raw_data());
    bool more = false;
    void* const out[] = {&more};
    GK_RETURN_IF_ERROR(code_->Run(*registers_, code_inputs_.data(), out, poll));
    return more;
  }
  GK_RETURN_IF_ERROR(test_.Run(state, false, &next_, poll.cancellation()));
  if (next_.size() != 1) {
    return InvalidArgument("Loop condition {} returned {} values, expected 1",
                           test_.name(), next_.size());
  }
  return truth(next_[0]);
}

Status NestedLoop::RunTurns(TensorVector* state, TruthFn truth,
                            LoopPoll& poll) {
  const size_t n = state->size();
  for (bool first = true;; first = false) {
    GK_RETURN_IF_ERROR(poll.Turn(step_.name()));
    GK_ASSIGN_OR_RETURN(const bool more,
                        Test(*state, truth, !first && step_.is_closed(), poll));
    if (!more) return OkStatus();
    GK_RETURN_IF_ERROR(step_.RunTurn(state, &next_, poll.cancellation()));
    if (next_.size() != n) {
      return InvalidArgument("Loop body {} returned {} values, expected {}",
                             step_.name(), next_.size(), n);
    }
    state->swap(next_);
  }
}

Status NestedLoop::Run(TensorVector* state, TruthFn truth,
                       const CancellationToken* cancellation) {
  const NestingScope scope;
  GK_RETURN_IF_ERROR(scope.Check(step_.name()));
  GK_RETURN_IF_ERROR(step_.BeginLoop(*state));
  LoopPoll poll(cancellation);
  const Status status = RunTurns(state, truth, poll);
  step_.EndLoop();
  next_.clear();
  return status;
}

StatusOr<NestedFunction*> NestedBranches::Branch(int i) {
  std::optional<NestedFunction>& branch = branches_[i];
  if (!branch) {
    GK_ASSIGN_OR_RETURN(NestedFunction made,
                        NestedFunction::Make(*functions_[i]));
    branch = std::move(made);
  }
  return &*branch;
}

}  // namespace gk
