#include "python/src/binding/class_members.h"

#include <array>
#include <string_view>
#include <unordered_map>

#include "python/src/binding/bound_values.h"
#include "python/src/binding/errors.h"

namespace gk::py {

namespace nb = nanobind;

PyObject* CallRead(ReadFunction& f, PyObject* self, PyObject* const* args,
                   Py_ssize_t count, PyObject* names) {
  try {
    if (f.parameters == nullptr) {
      f.parameters = new SignatureParameters(f.signature);
    }
    if (f.parameters->size() != f.count) {
      Throw(Internal("{}({}) is bound to a function of {} arguments", f.name,
                     f.signature, f.count));
    }
    std::array<nb::object, kMostParameters> given;
    f.parameters->Bind(f.name, f.selves, args, static_cast<size_t>(count),
                       names, given.data());
    return f.call(self, given.data()).release().ptr();
  } catch (...) {
    return RaiseCaught();
  }
}

PyObject* GetComputed(PyObject* self, void* function) {
  try {
    return reinterpret_cast<AttributeFunction>(function)(self).release().ptr();
  } catch (...) {
    return RaiseCaught();
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

void AddFunctions(nb::module_& module, PyMethodDef* functions) {
  for (PyMethodDef* f = functions; f->ml_name != nullptr; ++f) {
    f->ml_doc = ReadableSignature(f->ml_doc);
  }
  if (PyModule_AddFunctions(module.ptr(), functions) < 0) {
    throw nb::python_error();
  }
}

nb::handle AddClass(nb::module_& module, const char* name, nb::handle base,
                    std::optional<Slots> slots, const char* doc,
                    PyMethodDef* methods, PyGetSetDef* properties,
                    const char* home) {
  nb::dict members;
  members["__module__"] =
      home != nullptr ? nb::str(home) : nb::object(module.attr("__name__"));
  members["__doc__"] = nb::str(doc);
  if (slots) {
    nb::list names;
    for (const char* slot : *slots) names.append(nb::str(slot));
    members["__slots__"] = nb::tuple(names);
  }
  const nb::handle type(reinterpret_cast<PyObject*>(&PyType_Type));
  nb::object cls =
      type(nb::str(name), base.is_valid() ? nb::make_tuple(base) : nb::tuple(),
           members);
  // Its signature is none of the documentation.
  constexpr std::string_view kEnd = ")\n--\n\n";
  const std::string_view text = doc;
  if (const size_t end = text.find(kEnd); end != text.npos) {
    cls.attr("__doc__") = nb::str(doc + end + kEnd.size());
  }
  auto* const made = reinterpret_cast<PyTypeObject*>(cls.ptr());
  for (PyMethodDef* m = methods; m != nullptr && m->ml_name; ++m) {
    m->ml_doc = ReadableSignature(m->ml_doc);
    nb::object member;
    if ((m->ml_flags & METH_STATIC) != 0) {
      member = Owned(PyCFunction_New(m, nullptr));
      member = Owned(PyStaticMethod_New(member.ptr()));
    } else if ((m->ml_flags & METH_CLASS) != 0) {
      member = Owned(PyDescr_NewClassMethod(made, m));
    } else {
      member = Owned(PyDescr_NewMethod(made, m));
    }
    cls.attr(m->ml_name) = member;
  }
  for (PyGetSetDef* p = properties; p != nullptr && p->name; ++p) {
    cls.attr(p->name) = Owned(PyDescr_NewGetSet(made, p));
  }
  module.attr(name) = cls;
  return cls.release();
}

namespace {

// Python's string of a literal, found by where the literal lies.
PyObject* NameOf(const char* literal) {
  static auto* const names = new std::unordered_map<const char*, PyObject*>;
  PyObject*& name = (*names)[literal];
  if (name == nullptr) {
    name = Owned(PyUnicode_InternFromString(literal)).release().ptr();
  }
  return name;
}

}  // namespace

nb::object GetPart(nb::handle self, const char* literal) {
  return Owned(PyObject_GetAttr(self.ptr(), NameOf(literal)));
}
void SetParts(nb::handle self,
              std::initializer_list<std::pair<const char*, nb::object>> parts) {
  for (const auto& [name, value] : parts) {
    if (PyObject_SetAttr(self.ptr(), NameOf(name), value.ptr()) < 0) {
      throw nb::python_error();
    }
  }
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
