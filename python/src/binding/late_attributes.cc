#include "python/src/binding/late_attributes.h"

#include <map>

#include "python/src/binding/guarded.h"

namespace gk::py {
namespace {

std::map<std::string, std::function<PyObject*()>, std::less<>>& Late() {
  static auto* late =
      new std::map<std::string, std::function<PyObject*()>, std::less<>>();
  return *late;
}

PyObject* this_module = nullptr;

PyObject* Find(PyObject* module, PyObject* name) {
  const auto found = Late().find(StringView(name));
  if (found == Late().end()) {
    return PyErr_Format(PyExc_AttributeError,
                        "module '%s' has no attribute '%U'",
                        PyModule_GetName(module), name);
  }
  PyRef made = PyRef::Steal(found->second());
  if (!made) return nullptr;
  PyObject* kept =
      PyDict_SetDefault(PyModule_GetDict(module), name, made.get());
  return Py_XNewRef(kept);
}

PyObject* Names(PyObject* module, PyObject*) {
  PyRef names = PyRef::Steal(PyDict_Keys(PyModule_GetDict(module)));
  for (const auto& [name, make] : Late()) {
    PyRef text = PyRef::Steal(ToPyString(name));
    if (!names || !text) return nullptr;
    const int known = PySequence_Contains(names.get(), text.get());
    if (known < 0 ||
        (known == 0 && PyList_Append(names.get(), text.get()) < 0)) {
      return nullptr;
    }
  }
  return names.Release();
}

PyMethodDef kLateAttributesFunctions[] = {
    {"__getattr__", Guarded<Find>, METH_O, nullptr},
    {"__dir__", Guarded<Names>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddLate(std::string name, std::function<PyObject*()> make) {
  Late().emplace(std::move(name), std::move(make));
}

bool AddLateAttributes(PyObject* module) {
  this_module = module;
  return PyModule_AddFunctions(module, kLateAttributesFunctions) == 0;
}

PyObject* LateAttribute(const char* name) {
  return PyObject_GetAttrString(this_module, name);
}

PyObject* ThisModule() { return this_module; }

PyObject* MakeEnum(const char* base, const char* home, const char* name,
                   const char* doc,
                   std::span<const std::pair<const char*, int>> members) {
  PyRef pairs = PyRef::Steal(PyList_New(0));
  for (const auto& [member, value] : members) {
    PyRef pair = PyRef::Steal(Py_BuildValue("(si)", member, value));
    if (!pairs || !pair || PyList_Append(pairs.get(), pair.get()) < 0) {
      return nullptr;
    }
  }
  const PyRef kind = ImportAttribute("enum", base);
  PyRef args = PyRef::Steal(Py_BuildValue("(sO)", name, pairs.get()));
  PyRef kwargs = PyRef::Steal(Py_BuildValue("{ss}", "module", home));
  if (!kind || !args || !kwargs) return nullptr;
  PyRef made =
      PyRef::Steal(PyObject_Call(kind.get(), args.get(), kwargs.get()));
  PyRef text = PyRef::Steal(PyUnicode_FromString(doc));
  if (!made || !text ||
      PyObject_SetAttrString(made.get(), "__doc__", text.get()) < 0) {
    return nullptr;
  }
  return made.Release();
}

}  // namespace gk::py
