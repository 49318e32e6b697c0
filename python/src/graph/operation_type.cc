#include "python/src/graph/operation_type.h"

#include <unordered_map>

namespace nb = nanobind;

namespace gk::py {
namespace {

// The HeldOperations that Python holds, by node. Under the GIL.
std::unordered_map<const Node*, PyObject*>& HeldOperations() {
  static auto* operations = new std::unordered_map<const Node*, PyObject*>();
  return *operations;
}

}  // namespace

Operation::~Operation() { HeldOperations().erase(node); }

nb::object WrapNode(Graph* graph, Node* node) {
  auto [known, fresh] = HeldOperations().try_emplace(node, nullptr);
  // One that is about to be freed does not come back.
  if (!fresh && known->second != nullptr && Py_REFCNT(known->second) > 0) {
    return nb::borrow(known->second);
  }
  nb::object made = nb::cast(new Operation(Ref<Graph>(graph), node),
                             nb::rv_policy::take_ownership);
  HeldOperations()[node] = made.ptr();
  return made;
}

}  // namespace gk::py
