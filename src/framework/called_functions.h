// ForEachCalled: the functions that a node has among its attributes, alone or
// in lists: what it may call.
#ifndef GK_FRAMEWORK_CALLED_FUNCTIONS_H_
#define GK_FRAMEWORK_CALLED_FUNCTIONS_H_

#include <variant>
#include <vector>

#include "framework/graph.h"

namespace gk {

// Calls visit(GraphFunction&), in the order of the attributes.
template <class Visit>
void ForEachCalled(const Node& node, Visit&& visit) {
  const auto enter = [&](const FunctionAttr& f) {
    if (GraphFunction* const called = f.definition.get()) visit(*called);
  };
  for (const auto& [name, value] : node.attrs()) {
    if (const auto* f = std::get_if<FunctionAttr>(&value)) {
      enter(*f);
    } else if (const auto* list =
                   std::get_if<std::vector<FunctionAttr>>(&value)) {
      for (const FunctionAttr& f : *list) enter(f);
    }
  }
}

}  // namespace gk

#endif  // GK_FRAMEWORK_CALLED_FUNCTIONS_H_
