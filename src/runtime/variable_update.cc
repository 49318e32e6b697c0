#include "runtime/variable_update.h"

#include <optional>

#include "framework/op_registry.h"
#include "runtime/planned_shape.h"

namespace gk {
namespace {

// Smaller values are not worth taking out of their variables.
constexpr int64_t kMinElements = 2048;

}  // namespace

VariableWrite FusableWrite(const Node& node,
                           const std::vector<bool>& is_argument) {
  VariableWrite write;
  if (node.op().Has(kAssignsVariable)) {
    write = VariableWrite::kAssign;
  } else if (!node.op().combine.empty()) {
    write = VariableWrite::kCombine;
  } else {
    return VariableWrite::kNone;
  }
  const Output handle = ResourceRoot(node.input(0));
  if (!is_argument[handle.node->id()]) return VariableWrite::kNone;
  const Node::OutputInfo& value =
      node.input(1).node->output(node.input(1).index);
  const HandleData& data = handle.node->output(handle.index).handle_data;
  if (data.size() != 1 || data[0].dtype != value.dtype ||
      !value.shape.IsFullyDefined() || !data[0].shape.IsFullyDefined() ||
      !(data[0].shape == value.shape)) {
    return VariableWrite::kNone;
  }
  const std::optional<TensorShape> shape = PlannedShape(node.input(1));
  if (!shape || shape->num_elements() < kMinElements) {
    return VariableWrite::kNone;
  }
  if (write != VariableWrite::kAssign && !TileOfWrite(node.op(), value.dtype)) {
    return VariableWrite::kNone;
  }
  return write;
}

const TileKernel* TileOfWrite(const OpRecord& writer, DataType dtype) {
  const OpRecord* op = OpRegistry::Get().Find(writer.combine);
  if (!op || !op->kernel.tile) return nullptr;
  const TileKernel* tile = op->kernel.tile(dtype, AttrMap());
  const bool fits = tile && tile->fn && tile->num_inputs == 2 &&
                    tile->in[0] == dtype && tile->in[1] == dtype &&
                    tile->out == dtype;
  return fits ? tile : nullptr;
}

}  // namespace gk
