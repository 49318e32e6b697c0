// The arena of a plan's frames: a place for each value whose size is known,
// shared by values that are never needed at the same time. Stateless.
//
// PlanVerifier proves that for the plan that comes out (rule 'place').
#ifndef GK_RUNTIME_ARENA_LAYOUT_H_
#define GK_RUNTIME_ARENA_LAYOUT_H_

#include <vector>

#include "base/status.h"
#include "runtime/plan.h"

namespace gk {

// Fills in SlotInfo::offset and arena_bytes. `last_use` is what
// FindLifetimes() gave. What is computed once has a place of its own: it must
// be there in later turns, before the instruction that made it. An elementwise
// result takes the place of an operand of its size that dies there.
Status PlaceArena(const std::vector<int>& last_use, Plan* plan);

}  // namespace gk

#endif  // GK_RUNTIME_ARENA_LAYOUT_H_
