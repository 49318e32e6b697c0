#include "python/src/binding/bound_classes.h"

#include "python/src/binding/guarded.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// nanobind's own, one for all its classes.
newfunc make_instance = nullptr;

PyObject* MakeInstance(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return make_instance(type, args, kwargs);
}

}  // namespace

void GuardBoundClasses(nb::module_& m) {
  for (nb::handle value : m.attr("__dict__").attr("values")()) {
    if (!PyType_Check(value.ptr()) || !nb::type_check(value)) continue;
    auto* type = reinterpret_cast<PyTypeObject*>(value.ptr());
    make_instance = type->tp_new;
    type->tp_new = Guarded<MakeInstance>;
    // It makes instances as well, and nothing may come out of it.
    type->tp_vectorcall = nullptr;
  }
}

}  // namespace gk::py
