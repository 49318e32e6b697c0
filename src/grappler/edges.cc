#include "grappler/edges.h"

#include "framework/op_builder.h"
#include "framework/op_registry.h"

namespace gk {

void Replacements::Add(Output from, Output to) {
  const size_t id = from.node->id();
  if (by_node_.size() <= id) by_node_.resize(id + 1);
  auto& outputs = by_node_[id];
  if (outputs.size() <= static_cast<size_t>(from.index)) {
    outputs.resize(from.index + 1);
  }
  outputs[from.index] = to;
  entries_.push_back(id);
}

Output Replacements::Follow(Output o) const {
  while (true) {
    const size_t id = o.node->id();
    if (id >= by_node_.size()) return o;
    const auto& outputs = by_node_[id];
    const size_t index = o.index;
    if (index >= outputs.size() || !outputs[index]) return o;
    o = *outputs[index];
  }
}

void Replacements::Apply(RewriteGraph* function) const {
  if (empty()) return;
  for (const auto& node : function->graph->nodes()) {
    for (int i = 0; i < node->num_inputs(); ++i) {
      node->set_input(i, Follow(node->input(i)));
    }
  }
  for (Output& r : function->results) r = Follow(r);
}

bool IsPureNode(const Node& node) {
  const OpRecord& op = node.op();
  if (op.Has(kStateful | kRandom | kReadsResource | kWritesResource) ||
      op.def->is_stateful) {
    return false;
  }
  // Arguments are sources, too; only constants are alike.
  if (op.Has(kSourceOp)) return op.Has(kConstant);
  // Functions of one name may differ in a graph that was put together.
  return !op.Has(kCallsFunction);
}

bool SameAttrs(const Node& a, const Node& b) {
  if (a.attrs().size() != b.attrs().size()) return false;
  for (const auto& [name, value] : a.attrs()) {
    const AttrValue* other = b.attrs().Find(name);
    if (!other || !AttrEquals(value, *other)) return false;
  }
  return true;
}

StatusOr<Node*> AddConst(Graph* graph, const Tensor& value, const Node& like) {
  const OpRecord& op = OpRegistry::Get().The(kConstant);
  AttrMap attrs{{"value", value}, {"dtype", value.dtype()}};
  GK_ASSIGN_OR_RETURN(Node * node,
                      graph->AddNode(op, like.name() + "/folded", {}, attrs));
  node->set_device(like.device());
  node->set_source(like.source());
  return node;
}

bool IsAll(const Tensor& t, int value) {
  bool all = false;
  VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t,
            uint8_t, uint16_t, uint32_t, uint64_t>(t.dtype(), [&](auto tag) {
    using T = decltype(tag);
    all = t.num_elements() > 0;
    for (const T& v : t.flat<T>()) {
      if (static_cast<double>(v) != value) all = false;
    }
  });
  return all;
}

bool MayStandFor(const Output& to, const Output& from) {
  return to.node->output(to.index).shape.IsCompatibleWith(
      from.node->output(from.index).shape);
}

const Tensor& KnownValue(const Output& o) {
  return o.node->output(o.index).value;
}

}  // namespace gk
