#include "python/src/tensors/tensor_spec_type.h"

#include <cstring>
#include <new>

#include "framework/op_builder.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/joined_tables.h"
#include "python/src/binding/only_argument.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {

PyTypeObject* TypeSpecType = nullptr;
PyTypeObject* TensorSpecType = nullptr;

namespace {

PyTensorSpec* Self(PyObject* o) { return TensorSpecOf(o); }

PyObject* Allocate(PyTypeObject* type, PartialTensorShape shape, DataType dtype,
                   PyObject* name) {
  PyObject* o = type->tp_alloc(type, 0);
  if (o == nullptr) return nullptr;
  new (&Self(o)->shape) PartialTensorShape(std::move(shape));
  Self(o)->dtype = dtype;
  Self(o)->name = Py_NewRef(name ? name : Py_None);
  return o;
}

PyObject* New(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"shape", "dtype", "name", nullptr};
  PyObject *shape, *dtype = nullptr, *name = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO:TensorSpec",
                                   const_cast<char**>(names), &shape, &dtype,
                                   &name)) {
    return nullptr;
  }
  StatusOr<PartialTensorShape> s = AsShape(shape);
  if (!s.ok()) return Raise(s.status());
  const DataType t = dtype == nullptr ? DataType::kFloat : AsDType(dtype);
  if (t == DataType::kInvalid) return nullptr;
  return Allocate(type, *std::move(s), t, name);
}
// Subclasses may take other arguments in __init__.
int Init(PyObject*, PyObject*, PyObject*) { return 0; }

void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  Self(o)->shape.~PartialTensorShape();
  Py_CLEAR(Self(o)->name);
  type->tp_free(o);
  Py_DECREF(type);
}

// Without the module.
const char* TypeName(PyObject* o) {
  const char* name = Py_TYPE(o)->tp_name;
  const char* dot = std::strrchr(name, '.');
  return dot ? dot + 1 : name;
}

PyObject* Repr(PyObject* o) {
  return PyUnicode_FromFormat("%s(shape=%s, dtype=%R, name=%R)", TypeName(o),
                              Self(o)->shape.PythonString().c_str(),
                              DTypeObject(Self(o)->dtype), Self(o)->name);
}

// Names do not count, as two specs may serve one trace.
Py_hash_t Hash(PyObject* o) {
  PyRef shape = PyRef::Steal(WrapShape(Self(o)->shape));
  const Py_hash_t h = shape ? PyObject_Hash(shape.get()) : -1;
  if (h == -1) return -1;
  const Py_hash_t mixed = h * 31 + static_cast<int>(Self(o)->dtype);
  return mixed == -1 ? -2 : mixed;
}

bool SameName(PyObject* a, PyObject* b) {
  return PyObject_RichCompareBool(Self(a)->name, Self(b)->name, Py_EQ) == 1;
}

PyObject* RichCompare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || !IsTensorSpec(b)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  const bool equal = Py_TYPE(a) == Py_TYPE(b) &&
                     Self(a)->shape == Self(b)->shape &&
                     Self(a)->dtype == Self(b)->dtype && SameName(a, b);
  if (PyErr_Occurred()) return nullptr;
  return PyBool_FromLong(equal == (op == Py_EQ));
}

PyObject* Shape(PyObject* o, void*) { return WrapShape(Self(o)->shape); }
PyObject* DType(PyObject* o, void*) {
  return Py_NewRef(DTypeObject(Self(o)->dtype));
}
PyObject* Name(PyObject* o, void*) { return Py_NewRef(Self(o)->name); }
// Keras of the second version changes its own specs.
int SetShape(PyObject* o, PyObject* shape, void*) {
  StatusOr<PartialTensorShape> s = AsShape(shape ? shape : Py_None);
  if (!s.ok()) return Raise(s.status()), -1;
  Self(o)->shape = *std::move(s);
  return 0;
}
int SetName(PyObject* o, PyObject* name, void*) {
  Py_XSETREF(Self(o)->name, Py_NewRef(name ? name : Py_None));
  return 0;
}
PyObject* ValueType(PyObject*, void*) {
  return Py_NewRef(reinterpret_cast<PyObject*>(TensorType));
}

// What can be said of shape and dtype of a value; false if it has none.
bool Describe(PyObject* value, PartialTensorShape* shape, DataType* dtype) {
  if (IsTensor(value)) {
    *shape = TensorOf(value).partial_shape();
    *dtype = ImplOf(value)->dtype();
    return true;
  }
  if (IsTensorSpec(value)) {
    *shape = Self(value)->shape;
    *dtype = Self(value)->dtype;
    return true;
  }
  return false;
}

PyObject* IsCompatibleWith(PyObject* o, PyObject* value) {
  PartialTensorShape shape;
  DataType dtype;
  if (!Describe(value, &shape, &dtype)) {
    // A NumPy array, number or list is what it would be converted to.
    if (PyObject_TypeCheck(value, TypeSpecType)) Py_RETURN_FALSE;
    StatusOr<Tensor> t = ArrayToTensor(value, DataType::kInvalid);
    if (!t.ok() || !*t) {
      PyErr_Clear();
      Py_RETURN_FALSE;
    }
    shape = t->partial_shape();
    dtype = t->dtype();
  }
  return PyBool_FromLong(dtype == Self(o)->dtype &&
                         Self(o)->shape.IsCompatibleWith(shape));
}

PyObject* IsSubtypeOf(PyObject* o, PyObject* other) {
  if (Py_TYPE(o) != Py_TYPE(other)) Py_RETURN_FALSE;
  const bool names = Self(other)->name == Py_None || SameName(o, other);
  return PyBool_FromLong(Self(o)->dtype == Self(other)->dtype &&
                         Self(o)->shape.IsSubtypeOf(Self(other)->shape) &&
                         names);
}

PyObject* CommonSupertype(PyObject* o, PyObject* others) {
  PyRef list = PyRef::Steal(PySequence_Tuple(others));
  if (!list) return nullptr;
  PartialTensorShape shape = Self(o)->shape;
  PyRef name = PyRef::Share(Self(o)->name);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(list.get()); ++i) {
    PyObject* other = PyTuple_GET_ITEM(list.get(), i);
    if (!IsTensorSpec(other) || Self(other)->dtype != Self(o)->dtype) {
      Py_RETURN_NONE;
    }
    shape = shape.CommonSupertype(Self(other)->shape);
    if (!SameName(o, other)) name = PyRef::Share(Py_None);
  }
  return Allocate(Py_TYPE(o), std::move(shape), Self(o)->dtype, name.get());
}

PyObject* CompatibleType(PyObject* o, PyObject* other) {
  PyRef others = PyRef::Steal(PyTuple_Pack(1, other));
  PyRef r = others ? PyRef::Steal(CommonSupertype(o, others.get())) : PyRef();
  if (r && r.get() == Py_None) {
    PyErr_Format(PyExc_ValueError,
                 "No TypeSpec is compatible with both %S and %S", o, other);
    return nullptr;
  }
  return r.Release();
}

PyObject* FromTensor(PyObject* cls, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"tensor", "name", nullptr};
  PyObject *tensor, *name = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O",
                                   const_cast<char**>(names), &tensor, &name)) {
    return nullptr;
  }
  if (!IsTensor(tensor)) {
    PyErr_Format(PyExc_ValueError,
                 "`tensor` should be a tf.Tensor, but got type %R.",
                 Py_TYPE(tensor));
    return nullptr;
  }
  PyRef own = PyRef::Share(name);
  if (name == Py_None && IsSymbolicTensor(tensor)) {
    PyRef op = PyRef::Steal(PyObject_GetAttrString(tensor, "name"));
    if (!op) return nullptr;
    const std::string_view edge = StringView(op.get());
    own = PyRef::Steal(ToPyString(edge.substr(0, edge.find(':'))));
  }
  return Allocate(reinterpret_cast<PyTypeObject*>(cls),
                  TensorOf(tensor).partial_shape(), ImplOf(tensor)->dtype(),
                  own.get());
}

PyObject* FromSpec(PyObject* cls, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"spec", "name", nullptr};
  PyObject *spec, *name = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O",
                                   const_cast<char**>(names), &spec, &name)) {
    return nullptr;
  }
  PyRef shape = PyRef::Steal(PyObject_GetAttrString(spec, "shape"));
  PyRef dtype = PyRef::Steal(PyObject_GetAttrString(spec, "dtype"));
  PyRef own = PyRef::Steal(PyObject_GetAttrString(spec, "name"));
  if (!shape || !dtype || !own) return nullptr;
  if (name == nullptr || name == Py_None) name = own.get();
  return PyObject_CallFunctionObjArgs(cls, shape.get(), dtype.get(), name,
                                      nullptr);
}

PyObject* Flatten(PyObject* o, PyObject*) {
  PyRef list = PyRef::Steal(PyList_New(0));
  if (!list || PyList_Append(list.get(), o) < 0) return nullptr;
  return list.Release();
}

PyObject* ToTensors(PyObject* o, PyObject* value) {
  StatusOr<Tensor> t = ToTensor(value, DataType::kInvalid, Self(o)->dtype);
  if (!t.ok()) return Raise(t.status());
  return WrapTensors(std::span<const Tensor>(&*t, 1));
}

PyObject* Reduce(PyObject* o, PyObject*) {
  PyRef shape = PyRef::Steal(WrapShape(Self(o)->shape));
  if (!shape) return nullptr;
  return Py_BuildValue("O(OOO)", Py_TYPE(o), shape.get(),
                       DTypeObject(Self(o)->dtype), Self(o)->name);
}

PyObject* Share(PyObject* o, PyObject*) { return Py_NewRef(o); }

constexpr char kOther[] = "other", kOthers[] = "others", kValue[] = "value",
               kSpecOrTensor[] = "spec_or_tensor";

PyMethodDef methods[] = {
    {"is_compatible_with", GK_OF_ARGUMENT(kSpecOrTensor, IsCompatibleWith),
     "is_compatible_with($self, spec_or_tensor)\n--\n\n"
     "Could the tensor or spec be described by this one?"},
    {"is_subtype_of", GK_OF_ARGUMENT(kOther, IsSubtypeOf),
     "is_subtype_of($self, other)\n--\n\n"
     "Does `other` describe every tensor that this one describes?"},
    {"most_specific_common_supertype", GK_OF_ARGUMENT(kOthers, CommonSupertype),
     "most_specific_common_supertype($self, others)\n--\n\n"
     "The narrowest spec of what this one and `others` describe, or None."},
    {"most_specific_compatible_type", GK_OF_ARGUMENT(kOther, CompatibleType),
     "most_specific_compatible_type($self, other)\n--\n\n"
     "The narrowest spec of what both describe; ValueError if there is none."},
    {"from_tensor", AsCFunction(Guarded<FromTensor>),
     METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_tensor($type, tensor, name=None)\n--\n\n"
     "The spec of a tensor."},
    {"from_spec", AsCFunction(Guarded<FromSpec>),
     METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_spec($type, spec, name=None)\n--\n\n"
     "The same spec under another name."},
    {"flatten", Guarded<Flatten>, METH_NOARGS,
     "flatten($self)\n--\n\n"
     "The types of the tensors: a list of this one."},
    {"to_tensors", GK_OF_ARGUMENT(kValue, ToTensors),
     "to_tensors($self, value)\n--\n\n"
     "The tensors of a value: a list of it."},
    {"__reduce__", Guarded<Reduce>, METH_NOARGS, nullptr},
    {"__copy__", Guarded<Share>, METH_NOARGS, nullptr},
    {"__deepcopy__", Guarded<Share>, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef getset[] = {
    {"shape", Guarded<Shape>, nullptr, "The TensorShape.", nullptr},
    {"dtype", Guarded<DType>, nullptr, "The DType.", nullptr},
    {"name", Guarded<Name>, nullptr, "The name, or None.", nullptr},
    {"_shape", Guarded<Shape>, Guarded<SetShape>, nullptr, nullptr},
    {"_dtype", Guarded<DType>, nullptr, nullptr, nullptr},
    {"_name", Guarded<Name>, Guarded<SetName>, nullptr, nullptr},
    {"value_type", Guarded<ValueType>, nullptr, "tf.Tensor.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Spec base_spec = {"graphkiln.TypeSpec", sizeof(PyObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                         type_spec_slots};
PyType_Slot slots[] = {{Py_tp_doc,
                        Doc("TensorSpec(shape, dtype='float32', name=None)"
                            "\n--\n\n"
                            "The shape and type of a tensor, perhaps with a "
                            "name.\n\n"
                            ">>> tf.TensorSpec([None, 2], tf.int32)\n"
                            "TensorSpec(shape=(None, 2), dtype=tf.int32, "
                            "name=None)")},
                       {Py_tp_new, Slot<New>()},
                       {Py_tp_init, Slot<Init>()},
                       {Py_tp_dealloc, Slot<Dealloc>()},
                       {Py_tp_repr, Slot<Repr>()},
                       {Py_tp_hash, Slot<Hash>()},
                       {Py_tp_richcompare, Slot<RichCompare>()},
                       {Py_tp_methods, nullptr},
                       {Py_tp_getset, nullptr},
                       {0, nullptr}};
PyType_Spec spec = {"graphkiln.TensorSpec", sizeof(PyTensorSpec), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

PyObject* WrapTensorSpec(PartialTensorShape shape, DataType dtype,
                         PyObject* name) {
  return Allocate(TensorSpecType, std::move(shape), dtype, name);
}

bool AddTensorSpecTypes(PyObject* module) {
  SetTable(slots, Py_tp_methods,
           JoinedTables(&PyMethodDef::ml_name, methods, tensor_spec_members));
  SetTable(slots, Py_tp_getset,
           JoinedTables(&PyGetSetDef::name, getset, tensor_spec_properties));
  TypeSpecType = AddType(module, &base_spec, nullptr);
  if (TypeSpecType == nullptr) return false;
  TensorSpecType = AddType(module, &spec, TypeSpecType);
  return TensorSpecType != nullptr;
}

}  // namespace gk::py
