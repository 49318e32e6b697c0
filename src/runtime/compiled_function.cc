#include "runtime/compiled_function.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/checks.h"
#include "base/event_log.h"
#include "grappler/large_constants.h"
#include "grappler/optimize.h"

namespace gk {
namespace {

// How long a second call may compute constants. It would compute them anyway.
constexpr std::chrono::seconds kMaxFolding{10};

// Moves what is behind the first `most`: it is destroyed without the lock.
template <class List>
void DropBehind(size_t most, List& list, List& dropped) {
  if (list.size() > most) {
    dropped.splice(dropped.end(), list, std::next(list.begin(), most),
                   list.end());
  }
}

}  // namespace

StatusOr<CompiledFunction*> CompiledFunction::Of(
    const GraphFunction& function) {
  std::atomic<GraphFunction::Compiled*>& slot = function.compiled();
  if (auto* c = slot.load(std::memory_order_acquire)) {
    return static_cast<CompiledFunction*>(c);
  }
  const EventSpan span(EventKind::kPlanning, "optimize", function.name());
  Ref<CompiledFunction> made =
      Ref<CompiledFunction>::Adopt(new CompiledFunction);
  GK_ASSIGN_OR_RETURN(made->graph_, Optimize(function));
  made->is_static_ = std::all_of(
      made->graph_.arguments.begin(), made->graph_.arguments.end(),
      [](const Node* n) { return n->output(0).shape.IsFullyDefined(); });
  // Whoever comes second uses what the first one made.
  GraphFunction::Compiled* expected = nullptr;
  if (slot.compare_exchange_strong(expected, made.get(),
                                   std::memory_order_acq_rel)) {
    return made.Release();
  }
  return static_cast<CompiledFunction*>(expected);
}

Status CompiledFunction::CheckArguments(std::span<const Tensor> inputs) const {
  const std::vector<Node*>& arguments = graph_.arguments;
  if (inputs.size() != arguments.size()) {
    return InvalidArgument("Function {} takes {} arguments but got {}",
                           graph_.name, arguments.size(), inputs.size());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Node::OutputInfo& info = arguments[i]->output(0);
    const Tensor& t = inputs[i];
    if (!t || t.is_symbolic()) {
      return Internal("Argument {} of function {} has no value", i,
                      graph_.name);
    }
    if (t.dtype() != info.dtype) {
      return InvalidArgument("Argument {} of function {} is {}, expected {}", i,
                             graph_.name, DataTypeString(t.dtype()),
                             DataTypeString(info.dtype));
    }
    if (info.shape.unknown_rank()) continue;
    const std::span<const int64_t> want = info.shape.dims();
    const std::span<const int64_t> have = t.shape().dims();
    if (!std::equal(
            want.begin(), want.end(), have.begin(), have.end(),
            [](int64_t w, int64_t h) { return w == kUnknownDim || w == h; })) {
      return InvalidArgument(
          "Argument {} of function {} has shape {}, expected {}", i,
          graph_.name, t.shape().DebugString(), info.shape.DebugString());
    }
  }
  return OkStatus();
}

StatusOr<Ref<Plan>> CompiledFunction::DeclaredPlan() {
  if (Plan* plan = ready_.load(std::memory_order_acquire)) {
    return Ref<Plan>(plan);
  }
  std::unique_lock lock(mutex_);
  if (!declared_) {
    lock.unlock();
    return MakeDeclaredPlan();
  }
  // Others run the plan as it is while one thread computes.
  if (!may_fold_) return declared_;
  may_fold_ = false;
  lock.unlock();
  try {
    FoldLarge();
  } catch (const Error&) {  // interrupted: the next call does it
    lock.lock();
    may_fold_ = true;
    throw;
  }
  lock.lock();
  ready_.store(declared_.get(), std::memory_order_release);
  return declared_;
}

StatusOr<Ref<Plan>> CompiledFunction::MakeDeclaredPlan() {
  GK_ASSIGN_OR_RETURN(Ref<Plan> made, Plan::Make(graph_));
  const bool may_fold = RunsGraphPasses() && HasLargeConstants(graph_);
  std::lock_guard lock(mutex_);
  if (declared_) return declared_;  // another thread was faster
  declared_ = std::move(made);
  if (loop_body_) declared_->TakeSharedStatesOf(*loop_body_);
  may_fold_ = may_fold;
  if (!may_fold_) ready_.store(declared_.get(), std::memory_order_release);
  return declared_;
}

void CompiledFunction::FoldLarge() {
  const auto start = std::chrono::steady_clock::now();
  const auto go_on = [&] {
    return std::chrono::steady_clock::now() - start < kMaxFolding;
  };
  RewriteGraph f = graph_.Clone();
  bool changed = false;
  if (!OptimizeAgain(&f, go_on, &changed).ok() || !changed) return;
  StatusOr<Ref<Plan>> made = Plan::Make(f.Clone());
  if (!made.ok()) return;
  std::lock_guard lock(mutex_);
  (*made)->TakeSharedStatesOf(*declared_);
  std::swap(declared_, *made);
  folded_ = std::move(f);
  is_folded_.store(true, std::memory_order_release);
}

StatusOr<Ref<Plan>> CompiledFunction::LoopBodyPlan() {
  if (!is_static_) return Ref<Plan>();
  {
    std::lock_guard lock(mutex_);
    if (loop_body_) return loop_body_;
  }
  GK_ASSIGN_OR_RETURN(Ref<Plan> made, Plan::MakeLoopBody(graph_));
  std::lock_guard lock(mutex_);
  if (loop_body_) return loop_body_;
  loop_body_ = std::move(made);
  if (declared_) loop_body_->TakeSharedStatesOf(*declared_);
  return loop_body_;
}

StatusOr<RewriteGraph> CompiledFunction::GraphFor(
    std::span<const PartialTensorShape> shapes) const {
  if (shapes.size() != graph_.arguments.size()) {
    return InvalidArgument("Function {} takes {} arguments but got {}",
                           graph_.name, graph_.arguments.size(), shapes.size());
  }
  bool as_declared = true;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const PartialTensorShape& declared = graph_.arguments[i]->output(0).shape;
    if (!declared.IsCompatibleWith(shapes[i])) {
      return InvalidArgument("Argument {} of function {} has shape {}", i,
                             graph_.name, declared.DebugString());
    }
    as_declared &= declared == shapes[i];
  }
  if (as_declared) return graph_;
  RewriteGraph f = graph_.Clone();
  for (size_t i = 0; i < shapes.size(); ++i) {
    f.arguments[i]->mutable_output(0).shape = shapes[i];
  }
  GK_RETURN_IF_ERROR(OptimizeForShapes(&f));
  return f;
}

StatusOr<Ref<Plan>> CompiledFunction::Specialise(std::span<const Tensor> inputs,
                                                 const Plan& declared,
                                                 bool loop_body) const {
  const EventSpan span(EventKind::kPlanning, "specialise", graph_.name);
  RewriteGraph f = GraphToSpecialise().Clone();
  for (size_t i = 0; i < inputs.size(); ++i) {
    f.arguments[i]->mutable_output(0).shape = inputs[i].shape();
  }
  GK_RETURN_IF_ERROR(OptimizeForShapes(&f));
  GK_ASSIGN_OR_RETURN(Ref<Plan> plan, loop_body
                                          ? Plan::MakeLoopBody(std::move(f))
                                          : Plan::Make(std::move(f)));
  plan->TakeSharedStatesOf(declared);
  return plan;
}

CompiledFunction::ShapeKey CompiledFunction::KeyOf(
    std::span<const Tensor> inputs) {
  ShapeKey key;
  for (const Tensor& t : inputs) {
    key.push_back(t.rank());
    key.insert(key.end(), t.shape().dims().begin(), t.shape().dims().end());
  }
  return key;
}

bool CompiledFunction::Fits(const ShapeKey& key,
                            std::span<const Tensor> inputs) {
  size_t at = 0;  // keys of one function have as many ranks
  for (const Tensor& t : inputs) {
    const std::span<const int64_t> dims = t.shape().dims();
    if (key[at] != t.rank() ||
        !std::equal(dims.begin(), dims.end(), key.begin() + at + 1)) {
      return false;
    }
    at += 1 + dims.size();
  }
  return true;
}

CompiledFunction::~CompiledFunction() {
  while (Specialised* recent = recent_.Take()) delete recent;
}

CompiledFunction::PlanInUse::~PlanInUse() {
  if (recent_ != nullptr && function_.recent_.Give(recent_.get())) {
    recent_.release();
  }
}

StatusOr<const Plan*> CompiledFunction::PlanInUse::Find(
    std::span<const Tensor> inputs) {
  GK_RETURN_IF_ERROR(function_.CheckArguments(inputs));
  recent_.reset(function_.recent_.Take());
  if (recent_ != nullptr && Fits(recent_->key, inputs)) {
    return recent_->plan.get();
  }
  bool is_own = false;
  GK_ASSIGN_OR_RETURN(other_, function_.PlanFor(inputs, &is_own));
  if (!is_own) return other_.get();
  if (recent_ == nullptr) recent_ = std::make_unique<Specialised>();
  *recent_ = {KeyOf(inputs), std::move(other_)};
  return recent_->plan.get();
}

Ref<Plan> CompiledFunction::LoopBodyPlanFor(std::span<const Tensor> states,
                                            bool make) {
  if (!CheckArguments(states).ok()) return {};
  ShapeKey key = KeyOf(states);
  {
    std::lock_guard lock(mutex_);
    for (auto it = loop_plans_.begin(); it != loop_plans_.end(); ++it) {
      if (it->key != key) continue;
      loop_plans_.splice(loop_plans_.begin(), loop_plans_, it);
      return it->plan;
    }
  }
  if (!make) return {};
  const StatusOr<Ref<Plan>> declared = DeclaredPlan();
  if (!declared.ok()) return {};
  StatusOr<Ref<Plan>> made = Specialise(states, **declared, true);
  Ref<Plan> plan;
  if (made.ok() && (*made)->is_closed) plan = std::move(*made);
  std::list<Specialised> dropped;
  std::lock_guard lock(mutex_);
  for (const Specialised& s : loop_plans_) {
    if (s.key == key) return s.plan;  // another thread was faster
  }
  loop_plans_.push_front({std::move(key), plan});
  DropBehind(kMaxPlans, loop_plans_, dropped);
  return plan;
}

StatusOr<Ref<Plan>> CompiledFunction::LatestPlan() {
  {
    std::lock_guard lock(mutex_);
    for (const Specialised& s : plans_) {
      if (s.plan) return s.plan;
    }
  }
  return DeclaredPlan();
}

StatusOr<Ref<Plan>> CompiledFunction::PlanFor(std::span<const Tensor> inputs,
                                              bool* is_own) {
  GK_RETURN_IF_ERROR(CheckArguments(inputs));
  GK_ASSIGN_OR_RETURN(Ref<Plan> declared, DeclaredPlan());
  if (is_static_) return declared;
  ShapeKey key = KeyOf(inputs);
  std::list<Specialised> dropped;
  {
    std::lock_guard lock(mutex_);
    for (auto it = plans_.begin(); it != plans_.end(); ++it) {
      if (it->key != key) continue;
      plans_.splice(plans_.begin(), plans_, it);
      if (is_own) *is_own = bool(it->plan);
      return it->plan ? it->plan : declared;
    }
    const auto seen = std::find(seen_.begin(), seen_.end(), key);
    if (seen == seen_.end()) {
      seen_.push_front(std::move(key));
      if (seen_.size() > kMaxSeen) seen_.pop_back();
      return declared;
    }
    seen_.erase(seen);
    // The entry tells other threads that a plan is on its way.
    plans_.push_front({key, nullptr});
    DropBehind(kMaxPlans, plans_, dropped);
  }
  const auto settle = [&](const Ref<Plan>& plan) {
    std::lock_guard lock(mutex_);
    for (auto it = plans_.begin(); it != plans_.end(); ++it) {
      if (it->key != key || it->plan) continue;
      it->plan = plan;
      if (!plan) plans_.erase(it);
      return;
    }
  };
  try {
    // Shapes that inference refuses must fail at run time, at the op that
    // minds, after what came before it: the declared plan does that.
    StatusOr<Ref<Plan>> made = Specialise(inputs, *declared, false);
    if (ChecksOn() && made.status().code() == Code::kInternal) return made;
    const Ref<Plan> plan = made.ok() ? std::move(*made) : declared;
    settle(plan);
    if (is_own) *is_own = made.ok();
    return plan;
  } catch (...) {  // interrupted, for one: a later call makes it
    settle({});
    throw;
  }
}

}  // namespace gk
