// PlanSlots: the values of a plan that is being made, and where they live.
//
// Home is settled when a slot is added: kArena for what may be given a place
// ahead, kOwn for what may be held by somebody after the run. Used by one
// thread, as long as its plan is being made.
#ifndef GK_RUNTIME_PLAN_SLOTS_H_
#define GK_RUNTIME_PLAN_SLOTS_H_

#include <span>
#include <vector>

#include "runtime/plan.h"

namespace gk {

// Output 0 is input 0 under a known shape: no instruction is needed if that
// lies at a fixed place. So is a stack of one.
bool IsStaticView(const Node& node);

class PlanSlots {
 public:
  explicit PlanSlots(Plan* plan);

  // The node's kernel only reads what it is given and makes all that it
  // gives.
  void SetKeepsNothing(const Node& node) { keeps_nothing_[node.id()] = true; }
  bool KeepsNothing(const Node& node) const {
    return keeps_nothing_[node.id()];
  }
  // May be held by somebody after the run.
  void SetEscapes(const Output& o) {
    escapes_[first_output_[o.node->id()] + o.index] = true;
  }
  bool Escapes(const Node& node, int index) const {
    return escapes_[first_output_[node.id()] + index];
  }

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

 private:
  void SettleHome(const Node& node, int index, SlotId id);

  Plan* const plan_;
  std::vector<SlotId> first_;        // by node id
  std::vector<bool> keeps_nothing_;  // by node id
  std::vector<int> first_output_;    // by node id: where it is in escapes_
  std::vector<bool> escapes_;        // by output, node by node
};

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_SLOTS_H_
