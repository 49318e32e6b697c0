#include "grappler/common_subexpressions.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "base/inlined_vector.h"
#include "base/interrupt.h"
#include "grappler/edges.h"

namespace gk {
namespace {

// Comparing larger constants costs more than it can save.
constexpr int64_t kMaxConstElements = 4096;

using Inputs = InlinedVector<Output, 4>;

Inputs CanonicalInputs(const Node& node, const Replacements& replace) {
  Inputs inputs;
  for (const Output& in : node.inputs()) inputs.push_back(replace.Follow(in));
  if (node.op().Has(kCommutative)) {
    std::sort(inputs.begin(), inputs.end(),
              [](const Output& a, const Output& b) {
                return std::pair(a.node->id(), a.index) <
                       std::pair(b.node->id(), b.index);
              });
  }
  return inputs;
}

size_t HashOf(const Node& node, const Inputs& inputs) {
  size_t h = std::hash<const void*>()(&node.op());
  for (const Output& in : inputs) {
    h = HashCombine(h, in.node->id());
    h = HashCombine(h, in.index);
  }
  for (const auto& [name, value] : node.attrs()) {
    h = HashCombine(h, AttrHash(value));
  }
  return h;
}

bool SameShapes(Node& a, Node& b) {
  for (int i = 0; i < a.num_outputs(); ++i) {
    if (!MayStandFor({&a, i}, {&b, i})) return false;
  }
  return true;
}

bool MayMerge(const Node& node) {
  if (!IsPureNode(node)) return false;
  // A node that waits for something else says when it wants to run.
  if (!node.control_inputs().empty()) return false;
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (node.output(i).dtype == DataType::kVariant) return false;
  }
  const Tensor* value = node.attrs().Get<Tensor>("value");
  return !value || (value->num_elements() <= kMaxConstElements);
}

}  // namespace

Status MergeCommonSubexpressions(RewriteGraph* function, bool* changed) {
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                      function->graph->TopologicalOrder());
  Replacements replace;
  std::unordered_multimap<size_t, Node*> seen;
  for (Node* node : order) {
    PollInterrupt();
    if (!MayMerge(*node)) continue;
    const Inputs inputs = CanonicalInputs(*node, replace);
    const size_t hash = HashOf(*node, inputs);
    const auto [first, last] = seen.equal_range(hash);
    Node* same = nullptr;
    for (auto it = first; it != last && !same; ++it) {
      Node* other = it->second;
      if (&other->op() == &node->op() &&
          other->num_outputs() == node->num_outputs() &&
          CanonicalInputs(*other, replace) == inputs &&
          SameAttrs(*other, *node) && SameShapes(*other, *node)) {
        same = other;
      }
    }
    if (!same) {
      seen.emplace(hash, node);
      continue;
    }
    for (int i = 0; i < node->num_outputs(); ++i) {
      replace.Add({node, i}, {same, i});
    }
    if (node->num_outputs() > 0) *changed = true;
  }
  replace.Apply(function);
  return OkStatus();
}

}  // namespace gk
