#include "ops/stacked_tensors.h"

#include "framework/graph.h"

namespace gk {
namespace {

// The node of this op along the first dimension that made `t`; else null.
const Node* MadeBy(const Tensor& t, std::string_view op) {
  if (!t.is_symbolic()) return nullptr;
  const Node* node = Graph::OutputOf(t).node;
  return node->op().name == op && node->attr<int64_t>("axis") == 0 ? node
                                                                   : nullptr;
}

}  // namespace

TensorVector StackedOf(const Tensor& t) {
  const Node* node = MadeBy(t, "Pack");
  TensorVector parts;
  if (node == nullptr) return parts;
  for (const Output& o : node->inputs()) {
    parts.push_back(Graph::GraphOf(t)->TensorOf(o));
  }
  return parts;
}

std::optional<TensorPlace> UnstackedFrom(const Tensor& t) {
  const Node* node = MadeBy(t, "Unpack");
  if (node == nullptr) return std::nullopt;
  return TensorPlace{Graph::GraphOf(t)->TensorOf(node->input(0)),
                     Graph::OutputOf(t).index};
}

}  // namespace gk
