// PlanSlots: the values of a plan that is being made, and where they live.
//
// Home is settled when a slot is added: kArena for what may be given a place
// ahead, kOwn for what may be held by somebody after the run. Used by one
// thread, as long as its plan is being made.
#ifndef GK_RUNTIME_PLAN_SLOTS_H_
#define GK_RUNTIME_PLAN_SLOTS_H_

#include <span>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "runtime/plan.h"
#include "runtime/schedule.h"

namespace gk {

// Output 0 is input 0 under a known shape: no instruction is needed if that
// lies at a fixed place. So is a stack of one.
bool IsStaticView(const Node& node);

class PlanSlots {
 public:
  // `keeps_nothing`: of a node, whether its kernel only reads what it is
  // given and makes all that it gives.
  PlanSlots(Plan* plan, const std::vector<Unit>& units,
            FunctionRef<bool(const Node&)> keeps_nothing);

  // -1 if the output has none.
  SlotId Of(const Output& o) const {
    const SlotId first = first_[o.node->id()];
    return first < 0 ? -1 : first + o.index;
  }
  // The outputs of a node are added in order, one after the other.
  SlotId Add(const Node& node, int index, Home home);
  // kArena if its place can be fixed ahead, else kOwn.
  SlotId Add(const Node& node, int index);
  // The same for what is a scalar, whether or not that is declared.
  SlotId AddScalar(const Node& node, int index);
  // The node's output is what slot `s` holds.
  void Name(const Node& node, SlotId s) { first_[node.id()] = s; }
  void AddInputs(Instruction* instruction, std::span<const Output> inputs);
  // May be held by somebody after the run.
  bool Escapes(const Node& node, int index) const {
    return escapes_[node.id()][index];
  }

 private:
  void FindEscapes(const std::vector<Unit>& units);
  void SettleHome(const Node& node, int index, SlotId id);

  Plan* const plan_;
  std::vector<SlotId> first_;               // by node id
  std::vector<bool> keeps_nothing_;         // by node id
  std::vector<std::vector<bool>> escapes_;  // by node id and output
};

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_SLOTS_H_
