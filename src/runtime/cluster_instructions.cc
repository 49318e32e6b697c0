// Clusters: groups of elementwise nodes, with the variables that they read and
// write, as one instruction.
#include <map>
#include <utility>

#include "runtime/instruction_makers.h"
#include "runtime/planned_shape.h"

namespace gk {
namespace {

bool IsWrite(const Node& node) { return node.num_outputs() == 0; }
Node* HandleOf(const Node& node) { return ResourceRoot(node.input(0)).node; }
DataType WrittenType(const Node& write) {
  const Output& value = write.input(1);
  return value.node->output(value.index).dtype;
}

// A cluster being put together.
class ClusterDraft {
 public:
  explicit ClusterDraft(PlanDraft* draft)
      : slots_(&draft->slots),
        plan_(draft->plan.get()),
        read_outside_(draft->read_outside) {}

  void Add(const Unit& unit) {
    const Node& first = *unit.nodes[0];
    const TensorShape domain = *PlannedShape(
        IsWrite(first) ? first.input(1) : Output{unit.nodes[0], 0});
    AddInputs(unit, domain);
    for (const Node* node : unit.nodes) AddStep(*node);
    Instruction& i = instruction_;
    i.kind = Instruction::Kind::kCluster;
    i.node = &first;
    i.first_output = plan_->slots.size();
    for (const Node* node : unit.nodes) {
      if (!IsWrite(*node) && read_outside_[node->id()]) AddResult(*node);
    }
    AddUpdates(domain);
    if (plan_->checked) {
      plan_->plain_clusters.push_back(cluster_);
      plan_->plain_clusters.back().FinishPlainly(domain);
    }
    cluster_.Finish(domain);
    for (size_t u = i.first_update; u < plan_->updates.size(); ++u) {
      SettleInPlace(&plan_->updates[u]);
    }
    slots_->AddInputs(&i, inputs_);
    i.cluster = plan_->clusters.size();
    plan_->clusters.push_back(std::move(cluster_));
    plan_->instructions.push_back(i);
  }

 private:
  // What the cluster's writes leave in a variable.
  struct Written {
    int value = -1;
    int own_input = -1;
    const Node* last = nullptr;
  };

  void AddInputs(const Unit& unit, const TensorShape& domain) {
    std::map<int, bool> inside;
    for (const Node* node : unit.nodes) inside[node->id()] = true;
    for (const Node* node : unit.nodes) {
      for (const Output& in : node->inputs()) {
        const DataType dtype = in.node->output(in.index).dtype;
        if (inside.count(in.node->id()) || value_of_.count(PlaceOf(in)) ||
            dtype == DataType::kResource) {
          continue;
        }
        value_of_[PlaceOf(in)] = cluster_.AddInput(dtype, *PlannedShape(in));
        inputs_.push_back(in);
      }
      // The first write of a variable may need what is in it.
      if (!IsWrite(*node) || variables_.count(HandleOf(*node)->id())) continue;
      Written& w = variables_[HandleOf(*node)->id()];
      if (node->op().Has(kAssignsVariable)) continue;
      w.value = w.own_input = cluster_.AddInput(WrittenType(*node), domain);
      inputs_.push_back({HandleOf(*node), 0});
    }
  }

  void AddStep(const Node& node) {
    int operands[3];
    if (const TileKernel* tile = FusableTile(node)) {
      for (int k = 0; k < node.num_inputs(); ++k) {
        operands[k] = value_of_[PlaceOf(node.input(k))];
      }
      value_of_[{node.id(), 0}] =
          cluster_.AddStep(*tile, {operands, size_t(node.num_inputs())}, &node);
      can_fail_ |= node.op().kernel.tile_error != nullptr;
      return;
    }
    Written& w = variables_[HandleOf(node)->id()];
    if (!IsWrite(node)) {  // reads what was written
      value_of_[{node.id(), 0}] = w.value;
      return;
    }
    w.last = &node;
    operands[0] = w.value;
    operands[1] = value_of_[PlaceOf(node.input(1))];
    if (node.op().Has(kAssignsVariable)) {
      w.value = operands[1];
      return;
    }
    w.value = cluster_.AddStep(*TileOfWrite(node.op(), WrittenType(node)),
                               {operands, 2}, &node);
  }

  // A value for other instructions. Reads may name what has a slot already.
  void AddResult(const Node& node) {
    const int value = value_of_[{node.id(), 0}];
    if (value < cluster_.num_inputs()) {
      slots_->Name(node, slots_->Of(inputs_[value]));
      return;
    }
    if (const auto it = slot_of_.find(value); it != slot_of_.end()) {
      slots_->Name(node, it->second);
      return;
    }
    cluster_.AddResult(value);
    const SlotId id = slots_->Add(node, 0);
    if (plan_->slots[id].home == Home::kOwn) instruction_.needs_output = true;
    ++instruction_.num_outputs;
    slot_of_[value] = id;
  }

  // What goes into variables: a place of its own, unless the value lies
  // somewhere already, where it may be shared.
  void AddUpdates(const TensorShape& domain) {
    instruction_.first_update = plan_->updates.size();
    std::map<int, int> update_of;  // by value
    for (const auto& [handle, w] : variables_) {
      VariableUpdate u;
      u.handle = slots_->Of({HandleOf(*w.last), 0});
      u.own_input = w.own_input;
      u.dtype = WrittenType(*w.last);
      u.shape = domain;
      u.node = w.last;
      const auto slot = slot_of_.find(w.value);
      const auto [same, is_new] =
          update_of.try_emplace(w.value, instruction_.num_updates);
      if (w.value < cluster_.num_inputs()) {
        u.shared_slot = slots_->Of(inputs_[w.value]);
      } else if (slot != slot_of_.end()) {
        u.shared_slot = slot->second;
      } else if (!is_new) {
        u.same_as = same->second;
      } else {
        u.result = cluster_.AddResult(w.value);
      }
      plan_->updates.push_back(std::move(u));
      ++instruction_.num_updates;
    }
  }

  // Whether the variable's memory may take the result while the cluster
  // still reads it.
  void SettleInPlace(VariableUpdate* u) const {
    if (u->result < 0) return;
    // The own value is read by the first write alone, no later than the last.
    u->in_place = !can_fail_;
    for (size_t k = 0; k < inputs_.size(); ++k) {
      const Node& from = *inputs_[k].node;
      if (!from.op().Has(kReadsVariable) ||
          HandleOf(from) != HandleOf(*u->node)) {
        continue;
      }
      u->snapshot_input = k;
      u->in_place &= cluster_.MayWriteOver(k, u->result);
    }
  }

  PlanSlots* const slots_;
  Plan* const plan_;
  const std::vector<bool>& read_outside_;
  Cluster cluster_;
  Instruction instruction_;
  std::map<std::pair<int, int>, int> value_of_;
  std::vector<Output> inputs_;        // the handle for an own value
  std::map<int, Written> variables_;  // by the handle's node id
  std::map<int, SlotId> slot_of_;     // by value
  bool can_fail_ = false;
};

}  // namespace

void MakeCluster(const Unit& unit, PlanDraft* draft) {
  ClusterDraft(draft).Add(unit);
}

}  // namespace gk
