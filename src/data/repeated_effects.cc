#include "data/repeated_effects.h"

#include <unordered_set>
#include <vector>

#include "framework/op_record.h"

namespace gk {

const Node* EffectOf(const GraphFunction& function) {
  std::unordered_set<const GraphFunction*> seen{&function};
  std::vector<const GraphFunction*> todo{&function};
  const auto call = [&](const FunctionAttr& callee) {
    const GraphFunction* inner = callee.definition.get();
    if (inner != nullptr && seen.insert(inner).second) todo.push_back(inner);
  };
  while (!todo.empty()) {
    const GraphFunction& now = *todo.back();
    todo.pop_back();
    for (const auto& node : now.graph().nodes()) {
      const OpRecord& op = node->op();
      bool calls = false;
      for (const auto& [name, value] : node->attrs()) {
        if (const auto* f = std::get_if<FunctionAttr>(&value)) {
          calls = true;
          call(*f);
        } else if (const auto* list =
                       std::get_if<std::vector<FunctionAttr>>(&value)) {
          calls = true;
          for (const FunctionAttr& f : *list) call(f);
        }
      }
      // What calls functions does what these do.
      const bool acts = op.Has(kStateful) &&
                        (op.Has(kRandom | kReadsVariable | kAssignsVariable) ||
                         (op.Has(kWritesResource) && !calls));
      if (acts) return node.get();
    }
  }
  return nullptr;
}

}  // namespace gk
