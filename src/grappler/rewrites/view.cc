#include "grappler/rewrites/rewrites.h"

namespace gk {

std::optional<Output> DropView(const Node& node, const RewriteContext& c) {
  if (!node.op().Has(kView) || node.num_outputs() != 1) return std::nullopt;
  const Output x = c.input(node, 0);
  const Node::OutputInfo& from = x.node->output(x.index);
  const Node::OutputInfo& to = node.output(0);
  if (from.dtype != to.dtype) return std::nullopt;
  const bool same_shape =
      (node.num_inputs() == 1 && node.op().shape == shape_fn::SameAsInput) ||
      (from.shape.IsFullyDefined() && from.shape == to.shape);
  if (!same_shape) return std::nullopt;
  return x;
}

}  // namespace gk
