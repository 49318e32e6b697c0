#include "profiler/memory_report.h"

#include <algorithm>

#include "framework/called_functions.h"
#include "profiler/told_event.h"
#include "runtime/compiled_function.h"
#include "runtime/plan_events.h"
#include "runtime/plan_passes.h"

namespace gk {
namespace {

// What makes a value, in the words of profiles.
struct Maker {
  std::string name, node, lines;
};

Maker MakerOf(const PlanEvents& events, int pc, EventTeller* teller) {
  EventFacts facts;
  events.Part(pc).Tell(nullptr, &facts);
  return {facts.display.empty() ? facts.name : facts.display,
          facts.name.substr(0, facts.name.rfind(':')), teller->Lines(facts)};
}

class PlanReader {
 public:
  explicit PlanReader(const Plan& plan) : plan_(plan), last_(LastUses(plan)) {}

  PlanMemory Read() {
    memory_.function = plan_.function.name;
    memory_.num_instructions = static_cast<int>(plan_.instructions.size());
    memory_.arena_bytes = plan_.arena_bytes;
    for (const SlotInfo& slot : plan_.slots) AddStanding(slot);
    for (int pc = 0; pc < memory_.num_instructions; ++pc) AddMade(pc);
    FindPeak();
    std::ranges::stable_sort(memory_.buffers, [](const auto& a, const auto& b) {
      return a.bytes > b.bytes;
    });
    return std::move(memory_);
  }

 private:
  static bool IsKnown(const SlotInfo& slot) {
    return slot.is_static && DataTypeSize(slot.dtype) > 0;
  }

  void AddStanding(const SlotInfo& slot) {
    int64_t* const sum = slot.home == Home::kConstant ? &memory_.constant_bytes
                         : slot.home == Home::kArgument
                             ? &memory_.argument_bytes
                             : nullptr;
    if (sum != nullptr && IsKnown(slot)) *sum += slot.num_bytes();
  }

  void AddMade(int pc) {
    const Instruction& now = plan_.instructions[pc];
    for (int k = 0; k < now.num_outputs; ++k) {
      const SlotId s = now.first_output + k;
      const SlotInfo& slot = plan_.slots[s];
      const bool has_place =
          slot.home == Home::kArena || slot.home == Home::kOwn;
      // A view lies where another value does.
      if (!has_place || slot.view_of >= 0) continue;
      if (now.node != nullptr && now.node->op().Has(kReadsVariable)) {
        if (IsKnown(slot)) memory_.argument_bytes += slot.num_bytes();
        continue;
      }
      const Maker maker = MakerOf(PlanEvents::Of(plan_), pc, &teller_);
      MemoryBuffer buffer;
      buffer.name = maker.name;
      buffer.node = maker.node;
      buffer.lines = maker.lines;
      buffer.place = slot.home == Home::kArena ? "arena" : "own";
      buffer.type = std::string(DataTypeName(slot.dtype)) +
                    (slot.is_static ? slot.shape.DebugString() : "[?]");
      buffer.first = pc;
      buffer.last =
          std::min(std::max(last_[s], pc), memory_.num_instructions - 1);
      if (IsKnown(slot)) {
        buffer.bytes = slot.num_bytes();
      } else {
        ++memory_.unknown;
      }
      memory_.buffers.push_back(std::move(buffer));
    }
  }

  void FindPeak() {
    const int n = memory_.num_instructions;
    std::vector<int64_t> own(n), all(n);
    for (const MemoryBuffer& b : memory_.buffers) {
      if (b.place == "arena") memory_.sum_bytes += b.bytes;
      for (int pc = b.first; pc <= b.last; ++pc) {
        all[pc] += b.bytes;
        if (b.place == "own") own[pc] += b.bytes;
      }
    }
    if (n == 0) return;
    memory_.peak_instruction =
        static_cast<int>(std::ranges::max_element(all) - all.begin());
    memory_.peak_bytes = memory_.arena_bytes + *std::ranges::max_element(own);
    const Maker peak =
        MakerOf(PlanEvents::Of(plan_), memory_.peak_instruction, &teller_);
    memory_.peak_name = peak.name;
    memory_.peak_lines = peak.lines;
    for (MemoryBuffer& b : memory_.buffers) {
      b.at_peak = b.first <= memory_.peak_instruction &&
                  memory_.peak_instruction <= b.last;
    }
  }

  const Plan& plan_;
  const std::vector<int> last_;
  PlanMemory memory_;
  EventTeller teller_;
};

}  // namespace

int64_t MemoryReport::PeakBytes() const {
  // The plans within one another keep their memory from call to call.
  int64_t bytes = 0;
  for (const PlanMemory& plan : plans) bytes += plan.peak_bytes;
  return bytes;
}

StatusOr<MemoryReport> ReportMemory(const GraphFunction& function) {
  MemoryReport report;
  report.name = function.name();
  std::vector<const GraphFunction*> all = {&function};
  for (size_t i = 0; i < all.size(); ++i) {
    GK_ASSIGN_OR_RETURN(CompiledFunction* const compiled,
                        CompiledFunction::Of(*all[i]));
    GK_ASSIGN_OR_RETURN(const Ref<Plan> plan, compiled->LatestPlan());
    report.plans.push_back(PlanReader(*plan).Read());
    for (const auto& node : plan->function.graph->nodes()) {
      ForEachCalled(*node, [&](const GraphFunction& called) {
        if (std::ranges::find(all, &called) == all.end()) {
          all.push_back(&called);
        }
      });
    }
  }
  return report;
}

}  // namespace gk
