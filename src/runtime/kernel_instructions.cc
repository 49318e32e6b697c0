// Nodes that run by themselves: byte code, copies of rows, kernels and nested
// plans.
#include <algorithm>
#include <optional>

#include "runtime/instruction_makers.h"
#include "runtime/row_access.h"

namespace gk {
namespace {

// How a plan runs a node that calls functions.
Instruction::Kind NestedKind(const Node& node) {
  const AttrMap& attrs = node.attrs();
  if (node.op().control == Control::kWhile) {
    if (GraphOf(attrs.Get<FunctionAttr>("cond")) &&
        GraphOf(attrs.Get<FunctionAttr>("body"))) {
      return Instruction::Kind::kLoop;
    }
  } else if (node.op().control == Control::kIf) {
    if (GraphOf(attrs.Get<FunctionAttr>("then_branch")) &&
        GraphOf(attrs.Get<FunctionAttr>("else_branch"))) {
      return Instruction::Kind::kBranch;
    }
  } else if (node.op().control == Control::kCase) {
    const auto* all = attrs.Get<std::vector<FunctionAttr>>("branches");
    if (all && !all->empty() &&
        std::all_of(all->begin(), all->end(),
                    [](const FunctionAttr& f) { return GraphOf(&f); })) {
      return Instruction::Kind::kBranch;
    }
  }
  return Instruction::Kind::kKernel;
}

}  // namespace

Instruction& AddByteCode(const Node& node, std::unique_ptr<ScalarCode> code,
                         const std::vector<Output>& inputs, PlanDraft* draft) {
  Plan& plan = *draft->plan;
  Instruction& i = plan.instructions.emplace_back();
  i.kind = Instruction::Kind::kCode;
  i.node = &node;
  i.code = plan.codes.size();
  plan.codes.push_back(std::move(code));
  draft->slots.AddInputs(&i, inputs);
  i.first_output = plan.slots.size();
  return i;
}

bool MakeLowered(const Node& node, PlanDraft* draft) {
  const auto it = draft->lowered.find(node.id());
  if (it == draft->lowered.end()) return false;
  Instruction& i =
      AddByteCode(node, std::move(it->second.code), it->second.inputs, draft);
  i.num_outputs = node.num_outputs();
  for (int k = 0; k < node.num_outputs(); ++k) {
    const SlotId id = draft->slots.AddScalar(node, k);
    i.needs_output |= draft->plan->slots[id].home == Home::kOwn;
  }
  return true;
}

bool MakeRow(const Node& node, PlanDraft* draft) {
  const std::optional<RowAccess> row = RowAccessOf(node);
  if (!row) return false;
  Instruction& i = draft->plan->instructions.emplace_back();
  i.kind = Instruction::Kind::kTile;
  i.node = &node;
  i.tile = row->tile;
  i.tile_params = row->params;
  i.num_elements = row->num_bytes;
  i.compute = node.op().kernel.compute;  // has the error
  draft->slots.AddInputs(&i, node.inputs());
  i.first_output = draft->slots.Add(node, 0);
  i.num_outputs = 1;
  i.needs_output = draft->plan->slots[i.first_output].home == Home::kOwn;
  return true;
}

Status MakeKernel(const Node& node, PlanDraft* draft) {
  if (node.op().Has(kSourceOp) && node.num_outputs() == 0) {
    return OkStatus();  // only orders others
  }
  if (!node.op().kernel.compute) {
    return Internal("Op type {} has no kernel", node.type());
  }
  Instruction& i = draft->plan->instructions.emplace_back();
  i.node = &node;
  i.compute = node.op().kernel.compute;
  if (LowersControlFlow()) i.kind = NestedKind(node);
  draft->slots.AddInputs(&i, node.inputs());
  i.first_output = draft->plan->slots.size();
  i.num_outputs = node.num_outputs();
  for (int k = 0; k < node.num_outputs(); ++k) draft->slots.Add(node, k);
  return OkStatus();
}

}  // namespace gk
