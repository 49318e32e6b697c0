#include "function/optimized_graph.h"

#include "graph/graph_def.h"
#include "runtime/compiled_function.h"

namespace gk {

StatusOr<proto::GraphDef> OptimizedGraphDef(const GraphFunction& function) {
  GK_ASSIGN_OR_RETURN(const CompiledFunction* const compiled,
                      CompiledFunction::Of(function));
  const RewriteGraph& now = compiled->graph();
  GraphDefOptions options;
  options.results = now.results;
  options.control_outputs = now.control_outputs;
  return GraphToGraphDef(*now.graph, options);
}

}  // namespace gk
