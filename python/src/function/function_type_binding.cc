// FunctionType as a signature of Python: its parameters and the binding of
// arguments to them.
#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/type_parts.h"
#include "python/src/function/function_signature.h"
#include "python/src/function/function_trace_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

nb::object Inspect(const char* name) {
  return nb::module_::import_("inspect").attr(name);
}
nb::object Empty() { return Inspect("Signature").attr("empty"); }

nb::object Made(PyObject* o) {
  if (o == nullptr) throw nb::python_error();
  return nb::steal(o);
}

// An object of a type that has these slots and nothing else.
PyObject* ObjectWith(const char* name, PyType_Slot slot) {
  PyType_Slot slots[] = {slot, {0, nullptr}};
  PyType_Spec spec = {name, sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, slots};
  return Made(PyType_FromSpec(&spec))().release().ptr();
}

// Stands for a default value, which the function knows.
PyObject* DefaultText(PyObject*) {
  return PyUnicode_FromString("<captured_default_value>");
}
nb::handle Default() {
  static constinit MadeOnce made;
  return made.Get([] {
    return ObjectWith("graphkiln._CapturedDefault",
                      {Py_tp_repr, Slot<DefaultText>()});
  });
}

// --- Parameter

PyObject* Constraint(PyObject* o, void*) {
  const nb::object annotation = nb::handle(o).attr("annotation");
  return annotation.is(Empty()) ? Py_NewRef(Py_None)
                                : nb::object(annotation).release().ptr();
}
PyObject* Optional(PyObject* o, void*) {
  const nb::object value = nb::handle(o).attr("default");
  return PyBool_FromLong(!value.is(Empty()));
}
PyObject* ParameterRepr(PyObject* o) {
  const nb::handle p = o;
  const nb::object name = p.attr("name"), kind = p.attr("kind").attr("name"),
                   type = p.attr("type_constraint");
  return PyUnicode_FromFormat(
      "Parameter(name=%U, kind=%U, optional=%s, type_constraint=%R)",
      name.ptr(), kind.ptr(),
      nb::cast<bool>(nb::object(p.attr("optional"))) ? "True" : "False",
      type.ptr());
}
// Parameter(name, kind, optional, type_constraint)
int InitParameter(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *name, *kind, *constraint;
  int optional;
  if (!ParseArguments(args, kwargs, "OOpO",
                      {"name", "kind", "optional", "type_constraint"}, &name,
                      &kind, &optional, &constraint)) {
    return -1;
  }
  Inspect("Parameter")
      .attr("__init__")(
          nb::handle(o), nb::handle(name), nb::handle(kind),
          nb::arg("default") = optional ? nb::borrow(Default()) : Empty(),
          nb::arg("annotation") =
              constraint == Py_None ? Empty() : nb::borrow(constraint));
  return 0;
}
PyGetSetDef parameter_attributes[] = {
    {"optional", Guarded<Optional>, nullptr,
     "It has a default, which may be left to the function.", nullptr},
    {"type_constraint", Guarded<Constraint>, nullptr,
     "Its trace type, or None if any will do.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// Made when it is first needed, as inspect is loaded then.
nb::handle ParameterType() {
  static constinit MadeOnce type;
  return type.Get([] {
    PyType_Slot slots[] = {
        {Py_tp_doc, Doc("One parameter of a FunctionType.")},
        {Py_tp_init, Slot<InitParameter>()},
        {Py_tp_repr, Slot<ParameterRepr>()},
        {Py_tp_getset, Slot<parameter_attributes>()},
        {0, nullptr}};
    PyType_Spec spec = {"graphkiln.Parameter", 0, 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return Made(PyType_FromSpecWithBases(&spec, Inspect("Parameter").ptr()))
        .release()
        .ptr();
  });
}

// --- FunctionType

// A spec where it is that of a tensor.
PyRef ShownType(const TraceTypeRef& type) {
  if (type->kind() != TraceType::Kind::kTensor) {
    return PyRef::Steal(WrapTraceType(type));
  }
  const PyRef name = type->name().empty()
                         ? PyRef::Share(Py_None)
                         : PyRef::Steal(ToPyString(type->name()));
  return PyRef::Steal(
      name ? WrapTensorSpec(type->shape(), type->dtype(), name.get())
           : nullptr);
}

nb::object Parameters(PyObject* o) {
  nb::list list;
  const nb::object kinds = Inspect("_ParameterKind");
  for (const FunctionParameter& p : FunctionTypeIn(o)->parameters()) {
    const nb::object name = Made(ToPyString(p.name));
    const nb::object type =
        p.type ? Made(ShownType(p.type).Release()) : nb::none();
    list.append(nb::make_tuple(
        name, ParameterType()(name, kinds(static_cast<int>(p.kind)),
                              p.optional, type)));
  }
  return nb::module_::import_("collections").attr("OrderedDict")(list);
}
PyObject* ParametersOf(PyObject* o, void*) {
  return Parameters(o).release().ptr();
}

nb::object AsSignature(PyObject* o) {
  return Inspect("Signature")(nb::list(Parameters(o).attr("values")()));
}
nb::object BindBy(const char* method, PyObject* o, PyObject* args,
                  PyObject* kwargs) {
  const nb::object bind = AsSignature(o).attr(method);
  return Made(PyObject_Call(bind.ptr(), args, kwargs));
}
template <bool kPartial>
PyObject* Bind(PyObject* o, PyObject* args, PyObject* kwargs) {
  return BindBy(kPartial ? "bind_partial" : "bind", o, args, kwargs)
      .release()
      .ptr();
}
PyObject* BindWithDefaults(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *positional, *named, *defaults;
  if (!ParseArguments(args, kwargs, "OOO",
                      {"args", "kwargs", "default_values"}, &positional,
                      &named, &defaults)) {
    return nullptr;
  }
  const nb::object bound =
      BindBy("bind", o, nb::tuple(nb::borrow(positional)).ptr(), named);
  bound.attr("apply_defaults")();
  const nb::dict values =
      nb::borrow<nb::dict>(nb::object(bound.attr("arguments")));
  for (const FunctionParameter& p : FunctionTypeIn(o)->parameters()) {
    const nb::object name = Made(ToPyString(p.name));
    const nb::object given = values.contains(name)
                                 ? nb::object(values[name])
                                 : nb::none();
    nb::object value =
        given.is(Default()) ? nb::object(nb::handle(defaults)[name]) : given;
    if (p.type) value = Made(WrapTraceType(p.type)).attr("cast")(value);
    bound.attr("arguments")[name] = value;
  }
  return nb::object(bound).release().ptr();
}

// [(name, kind, optional, type)] of parameters as inspect has them.
nb::list Described(nb::handle parameters, bool with_types) {
  nb::list list;
  for (nb::handle p : parameters) {
    const nb::object value = p.attr("default");
    list.append(nb::make_tuple(
        p.attr("name"), p.attr("kind"), !value.is(Empty()),
        with_types ? nb::object(p.attr("type_constraint")) : nb::none()));
  }
  return list;
}
PyObject* Replace(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *parameters = Py_None, *output = Py_None;
  if (!ParseArguments(args, kwargs, "|$OO",
                      {"parameters", "return_annotation"}, &parameters,
                      &output)) {
    return nullptr;
  }
  const nb::handle self = o;
  const nb::list given(parameters == Py_None
                           ? nb::object(Parameters(o).attr("values")())
                           : nb::borrow(parameters));
  return nb::handle(self.type())(
             Described(given, true), self.attr("_captures"),
             output == Py_None ? nb::object(self.attr("output"))
                               : nb::borrow(output))
      .release()
      .ptr();
}

// The parameters of a Python callable.
nb::object ParametersOfCallable(PyObject* args, PyObject* kwargs) {
  PyObject* callable;
  int follow = 1;
  if (!ParseArguments(args, kwargs, "O|$p", {"obj", "follow_wrapped"},
                      &callable, &follow)) {
    throw nb::python_error();
  }
  return Inspect("signature")(nb::handle(callable),
                              nb::arg("follow_wrapped") = follow != 0)
      .attr("parameters")
      .attr("values")();
}
PyObject* FromCallable(PyObject* cls, PyObject* args, PyObject* kwargs) {
  return nb::handle(cls)(Described(ParametersOfCallable(args, kwargs), false))
      .release()
      .ptr();
}
PyObject* DefaultValues(PyObject*, PyObject* args, PyObject* kwargs) {
  nb::dict values;
  for (nb::handle p : ParametersOfCallable(args, kwargs)) {
    const nb::object value = p.attr("default");
    if (!value.is(Empty())) values[p.attr("name")] = value;
  }
  return values.release().ptr();
}

PyObject* EmptyOfAny(PyObject*, PyObject*, PyObject*) {
  return Empty().release().ptr();
}

}  // namespace

bool AddFunctionTypeEmpty() {
  PyRef empty = PyRef::Steal(ObjectWith(
      "graphkiln._Empty", {Py_tp_descr_get, Slot<EmptyOfAny>()}));
  return PyObject_SetAttrString(reinterpret_cast<PyObject*>(FunctionTypeType),
                                "empty", empty.get()) == 0;
}

PyGetSetDef function_type_parameters[] = {
    {"parameters", Guarded<ParametersOf>, nullptr,
     "The parameters by name, in order.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef function_type_binding[] = {
    {"bind", AsCFunction(Guarded<Bind<false>>), kByName,
     "bind($self, *args, **kwargs)\n--\n\n"
     "Arguments by parameter. TypeError if they do not fit.\n\n"
     ">>> f = tf.function(lambda x, y=2: x)\n"
     ">>> f.function_type.bind(1)\n"
     "<BoundArguments (x=1)>"},
    {"bind_partial", AsCFunction(Guarded<Bind<true>>), kByName,
     "bind_partial($self, *args, **kwargs)\n--\n\n"
     "The same for some of the arguments."},
    {"bind_with_defaults", AsCFunction(Guarded<BindWithDefaults>), kByName,
     "bind_with_defaults($self, args, kwargs, default_values)\n--\n\n"
     "The same with `default_values` for what is not given, each cast to the\n"
     "type of its parameter, if that is known."},
    {"replace", AsCFunction(Guarded<Replace>), kByName,
     "replace($self, *, parameters=None, return_annotation=None)\n--\n\n"
     "The same with other parameters, or another type of what is returned."},
    {"from_callable", AsCFunction(Guarded<FromCallable>),
     kByName | METH_CLASS,
     "from_callable($type, obj, *, follow_wrapped=True)\n--\n\n"
     "The parameters of a Python callable, of any types.\n\n"
     ">>> make = tf.types.experimental.FunctionType.from_callable\n"
     ">>> print(make(lambda x, y=2: x))\n"
     "(x, y=<captured_default_value>)"},
    {"get_default_values", AsCFunction(Guarded<DefaultValues>),
     kByName | METH_CLASS,
     "get_default_values($type, obj, *, follow_wrapped=True)\n--\n\n"
     "The default values of a Python callable, by parameter."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace gk::py
