#include "grappler/simplify.h"

#include "grappler/rewrites/rewrites.h"

namespace gk {
namespace {

constexpr Rewrite kRewrites[] = {
    DropView,
    DropIdentityElement,
    DropRepetition,
    SquareOfPower,
};

}  // namespace

Status Simplify(FunctionGraph* function, bool* changed) {
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                      function->graph->TopologicalOrder());
  Replacements replaced;
  const RewriteContext context{replaced, function->graph.get()};
  for (Node* node : order) {
    // A node that waits is there to make its readers wait.
    if (!node->control_inputs().empty() || !IsPureNode(*node)) continue;
    for (Rewrite rewrite : kRewrites) {
      if (const std::optional<Output> same = rewrite(*node, context)) {
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
