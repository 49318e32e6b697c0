#include "grappler/rewrites/rewrites.h"

namespace gk {
namespace {

bool SameFunction(const Node& a, const Node& b) {
  if (&a.op() != &b.op()) return false;
  for (const auto& [name, value] : a.attrs()) {
    const AttrValue* other = b.attrs().Find(name);
    if (!other || !AttrEquals(value, *other)) return false;
  }
  return true;
}

}  // namespace

std::optional<Output> DropRepetition(const Node& node,
                                     const RewriteContext& c) {
  if (!node.op().Has(kInvolution | kIdempotent) || node.num_inputs() != 1 ||
      node.num_outputs() != 1) {
    return std::nullopt;
  }
  const Output inner = c.input(node, 0);
  if (!SameFunction(node, *inner.node)) return std::nullopt;
  return node.op().Has(kInvolution) ? c.input(*inner.node, 0) : inner;
}

}  // namespace gk
