// FreezeGraph: constants in the place of variables that a function only reads.
#ifndef GK_FUNCTION_FREEZE_GRAPH_H_
#define GK_FUNCTION_FREEZE_GRAPH_H_

#include <span>
#include <string>

#include "grappler/rewrite_graph.h"

namespace gk {

// What an argument is from now on.
struct FrozenValue {
  Tensor value;
  std::string variable;  // its name; empty: the argument is the value itself
  // Of the constant; empty: after the node that reads it first.
  std::string constant = {};
};

// The arguments for which `frozen` has a value go, in the functions that the
// graph calls too. ValueError if a node does anything to a variable among them
// but read it, or if one is returned.
Status FreezeGraph(RewriteGraph* function,
                   std::span<const FrozenValue* const> frozen);

}  // namespace gk

#endif  // GK_FUNCTION_FREEZE_GRAPH_H_
