#include <algorithm>

#include "framework/op_registry.h"
#include "grappler/rewrites/rewrites.h"

namespace gk {
namespace {

// The one that gradients are added up by.
const OpRecord& Addition() {
  static const OpRecord& op =
      **std::ranges::find_if(OpRegistry::Get().all(), [](const OpRecord* op) {
        return op->Has(kAddition) && op->Has(kAggregate);
      });
  return op;
}

// Is `row` known to have one element for each of the last dimension of `x`?
// An elementwise addition would spread a single one where the other op fails.
bool IsRowOf(const PartialTensorShape& row, const PartialTensorShape& x) {
  return !row.unknown_rank() && !x.unknown_rank() && row.rank() == 1 &&
         x.rank() >= 2 && row.dim(0) != kUnknownDim &&
         row.dim(0) == x.dim(x.rank() - 1);
}

}  // namespace

std::optional<Output> AddElements(const Node& node, const RewriteContext& c) {
  if (!node.op().Has(kAddition) || node.op().Has(kElementwise)) {
    return std::nullopt;
  }
  const auto* format = node.attrs().Get<std::string>("data_format");
  if (format != nullptr && *format != "NHWC") return std::nullopt;
  const Output x = c.input(node, 0), row = c.input(node, 1);
  const Node::OutputInfo& of_x = x.node->output(x.index);
  const bool floating =
      of_x.dtype == DataType::kFloat || of_x.dtype == DataType::kDouble ||
      of_x.dtype == DataType::kHalf || of_x.dtype == DataType::kBfloat16;
  if (!floating || !IsRowOf(row.node->output(row.index).shape, of_x.shape)) {
    return std::nullopt;
  }
  const OpRecord& op = Addition();
  const Output inputs[] = {x, row};
  StatusOr<Node*> made = c.graph->AddNode(
      op, Format("{}/{}", node.name(), op.name), inputs, {{"T", of_x.dtype}});
  if (!made.ok()) return std::nullopt;
  (*made)->set_device(node.device());
  (*made)->set_source(node.source());
  return Output{*made, 0};
}

}  // namespace gk
