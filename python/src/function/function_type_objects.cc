// The Python faces of TraceType and FunctionType.
#include "python/src/binding/guarded.h"
#include "python/src/binding/joined_tables.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/typed_values.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {

PyTypeObject* TraceTypeType = nullptr;
PyTypeObject* FunctionTypeType = nullptr;

namespace {

using Kind = TraceType::Kind;

const TraceType& Type(PyObject* o) {
  return *reinterpret_cast<PyTraceType*>(o)->type;
}
FunctionType& Signature(PyObject* o) {
  return *reinterpret_cast<PyFunctionType*>(o)->type;
}

template <class Object>
void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  reinterpret_cast<Object*>(o)->type->Unref();
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* TypeRepr(PyObject* o) { return ToPyString(Type(o).Text()); }
Py_hash_t TypeHash(PyObject* o) {
  const Py_hash_t h = Type(o).hash();
  return h == -1 ? -2 : h;
}
PyObject* TypeCompare(PyObject* a, PyObject* b, int op) {
  if (!IsTraceType(b) || (op != Py_EQ && op != Py_NE)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return PyBool_FromLong(Type(a).Equals(Type(b)) == (op == Py_EQ));
}

PyObject* KindName(PyObject* o, void*) {
  static const char* const names[] = {"tensor",      "variable", "literal",
                                      "object",      "list",     "tuple",
                                      "named_tuple", "attrs",    "dict",
                                      "composite",   "custom"};
  return PyUnicode_InternFromString(names[static_cast<int>(Type(o).kind())]);
}
PyObject* DTypeAttribute(PyObject* o, void*) {
  const DataType t = Type(o).dtype();
  if (t == DataType::kInvalid) Py_RETURN_NONE;
  return Py_NewRef(DTypeObject(t));
}
PyObject* ShapeAttribute(PyObject* o, void*) {
  return WrapShape(Type(o).shape());
}
PyObject* NameAttribute(PyObject* o, void*) {
  if (Type(o).name().empty()) Py_RETURN_NONE;
  return ToPyString(Type(o).name());
}
PyObject* Trainable(PyObject* o, void*) {
  return PyBool_FromLong(Type(o).trainable());
}
PyObject* AliasId(PyObject* o, void*) {
  return PyLong_FromLong(Type(o).alias());
}
PyObject* ValueAttribute(PyObject* o, void*) { return ObjectOf(Type(o)); }
PyObject* Children(PyObject* o, void*) {
  const auto& children = Type(o).children();
  PyRef tuple = PyRef::Steal(PyTuple_New(children.size()));
  for (size_t i = 0; tuple && i < children.size(); ++i) {
    PyObject* c = WrapTraceType(children[i]);
    if (c == nullptr) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, c);
  }
  return tuple.Release();
}
// The keys of a dict, the fields of a record.
PyObject* Keys(PyObject* o, void*) {
  const TraceType& t = Type(o);
  if (t.kind() == Kind::kDict) {
    return PySequence_Tuple(NodeOf(t)->keys.get());
  }
  PyRef tuple = PyRef::Steal(PyTuple_New(t.keys().size()));
  for (size_t i = 0; tuple && i < t.keys().size(); ++i) {
    PyObject* k = ToPyString(t.keys()[i]);
    if (k == nullptr) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, k);
  }
  return tuple.Release();
}

PyObject* IsSubtypeOf(PyObject* o, PyObject* other) {
  if (!IsTraceType(other)) Py_RETURN_FALSE;
  return PyBool_FromLong(Type(o).IsSubtypeOf(Type(other)));
}
PyObject* CommonSupertype(PyObject* o, PyObject* others) {
  PyRef items = PyRef::Steal(PySequence_Tuple(others));
  if (!items) return nullptr;
  TraceTypeRef common(&Type(o));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    PyObject* other = PyTuple_GET_ITEM(items.get(), i);
    if (!IsTraceType(other)) Py_RETURN_NONE;
    common = common->CommonSupertype(Type(other));
    if (!common) Py_RETURN_NONE;
  }
  return WrapTraceType(std::move(common));
}
PyObject* WithName(PyObject* o, PyObject* name) {
  if (!PyUnicode_Check(name)) {
    PyErr_SetString(PyExc_TypeError, "the name must be a string");
    return nullptr;
  }
  return WrapTraceType(Type(o).WithName(StringView(name)));
}

PyGetSetDef type_getset[] = {
    {"kind", Guarded<KindName>, nullptr,
     "\"tensor\", \"literal\", \"list\", ...", nullptr},
    {"dtype", Guarded<DTypeAttribute>, nullptr, "Of tensors and variables.",
     nullptr},
    {"shape", Guarded<ShapeAttribute>, nullptr, "Of tensors and variables.",
     nullptr},
    {"name", Guarded<NameAttribute>, nullptr, "The name, or None.", nullptr},
    {"trainable", Guarded<Trainable>, nullptr, "Of variables.", nullptr},
    {"alias_id", Guarded<AliasId>, nullptr, "Which variable of the call.",
     nullptr},
    {"value", Guarded<ValueAttribute>, nullptr, "The Python object inside.",
     nullptr},
    {"children", Guarded<Children>, nullptr, "Types of the components.",
     nullptr},
    {"keys", Guarded<Keys>, nullptr, "Keys or field names.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef type_methods[] = {
    {"is_subtype_of", Guarded<IsSubtypeOf>, METH_O,
     "is_subtype_of($self, other, /)\n--\n\n"
     "May its values go where `other` was traced?"},
    {"most_specific_common_supertype", Guarded<CommonSupertype>, METH_O,
     "most_specific_common_supertype($self, others, /)\n--\n\n"
     "The most specific type that covers this and `others`, or None."},
    {"with_name", Guarded<WithName>, METH_O, "The same with another name."},
    {nullptr, nullptr, 0, nullptr}};

// Reads a tuple; false with a TypeError if it is none.
template <class... Out>
bool ReadTuple(PyObject* o, const char* format, Out... out) {
  if (PyTuple_Check(o)) return PyArg_ParseTuple(o, format, out...) != 0;
  PyErr_Format(PyExc_TypeError, "expected a tuple, got %R", o);
  return false;
}

// FunctionType([(name, kind number, optional, TraceType or None)],
//              [(id, TraceType)], output)
PyObject* NewFunctionType(PyTypeObject*, PyObject* args, PyObject*) {
  PyObject *list, *captures = nullptr, *output = Py_None;
  if (!PyArg_ParseTuple(args, "O|OO", &list, &captures, &output)) {
    return nullptr;
  }
  PyRef items = PyRef::Steal(PySequence_Tuple(list));
  if (!items) return nullptr;
  std::vector<FunctionParameter> parameters;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    PyObject *name, *type;
    int kind, optional;
    if (!ReadTuple(PyTuple_GET_ITEM(items.get(), i), "UipO", &name, &kind,
                   &optional, &type)) {
      return nullptr;
    }
    if (kind < 0 || kind > 4 || (type != Py_None && !IsTraceType(type))) {
      PyErr_SetString(PyExc_TypeError, "not a parameter");
      return nullptr;
    }
    parameters.push_back({std::string(StringView(name)),
                          static_cast<ParameterKind>(kind), optional != 0,
                          type == Py_None ? nullptr : TraceTypeIn(type)});
  }
  std::vector<FunctionType::Capture> captured;
  if (captures != nullptr && captures != Py_None) {
    PyRef list = PyRef::Steal(PySequence_Tuple(captures));
    if (!list) return nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(list.get()); ++i) {
      PyObject *id, *type;
      if (!ReadTuple(PyTuple_GET_ITEM(list.get(), i), "OO!", &id,
                     TraceTypeType, &type)) {
        return nullptr;
      }
      PyRef text = PyRef::Steal(PyObject_Str(id));
      if (!text) return nullptr;
      captured.emplace_back(std::string(StringView(text.get())),
                            TraceTypeIn(type));
    }
  }
  TraceTypeRef out;
  if (output != Py_None) {
    if (!IsTraceType(output)) {
      PyErr_SetString(PyExc_TypeError, "not a trace type");
      return nullptr;
    }
    out = TraceTypeIn(output);
  }
  return WrapFunctionType(MakeRef<FunctionType>(
      std::move(parameters), std::move(captured), std::move(out)));
}

PyObject* SignatureText(PyObject* o) { return ToPyString(Signature(o).Text()); }
PyObject* SignatureRepr(PyObject* o) {
  return ToPyString(Signature(o).LongText());
}
Py_hash_t SignatureHash(PyObject* o) {
  const Py_hash_t h = Signature(o).hash();
  return h == -1 ? -2 : h;
}
PyObject* SignatureCompare(PyObject* a, PyObject* b, int op) {
  if (!IsFunctionType(b) || (op != Py_EQ && op != Py_NE)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return PyBool_FromLong(Signature(a).Equals(Signature(b)) == (op == Py_EQ));
}
PyObject* SignatureSubtype(PyObject* o, PyObject* other) {
  if (!IsFunctionType(other)) Py_RETURN_FALSE;
  return PyBool_FromLong(Signature(o).IsSubtypeOf(Signature(other)));
}
PyObject* Output(PyObject* o, void*) {
  if (!Signature(o).output()) Py_RETURN_NONE;
  return WrapTraceType(Signature(o).output());
}
// [(name, kind number, optional, TraceType or None)]
PyObject* HeldParameters(PyObject* o, void*) {
  const auto& parameters = Signature(o).parameters();
  PyRef list = PyRef::Steal(PyList_New(parameters.size()));
  for (size_t i = 0; list && i < parameters.size(); ++i) {
    const FunctionParameter& p = parameters[i];
    PyRef type = p.type ? PyRef::Steal(WrapTraceType(p.type))
                        : PyRef::Share(Py_None);
    PyRef name = PyRef::Steal(ToPyString(p.name));
    if (!type || !name) return nullptr;
    PyObject* item = Py_BuildValue("(OiOO)", name.get(),
                                   static_cast<int>(p.kind),
                                   p.optional ? Py_True : Py_False, type.get());
    if (item == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), i, item);
  }
  return list.Release();
}

// [(id, TraceType)]
PyObject* Captures(PyObject* o, void*) {
  PyRef list = PyRef::Steal(PyList_New(0));
  for (const auto& [id, type] : Signature(o).captures()) {
    PyRef name = PyRef::Steal(ToPyString(id));
    PyRef wrapped = PyRef::Steal(WrapTraceType(type));
    if (!list || !name || !wrapped) return nullptr;
    PyRef pair =
        PyRef::Steal(PyTuple_Pack(2, name.get(), wrapped.get()));
    if (!pair || PyList_Append(list.get(), pair.get()) < 0) return nullptr;
  }
  return list.Release();
}

PyGetSetDef signature_getset[] = {
    {"_captures", Guarded<Captures>, nullptr, nullptr, nullptr},
    {"output", Guarded<Output>, nullptr, "The type of what is returned.",
     nullptr},
    {"_parameters", Guarded<HeldParameters>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef signature_methods[] = {
    {"is_supertype_of", Guarded<+[](PyObject* a, PyObject* b) -> PyObject* {
       if (!IsFunctionType(b)) Py_RETURN_FALSE;
       return PyBool_FromLong(Signature(b).IsSubtypeOf(Signature(a)));
     }>, METH_O,
     "is_supertype_of($self, other, /)\n--\n\n"
     "May calls of `other` be served by this?"},
    {"is_subtype_of", Guarded<SignatureSubtype>, METH_O,
     "is_subtype_of($self, other, /)\n--\n\n"
     "May its calls be served by `other`?"},
    {nullptr, nullptr, 0, nullptr}};

// trace_type(value, variables) -> TraceType
PyObject* TraceTypeFunction(PyObject*, PyObject* args) {
  PyObject *value, *variables = nullptr;
  if (!PyArg_ParseTuple(args, "O|O!", &value, &PyList_Type, &variables)) {
    return nullptr;
  }
  CallVariables known;
  const size_t before = variables ? PyList_GET_SIZE(variables) : 0;
  for (size_t i = 0; i < before; ++i) {
    known.push_back(PyRef::Share(PyList_GET_ITEM(variables, i)));
  }
  StatusOr<TraceTypeRef> type = TraceTypeOf(value, &known);
  if (!type.ok()) return Raise(type.status());
  for (size_t i = before; variables && i < known.size(); ++i) {
    if (PyList_Append(variables, known[i].get()) < 0) return nullptr;
  }
  return WrapTraceType(*std::move(type));
}

PyMethodDef kFunctionTypeFunctions[] = {
    {"trace_type", Guarded<TraceTypeFunction>, METH_VARARGS,
     "The trace type of a value."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot type_slots[] = {{Py_tp_dealloc, Slot<Dealloc<PyTraceType>>()},
                            {Py_tp_repr, Slot<TypeRepr>()},
                            {Py_tp_hash, Slot<TypeHash>()},
                            {Py_tp_richcompare, Slot<TypeCompare>()},
                            {Py_tp_getset, Slot<type_getset>()},
                            {Py_tp_methods, nullptr},
                            {0, nullptr}};
PyType_Spec type_spec = {"graphkiln.TraceType", sizeof(PyTraceType), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                         type_slots};
PyType_Slot signature_slots[] = {
    {Py_tp_doc,
     Doc("The parameters of a traced function with their types, and the type "
         "of what it returns.\n\n"
         ">>> concrete = tf.function(lambda x: x).get_concrete_function(1)\n"
         ">>> list(concrete.function_type.parameters)\n"
         "['x']")},
    {Py_tp_dealloc, Slot<Dealloc<PyFunctionType>>()},
    {Py_tp_new, Slot<NewFunctionType>()},
    {Py_tp_repr, Slot<SignatureRepr>()},
    {Py_tp_str, Slot<SignatureText>()},
    {Py_tp_hash, Slot<SignatureHash>()},
    {Py_tp_richcompare, Slot<SignatureCompare>()},
    {Py_tp_getset, nullptr},
    {Py_tp_methods, nullptr},
    {0, nullptr}};
PyType_Spec signature_spec = {"graphkiln.FunctionType", sizeof(PyFunctionType),
                              0, Py_TPFLAGS_DEFAULT, signature_slots};

}  // namespace

PyObject* WrapTraceType(TraceTypeRef type) {
  auto* o = PyObject_New(PyTraceType, TraceTypeType);
  if (o != nullptr) o->type = type.Release();
  return reinterpret_cast<PyObject*>(o);
}

PyObject* WrapFunctionType(Ref<FunctionType> type) {
  auto* o = PyObject_New(PyFunctionType, FunctionTypeType);
  if (o != nullptr) o->type = type.Release();
  return reinterpret_cast<PyObject*>(o);
}

bool AddTraceTypes(PyObject* module) {
  SetTable(type_slots, Py_tp_methods,
           JoinedTables(&PyMethodDef::ml_name, type_methods,
                        trace_type_members));
  SetTable(signature_slots, Py_tp_methods,
           JoinedTables(&PyMethodDef::ml_name,
                        JoinedTables(&PyMethodDef::ml_name, signature_methods,
                                     function_type_members),
                        function_type_binding));
  SetTable(signature_slots, Py_tp_getset,
           JoinedTables(&PyGetSetDef::name,
                        JoinedTables(&PyGetSetDef::name, signature_getset,
                                     function_type_properties),
                        function_type_parameters));
  TraceTypeType = AddType(module, &type_spec, nullptr);
  FunctionTypeType = AddType(module, &signature_spec, nullptr);
  BindingErrorType = PyErr_NewExceptionWithDoc(
      "graphkiln.BindingError",
      "A call does not fit; the text is the reason alone.", nullptr, nullptr);
  return TraceTypeType != nullptr && FunctionTypeType != nullptr &&
         BindingErrorType != nullptr && AddFunctionTypeEmpty() &&
         PyModule_AddObjectRef(module, "BindingError", BindingErrorType) == 0 &&
         PyModule_AddFunctions(module, kFunctionTypeFunctions) == 0;
}

}  // namespace gk::py
