// ConstantFolding: edges whose value shape inference knows (small constants,
// shapes, arithmetic on them) come from Const nodes.
#ifndef GK_GRAPPLER_CONSTANT_FOLDING_H_
#define GK_GRAPPLER_CONSTANT_FOLDING_H_

#include "grappler/rewrite_graph.h"

namespace gk {

Status FoldConstants(RewriteGraph* function, bool* changed);

}  // namespace gk

#endif  // GK_GRAPPLER_CONSTANT_FOLDING_H_
