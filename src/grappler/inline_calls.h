// InlineCalls: puts the bodies of called functions in the place of the calls,
// so that passes and plans see one graph. So are branches of If and Case that
// are known to be taken. Recursive calls and calls that would
// make the graph too large stay.
#ifndef GK_GRAPPLER_INLINE_CALLS_H_
#define GK_GRAPPLER_INLINE_CALLS_H_

#include "grappler/rewrite_graph.h"

namespace gk {

// `self` is the function that the graph is of. On error the graph is of no
// more use: a body may not fit its call's shapes, which must show when, and
// if, the call runs.
Status InlineCalls(const GraphFunction* self, RewriteGraph* function);

// If and Case whose condition turned out to be known give way to the branch
// that they take; the others are dropped.
Status TakeKnownBranches(RewriteGraph* function, bool* changed);

}  // namespace gk

#endif  // GK_GRAPPLER_INLINE_CALLS_H_
