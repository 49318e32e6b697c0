#include "python/src/binding/py_ref.h"

#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "base/fork.h"
#include "framework/large_work.h"

namespace gk::py {
namespace {

// References that threads without the GIL gave up, until Python's main thread
// comes by. Nobody waits for the GIL here: locks may be held.
struct Deferred {
  std::mutex mutex;
  std::vector<PyObject*> objects;
  bool scheduled = false;

  static Deferred& Get() {
    static Deferred* deferred = Make();
    return *deferred;
  }

 private:
  static Deferred* Make() {
    auto* made = new Deferred();
    // A child has no thread that could give the lock back.
    OnFork(
        ForkStage::kHost, [] { Get().mutex.lock(); },
        [] { Get().mutex.unlock(); }, [] { Get().mutex.unlock(); });
    return made;
  }
};

int DropDeferred(void*) {
  Deferred& deferred = Deferred::Get();
  std::vector<PyObject*> drop;
  {
    std::lock_guard<std::mutex> lock(deferred.mutex);
    deferred.scheduled = false;
    drop.swap(deferred.objects);
  }
  for (PyObject* p : drop) Py_DECREF(p);
  return 0;
}

}  // namespace

bool HasGil() {
  PyThreadState* state = PyGILState_GetThisThreadState();
#if PY_VERSION_HEX >= 0x030D0000
  return state != nullptr && state == PyThreadState_GetUnchecked();
#else
  return state != nullptr && state == _PyThreadState_UncheckedGet();
#endif
}

void DeferredDecref(PyObject* p) {
  if (p == nullptr) return;
  // The interpreter that ends still drops what modules held.
  if (HasGil()) {
    const LargeWorkListener::Scope quiet(nullptr);  // finalisers may run
    Py_DECREF(p);
    return;
  }
  if (!Py_IsInitialized()) return;
  Deferred& deferred = Deferred::Get();
  std::lock_guard<std::mutex> lock(deferred.mutex);
  try {
    deferred.objects.push_back(p);
  } catch (const std::bad_alloc&) {
    return;  // Without memory for the list the object stays.
  }
  // A full queue of pending calls is tried again by the next drop.
  if (!deferred.scheduled) {
    deferred.scheduled = Py_AddPendingCall(&DropDeferred, nullptr) == 0;
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
