#include "python/src/types/extension_constructor.h"

#include <cstddef>
#include <string>

#include "python/src/binding/bound_values.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/types/class_fields.h"
#include "python/src/types/extension_fields.h"

// clang-format off: it needs Python.h before it.
#include <structmember.h>
// clang-format on

namespace gk::py {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

namespace {

// What a class has for its __init__.
struct ExtensionConstructor {
  PyObject_HEAD;
  PyObject* cls;
  PyObject* values;  // the class whose fields it takes
  PyObject* own;     // what the class's body has; null: it takes the fields
  PyObject* dict;
  PyObject* weakrefs;
};
PyTypeObject* ConstructorType = nullptr;
constexpr const char* kSignature = "__signature__";

ExtensionConstructor* AsConstructor(PyObject* o) {
  return reinterpret_cast<ExtensionConstructor*>(o);
}

// (self, x: int = 1, *, y: str) -> C; of specs (self, x, y) -> C.Spec.
Object Signature(Handle cls, Handle values) {
  const nb::tuple fields = FieldsOfClass(values);
  const bool of_values = cls.is(values);
  const size_t by_place = of_values ? NumByPlace(fields) : nb::len(fields);
  const nb::module_ inspect = nb::module_::import_("inspect");
  const Object parameter = inspect.attr("Parameter");
  const Object place = parameter.attr("POSITIONAL_OR_KEYWORD"),
               name = parameter.attr("KEYWORD_ONLY"),
               none = parameter.attr("empty");
  nb::list parameters;
  parameters.append(parameter(nb::str("self"), place));
  for (size_t i = 0; i < nb::len(fields); ++i) {
    const ExtensionField field{Object(fields[i])};
    const bool has_default = of_values && field.otherwise.is_valid();
    parameters.append(
        parameter(field.name, i < by_place ? place : name,
                  nb::arg("default") = has_default ? field.otherwise : none,
                  nb::arg("annotation") = of_values ? field.type : none));
  }
  return inspect.attr("Signature")(parameters,
                                   nb::arg("return_annotation") = cls);
}

// Raises what Python says of a call that its signature refuses.
[[noreturn]] void RefuseCall(ExtensionConstructor* c, Handle args,
                             Handle kwargs) {
  const Object bind = Signature(c->cls, c->values).attr("bind");
  Owned(PyObject_Call(bind.ptr(), args.ptr(), kwargs.ptr()));
  Throw(TypeError("the arguments are not those of the fields"));
}

// The fields with the values that a call gives them, in order; args[0] is the
// value that is made.
nb::dict BoundFields(ExtensionConstructor* c, Handle args, Handle kwargs) {
  const nb::tuple fields = FieldsOfClass(c->values);
  const bool of_values = c->cls == c->values;
  const size_t n = nb::len(fields), given = PyTuple_GET_SIZE(args.ptr()) - 1;
  const size_t by_place = of_values ? NumByPlace(fields) : n;
  size_t named = kwargs.ptr() == nullptr ? 0 : PyDict_GET_SIZE(kwargs.ptr());
  if (given > by_place) RefuseCall(c, args, kwargs);
  nb::dict bound;
  for (size_t i = 0; i < n; ++i) {
    const ExtensionField field{Object(fields[i])};
    PyObject* value =
        named == 0 ? nullptr
                   : PyDict_GetItemWithError(kwargs.ptr(), field.name.ptr());
    if (PyErr_Occurred()) throw nb::python_error();
    if (value != nullptr) --named;
    if (i < given) {
      if (value != nullptr) RefuseCall(c, args, kwargs);
      value = PyTuple_GET_ITEM(args.ptr(), i + 1);
    }
    if (value == nullptr && of_values) value = field.otherwise.ptr();
    if (value == nullptr) RefuseCall(c, args, kwargs);
    bound[field.name] = Handle(value);
  }
  if (named > 0) RefuseCall(c, args, kwargs);
  return bound;
}

// Converts and checks what a constructor has set.
void Finish(Handle self) {
  nb::dict facts = FactsOf(self);
  const bool as_spec = IsTypeSpec(self);
  const nb::tuple fields = FieldsOf(self);
  // It may have been asked for before all was set.
  if (facts.contains(kOwnSpec)) nb::del(facts[kOwnSpec]);
  const Object missing = Owned(PySet_New(nullptr)),
               others = Owned(PySet_New(facts.ptr()));
  others.attr("discard")(kMutable);
  for (Handle field : fields) {
    const Object name = field[0];
    if (!facts.contains(name)) missing.attr("add")(name);
    others.attr("discard")(name);
  }
  if (nb::len(others) > 0) {
    Throw(ValueError("Got unexpected fields: {}", ReprOf(others)));
  }
  if (nb::len(missing) > 0) {
    Throw(ValueError("Missing required fields: {}", ReprOf(missing)));
  }
  const FieldPurpose purpose =
      as_spec ? FieldPurpose::kSpec : FieldPurpose::kValue;
  for (Handle row : fields) {
    const ExtensionField field{row};
    facts[field.name] = ConvertedField(Object(facts[field.name]), field.type,
                                       TextOf(field.name), purpose);
  }
  self.attr("__validate__")();
}

PyObject* Construct(PyObject* o, PyObject* args, PyObject* kwargs) {
  ExtensionConstructor* const c = AsConstructor(o);
  if (PyTuple_GET_SIZE(args) == 0 ||
      !PyObject_TypeCheck(PyTuple_GET_ITEM(args, 0),
                          reinterpret_cast<PyTypeObject*>(c->cls))) {
    Throw(TypeError("descriptor '__init__' of {} needs one as its argument",
                    ReprOf(c->cls)));
  }
  const Handle self = PyTuple_GET_ITEM(args, 0);
  nb::dict facts = FactsOf(self);
  // Constructors that this one calls leave the checks to it.
  const bool is_outermost = !facts.contains(kConstructing);
  if (c->own == nullptr) {
    facts.update(BoundFields(c, args, kwargs));
  } else {
    facts[kConstructing] = true;
    const auto end = [&] {
      if (!is_outermost) return;
      if (PyDict_DelItemString(facts.ptr(), kConstructing) < 0) PyErr_Clear();
    };
    const PyRef done = PyRef::Steal(PyObject_Call(c->own, args, kwargs));
    if (!done) {
      nb::python_error error;
      end();
      throw error;
    }
    end();
  }
  if (is_outermost) Finish(self);
  Py_RETURN_NONE;
}

PyObject* BindConstructor(PyObject* o, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None) return Py_NewRef(o);
  return PyMethod_New(o, instance);
}

PyObject* TextOfConstructor(PyObject* o) {
  return PyUnicode_FromFormat("<constructor of %R>", AsConstructor(o)->cls);
}

int VisitConstructor(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(AsConstructor(o)->cls);
  Py_VISIT(AsConstructor(o)->values);
  Py_VISIT(AsConstructor(o)->own);
  Py_VISIT(AsConstructor(o)->dict);
  return 0;
}
int ClearConstructor(PyObject* o) {
  Py_CLEAR(AsConstructor(o)->cls);
  Py_CLEAR(AsConstructor(o)->values);
  Py_CLEAR(AsConstructor(o)->own);
  Py_CLEAR(AsConstructor(o)->dict);
  return 0;
}
void FreeConstructor(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (AsConstructor(o)->weakrefs != nullptr) PyObject_ClearWeakRefs(o);
  ClearConstructor(o);
  type->tp_free(o);
  Py_DECREF(type);
}

PyMemberDef kConstructorMembers[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(ExtensionConstructor, dict),
     READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ExtensionConstructor, weakrefs),
     READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef kConstructorAttributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot kConstructorSlots[] = {
    {Py_tp_call, Slot<Construct>()},
    {Py_tp_descr_get, Slot<BindConstructor>()},
    {Py_tp_repr, Slot<TextOfConstructor>()},
    {Py_tp_dealloc, Slot<FreeConstructor>()},
    {Py_tp_traverse, Slot<VisitConstructor>()},
    {Py_tp_clear, Slot<ClearConstructor>()},
    {Py_tp_getset, Slot<kConstructorAttributes>()},
    {Py_tp_members, Slot<kConstructorMembers>()},
    {0, nullptr}};
PyType_Spec kConstructorSpec = {
    "graphkiln._ExtensionConstructor", sizeof(ExtensionConstructor), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_METHOD_DESCRIPTOR |
        Py_TPFLAGS_DISALLOW_INSTANTIATION,
    kConstructorSlots};

}  // namespace

void GiveConstructor(Handle cls, Handle values) {
  PyObject* const own = PyDict_GetItemString(
      reinterpret_cast<PyTypeObject*>(cls.ptr())->tp_dict, "__init__");
  const Object made = Owned(ConstructorType->tp_alloc(ConstructorType, 0));
  ExtensionConstructor* const c = AsConstructor(made.ptr());
  c->cls = Py_NewRef(cls.ptr());
  c->values = Py_NewRef(values.ptr());
  c->own = Py_XNewRef(own);
  made.attr("__module__") = cls.attr("__module__");
  const Object name = nb::str("__init__"), doc = nb::none(),
               whole = nb::str(
                   (TextOf(cls.attr("__qualname__")) + ".__init__").c_str());
  const Handle like = own != nullptr ? own : Py_None;
  made.attr("__name__") = nb::getattr(like, "__name__", name);
  made.attr("__qualname__") = nb::getattr(like, "__qualname__", whole);
  if (own == nullptr) {
    made.attr(kSignature) = Signature(cls, values);
  } else {
    made.attr("__doc__") = nb::getattr(like, "__doc__", doc);
    made.attr("__wrapped__") = like;
  }
  cls.attr("__init__") = made;
}

void AddExtensionConstructor(nb::module_& m) {
  ConstructorType = AddType(m.ptr(), &kConstructorSpec, nullptr);
  if (ConstructorType == nullptr) throw nb::python_error();
}

}  // namespace gk::py
