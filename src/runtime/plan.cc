#include "runtime/plan.h"

namespace gk {

std::string Plan::DebugString() const {
  static constexpr const char* kKinds[] = {"tile", "kernel", "cluster"};
  std::string text;
  const auto add_slot = [&](SlotId s) {
    text += fmt::format(" %{}", s);
    if (slots[s].home == Home::kArena) {
      text += fmt::format("@{}", slots[s].offset);
    }
  };
  for (size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& now = instructions[i];
    text += fmt::format("{} {}", i, kKinds[static_cast<int>(now.kind)]);
    if (now.kind == Instruction::Kind::kCluster) {
      for (const Node* node : clusters[now.cluster].nodes()) {
        text += fmt::format(" {} {}", node->type(), node->name());
      }
    } else {
      text += fmt::format(" {} {}", now.node->type(), now.node->name());
    }
    text += ":";
    for (int k = 0; k < now.num_inputs; ++k) {
      add_slot(inputs[now.first_input + k]);
    }
    text += " ->";
    for (int k = 0; k < now.num_outputs; ++k) add_slot(now.first_output + k);
    for (int k = 0; k < now.num_updates; ++k) {
      const VariableUpdate& u = updates[now.first_update + k];
      text += fmt::format(" {} %{}{}", u.node->name(), u.handle,
                          u.in_place ? " in place" : "");
    }
    text += "\n";
  }
  return text;
}

StatusOr<Ref<Plan>> Plan::WithoutMergedUpdates() const {
  std::lock_guard lock(mutex_);
  if (!without_merged_updates_) {
    GK_ASSIGN_OR_RETURN(without_merged_updates_,
                        Make(function.Clone(), /*merge_updates=*/false));
  }
  return without_merged_updates_;
}

}  // namespace gk
