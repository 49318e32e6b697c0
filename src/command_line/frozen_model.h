// A function of a model with the values of its variables in it, as files hold
// it: a GraphDef, or a saved model with one signature.
#ifndef GK_COMMAND_LINE_FROZEN_MODEL_H_
#define GK_COMMAND_LINE_FROZEN_MODEL_H_

#include <string>

#include "command_line/callable.h"
#include "grappler/rewrite_graph.h"
#include "proto/graph.gk.h"

namespace gk::command {

struct FrozenModel {
  Callable callable;  // its function is the frozen one
  RewriteGraph graph;
};

// Throws Failure kFailed if the function does more to variables than read them,
// or needs what no graph can hold (a table).
FrozenModel Frozen(Callable callable);
// The same after all passes over graphs: constants folded, calls inlined.
void OptimizeFrozen(FrozenModel* model);

// Placeholders and results have the names of the function's inputs and outputs.
proto::GraphDef GraphDefOfFrozen(const FrozenModel& model);
// A SavedModel in a new folder. Throws Failure kFile if it is there.
void SaveFrozen(const FrozenModel& model, const std::string& folder);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_FROZEN_MODEL_H_
