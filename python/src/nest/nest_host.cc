#include "python/src/nest/nest_host.h"

namespace gk::py {

StructureRef StructureOf(PyObject* value, NestRules rules,
                         FunctionRef<bool(PyObject*)> leaf) {
  PyNestHost host(rules, " in a nested structure");
  return DescribeNest(host, PyRef::Share(value),
                      [&](const PyRef& found) { return leaf(found.get()); });
}

StructureRef StructureOf(PyObject* value, NestRules rules,
                         std::vector<PyRef>* leaves) {
  return StructureOf(value, rules, [&](PyObject* leaf) {
    if (leaves != nullptr) leaves->push_back(PyRef::Share(leaf));
    return true;
  });
}

}  // namespace gk::py
