#include "python/src/ops/call_op.h"

#include <algorithm>

#include "framework/op_registry.h"
#include "python/src/ops/op_function.h"

namespace gk::py {

bool NodeName(std::string_view op, PyObject* name, std::string_view* result) {
  const bool builds_graph = OpBuilder::Current()->builds_graph();
  if (name != Py_None && !PyUnicode_Check(name)) {
    // Eager calls have no use for one and, as TensorFlow's, take anything.
    if (!builds_graph) return true;
    PyErr_Format(PyExc_TypeError, "Expected a string for `name`, got %R", name);
    return false;
  }
  if (name != Py_None) {
    *result = StringView(name);
  } else if (builds_graph) {
    *result = op;
  }
  return true;
}

// `argument_of`: by the name of a parameter; borrowed, null if not given.
template <class ArgumentOf>
static PyObject* Call(std::string_view op, PyObject* name,
                      ArgumentOf&& argument_of) {
  const OpRecord* record = OpRegistry::Get().Find(op);
  if (record == nullptr) {
    return Raise(NotFound("Op type not registered '{}'", op));
  }
  const OpInfo* info = OpInfo::OfRaw(*record);
  std::vector<PyObject*> arguments;
  for (const FunctionInfo::Parameter& p : info->parameters()) {
    arguments.push_back(argument_of(p.name));
  }
  std::string_view node_name;
  return NodeName(op, name, &node_name)
             ? info->Call(arguments.data(), node_name)
             : nullptr;
}

PyObject* CallOp(std::string_view op, const NamedArguments& given,
                 PyObject* name) {
  return Call(op, name, [&](PyObject* parameter) {
    const auto at = std::find_if(
        given.begin(), given.end(),
        [&](const auto& a) { return a.first == StringView(parameter); });
    return at == given.end() ? nullptr : at->second;
  });
}

PyObject* CallOp(std::string_view op, PyObject* given, PyObject* name) {
  return Call(op, name, [&](PyObject* parameter) {
    return PyDict_GetItem(given, parameter);
  });
}

}  // namespace gk::py
