// Edges: questions and changes that many passes share. Graphs keep no index
// from producers to consumers, so a pass makes one when it needs it.
#ifndef GK_GRAPPLER_EDGES_H_
#define GK_GRAPPLER_EDGES_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "grappler/rewrite_graph.h"

namespace gk {

// Replaces uses of outputs by others in one sweep over the graph.
class Replacements {
 public:
  // From now on `from` is `to`. Chains are followed when applied.
  void Add(Output from, Output to);
  bool empty() const { return entries_.empty(); }
  Output Follow(Output o) const;
  // Changes data inputs and results of the function; control inputs stay.
  void Apply(RewriteGraph* function) const;

 private:
  struct Entry {
    Output to;
  };
  std::vector<std::vector<std::optional<Output>>> by_node_;  // id, index
  std::vector<int> entries_;
};

// Same inputs, no inputs from the host, no effects: may be merged, moved,
// computed ahead or dropped.
bool IsPureNode(const Node& node);

// The same attributes with the same values, functions being themselves.
bool SameAttrs(const Node& a, const Node& b);

// A new Const node of `value`; named after `like`, with its device and
// source.
StatusOr<Node*> AddConst(Graph* graph, const Tensor& value, const Node& like);

// Every element is `value` (0 or 1), of any numeric type.
bool IsAll(const Tensor& t, int value);

// What is declared of the shape of `from` may be true of `to`. Where it is not
// the program is wrong, and has to say so where `from` is computed.
bool MayStandFor(const Output& to, const Output& from);

// The value of an edge if it is known, else null.
const Tensor& KnownValue(const Output& o);

}  // namespace gk

#endif  // GK_GRAPPLER_EDGES_H_
