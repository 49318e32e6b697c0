#include "runtime/executor.h"

#include <optional>

#include "base/caught.h"
#include "base/event_log.h"
#include "base/run_limit.h"
#include "base/stack.h"
#include "framework/arguments_text.h"
#include "framework/kernel_context.h"
#include "framework/run_kernel.h"
#include "ops/control/truth.h"
#include "ops/element_moves.h"
#include "runtime/compiled_function.h"
#include "runtime/error_origin.h"
#include "runtime/feeding.h"
#include "runtime/frame.h"
#include "runtime/kept_reads.h"
#include "runtime/loop_poll.h"
#include "runtime/nested_function.h"
#include "runtime/plan_checker.h"
#include "runtime/plan_events.h"
#include "runtime/plan_profile.h"
#include "runtime/run_variable_updates.h"
#include "runtime/running_plan.h"

namespace gk {
namespace {

constexpr int kPollInterval = 64;  // instructions, a power of two
thread_local int nesting = 0;

// Takes a frame for a run and gives it back clean, whatever happens.
class FrameLease {
 public:
  explicit FrameLease(const Plan& plan) : plan_(plan) {}
  ~FrameLease() {
    if (!frame_) return;
    if (!clean_) frame_->Clear(plan_);
    plan_.frames.Give(std::move(frame_));
  }
  Status Take() {
    frame_ = plan_.frames.Take();
    if (frame_) return OkStatus();
    GK_ASSIGN_OR_RETURN(frame_, Frame::Make(plan_));
    return OkStatus();
  }
  Frame& frame() { return *frame_; }
  void SetClean() { clean_ = true; }

 private:
  const Plan& plan_;
  std::unique_ptr<Frame> frame_;
  bool clean_ = false;
};

// Of a node that the plan found to name functions alone.
std::vector<const GraphFunction*> BranchesOf(const Node& node) {
  if (const auto* then = node.attrs().Get<FunctionAttr>("then_branch")) {
    return {GraphOf(then),
            GraphOf(node.attrs().Get<FunctionAttr>("else_branch"))};
  }
  std::vector<const GraphFunction*> all;
  for (const FunctionAttr& f :
       *node.attrs().Get<std::vector<FunctionAttr>>("branches")) {
    all.push_back(GraphOf(&f));
  }
  return all;
}

// Which branch runs: the first one of an If whose condition holds, the last
// one of a Case whose index is out of range.
StatusOr<int64_t> BranchTaken(const Node& node, const Tensor& choice,
                              int64_t n) {
  if (node.op().control == Control::kIf) {
    GK_ASSIGN_OR_RETURN(const bool truth, choice.shape().IsScalar()
                                              ? TruthOf(choice)
                                              : TruthFor(node.attrs())(choice));
    return truth ? 0 : 1;
  }
  GK_ASSIGN_OR_RETURN(const int64_t index, BranchIndexOf(choice));
  return index < 0 || index >= n ? n - 1 : index;
}

class Run {
 public:
  Run(const Plan& plan, Frame& frame, const CancellationToken* cancellation,
      Turn turn)
      : plan_(plan), frame_(frame), cancellation_(cancellation), turn_(turn) {}

  Status Execute() {
    try {
      if (EventLog::On()) [[unlikely]]
        return ExecuteRecorded();
      return ExecuteUnrecorded();
    } catch (...) {
      return CaughtStatus(plan_.function.name);
    }
  }

 private:
  [[gnu::always_inline]] Status ExecuteUnrecorded() {
    return plan_.watched ? ExecuteAll<true, false>()
                         : ExecuteAll<false, false>();
  }

  [[gnu::noinline]] Status ExecuteRecorded() {
    const PlanEvents& events = PlanEvents::Of(plan_);
    RunSampler& sampler = RunSampler::Here(events);
    RunningPlan& here = *RunningPlan::innermost;
    here.recording = sampler.Begin(here.OuterRecording());
    if (here.recording == RunRecording::kCounted) return ExecuteUnrecorded();
    PlanTimes times(events, sampler);
    if (!EventLog::On(EventLog::kOps)) {
      const Status s = ExecuteUnrecorded();
      times.Add(-EventLog::Now());
      return s;
    }
    events_ = &events;
    times_ = &times;
    return plan_.watched ? ExecuteAll<true, true>() : ExecuteAll<false, true>();
  }

  // kWatched: by whoever checks or counts; kRecorded: in events.
  template <bool kWatched, bool kRecorded>
  Status ExecuteAll() {
    GK_RETURN_IF_ERROR(CheckCancelled());
    int64_t began = 0;  // of the instruction
    std::unique_ptr<OpDetail> detail;
    if constexpr (kRecorded) began = times_->start();
    PlanChecker* checker = nullptr;
    if constexpr (kWatched) {
      checker = Checker();
      if (checker) GK_RETURN_IF_ERROR(checker->Begin(turn_));
    }
    const int n = plan_.instructions.size();
    for (int pc = 0; pc < n; ++pc) {
      const Instruction& now = plan_.instructions[pc];
      const auto apart = [&](Frame& frame, const Instruction& changed) {
        return Run(plan_, frame, cancellation_, Turn::kCall)
            .RunOne(changed, pc);
      };
      if (now.once && turn_ == Turn::kLater) {
        if constexpr (kWatched) {
          if (checker) GK_RETURN_IF_ERROR(checker->Again(pc, apart));
        }
        if constexpr (kRecorded) times_->Add(0);
        continue;
      }
      std::optional<PlanProfile::Timer> timer;
      if constexpr (kWatched) {
        if (checker) GK_RETURN_IF_ERROR(checker->Before(pc, apart));
        if (plan_.profile) timer.emplace(*plan_.profile, pc);
      }
      if constexpr (kRecorded) {
        if (!events_->IsStatic(pc)) {
          detail = events_->Before(now, frame_);
          const int64_t ready = EventLog::Now();
          times_->AddCost(ready - began);
          began = ready;
        }
      }
      if ((pc & (kPollInterval - 1)) == kPollInterval - 1) [[unlikely]] {
        PollInterrupt();
      }
      if (cancellation_ != nullptr) [[unlikely]] {
        GK_RETURN_IF_ERROR(CheckCancelled());
      }
      GK_RETURN_IF_ERROR(RunOne(now, pc));
      if constexpr (kRecorded) {
        const int64_t ended = EventLog::Now();
        if (detail != nullptr) {
          events_->After(now, frame_, detail.get());
          began = times_->Add(pc, began, ended, std::move(detail));
        } else {
          times_->Add(ended);
          began = ended;
        }
      }
      if constexpr (kWatched) {
        if (checker) GK_RETURN_IF_ERROR(checker->After(pc));
      }
      for (int k = 0; k < now.num_releases; ++k) {
        frame_.slots[plan_.releases[now.first_release + k]] = Tensor();
      }
    }
    if constexpr (kWatched) {
      if (checker) GK_RETURN_IF_ERROR(checker->End());
    }
    return OkStatus();
  }

  [[gnu::always_inline]] Status RunOne(const Instruction& now, int pc) {
    switch (now.kind) {
      case Instruction::Kind::kTile: {
        if (now.needs_output) GK_RETURN_IF_ERROR(MakeOutputs(now));
        const SlotId* in = &plan_.inputs[now.first_input];
        void* const* data = frame_.data.data();
        const void* const operands[3] = {data[in[0]], data[in[1]], data[in[2]]};
        if (now.tile(data[now.first_output], operands, now.num_elements,
                     &now.tile_params) != 0) {
          if (!now.compute) return TileError(*now.node);
          return RunKernel(now, pc);
        }
        return OkStatus();
      }
      case Instruction::Kind::kCluster:
        return RunCluster(now, pc);
      case Instruction::Kind::kKernel:
        if (now.feeds_next) [[unlikely]] return RunFeeding(now, pc);
        return RunKernel(now, pc);
      case Instruction::Kind::kRead:
        return RunRead(now, pc);
      case Instruction::Kind::kCode:
        return RunCode(now, pc);
      case Instruction::Kind::kBranch:
        return RunBranch(now, pc);
      case Instruction::Kind::kLoop:
        break;
    }
    return RunLoop(now, pc);
  }

  // Null unless the plan is to be checked.
  PlanChecker* Checker() {
    if (plan_.checked && !frame_.checker) {
      frame_.checker = std::make_unique<PlanChecker>(plan_, frame_);
    }
    return frame_.checker.get();
  }

  Status CheckCancelled() const {
    if (!HasRunEnded(cancellation_)) return OkStatus();
    return Cancelled("Function {} was cancelled", plan_.function.name);
  }

  Status Fail(const Status& status, const Node& node) {
    return AtNode(status, node, plan_.function.name);
  }

  Status TileError(const Node& node) {
    const char* text = node.op().kernel.tile_error;
    return Fail(InvalidArgument("{}", text ? text : "Invalid element"), node);
  }

  // Buffers for results that may escape.
  Status MakeOutputs(const Instruction& now) {
    for (int k = 0; k < now.num_outputs; ++k) {
      const SlotId s = now.first_output + k;
      const SlotInfo& info = plan_.slots[s];
      if (info.home != Home::kOwn) continue;
      if (s == now.take_to) {
        Tensor& old = frame_.slots[now.take_from];
        if (old && old.IsExclusive()) {
          frame_.slots[s] = std::move(old);
          frame_.data[s] = frame_.slots[s].raw_data();
          continue;
        }
      }
      if (Tensor& spare = frame_.planned[s]) {
        frame_.slots[s] = std::move(spare);
        frame_.data[s] = frame_.slots[s].raw_data();
        continue;
      }
      StatusOr<Tensor> t = Tensor::Allocate(info.dtype, info.shape);
      if (!t.ok()) return Fail(t.status(), *now.node);
      frame_.slots[s] = std::move(*t);
      frame_.data[s] = frame_.slots[s].raw_data();
    }
    return OkStatus();
  }

  Status RunCluster(const Instruction& now, int pc) {
    if (feeding_.Fed(pc)) [[unlikely]] {
      return feeding_.Finish(plan_, frame_, pc);
    }
    if (now.needs_output) GK_RETURN_IF_ERROR(MakeOutputs(now));
    if (now.num_updates > 0) return RunUpdates(now);
    const Cluster& cluster = plan_.clusters[now.cluster];
    constexpr int kInPlace = 32;
    const void* few[kInPlace];
    std::vector<const void*> many;
    const void** in = few;
    if (now.num_inputs > kInPlace) {
      many.resize(now.num_inputs);
      in = many.data();
    }
    for (int k = 0; k < now.num_inputs; ++k) {
      in[k] = frame_.data[plan_.inputs[now.first_input + k]];
    }
    const int failed = cluster.Run(in, &frame_.data[now.first_output]);
    if (failed >= 0) return TileError(*cluster.steps()[failed].node);
    return OkStatus();
  }

  Status RunCode(const Instruction& now, int pc) {
    if (now.needs_output) GK_RETURN_IF_ERROR(MakeOutputs(now));
    const ScalarCode& code = *plan_.codes[now.code];
    std::unique_ptr<KernelState>& state = frame_.states[pc];
    if (!state) state = std::make_unique<ScalarRegisters>(code);
    InlinedVector<const void*, 32> in;
    for (int k = 0; k < now.num_inputs; ++k) {
      in.push_back(frame_.data[plan_.inputs[now.first_input + k]]);
    }
    LoopPoll poll(cancellation_);
    return code.Run(static_cast<ScalarRegisters&>(*state), in.data(),
                    &frame_.data[now.first_output], poll);
  }

  // Inputs from `first` on; those that nobody reads later are moved, so that
  // what is called may change them in place.
  void TakeInputs(const Instruction& now, int first, TensorVector* out) {
    out->clear();
    out->reserve(now.num_inputs - first);
    for (int k = first; k < now.num_inputs; ++k) {
      Tensor& t = frame_.slots[plan_.inputs[now.first_input + k]];
      const bool dies = k < 64 && ((now.may_forward >> k) & 1) != 0;
      out->push_back(dies ? std::move(t) : t);
    }
  }

  Status GiveOutputs(const Instruction& now, TensorVector* values) {
    for (int k = 0; k < now.num_outputs; ++k) {
      frame_.slots[now.first_output + k] = std::move((*values)[k]);
      GK_RETURN_IF_ERROR(Settle(now.first_output + k, *now.node, k));
    }
    return OkStatus();
  }

  Status RunBranch(const Instruction& now, int pc) {
    const Node& node = *now.node;
    std::unique_ptr<KernelState>& state = frame_.states[pc];
    if (!state) state = std::make_unique<NestedBranches>(BranchesOf(node));
    auto& branches = static_cast<NestedBranches&>(*state);
    const Tensor& choice = frame_.slots[plan_.inputs[now.first_input]];
    StatusOr<int64_t> taken = BranchTaken(node, choice, branches.size());
    if (!taken.ok()) return Fail(taken.status(), node);
    StatusOr<NestedFunction*> branch = branches.Branch(*taken);
    if (!branch.ok()) return Fail(branch.status(), node);
    TensorVector inputs, outputs;
    TakeInputs(now, 1, &inputs);
    const Status s = (*branch)->Run(inputs, true, &outputs, cancellation_);
    if (!s.ok()) return Fail(s, node);
    if (static_cast<int>(outputs.size()) != now.num_outputs) {
      return Fail(
          InvalidArgument("Branch {} returned {} values, expected {}",
                          (*branch)->name(), outputs.size(), now.num_outputs),
          node);
    }
    return GiveOutputs(now, &outputs);
  }

  Status RunLoop(const Instruction& now, int pc) {
    const Node& node = *now.node;
    std::unique_ptr<KernelState>& state = frame_.states[pc];
    if (!state) {
      StatusOr<std::unique_ptr<NestedLoop>> made =
          NestedLoop::Make(*GraphOf(node.attrs().Get<FunctionAttr>("cond")),
                           *GraphOf(node.attrs().Get<FunctionAttr>("body")));
      if (!made.ok()) return Fail(made.status(), node);
      state = std::move(*made);
    }
    TensorVector values;
    TakeInputs(now, 0, &values);
    const Status s = static_cast<NestedLoop&>(*state).Run(
        &values, TruthFor(node.attrs()), cancellation_);
    if (!s.ok()) return Fail(s, node);
    return GiveOutputs(now, &values);
  }

  Status RunUpdates(const Instruction& now) {
    InlinedVector<const void*, 32> in;
    InlinedVector<void*, 32> out;
    for (int k = 0; k < now.num_inputs; ++k) {
      in.push_back(frame_.data[plan_.inputs[now.first_input + k]]);
    }
    for (int k = 0; k < now.num_outputs; ++k) {
      out.push_back(frame_.data[now.first_output + k]);
    }
    for (int k = 0; k < now.num_updates; ++k) out.push_back(nullptr);
    return RunVariableUpdates(plan_, frame_, now,
                              {in.data(), size_t(in.size())},
                              {out.data(), size_t(out.size())});
  }

  [[gnu::cold, gnu::noinline]] Status KernelFailed(const Status& s,
                                                   const Instruction& now) {
    const Node& node = *now.node;
    return WithArguments(
        Fail(s, node), node.op(), node.attrs(),
        {frame_.inputs.data() + now.first_input, size_t(now.num_inputs)});
  }

  Status RunKernel(const Instruction& now, int pc) {
    const Node& node = *now.node;
    Tensor* out = frame_.slots.data() + now.first_output;
    const Tensor* planned = frame_.planned.data() + now.first_output;
    bool any_planned = false;
    for (int k = 0; k < now.num_outputs; ++k) any_planned |= bool(planned[k]);
    KernelContext context(
        node.op(), node.attrs(),
        {frame_.inputs.data() + now.first_input, size_t(now.num_inputs)},
        {out, size_t(now.num_outputs)});
    context.set_plan(any_planned ? planned : nullptr, now.may_forward);
    context.set_state_slot(&frame_.states[pc]);
    if (!plan_.shared_states.empty()) {
      context.set_shared_state(plan_.shared_states[pc].get());
    }
    context.set_cancellation(cancellation_);
    if (Status s = gk::RunKernel(now.compute, context); !s.ok()) {
      return KernelFailed(s, now);
    }
    for (int k = 0; k < now.num_outputs; ++k) {
      const SlotId s = now.first_output + k;
      if (plan_.slots[s].home == Home::kOwn) frame_.planned[s] = Tensor();
      GK_RETURN_IF_ERROR(Settle(now.first_output + k, node, k));
    }
    return OkStatus();
  }

  [[gnu::noinline]] Status RunFeeding(const Instruction& now, int pc) {
    return feeding_.Run(plan_, frame_, pc, [&] { return RunKernel(now, pc); });
  }

  Status RunRead(const Instruction& now, int pc) {
    KeptReads* const reads = frame_.reads.get();  // null in a checker's frame
    if (reads == nullptr ||
        (!reads->IsCurrent(now.kept) && !reads->Keep(now.kept))) {
      return RunKernel(now, pc);
    }
    if (!plan_.checked) return OkStatus();
    return reads->Check(now, pc);
  }

  // What was said of a value, with set_shape or an attribute, is not so.
  Status OtherThanDeclared(SlotId s, const Node& node, int k) const {
    const Tensor& t = frame_.slots[s];
    const SlotInfo& info = plan_.slots[s];
    if (t.dtype() != info.dtype) {
      return InvalidArgument(
          "Output {} of op {} is of type {}, but {} is declared for it", k,
          node.type(), DataTypeString(t.dtype()), DataTypeString(info.dtype));
    }
    return InvalidArgument(
        "Output {} of op {} has shape {}, but shape {} is declared for it: "
        "declare what the op gives (set_shape, output_shapes, the shape of a "
        "resource's value), or leave it unknown",
        k, node.type(), t.shape().DebugString(), info.shape.DebugString());
  }

  // Holds a kernel to what was planned: arena slots contain their value in
  // place, own slots contain nothing of the arena, known shapes are true.
  Status Settle(SlotId s, const Node& node, int k) {
    Tensor& t = frame_.slots[s];
    const SlotInfo& info = plan_.slots[s];
    if (!t) {
      return Fail(Internal("Op {} gave no output {}", node.type(), k), node);
    }
    if (t.dtype() != info.dtype ||
        (info.is_static && !(t.shape() == info.shape))) {
      return Fail(OtherThanDeclared(s, node, k), node);
    }
    if (info.home == Home::kArena) {
      if (t.raw_data() == frame_.data[s]) return OkStatus();
      std::memcpy(frame_.data[s], t.raw_data(), t.byte_size());
      t = frame_.planned[s];
      return OkStatus();
    }
    if (frame_.InArena(t.raw_data())) {
      StatusOr<Tensor> copy = t.Copy();
      if (!copy.ok()) return Fail(copy.status(), node);
      t = std::move(*copy);
    }
    frame_.data[s] = t.raw_data();
    return OkStatus();
  }

  const Plan& plan_;
  Frame& frame_;
  const CancellationToken* cancellation_;
  const Turn turn_;
  const PlanEvents* events_ = nullptr;  // null: instructions are not recorded
  PlanTimes* times_ = nullptr;
  Feeding feeding_;
};

}  // namespace

Status RunInFrame(const Plan& plan, Frame& frame, TensorVector* outputs,
                  const CancellationToken* cancellation, Turn turn) {
  const RunningPlan running(plan);
  GK_RETURN_IF_ERROR(Run(plan, frame, cancellation, turn).Execute());
  outputs->clear();
  outputs->reserve(plan.results.size());
  for (SlotId s : plan.results) outputs->push_back(frame.slots[s]);
  frame.End(plan);
  return OkStatus();
}

Status RunTurnInFrame(const Plan& body, Frame& frame, TensorVector* scratch,
                      const CancellationToken* cancellation, Turn turn) {
  const RunningPlan running(body);
  GK_RETURN_IF_ERROR(Run(body, frame, cancellation, turn).Execute());
  for (const NextState& next : body.next_states) {
    Tensor& t = frame.slots[next.from];
    scratch->push_back(next.moves ? std::move(t) : t);
  }
  for (size_t i = 0; i < body.next_states.size(); ++i) {
    const NextState& next = body.next_states[i];
    Tensor& t = frame.slots[next.to];
    if (next.spares && t && t.IsExclusive()) {
      frame.planned[next.from] = std::move(t);
    }
    t = std::move((*scratch)[i]);
    frame.data[next.to] = t.raw_data();
  }
  scratch->clear();
  return OkStatus();
}

bool IsRunning(const Plan& plan) {
  for (auto* r = RunningPlan::innermost; r != nullptr; r = r->outer) {
    if (r->plan == &plan) return true;
  }
  return false;
}

NestingScope::NestingScope() { ++nesting; }
NestingScope::~NestingScope() { --nesting; }

Status NestingScope::Check(std::string_view function) const {
  // Every fourth level: most calls have one.
  if ((nesting & 3) != 0 || HasStackLeft()) [[likely]]
    return OkStatus();
  return ResourceExhausted(
      "Function {} is called recursively, {} levels deep: there is no stack "
      "left",
      function, nesting);
}

Status RunPlan(const Plan& plan, std::span<const Tensor> inputs,
               TensorVector* outputs, const CancellationToken* cancellation,
               int num_captures) {
  const NestingScope scope;
  GK_RETURN_IF_ERROR(scope.Check(plan.function.name));
  if (!plan.updates.empty() && ResourcesAlias(inputs)) {
    GK_ASSIGN_OR_RETURN(const Ref<Plan> apart, plan.WithoutMergedUpdates());
    return RunPlan(*apart, inputs, outputs, cancellation, num_captures);
  }
  FrameLease lease(plan);
  GK_RETURN_IF_ERROR(lease.Take());
  Frame& frame = lease.frame();
  frame.Begin(static_cast<int>(inputs.size()) - num_captures);
  for (size_t i = 0; i < inputs.size(); ++i) {
    frame.SetArgument(plan.arguments[i], inputs[i]);
  }
  GK_RETURN_IF_ERROR(RunInFrame(plan, frame, outputs, cancellation));
  lease.SetClean();
  // A result has an identity of its own, even if its value is an argument's,
  // a constant's or another result's.
  for (Tensor& t : *outputs) {
    if (t.impl()->RefCount() > 1) t = t.Alias();
  }
  return OkStatus();
}

Status RunFunction(const GraphFunction& function,
                   std::span<const Tensor> inputs, TensorVector* outputs,
                   const CancellationToken* cancellation, int num_captures) {
  if (nesting == 0) ClearErrorOrigin();
  GK_ASSIGN_OR_RETURN(CompiledFunction * compiled,
                      CompiledFunction::Of(function));
  if (const Plan* plan = compiled->OnlyPlan()) {
    GK_RETURN_IF_ERROR(compiled->CheckArguments(inputs));
    return RunPlan(*plan, inputs, outputs, cancellation, num_captures);
  }
  CompiledFunction::PlanInUse in_use(*compiled);
  GK_ASSIGN_OR_RETURN(const Plan* const plan, in_use.Find(inputs));
  return RunPlan(*plan, inputs, outputs, cancellation, num_captures);
}

Status RunWhileLoop(const GraphFunction& condition, const GraphFunction& body,
                    TensorVector* state, StatusOr<bool> (*truth)(const Tensor&),
                    const CancellationToken* cancellation) {
  if (nesting == 0) ClearErrorOrigin();
  GK_ASSIGN_OR_RETURN(const std::unique_ptr<NestedLoop> loop,
                      NestedLoop::Make(condition, body));
  GK_RETURN_IF_ERROR(loop->Run(state, truth, cancellation));
  // Results have identities of their own.
  for (Tensor& t : *state) {
    if (t.impl()->RefCount() > 1) t = t.Alias();
  }
  return OkStatus();
}

}  // namespace gk
