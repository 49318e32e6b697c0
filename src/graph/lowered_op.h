// LoweredOp: what the ops are that graph files of version 1 write branches and
// loops with. They have no records, for no plan runs them: they become If, Case
// and While (raise_control_flow.h).
#ifndef GK_GRAPH_LOWERED_OP_H_
#define GK_GRAPH_LOWERED_OP_H_

#include <cstdint>
#include <string_view>

namespace gk {

enum class LoweredOp : uint8_t {
  kNone,  // any other op
  kSwitch,
  kSwitchN,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
};

LoweredOp LoweredOpOf(std::string_view op);

}  // namespace gk

#endif  // GK_GRAPH_LOWERED_OP_H_
