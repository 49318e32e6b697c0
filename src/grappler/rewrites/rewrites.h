// Rewrites: small local rules. Each looks at one node and says which existing
// edge carries the same bits as the node's output 0, or nothing.
//
// What an op's properties say of its inputs and outputs is relied on: one
// output, one input of a function that may be repeated, two where one of them
// may be an identity element.
//
// A rule is a function here, a file beside this one and a row in the table of
// simplify.cc. Rules may add a node to the graph but change none.
#ifndef GK_GRAPPLER_REWRITES_REWRITES_H_
#define GK_GRAPPLER_REWRITES_REWRITES_H_

#include <optional>

#include "grappler/edges.h"

namespace gk {

// Sees inputs through what was rewritten already.
struct RewriteContext {
  const Replacements& replaced;
  Graph* graph;
  Output input(const Node& node, int i) const {
    return replaced.Follow(node.input(i));
  }
};

using Rewrite = std::optional<Output> (*)(const Node& node,
                                          const RewriteContext& c);

// x + 0, x * 1, x ** 1, where the kernel says that all bits stay.
std::optional<Output> DropIdentityElement(const Node& node,
                                          const RewriteContext& c);
// f(f(x)) -> x for involutions, -> f(x) for idempotent functions.
std::optional<Output> DropRepetition(const Node& node, const RewriteContext& c);
// f(x, operand) -> g(x), as the record of f says: x ** 2 -> Square(x).
std::optional<Output> TakeSpecialCase(const Node& node,
                                      const RewriteContext& c);
// Additions of a row -> the elementwise addition, which joins clusters.
std::optional<Output> AddElements(const Node& node, const RewriteContext& c);
// Views that show their input as it is.
std::optional<Output> DropView(const Node& node, const RewriteContext& c);

}  // namespace gk

#endif  // GK_GRAPPLER_REWRITES_REWRITES_H_
