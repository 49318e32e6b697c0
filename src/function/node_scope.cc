#include "function/node_scope.h"

#include <utility>

#include "ops/composition.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Sub.h"
#include "ops/with_attrs/StridedSlice.h"

namespace gk {

NodeScope::NodeScope(std::string_view name) {
  if (FuncGraph* graph = FuncGraph::Current()) scope_.emplace(graph, name);
}

Tensor PlusNumber(const Tensor& x, int64_t number) {
  const bool adds = number >= 0;
  const NodeScope node(adds ? "add" : "sub");
  const Tensor y = Int32Of(adds ? number : -number, "y");
  return adds ? ops::AddV2(OpName(node.name()), x, y)
              : ops::Sub(OpName(node.name()), x, y);
}

Tensor SubscriptOf(const Tensor& x, std::vector<SubscriptEntry> entries) {
  if (FuncGraph::Current() == nullptr) return Subscript(x, std::move(entries));
  const NodeScope node("strided_slice");
  SliceOperands at = OperandsOf(std::move(entries));
  return ops::StridedSlice(OpAttrs(std::move(at.masks), node.name()), x,
                           at.begin, at.end, at.strides);
}

Tensor FirstOf(const Tensor& x) {
  SubscriptEntry first;
  first.kind = SubscriptEntry::Kind::kIndex;
  first.begin = 0;
  return SubscriptOf(x, {first});
}

}  // namespace gk
