#include "runtime/plan.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/process_mutex.h"
#include "runtime/shared_state_attr.h"

namespace gk {
namespace {

std::atomic<bool>& Lowers() {
  static std::atomic<bool> on = [] {
    const char* value = std::getenv("GK_LOWER_CONTROL_FLOW");
    return value == nullptr || std::string_view(value) != "0";
  }();
  return on;
}

// That of the nodes with this name in their attribute, while one of their plans
// lives.
std::shared_ptr<SharedKernelState> StateNamed(const std::string& name) {
  struct Known {
    ProcessMutex mutex;
    std::unordered_map<std::string, std::weak_ptr<SharedKernelState>> states;
  };
  static auto* const known = new Known();
  const std::lock_guard lock(known->mutex);
  std::erase_if(known->states,
                [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<SharedKernelState>& kept = known->states[name];
  std::shared_ptr<SharedKernelState> state = kept.lock();
  if (!state) kept = state = std::make_shared<SharedKernelState>();
  return state;
}

}  // namespace

bool LowersControlFlow() { return Lowers().load(std::memory_order_relaxed); }
void SetControlFlowLowering(bool on) {
  Lowers().store(on, std::memory_order_relaxed);
}

const char* InstructionKindName(Instruction::Kind kind) {
  static constexpr const char* kKinds[] = {"tile", "kernel", "read", "cluster",
                                           "code", "branch", "loop"};
  return kKinds[static_cast<int>(kind)];
}

Plan::~Plan() {
  if (const EventTypes* const made = events.load()) made->Unref();
}

std::string Plan::DebugString() const {
  std::string text;
  const auto add_slot = [&](SlotId s) {
    text += Format(" %{}", s);
    if (slots[s].home == Home::kArena) {
      text += Format("@{}", slots[s].offset);
    }
  };
  for (size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& now = instructions[i];
    text += Format("{} {}{}", i, now.once ? "once " : "",
                   InstructionKindName(now.kind));
    if (now.kind == Instruction::Kind::kCluster) {
      for (const Node* node : clusters[now.cluster].nodes()) {
        text += Format(" {} {}", node->type(), node->name());
      }
    } else {
      text += Format(" {} {}", now.node->type(), now.node->name());
    }
    text += ":";
    for (int k = 0; k < now.num_inputs; ++k) {
      add_slot(inputs[now.first_input + k]);
    }
    text += " ->";
    for (int k = 0; k < now.num_outputs; ++k) add_slot(now.first_output + k);
    for (int k = 0; k < now.num_updates; ++k) {
      const VariableUpdate& u = updates[now.first_update + k];
      text += Format(" {} %{}{}", u.node->name(), u.handle,
                     u.in_place ? " in place" : "");
    }
    text += now.feeds_next ? " part by part\n" : "\n";
  }
  return text;
}

StatusOr<Ref<Plan>> Plan::WithoutMergedUpdates() const {
  {
    std::lock_guard lock(ProcessMutex::Of(this));
    if (without_merged_updates_) return without_merged_updates_;
  }
  // Making plans can be interrupted, and so needs to be done without a lock.
  GK_ASSIGN_OR_RETURN(Ref<Plan> made,
                      Make(function.Clone(), /*merge_updates=*/false));
  made->TakeSharedStatesOf(*this);
  std::lock_guard lock(ProcessMutex::Of(this));
  if (!without_merged_updates_) without_merged_updates_ = std::move(made);
  return without_merged_updates_;
}

void Plan::MakeSharedStates() {
  for (size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& now = instructions[i];
    if (now.kind != Instruction::Kind::kKernel ||
        !now.node->op().Has(kRandom)) {
      continue;
    }
    shared_states.resize(instructions.size());
    const auto* name = now.node->attrs().Get<std::string>(kSharedStateAttr);
    shared_states[i] =
        name ? StateNamed(*name) : std::make_shared<SharedKernelState>();
  }
}

void Plan::TakeSharedStatesOf(const Plan& other) {
  std::unordered_map<std::string_view, size_t> by_name;
  for (size_t i = 0; i < other.shared_states.size(); ++i) {
    if (other.shared_states[i]) {
      by_name.emplace(other.instructions[i].node->name(), i);
    }
  }
  for (size_t i = 0; i < shared_states.size(); ++i) {
    if (!shared_states[i]) continue;
    auto found = by_name.find(instructions[i].node->name());
    if (found != by_name.end()) {
      shared_states[i] = other.shared_states[found->second];
    }
  }
}

}  // namespace gk
