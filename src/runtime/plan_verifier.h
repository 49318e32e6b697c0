// PlanVerifier: proves from its list of instructions that a plan keeps the
// rules of lifetimes, without a look at how the planner came to it.
//
// What is worked out here (who makes a value, who reads it last, which turns
// of a loop it has to outlive) is what PlanChecker holds a run to. See
// docs/internals/plans.md for the rules by name.
#ifndef GK_RUNTIME_PLAN_VERIFIER_H_
#define GK_RUNTIME_PLAN_VERIFIER_H_

#include <string_view>
#include <vector>

#include "base/status.h"
#include "runtime/plan.h"

namespace gk {

// A claim of a plan that does not hold. `instruction` is -1 where a run
// begins or ends, `slot` -1 where no slot is to blame.
Status PlanViolation(const Plan& plan, std::string_view rule, int instruction,
                     SlotId slot, std::string_view what);

class PlanVerifier {
 public:
  explicit PlanVerifier(const Plan& plan);

  // The first rule that the plan breaks.
  Status Verify() const;

  // It is made in the first turn and read in all.
  bool StaysForTurns(SlotId root) const { return stays_[root]; }
  // The slots that are roots of their places and die after an instruction.
  const std::vector<SlotId>& DyingAt(int pc) const { return dies_[pc]; }
  // What a loop puts where its states are, by slot: the result it comes from,
  // -1 for all that are no states or stay as they are.
  SlotId NextStateOf(SlotId s) const { return next_of_[s]; }

 private:
  void FindLifetimes();
  Status VerifyOrder() const;
  Status VerifyPlaces() const;
  Status VerifyForwards(int pc) const;
  Status VerifyTaken(int pc) const;
  Status VerifyReleases() const;
  Status VerifyKept() const;
  Status VerifyOnce() const;
  Status VerifyNextStates() const;
  Status VerifyUpdates(int pc) const;
  Status VerifyFeeds(int pc) const;
  // Whether result `k` of an instruction may be written over the place of
  // `from` while the instruction reads it.
  bool MayWriteOver(const Instruction& now, SlotId from, int k) const;
  bool SamePlace(SlotId a, SlotId b) const;
  std::span<const SlotId> InputsOf(const Instruction& now) const;

  const Plan& plan_;
  std::vector<SlotId> next_of_;
  std::vector<int> made_by_, last_use_;
  std::vector<bool> stays_;
  std::vector<std::vector<SlotId>> dies_;
};

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_VERIFIER_H_
