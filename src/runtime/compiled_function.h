// CompiledFunction: what a GraphFunction keeps once it has run: its optimised
// graph, a plan for the shapes it declares, and plans for the shapes it met.
//
// Constants that take long to compute are computed when the function is called
// for the second time: see large_constants.h.
//
// A shape met for the first time runs the declared plan, which allocates as
// it goes; met again, it gets a plan of its own. Both lists are bounded, the
// least recently used go first. Thread-safe; functions whose declared shapes
// are complete lock once, others when a thread meets other shapes than before.
//
// Making graphs and plans can be interrupted (Error is thrown): it is done
// without a lock, and the next call begins anew.
#ifndef GK_RUNTIME_COMPILED_FUNCTION_H_
#define GK_RUNTIME_COMPILED_FUNCTION_H_

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "base/idle_cells.h"
#include "base/process_mutex.h"
#include "framework/graph.h"
#include "runtime/plan.h"

namespace gk {

class CompiledFunction final : public GraphFunction::Compiled {
 public:
  class PlanInUse;

  ~CompiledFunction();
  // Made on first use and kept by the function.
  static StatusOr<CompiledFunction*> Of(const GraphFunction& function);

  // Checks the arguments and picks a plan for them; `is_own`: it was made for
  // their shapes.
  StatusOr<Ref<Plan>> PlanFor(std::span<const Tensor> inputs,
                              bool* is_own = nullptr);

  // The plan for all arguments, if there can be no other any more; else null.
  // It lives as long as this.
  const Plan* OnlyPlan() const {
    return is_static_ ? ready_.load(std::memory_order_acquire) : nullptr;
  }

  // The plan for the declared shapes, made when it is first wanted.
  StatusOr<Ref<Plan>> DeclaredPlan();

  // The plan for the shapes of the latest call, if it has one of its own; else
  // the declared one.
  StatusOr<Ref<Plan>> LatestPlan();

  // The plan for a loop whose body this is, if the declared shapes are
  // complete; else null: then each turn asks PlanFor().
  StatusOr<Ref<Plan>> LoopBodyPlan();
  // The same for states of these shapes, which may be undeclared: null unless
  // they fit and a turn gives back the shapes that it takes. Null as well if
  // there is none yet and `make` is not set.
  Ref<Plan> LoopBodyPlanFor(std::span<const Tensor> states, bool make);

  // Whether the function takes these arguments.
  Status CheckArguments(std::span<const Tensor> inputs) const;
  // Every argument's shape is declared.
  bool is_static() const { return is_static_; }
  // The optimised graph for the declared shapes; to be read only.
  const RewriteGraph& graph() const { return graph_; }

  // The optimised graph for arguments of these shapes, which are complete;
  // to be read only. An error if they do not fit.
  StatusOr<RewriteGraph> GraphFor(
      std::span<const PartialTensorShape> shapes) const;

 private:
  using ShapeKey = std::vector<int64_t>;  // rank and dims of each argument
  struct Specialised {
    ShapeKey key;
    Ref<Plan> plan;
  };
  static constexpr size_t kMaxPlans = 16, kMaxSeen = 64;

  CompiledFunction() = default;
  static ShapeKey KeyOf(std::span<const Tensor> inputs);
  static bool Fits(const ShapeKey& key, std::span<const Tensor> inputs);
  StatusOr<Ref<Plan>> Specialise(std::span<const Tensor> inputs,
                                 const Plan& declared, bool loop_body) const;

  StatusOr<Ref<Plan>> MakeDeclaredPlan();
  // Computes large constants and makes the declared plan anew; on errors it
  // stays as it is.
  void FoldLarge();
  const RewriteGraph& GraphToSpecialise() const {
    return is_folded_.load(std::memory_order_acquire) ? folded_ : graph_;
  }

  // Guards what changes. No plan is destroyed under it.
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  RewriteGraph graph_;   // optimised for the declared shapes
  RewriteGraph folded_;  // with large constants computed; see is_folded_
  std::atomic<bool> is_folded_{false};
  bool may_fold_ = false;
  Ref<Plan> declared_, loop_body_;
  std::atomic<Plan*> ready_{nullptr};  // declared_, once it is there
  bool is_static_ = false;

  std::list<Specialised> plans_;  // most recent first; null while being made
  std::list<ShapeKey> seen_;
  std::list<Specialised> loop_plans_;  // null where the body is not closed
  // Plans that threads have used last: who finds a fitting one here takes no
  // lock and counts no reference.
  IdleCells<Specialised> recent_;
};

// A plan for inputs, for the length of a run of it.
class CompiledFunction::PlanInUse {
 public:
  explicit PlanInUse(CompiledFunction& function) : function_(function) {}
  ~PlanInUse();
  PlanInUse(const PlanInUse&) = delete;
  PlanInUse& operator=(const PlanInUse&) = delete;

  // Checks the inputs and picks a plan for them.
  StatusOr<const Plan*> Find(std::span<const Tensor> inputs);

 private:
  CompiledFunction& function_;
  std::unique_ptr<Specialised> recent_;
  Ref<Plan> other_;  // for inputs that have no plan of their own
};

}  // namespace gk

#endif  // GK_RUNTIME_COMPILED_FUNCTION_H_
