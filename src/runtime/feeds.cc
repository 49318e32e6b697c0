#include "runtime/feeds.h"

#include <optional>

#include "runtime/planned_shape.h"
#include "runtime/purity.h"

namespace gk {
namespace {

bool Overlap(const SlotInfo& a, const SlotInfo& b) {
  return a.home == Home::kArena && b.home == Home::kArena &&
         a.offset < b.offset + b.num_bytes() &&
         b.offset < a.offset + a.num_bytes();
}

}  // namespace

bool MayFeed(const Node& node) {
  if (node.num_outputs() != 1 || !node.op().Has(kExpensive) || !IsPure(node)) {
    return false;
  }
  const Node::OutputInfo& out = node.output(0);
  const std::optional<TensorShape> shape = PlannedShape(out.shape, out.dtype);
  return shape && shape->num_elements() * DataTypeSize(out.dtype) >= kFedBytes;
}

const char* WhyNotFed(const Plan& plan, int pc) {
  const Instruction& now = plan.instructions[pc];
  if (pc + 1 == static_cast<int>(plan.instructions.size())) {
    return "nothing is behind it";
  }
  const Instruction& next = plan.instructions[pc + 1];
  if (now.kind != Instruction::Kind::kKernel || !MayFeed(*now.node) ||
      next.kind != Instruction::Kind::kCluster || now.once || next.once) {
    return "they are no kernel and cluster of every turn";
  }
  const SlotId fed = now.first_output;
  if (plan.slots[fed].home != Home::kArena || next.needs_output ||
      next.num_updates > 0) {
    return "values lie elsewhere than in the arena";
  }
  const Cluster& cluster = plan.clusters[next.cluster];
  if (cluster.CanFail() ||
      cluster.num_elements() != plan.slots[fed].shape.num_elements()) {
    return "the cluster may fail, or is of another size";
  }
  bool reads = false;
  for (int k = 0; k < next.num_inputs; ++k) {
    if (plan.RootOf(plan.inputs[next.first_input + k]) != fed) continue;
    if (!cluster.ReadsInFull(k)) return "the cluster needs all of it at once";
    reads = true;
  }
  if (!reads) return "the cluster does not read it";
  // The kernel still reads its inputs when the first part is done.
  for (int k = 0; k < next.num_outputs; ++k) {
    for (int j = 0; j < now.num_inputs; ++j) {
      const SlotId in = plan.RootOf(plan.inputs[now.first_input + j]);
      if (Overlap(plan.slots[next.first_output + k], plan.slots[in])) {
        return "the cluster writes over what the kernel reads";
      }
    }
  }
  return nullptr;
}

}  // namespace gk
