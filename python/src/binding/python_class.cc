#include "python/src/binding/python_class.h"

#include "python/src/binding/bound_values.h"

namespace gk::py {

namespace nb = nanobind;

nb::object AddPythonClass(nb::module_& m, const char* home, const char* name,
                          nb::tuple bases, const char* doc,
                          std::span<ClassMember> members, nb::handle slots) {
  nb::dict attributes;
  attributes["__module__"] = home;
  attributes["__doc__"] = doc;
  if (slots.is_valid()) attributes["__slots__"] = slots;
  const nb::handle meta =
      bases.size() != 0 ? nb::handle(bases[0]).type()
                        : nb::handle(reinterpret_cast<PyObject*>(&PyType_Type));
  nb::object cls = meta(name, bases, attributes);
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  for (ClassMember& member : members) {
    PyMethodDef* function = &member.function;
    nb::object value;
    switch (member.kind) {
      case ClassMember::kStatic:
        value = Owned(PyCFunction_New(function, nullptr));
        value = Owned(PyStaticMethod_New(value.ptr()));
        break;
      case ClassMember::kProperty:
        value = nb::handle(reinterpret_cast<PyObject*>(&PyProperty_Type))(
            Owned(PyDescr_NewMethod(type, function)));
        break;
      case ClassMember::kMethod:
        value = Owned(PyDescr_NewMethod(type, function));
        break;
    }
    cls.attr(function->ml_name) = value;
  }
  m.attr(name) = cls;
  return cls;
}

}  // namespace gk::py
