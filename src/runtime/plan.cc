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
      for (const Cluster::Step& step : clusters[now.cluster].steps()) {
        text += fmt::format(" {} {}", step.node->type(), step.node->name());
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
    text += "\n";
  }
  return text;
}

}  // namespace gk
