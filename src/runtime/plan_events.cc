#include "runtime/plan_events.h"

#include <algorithm>
#include <cstdlib>

#include "ops/op_cost.h"

namespace gk {
namespace {

// Of a fused group so many ops are named.
constexpr size_t kNamedOps = 6;

double ElementsOf(const Node& node) {
  return node.num_outputs() == 0 ? 0.0
                                 : static_cast<double>(std::max<int64_t>(
                                       node.output(0).shape.num_elements(), 0));
}

std::string OpsText(const std::vector<const Node*>& nodes) {
  std::string text;
  for (size_t i = 0; i < std::min(nodes.size(), kNamedOps); ++i) {
    text += Format("{}{}", i > 0 ? "+" : "", nodes[i]->type());
  }
  if (nodes.size() > kNamedOps) {
    text += Format("+{} more", nodes.size() - kNamedOps);
  }
  return text;
}

}  // namespace

const PlanEvents& PlanEvents::Of(const Plan& plan) {
  const EventTypes* known = plan.events.load(std::memory_order_acquire);
  if (known != nullptr) return *static_cast<const PlanEvents*>(known);
  Ref<const PlanEvents> made = MakeRef<PlanEvents>(plan);
  if (plan.events.compare_exchange_strong(known, made.get())) {
    return *made.Release();
  }
  return *static_cast<const PlanEvents*>(known);
}

PlanEvents::PlanEvents(const Plan& plan)
    : graph_(plan.function.graph), function_(plan.function.name, this) {
  for (const Instruction& now : plan.instructions) {
    InstructionEvent& event = instructions_.emplace_back(this);
    by_pc_.push_back(&event);
    event.how = InstructionKindName(now.kind);
    if (now.kind == Instruction::Kind::kCluster) {
      event.nodes = plan.clusters[now.cluster].nodes();
      event.updates = now.num_updates;
    }
    if (now.node != nullptr && event.nodes.empty()) {
      event.nodes = {now.node};
    }
    event.is_static = true;
    const auto add = [&](SlotId s, bool is_input) {
      const SlotInfo& slot = plan.slots[s];
      event.is_static &= slot.is_static;
      if (!event.is_static) return;
      is_input ? event.known.AddInput(slot.dtype, slot.shape)
               : event.known.AddOutput(slot.dtype, slot.shape);
    };
    for (int k = 0; k < now.num_inputs; ++k) {
      add(plan.inputs[now.first_input + k], true);
    }
    for (int k = 0; k < now.num_outputs; ++k) add(now.first_output + k, false);
    for (int k = 0; k < now.num_updates; ++k) {
      const VariableUpdate& u = plan.updates[now.first_update + k];
      event.known.AddOutput(u.dtype, u.shape);
    }
    is_static_.push_back(event.is_static);
  }
}

std::unique_ptr<OpDetail> PlanEvents::Before(const Instruction& now,
                                             const Frame& frame) {
  auto detail = std::make_unique<OpDetail>();
  for (int k = 0; k < now.num_inputs; ++k) {
    detail->AddInput(*frame.inputs[now.first_input + k]);
  }
  return detail;
}

void PlanEvents::After(const Instruction& now, const Frame& frame,
                       OpDetail* detail) {
  for (int k = 0; k < now.num_outputs; ++k) {
    detail->AddOutput(frame.slots[now.first_output + k]);
  }
}

int64_t PlanTimes::Add(int pc, int64_t start, int64_t end,
                       std::unique_ptr<OpDetail> detail) {
  EventLog::Add(events_.Part(pc), start, end, std::move(detail), count_.get());
  const int64_t now = EventLog::Now();
  cost_ += now - end;
  ends_.push_back(-now);
  return now;
}

PlanTimes::~PlanTimes() {
  EventLog::AddRun(events_, start_, ends_, count_.get());
  if (ends_.empty() || !EventLog::Samples()) return;
  // An event costs a reading of the clock and two thirds of that to be written
  // (measured), the run another two.
  const auto events = static_cast<int64_t>(ends_.size()) + 2;
  sampler_.End(std::abs(ends_.back()) - start_,
               cost_ + events * EventLog::ClockCost() * 5 / 3);
}

void PlanEvents::FunctionEvent::Tell(const EventDetail*,
                                     EventFacts* facts) const {
  facts->name = name;
  facts->function = name;
}

void PlanEvents::InstructionEvent::Tell(const EventDetail* detail,
                                        EventFacts* facts) const {
  const OpDetail& run =
      detail == nullptr ? known : static_cast<const OpDetail&>(*detail);
  facts->function = plan.function_.name;
  for (const Node* node : nodes) {
    std::vector<uint32_t>& all = facts->sources;
    if (node->source() != 0 &&
        std::ranges::find(all, node->source()) == all.end()) {
      all.push_back(node->source());
    }
  }
  facts->shapes = run.ShapesText();
  facts->arguments.emplace_back("kind", how);
  if (nodes.empty()) {
    facts->name = how;
    return;
  }
  facts->display = OpsText(nodes);
  if (nodes.size() == 1) {
    const Node& node = *nodes[0];
    facts->name = Format("{}:{}", node.name(), node.type());
    // Views, and what is read of a variable, take no memory of their own.
    if (!node.op().Has(kView | kReadsVariable)) {
      facts->bytes = run.Bytes();
      facts->made_bytes = run.MadeBytes();
    }
    if (!node.op().Has(kCallsFunction)) {
      facts->flops = FlopsOf(node.op(), node.attrs(), run.inputs, run.outputs);
    }
  } else {
    facts->name = Format("{}:Fused", nodes.back()->name());
    facts->bytes = run.Bytes();
    facts->made_bytes = run.MadeBytes();
    std::string names;
    for (const Node* node : nodes) {
      facts->flops += ElementsOf(*node);
      names += (names.empty() ? "" : ",") + node->name();
    }
    facts->arguments.emplace_back(kFusedNodes, std::move(names));
  }
  if (updates > 0) {
    facts->arguments.emplace_back("updated_variables", int64_t{updates});
  }
}

}  // namespace gk
