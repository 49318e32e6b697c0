#include "graph/lowered_op.h"

#include <utility>

namespace gk {

LoweredOp LoweredOpOf(std::string_view op) {
  static constexpr std::pair<std::string_view, LoweredOp> kNames[] = {
      {"Switch", LoweredOp::kSwitch},
      {"_SwitchN", LoweredOp::kSwitchN},
      {"Merge", LoweredOp::kMerge},
      {"Enter", LoweredOp::kEnter},
      {"Exit", LoweredOp::kExit},
      {"NextIteration", LoweredOp::kNextIteration},
      {"LoopCond", LoweredOp::kLoopCond}};
  for (const auto& [name, lowered] : kNames) {
    if (name == op) return lowered;
  }
  return LoweredOp::kNone;
}

}  // namespace gk
