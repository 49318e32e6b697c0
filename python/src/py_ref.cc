#include "py_ref.h"

#include <cstring>
#include <mutex>
#include <vector>

namespace gk::py {
namespace {

std::mutex deferred_mutex;
std::vector<PyObject*>& Deferred() {
  static auto* list = new std::vector<PyObject*>();
  return *list;
}

int DrainDeferred(void*) {
  std::vector<PyObject*> drop;
  {
    std::lock_guard<std::mutex> lock(deferred_mutex);
    drop.swap(Deferred());
  }
  for (PyObject* p : drop) Py_DECREF(p);
  return 0;
}

}  // namespace

void DeferredDecref(PyObject* p) {
  if (p == nullptr || !Py_IsInitialized()) return;
  if (PyGILState_Check()) {
    Py_DECREF(p);
    return;
  }
  bool first;
  {
    std::lock_guard<std::mutex> lock(deferred_mutex);
    first = Deferred().empty();
    Deferred().push_back(p);
  }
  // A full queue of pending calls is retried by the next drop.
  if (first && Py_AddPendingCall(&DrainDeferred, nullptr) != 0) {
    PyGILState_STATE state = PyGILState_Ensure();
    DrainDeferred(nullptr);
    PyGILState_Release(state);
  }
}

PyRef ImportAttribute(const char* module, const char* name) {
  PyRef m = PyRef::Steal(PyImport_ImportModule(module));
  if (!m) return PyRef();
  return PyRef::Steal(PyObject_GetAttrString(m.get(), name));
}

PyObject* CallPython(const char* module, const char* name,
                     std::initializer_list<PyObject*> args) {
  PyRef function = ImportAttribute(module, name);
  if (!function) return nullptr;
  return PyObject_Vectorcall(function.get(), args.begin(), args.size(),
                             nullptr);
}

PyTypeObject* AddType(PyObject* module, PyType_Spec* spec, PyTypeObject* base) {
  PyObject* type =
      PyType_FromModuleAndSpec(module, spec, reinterpret_cast<PyObject*>(base));
  if (type == nullptr) return nullptr;
  // Errors name a class without its module, as for classes made in Python.
  auto* made = reinterpret_cast<PyTypeObject*>(type);
  if (const char* last = std::strrchr(made->tp_name, '.')) {
    made->tp_name = last + 1;
  }
  const char* dot = std::strrchr(spec->name, '.');
  if (PyModule_AddObjectRef(module, dot ? dot + 1 : spec->name, type) < 0) {
    return nullptr;
  }
  return made;
}

}  // namespace gk::py
