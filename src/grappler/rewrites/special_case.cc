#include "framework/op_registry.h"
#include "grappler/rewrites/rewrites.h"

namespace gk {
namespace {

bool IsNumber(const Tensor& t, double number) {
  bool same = false;
  if (t.num_elements() != 1) return false;
  VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t>(
      t.dtype(), [&](auto tag) {
        using T = decltype(tag);
        same = t.scalar<T>() == static_cast<T>(number);
      });
  return same;
}

}  // namespace

std::optional<Output> TakeSpecialCase(const Node& node,
                                      const RewriteContext& c) {
  const SpecialCase& special = node.op().special;
  if (special.op.empty()) return std::nullopt;
  const Output x = c.input(node, 0);
  const Node::OutputInfo& info = x.node->output(x.index);
  const Tensor& operand = KnownValue(c.input(node, 1));
  const bool same_shape =
      operand && (operand.rank() == 0 || (info.shape.IsFullyDefined() &&
                                          info.shape == node.output(0).shape));
  if (!same_shape || !IsNumber(operand, special.operand)) return std::nullopt;
  const OpRecord* op = OpRegistry::Get().Find(special.op);
  if (op == nullptr) return std::nullopt;
  StatusOr<Node*> made =
      c.graph->AddNode(*op, Format("{}/{}", node.name(), special.op), {{x}},
                       {{"T", info.dtype}});
  if (!made.ok()) return std::nullopt;
  (*made)->set_device(node.device());
  (*made)->set_source(node.source());
  return Output{*made, 0};
}

}  // namespace gk
