// Checks of what passes claim: that the graph which a pass leaves computes
// what the one before it did, with the same effects in the same order.
//
// Made where checks are on (base/checks.h), as in tests; a violated claim is
// an Internal error that names the function, the pass and the node.
// docs/internals/passes.md says what is compared.
#ifndef GK_GRAPPLER_CHECK_PASSES_H_
#define GK_GRAPPLER_CHECK_PASSES_H_

#include <string>
#include <string_view>

#include "grappler/rewrite_graph.h"

namespace gk {

class PassCheck {
 public:
  // Of the function as it is before the pass; empties its list of what was
  // spliced.
  PassCheck(std::string_view pass, RewriteGraph* function);
  // The graph that the pass has left.
  Status Verify(const RewriteGraph& after) const;

 private:
  std::string pass_;
  RewriteGraph before_;
};

}  // namespace gk

#endif  // GK_GRAPPLER_CHECK_PASSES_H_
