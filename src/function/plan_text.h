// What became of a traced function, as text: for people who debug.
//
// Both begin with the function itself; those that its nodes call follow, each
// once, in the order in which they are met.
#ifndef GK_FUNCTION_PLAN_TEXT_H_
#define GK_FUNCTION_PLAN_TEXT_H_

#include <string>

#include "framework/graph.h"

namespace gk {

// The graph after the passes, one line a node. An error if the function cannot
// be optimised.
StatusOr<std::string> OptimizedText(const GraphFunction& function);

// The plan for the declared shapes, one line an instruction: its index, what
// runs it, op and node, slots read and written, places in the arena
// (docs/internals/plans.md). An error if no plan can be made.
StatusOr<std::string> PlanText(const GraphFunction& function);

}  // namespace gk

#endif  // GK_FUNCTION_PLAN_TEXT_H_
