// Prune: drops what neither results, control outputs nor side effects need.
#ifndef GK_GRAPPLER_PRUNE_H_
#define GK_GRAPPLER_PRUNE_H_

#include "grappler/rewrite_graph.h"

namespace gk {

Status Prune(RewriteGraph* function, bool* changed);

}  // namespace gk

#endif  // GK_GRAPPLER_PRUNE_H_
