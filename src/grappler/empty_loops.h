// DropEmptyLoops: a While whose condition is known to be false from the start
// gives way to what goes into it.
#ifndef GK_GRAPPLER_EMPTY_LOOPS_H_
#define GK_GRAPPLER_EMPTY_LOOPS_H_

#include "grappler/rewrite_graph.h"

namespace gk {

Status DropEmptyLoops(RewriteGraph* function, bool* changed);

}  // namespace gk

#endif  // GK_GRAPPLER_EMPTY_LOOPS_H_
