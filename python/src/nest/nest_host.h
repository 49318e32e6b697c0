// Python as the host of values that nest: what framework/nest.h walks over.
#ifndef GK_PYTHON_NEST_HOST_H_
#define GK_PYTHON_NEST_HOST_H_

#include "framework/nest.h"
#include "python/src/nest/nest_node.h"

namespace gk::py {

class PyNestHost {
 public:
  using Value = PyRef;
  using Node = NestNode;

  // `where`, for errors of recursion: " in flatten".
  PyNestHost(NestRules rules, const char* where)
      : PyNestHost(rules, where, rules == NestRules::kResult) {}
  PyNestHost(NestRules rules, const char* where, bool none_is_nothing)
      : rules_(rules), where_(where), none_is_nothing_(none_is_nothing) {}

  int Open(const PyRef& value, std::vector<PyRef>* parts, NestNode* node) {
    return OpenNest(value.get(), rules_, parts, node);
  }
  PyRef Close(const NestNode& node, std::span<const PyRef> parts,
              const PyRef& like) {
    return PyRef::Steal(CloseNest(node, parts, like.get()));
  }
  StructureRef Describe(Ref<NestNode> node, std::vector<StructureRef> parts) {
    return StructureOfNode(std::move(node), std::move(parts));
  }
  bool IsNothing(const PyRef& value) {
    return none_is_nothing_ && value.get() == Py_None;
  }
  bool Enter() { return Py_EnterRecursiveCall(where_) == 0; }
  void Leave() { Py_LeaveRecursiveCall(); }

 private:
  NestRules rules_;
  const char* where_;
  bool none_is_nothing_;
};

}  // namespace gk::py

#endif  // GK_PYTHON_NEST_HOST_H_
