#include "grappler/simplify.h"

#include "base/interrupt.h"
#include "grappler/edges.h"
#include "grappler/rewrites/rewrites.h"

namespace gk {
namespace {

constexpr Rewrite kRewrites[] = {
    DropView, DropIdentityElement, DropRepetition, TakeSpecialCase, AddElements,
};

}  // namespace

Status Simplify(RewriteGraph* function, bool* changed) {
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                      function->graph->TopologicalOrder());
  Replacements replaced;
  const RewriteContext context{replaced, function->graph.get()};
  for (Node* node : order) {
    PollInterrupt();
    // A node that waits is there to make its readers wait.
    if (!node->control_inputs().empty() || !IsPureNode(*node)) continue;
    for (Rewrite rewrite : kRewrites) {
      const std::optional<Output> same = rewrite(*node, context);
      if (same && MayStandFor(*same, {node, 0})) {
        replaced.Add({node, 0}, *same);
        *changed = true;
        break;
      }
    }
  }
  replaced.Apply(function);
  return OkStatus();
}

}  // namespace gk
