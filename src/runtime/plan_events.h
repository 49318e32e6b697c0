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
#include "base/inlined_vector.h"
#include "base/run_sampler.h"
#include "ops/op_detail.h"
#include "runtime/frame.h"
#include "runtime/plan.h"

namespace gk {

// The argument that names the nodes of a fused group, "a,b".
inline constexpr char kFusedNodes[] = "nodes";

class PlanEvents final : public RunTypes {
 public:
  // The plan's, made on first use.
  static const PlanEvents& Of(const Plan& plan);
  explicit PlanEvents(const Plan& plan);

  // A run of the whole plan.
  const EventType& Whole() const override { return function_; }
  // A run of an instruction.
  const EventType& Part(int pc) const override { return *by_pc_[pc]; }
  // Are all its runs alike?
  bool IsStatic(int pc) const { return is_static_[pc]; }
  // What differs between them. It runs between these two, in `frame`.
  static std::unique_ptr<OpDetail> Before(const Instruction& now,
                                          const Frame& frame);
  static void After(const Instruction& now, const Frame& frame,
                    OpDetail* detail);

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
  std::vector<const InstructionEvent*> by_pc_;
  std::vector<uint8_t> is_static_;  // of each of them
};

// The times of a run's instructions, which become events where it ends.
class PlanTimes {
 public:
  // `sampler` has begun the run.
  PlanTimes(const PlanEvents& events, RunSampler& sampler)
      : events_(events), sampler_(sampler), count_(sampler.count()) {}
  ~PlanTimes();
  PlanTimes(const PlanTimes&) = delete;

  int64_t start() const { return start_; }
  // In order; EventLog::AddRun says what numbers mean.
  void Add(int64_t end) { ends_.push_back(end); }
  // One that is like no other, from `start` to `end`. The next instruction
  // begins when this has returned.
  int64_t Add(int pc, int64_t start, int64_t end,
              std::unique_ptr<OpDetail> detail);
  // So many ticks passed for recording alone.
  void AddCost(int64_t ticks) { cost_ += ticks; }

 private:
  const PlanEvents& events_;
  RunSampler& sampler_;
  const std::shared_ptr<EventLog::RunCount> count_;
  const int64_t start_ = EventLog::Now();
  int64_t cost_ = 0;
  InlinedVector<int64_t, 32> ends_;
};

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_EVENTS_H_
