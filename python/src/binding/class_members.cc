#include "python/src/binding/class_members.h"

#include <string_view>

#include "base/status.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/signature_text.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"

namespace gk::py {

namespace nb = nanobind;

SignatureParameters::SignatureParameters(const char* text) {
  for (SignatureParameter& one : ParametersIn(text)) {
    names_.push_back(PyUnicode_InternFromString(one.name.c_str()));
    if (names_.back() == nullptr) throw nb::python_error();
    defaults_.push_back(one.otherwise.release().ptr());
  }
}

void SignatureParameters::Bind(const char* function, PyObject* args,
                               PyObject* kwargs, nb::object* out) const {
  const size_t given = static_cast<size_t>(PyTuple_GET_SIZE(args));
  if (given > names_.size()) {
    Throw(TypeError("{}() takes at most {} arguments ({} given)", function,
                    names_.size(), given));
  }
  Py_ssize_t named = kwargs == nullptr ? 0 : PyDict_GET_SIZE(kwargs);
  for (size_t i = 0; i < names_.size(); ++i) {
    PyObject* const by_name =
        named > 0 ? PyDict_GetItemWithError(kwargs, names_[i]) : nullptr;
    if (PyErr_Occurred()) throw nb::python_error();
    const auto name = [&] { return StringView(names_[i]); };
    if (i < given) {
      if (by_name != nullptr) {
        Throw(TypeError("{}() got multiple values for argument '{}'", function,
                        name()));
      }
      out[i] = nb::borrow(PyTuple_GET_ITEM(args, i));
    } else if (by_name != nullptr) {
      out[i] = nb::borrow(by_name);
      --named;
    } else if (defaults_[i] != nullptr) {
      out[i] = nb::borrow(defaults_[i]);
    } else {
      Throw(
          TypeError("{}() missing required argument: '{}'", function, name()));
    }
  }
  if (named == 0) return;
  for (auto [key, value] : nb::borrow<nb::dict>(kwargs)) {
    bool known = false;
    for (PyObject* name : names_) known |= key.equal(nb::handle(name));
    if (!known) {
      Throw(TypeError("{}() got an unexpected keyword argument '{}'", function,
                      nb::cast<std::string>(nb::str(key))));
    }
  }
}

bool ArgumentOf<bool>::Get(nb::handle value) {
  const int truth = PyObject_IsTrue(value.ptr());
  if (truth < 0) throw nb::python_error();
  return truth == 1;
}
int64_t ArgumentOf<int64_t>::Get(nb::handle value) {
  const nb::object index = Owned(PyNumber_Index(value.ptr()));
  const int64_t number = PyLong_AsLongLong(index.ptr());
  if (number == -1 && PyErr_Occurred()) throw nb::python_error();
  return number;
}

nb::handle AddClass(nb::module_& module, const char* name, nb::handle base,
                    std::optional<Slots> slots, const char* doc,
                    PyMethodDef* methods, PyGetSetDef* properties) {
  nb::dict members;
  members["__module__"] = module.attr("__name__");
  members["__doc__"] = nb::str(doc);
  if (slots) {
    nb::list names;
    for (const char* slot : *slots) names.append(nb::str(slot));
    members["__slots__"] = nb::tuple(names);
  }
  const nb::handle type(reinterpret_cast<PyObject*>(&PyType_Type));
  nb::object cls = type(nb::str(name), nb::make_tuple(base), members);
  auto* const made = reinterpret_cast<PyTypeObject*>(cls.ptr());
  for (PyMethodDef* m = methods; m != nullptr && m->ml_name; ++m) {
    cls.attr(m->ml_name) =
        Owned((m->ml_flags & METH_CLASS) != 0 ? PyDescr_NewClassMethod(made, m)
                                              : PyDescr_NewMethod(made, m));
  }
  for (PyGetSetDef* p = properties; p != nullptr && p->name; ++p) {
    cls.attr(p->name) = Owned(PyDescr_NewGetSet(made, p));
  }
  module.attr(name) = cls;
  return cls.release();
}

void SetParts(nb::handle self,
              std::initializer_list<std::pair<const char*, nb::object>> parts) {
  for (const auto& [name, value] : parts) self.attr(name) = value;
}
nb::object NewValue(
    nb::handle cls,
    std::initializer_list<std::pair<const char*, nb::object>> parts) {
  auto* const type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  nb::object made = Owned(type->tp_alloc(type, 0));
  SetParts(made, parts);
  return made;
}

}  // namespace gk::py
