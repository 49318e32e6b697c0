// AddCluster: puts a group of elementwise nodes, with the variables that they
// read and write, into a plan as one instruction. Stateless.
#ifndef GK_RUNTIME_CLUSTER_DRAFT_H_
#define GK_RUNTIME_CLUSTER_DRAFT_H_

#include <vector>

#include "runtime/plan.h"
#include "runtime/plan_slots.h"
#include "runtime/schedule.h"

namespace gk {

// `used_outside`, by node id: others than the unit's nodes read its output.
void AddCluster(const Unit& unit, const std::vector<bool>& used_outside,
                PlanSlots* slots, Plan* plan);

}  // namespace gk

#endif  // GK_RUNTIME_CLUSTER_DRAFT_H_
