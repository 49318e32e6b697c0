// What units of a schedule become in a plan: the parts of ChooseInstructions
// (plan_passes.h). Each maker adds an instruction, or a slot without one, and
// the slots of what the unit makes; where the unit is not for it, it returns
// false and leaves the draft as it was. Stateless.
#ifndef GK_RUNTIME_INSTRUCTION_MAKERS_H_
#define GK_RUNTIME_INSTRUCTION_MAKERS_H_

#include <memory>
#include <vector>

#include "base/status.h"
#include "runtime/plan_draft.h"

namespace gk {

// Elementwise work of one node over few elements: one tile call.
bool MakeTile(const Node& node, PlanDraft* draft);
// A few elementwise scalars: byte code, as there is nothing to cut into tiles.
bool MakeScalars(const Unit& unit, PlanDraft* draft);
// All other elementwise work, with the variables that it reads and writes.
void MakeCluster(const Unit& unit, PlanDraft* draft);

Status MakeConstant(const Node& node, PlanDraft* draft);
// Another name for what is there, or a copy of something small.
bool MakeView(const Node& node, PlanDraft* draft);
// What LowerScalars found.
bool MakeLowered(const Node& node, PlanDraft* draft);
// x[i]: see row_access.h.
bool MakeRow(const Node& node, PlanDraft* draft);
// Any node: its op's kernel, or nested plans.
Status MakeKernel(const Node& node, PlanDraft* draft);

// Byte code that stands for `node`; its outputs are yet to be added.
Instruction& AddByteCode(const Node& node, std::unique_ptr<ScalarCode> code,
                         const std::vector<Output>& inputs, PlanDraft* draft);

}  // namespace gk

#endif  // GK_RUNTIME_INSTRUCTION_MAKERS_H_
