// Callables of graphs without objects: GraphDefs, MetaGraphDefs, and saved
// models as TensorFlow 1 writes them.
#ifndef GK_COMMAND_LINE_GRAPH_CALLABLE_H_
#define GK_COMMAND_LINE_GRAPH_CALLABLE_H_

#include "command_line/callable.h"
#include "command_line/model_files.h"

namespace gk::command {

// "--feed NAMES", "--fetch NAMES": between which tensors a graph is run.
inline constexpr Option kFetchOption = {
    "fetch", "NAMES",
    "of a graph: the tensors to compute, with commas between them; those\n"
    "that no node takes are the default"};
inline constexpr Option kFeedOption = {
    "feed", "NAMES",
    "of a graph: the tensors that are given, with commas between them; the\n"
    "placeholders that are needed are the default"};

// Throws Failure.
Callable CallableOfGraph(const ModelFiles& files, const Arguments& arguments);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_GRAPH_CALLABLE_H_
