// What runs in a function's place: its graph behind all rewritings.
#ifndef GK_FUNCTION_OPTIMIZED_GRAPH_H_
#define GK_FUNCTION_OPTIMIZED_GRAPH_H_

#include "framework/graph.h"
#include "proto/graph.gk.h"

namespace gk {

StatusOr<proto::GraphDef> OptimizedGraphDef(const GraphFunction& function);

}  // namespace gk

#endif  // GK_FUNCTION_OPTIMIZED_GRAPH_H_
