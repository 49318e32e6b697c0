// Pass: one rewriting of a function's graph.
//
// Passes never change a bit of any result, keep side effects, their order and
// the control outputs, and ask op records for traits instead of knowing ops.
#ifndef GK_GRAPPLER_PASS_H_
#define GK_GRAPPLER_PASS_H_

#include <string_view>

#include "base/status.h"
#include "grappler/rewrite_graph.h"

namespace gk {

struct Pass {
  std::string_view name;
  // Sets *changed if it changed anything, else leaves it.
  Status (*run)(RewriteGraph* function, bool* changed);
};

}  // namespace gk

#endif  // GK_GRAPPLER_PASS_H_
