#include "runtime/run_variable_updates.h"

#include <algorithm>
#include <optional>

#include "base/fork.h"
#include "base/interrupt.h"
#include "framework/variable.h"
#include "runtime/error_origin.h"
#include "runtime/plan_checker.h"

namespace gk {
namespace {

// Holds the values of an instruction's variables, taken out, and gives them
// back: the new ones after Keep(), else the old ones.
class TakenValues {
 public:
  explicit TakenValues(size_t n) : all_(n) {}
  ~TakenValues() {
    for (One& one : all_) {
      if (one.taken) {
        one.variable->Put(std::move(keep_ ? one.fresh : one.old));
      }
    }
  }
  TakenValues(const TakenValues&) = delete;
  TakenValues& operator=(const TakenValues&) = delete;

  struct One {
    VariableResource* variable = nullptr;
    const VariableUpdate* update = nullptr;
    Tensor old, fresh;
    bool taken = false;
  };
  std::vector<One>& all() { return all_; }

  // In one order for all threads, so that none waits for another in a circle.
  Status Take(const Plan& plan) {
    std::sort(all_.begin(), all_.end(), [](const One& a, const One& b) {
      return std::less<>()(a.variable, b.variable);
    });
    for (size_t i = 1; i < all_.size(); ++i) {
      if (all_[i].variable == all_[i - 1].variable) {
        return Internal("Variable {} is updated twice by one instruction",
                        all_[i].variable->name());
      }
    }
    for (One& one : all_) {
      one.old = one.variable->Take();
      one.taken = true;
      if (Status s = Check(one); !s.ok()) {
        return AtNode(s, *one.update->node, plan.function.name);
      }
    }
    return OkStatus();
  }
  void Keep() { keep_ = true; }

 private:
  static Status Check(const One& one) {
    const VariableUpdate& u = *one.update;
    if (one.variable->dtype() != u.dtype) {
      return InvalidArgument(
          "Trying to assign variable with wrong dtype. Expected {} got {}",
          DataTypeString(one.variable->dtype()), DataTypeString(u.dtype));
    }
    if (u.own_input < 0) {
      if (one.variable->shape().IsCompatibleWith(u.shape)) return OkStatus();
      return InvalidArgument(
          "Cannot assign value to variable '{}': Shape mismatch.The variable "
          "shape {}, and the assigned value shape {} are incompatible.",
          one.variable->name(), one.variable->shape().PythonString(),
          PartialTensorShape(u.shape).PythonString());
    }
    if (!one.old) return one.variable->Uninitialized();
    if (!(one.old.shape() == u.shape)) {
      return InvalidArgument(
          "Cannot update variable with shape {} using a Tensor with shape {}, "
          "shapes must be equal.",
          one.old.shape().DebugString(), u.shape.DebugString());
    }
    return OkStatus();
  }

  std::vector<One> all_;
  bool keep_ = false;
};

}  // namespace

Status RunVariableUpdates(const Plan& plan, Frame& frame,
                          const Instruction& instruction,
                          std::span<const void*> in, std::span<void*> out) {
  const std::span<const VariableUpdate> updates(
      plan.updates.data() + instruction.first_update,
      instruction.num_updates);
  const WholeWork whole;
  TakenValues values(updates.size());
  for (size_t i = 0; i < updates.size(); ++i) {
    TakenValues::One& one = values.all()[i];
    one.update = &updates[i];
    StatusOr<VariableResource*> v =
        VariableOf(frame.slots[updates[i].handle]);
    if (!v.ok()) {
      return AtNode(v.status(), *updates[i].node, plan.function.name);
    }
    one.variable = *v;
  }
  const NoInterrupts to_the_end;
  GK_RETURN_IF_ERROR(values.Take(plan));
  for (TakenValues::One& one : values.all()) {
    const VariableUpdate& u = *one.update;
    if (u.own_input >= 0) in[u.own_input] = one.old.raw_data();
    if (u.result < 0) continue;
    if (u.snapshot_input >= 0 && u.snapshot_input < 64 &&
        (instruction.may_forward >> u.snapshot_input & 1)) {
      Tensor& read =
          frame.slots[plan.inputs[instruction.first_input + u.snapshot_input]];
      // The same memory, unless somebody has assigned another value since.
      if (one.old && read.raw_data() == one.old.raw_data()) read = Tensor();
    }
    // What is declared of a variable's shape need not be true of its value.
    if (u.in_place && one.old && one.old.dtype() == u.dtype &&
        one.old.shape() == u.shape && one.old.IsExclusive()) {
      one.fresh = one.old;
    } else {
      StatusOr<Tensor> fresh = Tensor::Allocate(u.dtype, u.shape);
      if (!fresh.ok()) {
        return AtNode(fresh.status(), *u.node, plan.function.name);
      }
      one.fresh = std::move(*fresh);
    }
    out[u.result] = one.fresh.raw_data();
  }
  if (frame.checker) {
    GK_RETURN_IF_ERROR(frame.checker->BeforeUpdates(instruction, in));
  }
  const Cluster& cluster = plan.clusters[instruction.cluster];
  if (const int failed = cluster.Run(in.data(), out.data()); failed >= 0) {
    const Node& node = *cluster.steps()[failed].node;
    const char* text = node.op().kernel.tile_error;
    return AtNode(InvalidArgument("{}", text ? text : "Invalid element"), node,
                  plan.function.name);
  }
  if (frame.checker) {
    GK_RETURN_IF_ERROR(frame.checker->AfterUpdates(instruction, out));
  }
  for (TakenValues::One& one : values.all()) {
    if (one.update->shared_slot >= 0) {
      one.fresh = frame.slots[one.update->shared_slot].Alias();
    }
  }
  for (TakenValues::One& one : values.all()) {
    if (one.update->same_as < 0) continue;
    const VariableUpdate* first = &updates[one.update->same_as];
    for (const TakenValues::One& other : values.all()) {
      if (other.update == first) one.fresh = other.fresh.Alias();
    }
  }
  values.Keep();
  return OkStatus();
}

bool ResourcesAlias(std::span<const Tensor> arguments) {
  InlinedVector<const Resource*, 32> all;
  for (const Tensor& t : arguments) {
    if (t.dtype() != DataType::kResource || t.num_elements() != 1) continue;
    all.push_back(t.scalar<ResourceHandle>().resource());
  }
  std::sort(all.begin(), all.end(), std::less<>());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

}  // namespace gk
