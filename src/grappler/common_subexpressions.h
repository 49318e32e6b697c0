// MergeCommonSubexpressions: of pure nodes with the same op, attributes and
// inputs, the first serves for all.
#ifndef GK_GRAPPLER_COMMON_SUBEXPRESSIONS_H_
#define GK_GRAPPLER_COMMON_SUBEXPRESSIONS_H_

#include "grappler/rewrite_graph.h"

namespace gk {

Status MergeCommonSubexpressions(RewriteGraph* function, bool* changed);

}  // namespace gk

#endif  // GK_GRAPPLER_COMMON_SUBEXPRESSIONS_H_
