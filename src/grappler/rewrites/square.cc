#include "framework/op_registry.h"
#include "grappler/rewrites/rewrites.h"

namespace gk {
namespace {

bool IsTwo(const Tensor& t) {
  bool two = false;
  if (t.num_elements() != 1) return false;
  VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t>(
      t.dtype(),
      [&](auto tag) { two = t.scalar<decltype(tag)>() == decltype(tag)(2); });
  return two;
}

}  // namespace

std::optional<Output> SquareOfPower(const Node& node, const RewriteContext& c) {
  if (node.type() != "Pow") return std::nullopt;
  const Output x = c.input(node, 0);
  const Node::OutputInfo& info = x.node->output(x.index);
  const Tensor& power = KnownValue(c.input(node, 1));
  const bool same_shape =
      power && (power.rank() == 0 || (info.shape.IsFullyDefined() &&
                                      info.shape == node.output(0).shape));
  if (!same_shape || !IsTwo(power)) return std::nullopt;
  const OpRecord* square = OpRegistry::Get().Find("Square");
  if (square == nullptr) return std::nullopt;
  StatusOr<Node*> made = c.graph->AddNode(*square, node.name() + "/Square",
                                          {{x}}, {{"T", info.dtype}});
  if (!made.ok()) return std::nullopt;
  (*made)->set_device(node.device());
  (*made)->set_source(node.source());
  return Output{*made, 0};
}

}  // namespace gk
