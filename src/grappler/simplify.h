// Simplify: applies the table of rewrites until none fits.
#ifndef GK_GRAPPLER_SIMPLIFY_H_
#define GK_GRAPPLER_SIMPLIFY_H_

#include "grappler/rewrite_graph.h"

namespace gk {

Status Simplify(RewriteGraph* function, bool* changed);

}  // namespace gk

#endif  // GK_GRAPPLER_SIMPLIFY_H_
