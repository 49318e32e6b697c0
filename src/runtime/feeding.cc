#include "runtime/feeding.h"

#include <atomic>

#include "base/inlined_vector.h"
#include "framework/part_listener.h"
#include "runtime/error_origin.h"
#include "runtime/plan_verifier.h"

namespace gk {
namespace {

// A cluster's operands.
struct ClusterOperands {
  ClusterOperands(const Plan& plan, Frame& frame, const Instruction& now)
      : out(&frame.data[now.first_output]) {
    for (int k = 0; k < now.num_inputs; ++k) {
      in.push_back(frame.data[plan.inputs[now.first_input + k]]);
    }
  }
  InlinedVector<const void*, 32> in;
  void** out;
};

}  // namespace

Status Feeding::Run(const Plan& plan, Frame& frame, int pc,
                    FunctionRef<Status()> kernel) {
  const Instruction& now = plan.instructions[pc];
  const Instruction& next = plan.instructions[pc + 1];
  const Cluster& cluster = plan.clusters[next.cluster];
  const SlotInfo& slot = plan.slots[now.first_output];
  void* const result = frame.data[now.first_output];
  const ClusterOperands operands(plan, frame, next);
  std::atomic<int64_t> done{0};
  fed_ = -1;
  if (plan.checked) {
    parts_ = std::make_unique<NotedParts>(result, slot.num_bytes(),
                                          DataTypeSize(slot.dtype));
  }
  {
    const auto work = [&](int64_t first, int64_t count) {
      done.fetch_add(count, std::memory_order_relaxed);
      if (plan.checked) return parts_->Note(first, count);
      cluster.RunPart(operands.in.data(), operands.out, first, count);
    };
    const PartListener::Scope scope(result, slot.num_bytes(), work);
    GK_RETURN_IF_ERROR(kernel());
  }
  if (done == 0) return OkStatus();
  if (done != slot.shape.num_elements()) {
    return AtNode(Internal("Op {} told of {} of {} elements", now.node->type(),
                           done.load(), slot.shape.num_elements()),
                  *now.node, plan.function.name);
  }
  fed_ = pc + 1;
  if (!plan.checked) return OkStatus();
  if (const char* wrong = parts_->WhatIsWrong()) {
    return PlanViolation(plan, "parts", pc, now.first_output, wrong);
  }
  return OkStatus();
}

Status Feeding::Finish(const Plan& plan, Frame& frame, int pc) {
  fed_ = -1;
  if (!plan.checked) return OkStatus();
  const Instruction& now = plan.instructions[pc];
  const ClusterOperands operands(plan, frame, now);
  for (const auto& [first, count] : parts_->Parts()) {
    plan.clusters[now.cluster].RunPart(operands.in.data(), operands.out, first,
                                       count);
  }
  return OkStatus();
}

}  // namespace gk
