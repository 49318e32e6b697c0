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

class PlanEvents final : public EventTypes {
 public:
  // The plan's, made on first use.
  static const PlanEvents& Of(const Plan& plan);
  explicit PlanEvents(const Plan& plan);

  // A run of the whole plan.
  const EventType& function() const { return function_; }
  // A run of an instruction.
  const EventType& instruction(int pc) const { return instructions_[pc]; }
  // It runs between these two, in `frame`; `detail` is what the first
  // gave.
  std::unique_ptr<OpDetail> Before(const Instruction& now, int pc,
                                   const Frame& frame) const;
  void After(const Instruction& now, int pc, const Frame& frame,
             std::unique_ptr<OpDetail> detail, int64_t start,
             int64_t end) const;

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

  const Ref<Graph> graph_;
  const FunctionEvent function_;
  std::deque<InstructionEvent> instructions_;
};

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_EVENTS_H_
