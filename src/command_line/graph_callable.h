// Callables of graphs without objects: GraphDefs, MetaGraphDefs, and saved
// models as TensorFlow 1 writes them.
#ifndef GK_COMMAND_LINE_GRAPH_CALLABLE_H_
#define GK_COMMAND_LINE_GRAPH_CALLABLE_H_

#include "command_line/callable.h"
#include "command_line/model_files.h"

namespace gk::command {

// Throws Failure.
Callable CallableOfGraph(const ModelFiles& files, const Arguments& arguments);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_GRAPH_CALLABLE_H_
