// Large constants: values that folding leaves to the run because computing
// them takes long or they are large. They are worth it once a function is
// called again.
#ifndef GK_GRAPPLER_LARGE_CONSTANTS_H_
#define GK_GRAPPLER_LARGE_CONSTANTS_H_

#include "base/function_ref.h"
#include "grappler/rewrite_graph.h"

namespace gk {

// Whether FoldLargeConstants has anything to compute.
bool HasLargeConstants(const RewriteGraph& function);

// Computes what follows from constants alone, node by node while `go_on` says
// so, and keeps what others need. Nothing that is larger than what it is
// computed from is kept. Sets *changed if it changed anything.
Status FoldLargeConstants(RewriteGraph* function, FunctionRef<bool()> go_on,
                          bool* changed);

}  // namespace gk

#endif  // GK_GRAPPLER_LARGE_CONSTANTS_H_
