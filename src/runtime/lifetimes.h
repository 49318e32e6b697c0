// Lifetimes: who reads a value of a plan last, and what follows from that:
// whose memory may be written over, and when a value is let go. Stateless.
//
// PlanVerifier proves each of these rules for the plan that comes out.
#ifndef GK_RUNTIME_LIFETIMES_H_
#define GK_RUNTIME_LIFETIMES_H_

#include <vector>

#include "runtime/plan.h"

namespace gk {

// Fills in may_forward, take_from, take_to and the releases of all
// instructions. Returns, by slot, the last instruction that reads what lies
// there; their number if it is needed after all of them. Slots that share a
// place have it at the one whose place it is.
std::vector<int> FindLifetimes(Plan* plan);

}  // namespace gk

#endif  // GK_RUNTIME_LIFETIMES_H_
