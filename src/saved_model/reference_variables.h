// Graphs of TensorFlow 1, in which variables are references that ops change in
// place, as graphs in which they are resources.
#ifndef GK_SAVED_MODEL_REFERENCE_VARIABLES_H_
#define GK_SAVED_MODEL_REFERENCE_VARIABLES_H_

#include "proto/graph.gk.h"

namespace gk {

// Each VariableV2 becomes a VarHandleOp of its name, what changes it the op
// that does so to a resource, and whoever takes its value reads it then. Nodes
// keep their names.
void UseResourceVariables(proto::GraphDef* graph);

// Does the node make the handle of a variable?
bool MakesVariable(const proto::NodeDef& node);

}  // namespace gk

#endif  // GK_SAVED_MODEL_REFERENCE_VARIABLES_H_
