// Optimize: the passes in their order.
#ifndef GK_GRAPPLER_OPTIMIZE_H_
#define GK_GRAPPLER_OPTIMIZE_H_

#include "base/function_ref.h"
#include "grappler/rewrite_graph.h"

namespace gk {

// The optimised form of a clone; `function` stays as it is.
StatusOr<RewriteGraph> Optimize(const GraphFunction& function);

// After argument shapes were set: infers all others anew and repeats the
// passes that shapes may let loose.
Status OptimizeForShapes(RewriteGraph* function);

// Do graphs made from now on go through the passes? Without them calls stay
// calls and only what nothing needs is left out; results are the same to the
// bit. The environment variable GK_GRAPH_PASSES=0 turns them off at start.
bool RunsGraphPasses();
void SetGraphPasses(bool on);

// For a function that is called again: computes large constants while `go_on`
// says so (large_constants.h). Sets *changed if that changed anything.
Status OptimizeAgain(RewriteGraph* function, FunctionRef<bool()> go_on,
                     bool* changed);

}  // namespace gk

#endif  // GK_GRAPPLER_OPTIMIZE_H_
