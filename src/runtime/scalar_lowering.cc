#include <set>
#include <utility>

#include "base/interrupt.h"
#include "runtime/plan_passes.h"
#include "runtime/scalar_code_builder.h"

namespace gk {
namespace {

std::set<std::pair<int, int>> ReadOutputs(const PlanDraft& draft) {
  std::set<std::pair<int, int>> read;
  for (const Output& r : draft.function().results) read.insert(PlaceOf(r));
  for (const Unit& unit : draft.units) {
    for (const Node* node : unit.nodes) {
      for (const Output& in : node->inputs()) read.insert(PlaceOf(in));
    }
  }
  return read;
}

}  // namespace

Status LowerScalars(PlanDraft* draft) {
  if (!LowersControlFlow()) return OkStatus();
  std::set<std::pair<int, int>> read;
  for (const Unit& unit : draft->units) {
    PollInterrupt();
    Node* const node = unit.nodes[0];
    if (unit.fusable || !node->op().Has(kCallsFunction)) continue;
    const RewriteGraph& f = draft->function();
    ScalarCodeBuilder builder(f.name, f.graph);
    if (!builder.AddNode(*node)) continue;
    if (read.empty()) read = ReadOutputs(*draft);
    std::vector<Output> outputs;
    bool scalars = true;
    for (int i = 0; i < node->num_outputs(); ++i) {
      // Declared by others than those who know, and relied on.
      scalars &= node->output(i).shape.IsCompatibleWith(TensorShape());
      outputs.push_back({read.contains({node->id(), i}) ? node : nullptr, i});
    }
    if (!scalars) continue;
    if (auto code = builder.Finish(outputs)) {
      draft->lowered[node->id()] = {std::move(code), builder.inputs()};
    }
  }
  return OkStatus();
}

}  // namespace gk
