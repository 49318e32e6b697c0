// Prune: drops what neither results, control outputs nor side effects need.
#ifndef GK_GRAPPLER_PRUNE_H_
#define GK_GRAPPLER_PRUNE_H_

#include "grappler/function_graph.h"

namespace gk {

Status Prune(FunctionGraph* function, bool* changed);

}  // namespace gk

#endif  // GK_GRAPPLER_PRUNE_H_
