#include "grappler/rewrites/rewrites.h"

namespace gk {

std::optional<Output> DropRepetition(const Node& node,
                                     const RewriteContext& c) {
  if (!node.op().Has(kInvolution | kIdempotent)) return std::nullopt;
  const Output inner = c.input(node, 0);
  if (&node.op() != &inner.node->op() || !SameAttrs(node, *inner.node)) {
    return std::nullopt;
  }
  return node.op().Has(kInvolution) ? c.input(*inner.node, 0) : inner;
}

}  // namespace gk
