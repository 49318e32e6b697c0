// PlanChecker: holds the runs of a plan to what the plan claims.
//
// With the environment variable GK_CHECK_PLANS set to 1, or after
// SetChecks(true), plans are made to be checked: each frame has a
// checker, which
// - proves the plan itself (PlanVerifier) before the first run in the frame;
// - fills memory with a pattern (NaN for floats) from the moment on when the
//   plan says that nobody needs what is there, and finds whoever writes there;
//   what a branch leaves undefined is this pattern, too;
// - knows a hash of each value and compares it before each read;
// - computes what is written in place, fused, byte code or done once a loop
//   a second time, apart from everything, and compares the bits;
// - looks after each instruction whether it changed what it was only to read.
// A claim that does not hold is an Internal error that names function,
// instruction, slot and rule. Runs take a few times as long.
//
// Part of a Frame; used by one thread at a time. See docs/internals/plans.md.
#ifndef GK_RUNTIME_PLAN_CHECKER_H_
#define GK_RUNTIME_PLAN_CHECKER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "runtime/plan.h"
#include "runtime/plan_verifier.h"

namespace gk {

class Frame;

class PlanChecker {
 public:
  // Runs an instruction of the plan, as it stands there but for what it may
  // do to its inputs' memory, in a frame that has nothing but these.
  using RunFn = FunctionRef<Status(Frame&, const Instruction&)>;

  PlanChecker(const Plan& plan, Frame& frame);
  ~PlanChecker();
  PlanChecker(const PlanChecker&) = delete;
  PlanChecker& operator=(const PlanChecker&) = delete;

  // Around a run: the arguments are in place; all instructions have run.
  Status Begin(Turn turn);
  Status End();
  // Around an instruction, before it lets go of what dies there.
  Status Before(int pc, RunFn run);
  Status After(int pc);
  // For an instruction that ran in the first turn and is left out of this.
  Status Again(int pc, RunFn run);

  // Around a cluster that updates variables: in[] is complete, out[] has been
  // written. Which results lie where is up to the caller.
  Status BeforeUpdates(const Instruction& now, std::span<const void* const> in);
  Status AfterUpdates(const Instruction& now, std::span<void* const> out) const;

 private:
  // What a slot holds.
  struct Value {
    bool live = false;
    uint64_t hash = 0;
    int producer = -1;  // -1: there before the first instruction
  };
  // An input as it was before the instruction.
  struct Read {
    SlotId slot;
    bool may_change;  // offered, and nobody else has it
    const void* data;
  };

  Status Fail(std::string_view rule, int pc, SlotId s,
              std::string_view what) const;
  uint64_t HashOf(SlotId s) const;
  void SetLive(SlotId s, int producer);
  bool OverlapsOutput(const Instruction& now, SlotId s) const;
  Status BeginArguments(Turn turn, const std::vector<Value>& before);
  Status CheckRead(int pc, SlotId s) const;
  Status CheckMade(int pc, SlotId s);
  Status CheckInputsStay(int pc) const;
  Status CheckUnused(int pc) const;
  void PoisonUnused();
  bool NeedsShadow(const Instruction& now) const;
  Status RunApart(int pc, RunFn run);
  Status RunPlainly(const Instruction& now);
  Status CompareShadow(int pc, std::string_view rule);
  void ForgetShadow(const Instruction& now);

  const Plan& plan_;
  Frame& frame_;
  const PlanVerifier verifier_;
  bool knows_constants_ = false;
  std::vector<Value> values_;   // by slot; views have their root's
  std::vector<SlotId> places_;  // slots with bytes in the arena, by offset
  std::vector<Read> reads_;
  // What was computed apart: in a frame of its own; for updates.
  std::unique_ptr<Frame> shadow_;
  bool has_shadow_ = false;
  int shadow_of_ = 0;  // the instruction
  TensorVector expected_;
};

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_CHECKER_H_
