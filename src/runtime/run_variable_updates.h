// Runs clusters that assign to variables (variable_update.h).
//
// An update is as atomic as the op that it stands for: while the cluster
// runs, the values are taken out of their variables, in the order of the
// variables' addresses, and readers on other threads wait. If anything
// fails, every variable keeps its old value. Stateless; thread-safe.
#ifndef GK_RUNTIME_RUN_VARIABLE_UPDATES_H_
#define GK_RUNTIME_RUN_VARIABLE_UPDATES_H_

#include <span>

#include "runtime/frame.h"
#include "runtime/plan.h"

namespace gk {

// Runs the instruction's cluster. in: its inputs, with room for the
// variables' own values. out: its results, with room for the new values.
Status RunVariableUpdates(const Plan& plan, Frame& frame,
                          const Instruction& instruction,
                          std::span<const void*> in, std::span<void*> out);

// Whether two arguments are one resource: then no node can tell what another
// one updates, and updates must stay apart.
bool ResourcesAlias(std::span<const Tensor> arguments);

}  // namespace gk

#endif  // GK_RUNTIME_RUN_VARIABLE_UPDATES_H_
