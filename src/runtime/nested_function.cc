#include "runtime/nested_function.h"

#include <algorithm>

#include "runtime/run_plan.h"
#include "runtime/run_variable_updates.h"
#include "runtime/scalar_code_builder.h"

namespace gk {

StatusOr<NestedFunction> NestedFunction::Make(const GraphFunction& function) {
  NestedFunction f;
  GK_ASSIGN_OR_RETURN(f.compiled_, CompiledFunction::Of(function));
  return f;
}

NestedFunction::~NestedFunction() {
  if (frame_) plan_->frames.Give(std::move(frame_));
}

// The plan of the last call, if its arguments were like these in type and
// shape; else the function is asked. So a loop looks up nothing from turn to
// turn, whatever it declares.
StatusOr<const Ref<Plan>*> NestedFunction::PlanOf(
    std::span<const Tensor> inputs) {
  const auto fits = [&](const Plan& plan) {
    if (plan.arguments.size() != inputs.size()) return false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const SlotInfo& slot = plan.slots[plan.arguments[i]];
      const Tensor& t = inputs[i];
      if (!slot.is_static || !t || t.is_symbolic() || t.dtype() != slot.dtype ||
          !(t.shape() == slot.shape)) {
        return false;
      }
    }
    return true;
  };
  if (!last_ || !fits(*last_)) {
    GK_ASSIGN_OR_RETURN(last_, compiled_->PlanFor(inputs));
  }
  return &last_;
}

// Has a frame of the plan, or of the one that stands for it if arguments are
// the same variable.
Status NestedFunction::Enter(const Ref<Plan>& plan,
                             std::span<const Tensor> inputs) {
  if (!plan->updates.empty() && ResourcesAlias(inputs)) {
    GK_ASSIGN_OR_RETURN(const Ref<Plan> apart, plan->WithoutMergedUpdates());
    return TakeFrame(apart);
  }
  return TakeFrame(plan);
}

Status NestedFunction::TakeFrame(const Ref<Plan>& plan) {
  if (frame_ && plan.get() == plan_.get()) return OkStatus();
  if (frame_) {
    frame_->Clear(*plan_);
    plan_->frames.Give(std::move(frame_));
  }
  plan_ = plan;
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
  frame_->Begin(static_cast<int>(inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const SlotId s = plan_->arguments[i];
    if (consume) {
      frame_->SetArgument(s, std::move(inputs[i]));
    } else {
      frame_->SetArgument(s, inputs[i]);
    }
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
  plan_ = last_ = Ref<Plan>();
}

Status NestedFunction::Run(std::span<Tensor> inputs, bool consume,
                           TensorVector* outputs,
                           const CancellationToken* cancellation) {
  const NestingScope scope;
  GK_RETURN_IF_ERROR(scope.Check(name()));
  GK_ASSIGN_OR_RETURN(const Ref<Plan>* plan, PlanOf(inputs));
  GK_RETURN_IF_ERROR(Enter(*plan, inputs));
  const Status status =
      RunEntered(inputs, consume, outputs, cancellation, Turn::kCall);
  LeaveIfRunning();
  return status;
}

Status NestedFunction::BeginLoop(std::span<const Tensor> state) {
  first_turn_ = true;
  closed_ = false;
  if (!LowersControlFlow()) return OkStatus();
  if (!compiled_->is_static()) return Close(state, /*make=*/false);
  GK_ASSIGN_OR_RETURN(body_, compiled_->LoopBodyPlan());
  // A state that does not fit must show in the turn that it is for.
  closed_ = body_->is_closed && compiled_->CheckArguments(state).ok();
  return closed_ ? Enter(body_, state) : OkStatus();
}

Status NestedFunction::Close(std::span<const Tensor> state, bool make) {
  if (closed_ || compiled_->is_static()) return OkStatus();
  const Ref<Plan> plan = compiled_->LoopBodyPlanFor(state, make);
  if (!plan) return OkStatus();
  GK_RETURN_IF_ERROR(Enter(plan, state));
  body_ = plan;
  first_turn_ = true;
  closed_ = true;
  return OkStatus();
}

Status NestedFunction::RunTurn(TensorVector* state, TensorVector* next,
                               const CancellationToken* cancellation) {
  const Ref<Plan>* plan = &body_;
  if (body_) {
    GK_RETURN_IF_ERROR(compiled_->CheckArguments(*state));
  } else {
    GK_ASSIGN_OR_RETURN(plan, PlanOf(*state));
  }
  const Plan* const before = frame_ ? plan_.get() : nullptr;
  GK_RETURN_IF_ERROR(Enter(*plan, *state));
  // Another plan's frame knows nothing of earlier turns.
  const bool first = first_turn_ || plan_.get() != before;
  first_turn_ = false;
  return RunEntered(*state, true, next, cancellation,
                    first || !body_ ? Turn::kCall : Turn::kLater);
}

void NestedFunction::PutStates(TensorVector* state) {
  for (size_t i = 0; i < state->size(); ++i) {
    const SlotId s = plan_->arguments[i];
    frame_->data[s] = (*state)[i].raw_data();
    frame_->slots[s] = std::move((*state)[i]);
  }
  scratch_.reserve(state->size());
}

Status NestedFunction::RunTurnInPlace(const CancellationToken* cancellation) {
  const Turn turn = first_turn_ ? Turn::kFirst : Turn::kLater;
  first_turn_ = false;
  return RunTurnInFrame(*plan_, *frame_, &scratch_, cancellation, turn);
}

void NestedFunction::CopyStates(TensorVector* state) const {
  for (size_t i = 0; i < state->size(); ++i) {
    (*state)[i] = frame_->slots[plan_->arguments[i]];
  }
}

void NestedFunction::TakeStates(TensorVector* state) {
  for (size_t i = 0; i < state->size(); ++i) {
    (*state)[i] = std::move(frame_->slots[plan_->arguments[i]]);
  }
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
  const RewriteGraph& graph = loop->test_.compiled().graph();
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

// Of what lies at code_inputs_.
StatusOr<bool> NestedLoop::TestByCode(LoopPoll& poll) {
  bool more = false;
  void* const out[] = {&more};
  GK_RETURN_IF_ERROR(code_->Run(*registers_, code_inputs_.data(), out, poll));
  return more;
}

StatusOr<bool> NestedLoop::TestByPlan(TensorVector& state, TruthFn truth,
                                      LoopPoll& poll) {
  GK_RETURN_IF_ERROR(test_.Run(state, false, &next_, poll.cancellation()));
  if (next_.size() != 1) {
    return InvalidArgument(
        "Expected a single scalar return value from WhileOp cond, got {} "
        "tensors: {}",
        next_.size(), test_.name());
  }
  return truth(next_[0]);
}

StatusOr<bool> NestedLoop::Test(TensorVector& state, TruthFn truth,
                                LoopPoll& poll) {
  if (!code_) return TestByPlan(state, truth, poll);
  GK_RETURN_IF_ERROR(test_.compiled().CheckArguments(state));
  code_inputs_.clear();
  for (const Tensor& t : state) code_inputs_.push_back(t.raw_data());
  return TestByCode(poll);
}

Status NestedLoop::RunTurns(TensorVector* state, TruthFn truth,
                            LoopPoll& poll) {
  const size_t n = state->size();
  bool may_close = step_.may_close();
  std::vector<TensorShape> before;
  while (true) {
    GK_RETURN_IF_ERROR(poll.Turn(step_.name()));
    GK_ASSIGN_OR_RETURN(const bool more, Test(*state, truth, poll));
    if (!more) return OkStatus();
    before.clear();
    for (size_t i = 0; may_close && i < n; ++i) {
      before.push_back((*state)[i].shape());
    }
    GK_RETURN_IF_ERROR(step_.RunTurn(state, &next_, poll.cancellation()));
    if (next_.size() != n) {
      return InvalidArgument("Loop body {} returned {} values, expected {}",
                             step_.name(), next_.size(), n);
    }
    // Shapes that are not declared and stay as they are: the body gets a plan
    // for them.
    state->swap(next_);
    for (size_t i = 0; i < before.size(); ++i) {
      if (!(before[i] == (*state)[i].shape())) before.clear();
    }
    if (before.empty()) continue;
    may_close = false;
    GK_RETURN_IF_ERROR(step_.Close(*state, /*make=*/true));
    if (step_.is_closed()) return RunTurnsInPlace(state, truth, poll);
  }
}

// With a closed body nothing but the states that a turn changes is touched
// between two turns.
Status NestedLoop::RunTurnsInPlace(TensorVector* state, TruthFn truth,
                                   LoopPoll& poll) {
  GK_RETURN_IF_ERROR(test_.compiled().CheckArguments(*state));
  const int n = state->size();
  code_inputs_.resize(n);
  step_.PutStates(state);
  while (true) {
    GK_RETURN_IF_ERROR(poll.Turn(step_.name()));
    bool more = false;
    if (code_) {
      for (int i = 0; i < n; ++i) code_inputs_[i] = step_.StateData(i);
      GK_ASSIGN_OR_RETURN(more, TestByCode(poll));
    } else {
      step_.CopyStates(state);
      GK_ASSIGN_OR_RETURN(more, TestByPlan(*state, truth, poll));
      for (Tensor& t : *state) t = Tensor();
    }
    if (!more) break;
    GK_RETURN_IF_ERROR(step_.RunTurnInPlace(poll.cancellation()));
  }
  step_.TakeStates(state);
  return OkStatus();
}

Status NestedLoop::Run(TensorVector* state, TruthFn truth,
                       const CancellationToken* cancellation) {
  const NestingScope scope;
  GK_RETURN_IF_ERROR(scope.Check(step_.name()));
  GK_RETURN_IF_ERROR(step_.BeginLoop(*state));
  LoopPoll poll(cancellation);
  const auto end = [this] {
    step_.EndLoop();
    next_.clear();
  };
  try {
    const Status status = step_.is_closed()
                              ? RunTurnsInPlace(state, truth, poll)
                              : RunTurns(state, truth, poll);
    end();
    return status;
  } catch (...) {  // a plan that was wanted on the way could not be made
    end();
    throw;
  }
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
