// What goes from one turn of a loop to the next: the states that its body
// changes, and what it computes once. Stateless.
#ifndef GK_RUNTIME_LOOP_STATES_H_
#define GK_RUNTIME_LOOP_STATES_H_

#include "runtime/plan.h"

namespace gk {

// Plan::is_closed and next_states: which results become which states, where a
// turn gives back the types and shapes that it takes.
void FindNextStates(Plan* plan);

// Instruction::once: what is the same in every turn. States that come out as
// they went in, and what is computed from nothing else.
void FindInvariants(Plan* plan);

}  // namespace gk

#endif  // GK_RUNTIME_LOOP_STATES_H_
