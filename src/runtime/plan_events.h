// PlanEvents: the events of a plan's instructions, for profiles.
//
// Made when a plan is first recorded; constant. Keeps the plan's graph, not
// the plan.
#ifndef GK_RUNTIME_PLAN_EVENTS_H_
#define GK_RUNTIME_PLAN_EVENTS_H_

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/event_log.h"
#include "ops/op_detail.h"
#include "runtime/frame.h"
#include "runtime/plan.h"

namespace gk {

// The argument that names the nodes of a fused group, "a,b".
inline constexpr char kFusedNodes[] = "nodes";

class PlanEvents final : public EventTypes {
 public:
  // The plan's, made on first use.
  static const PlanEvents& Of(const Plan& plan);
  explicit PlanEvents(const Plan& plan);

  // A run of the whole plan.
  const EventType& function() const { return function_; }
  // A run of an instruction.
  const EventType& instruction(int pc) const { return *by_pc_[pc]; }
  // What differs between its runs; null: nothing. It runs between these two,
  // in `frame`.
  std::unique_ptr<OpDetail> Before(const Instruction& now, int pc,
                                   const Frame& frame) const {
    if (by_pc_[pc]->is_static) return nullptr;
    return Inputs(now, frame);
  }
  static void After(const Instruction& now, const Frame& frame,
                    OpDetail* detail) {
    if (detail != nullptr) AddOutputs(now, frame, detail);
  }

 private:
  class FunctionEvent final : public EventType {
   public:
    FunctionEvent(std::string name, const EventTypes* holder)
        : EventType(EventKind::kFunction, holder), name(std::move(name)) {}
    void Tell(const EventDetail* detail, EventFacts* facts) const override;
    const std::string name;
  };
  class InstructionEvent final : public EventType {
   public:
    explicit InstructionEvent(const PlanEvents* plan)
        : EventType(EventKind::kInstruction, plan), plan(*plan) {}
    void Tell(const EventDetail* detail, EventFacts* facts) const override;

    const PlanEvents& plan;
    const char* how = "";  // it runs: "kernel", "cluster"
    std::vector<const Node*> nodes;
    int updates = 0;
    bool is_static = false;  // its shapes are those of `known`
    OpDetail known;
  };

  static std::unique_ptr<OpDetail> Inputs(const Instruction& now,
                                          const Frame& frame);
  static void AddOutputs(const Instruction& now, const Frame& frame,
                         OpDetail* detail);

  const Ref<Graph> graph_;
  const FunctionEvent function_;
  std::deque<InstructionEvent> instructions_;
  std::vector<const InstructionEvent*> by_pc_;
};

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_EVENTS_H_
