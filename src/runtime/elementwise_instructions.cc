// Elementwise nodes as tiles, and few scalars as byte code. (Clusters:
// cluster_instructions.cc.)
#include <optional>

#include "runtime/instruction_makers.h"
#include "runtime/planned_shape.h"
#include "runtime/scalar_code_builder.h"

namespace gk {
namespace {

// Elementwise work up to this many elements is one tile call.
constexpr int64_t kMaxSingleTile = 4096;

}  // namespace

bool MakeTile(const Node& node, PlanDraft* draft) {
  const TileKernel* kernel = FusableTile(node);
  if (!kernel) return false;
  const std::optional<TensorShape> domain =
      PlannedShape(node.output(0).shape, node.output(0).dtype);
  if (domain->num_elements() > kMaxSingleTile) return false;
  for (const Output& in : node.inputs()) {
    if (in.node->output(in.index).shape.num_elements() !=
        domain->num_elements()) {
      return false;
    }
  }
  Plan& plan = *draft->plan;
  Instruction& i = plan.instructions.emplace_back();
  i.kind = Instruction::Kind::kTile;
  i.node = &node;
  i.tile = kernel->fn;
  if (kernel->prepare) kernel->prepare(node.attrs(), &i.tile_params);
  i.num_elements = domain->num_elements();
  draft->slots.AddInputs(&i, node.inputs());
  // Tile kernels take three operands; unused ones repeat the first.
  for (int k = node.num_inputs(); k < 3; ++k) {
    plan.inputs.push_back(plan.inputs[i.first_input]);
  }
  i.first_output = draft->slots.Add(node, 0);
  i.num_outputs = 1;
  i.needs_output = plan.slots[i.first_output].home == Home::kOwn;
  return true;
}

bool MakeScalars(const Unit& unit, PlanDraft* draft) {
  constexpr size_t kMaxNodes = 16;
  if (!LowersControlFlow() || unit.nodes.size() > kMaxNodes) return false;
  const RewriteGraph& f = draft->function();
  ScalarCodeBuilder builder(f.name, f.graph);
  std::vector<Output> outputs;
  for (Node* node : unit.nodes) {
    if (!FusableTile(*node) || node->output(0).shape.rank() != 0 ||
        !builder.AddNode(*node)) {
      return false;
    }
    if (draft->read_outside[node->id()]) outputs.push_back({node, 0});
  }
  std::unique_ptr<ScalarCode> code = builder.Finish(outputs);
  if (!code) return false;
  Instruction& i =
      AddByteCode(*unit.nodes[0], std::move(code), builder.inputs(), draft);
  for (const Output& o : outputs) {
    const SlotId id = draft->slots.Add(*o.node, 0);
    i.needs_output |= draft->plan->slots[id].home == Home::kOwn;
    ++i.num_outputs;
  }
  return true;
}

}  // namespace gk
