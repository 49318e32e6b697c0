// The passes that make a plan, in the order in which they run. Each reads
// what those before it left in the draft and stands in a file of its own.
// Stateless.
//
// PlanVerifier proves for the plan that comes out what these passes claim.
#ifndef GK_RUNTIME_PLAN_PASSES_H_
#define GK_RUNTIME_PLAN_PASSES_H_

#include "base/status.h"
#include "runtime/plan_draft.h"

namespace gk {

// PlanDraft::units: the order of nodes, and which of them run together.
Status ScheduleUnits(PlanDraft* draft);

// PlanDraft::lowered: control flow over scalars becomes byte code.
Status LowerScalars(PlanDraft* draft);

// PlanDraft::read_outside: what units make for others.
Status FindReaders(PlanDraft* draft);

// PlanSlots: what may be held by somebody after the run, and who keeps
// nothing of what it is given. That settles where values may live.
Status FindEscapes(PlanDraft* draft);

// Plan::instructions and what they name: an instruction for each unit that
// needs one, a slot for each value; arguments and results.
Status ChooseInstructions(PlanDraft* draft);

// What goes from one turn of a loop to the next. Plan::is_closed and
// next_states: which results become which states, where a turn gives back the
// types and shapes that it takes. Instruction::once: what is the same in every
// turn, states that come out as they went in and what is computed from nothing
// else. Only for bodies of loops.
Status FindLoopStates(PlanDraft* draft);

// Who reads a value last (PlanDraft::last_use), and what follows from that:
// whose memory may be written over (may_forward, take_from, take_to), and when
// a value is let go (releases).
Status FindLifetimes(PlanDraft* draft);

// Plan::kept_reads: reads of variables whose handles are arguments that the
// plan does nothing else with. Their values and handles are let go after the
// run. Not for bodies of loops.
Status FindKeptReads(PlanDraft* draft);

// SlotInfo::offset and Plan::arena_bytes: a place for each value whose size is
// known, shared by values that are never needed at the same time. What is
// computed once has a place of its own: it must be there in later turns,
// before the instruction that made it. An elementwise result takes the place
// of an operand of its size that dies there.
Status PlaceArena(PlanDraft* draft);

// By slot, at the roots of places: the last instruction that needs the value,
// their number for what outlives them, -1 for what none has to do with.
std::vector<int> LastUses(const Plan& plan);

// Instruction::feeds_next: clusters that can work on parts of a kernel's result
// while these lie in the cache.
Status FindFeeds(PlanDraft* draft);

using PlanPass = Status (*)(PlanDraft* draft);
inline constexpr PlanPass kPlanPasses[] = {
    ScheduleUnits,      LowerScalars,   FindReaders,   FindEscapes,
    ChooseInstructions, FindLoopStates, FindLifetimes, FindKeptReads,
    PlaceArena,         FindFeeds,
};

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_PASSES_H_
