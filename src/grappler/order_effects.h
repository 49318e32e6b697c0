// OrderEffects: makes control edges of an order that nodes whose place shows
// have through values alone: a write that follows from a read's shape waits
// for the read, also when the shape turns out to be a constant.
#ifndef GK_GRAPPLER_ORDER_EFFECTS_H_
#define GK_GRAPPLER_ORDER_EFFECTS_H_

#include "grappler/rewrite_graph.h"

namespace gk {

// What the graph leaves open gets the order of its nodes. Never sets
// *changed: no other pass has more to do.
Status OrderEffects(RewriteGraph* function, bool* changed);

}  // namespace gk

#endif  // GK_GRAPPLER_ORDER_EFFECTS_H_
