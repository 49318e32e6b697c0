#include "python/src/tensors/dtype_type.h"

#include <array>

#include "python/src/binding/guarded.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/binding/message_methods.h"
#include "python/src/binding/only_argument.h"
#include "python/src/tensors/numpy_numbers.h"
#include "python/src/tensors/type_protocol.h"

namespace gk::py {

PyTypeObject* DTypeType = nullptr;

namespace {

std::array<PyObject*, 2 * kNumDataTypes> objects;  // plain, then references
PyObject* numpy_types[kNumDataTypes];

PyDType* Self(PyObject* o) { return reinterpret_cast<PyDType*>(o); }

bool IsQuantized(DataType t) {
  return t == DataType::kQint8 || t == DataType::kQuint8 ||
         t == DataType::kQint16 || t == DataType::kQuint16 ||
         t == DataType::kQint32;
}

std::string NameOf(PyObject* o) {
  std::string name(DataTypeName(Self(o)->dtype));
  if (Self(o)->is_ref) name += "_ref";
  return name;
}

PyObject* Name(PyObject* o, void*) { return ToPyString(NameOf(o)); }
PyObject* Repr(PyObject* o) { return ToPyString("tf." + NameOf(o)); }
PyObject* Str(PyObject* o) {
  return ToPyString("<dtype: '" + NameOf(o) + "'>");
}
int EnumOf(PyObject* o) {
  return static_cast<int>(Self(o)->dtype) + (Self(o)->is_ref ? 100 : 0);
}
PyObject* Enum(PyObject* o, void*) { return PyLong_FromLong(EnumOf(o)); }
PyObject* Int(PyObject* o) { return PyLong_FromLong(EnumOf(o)); }
Py_hash_t Hash(PyObject* o) { return EnumOf(o); }
PyObject* Size(PyObject* o, void*) {
  return PyLong_FromLong(DataTypeSize(Self(o)->dtype));
}
template <bool (*kTest)(DataType)>
PyObject* Is(PyObject* o, void*) {
  return PyBool_FromLong(kTest(Self(o)->dtype));
}
bool IsBoolType(DataType t) { return t == DataType::kBool; }
bool IsNumpyCompatible(DataType t) {
  return t != DataType::kResource && t != DataType::kVariant;
}
PyObject* IsRef(PyObject* o, void*) { return PyBool_FromLong(Self(o)->is_ref); }
PyObject* Base(PyObject* o, void*) {
  return Py_NewRef(DTypeObject(Self(o)->dtype));
}
PyObject* AsRef(PyObject* o, void*) {
  return Py_NewRef(objects[kNumDataTypes + static_cast<int>(Self(o)->dtype)]);
}
PyObject* Real(PyObject* o, void*) {
  return Py_NewRef(DTypeObject(RealType(Self(o)->dtype)));
}
PyObject* AsNumpy(PyObject* o, void*) { return NumpyType(Self(o)->dtype); }
template <PyObject* (*kOf)(DataType)>
PyObject* Of(PyObject* o, void*) {
  return kOf(Self(o)->dtype);
}

PyGetSetDef getset[] = {
    {"name", Guarded<Name>, nullptr, "The string name.", nullptr},
    {"as_datatype_enum", Guarded<Enum>, nullptr, "The enum number.", nullptr},
    {"_type_enum", Guarded<Enum>, nullptr, nullptr, nullptr},
    {"as_numpy_dtype", Guarded<AsNumpy>, nullptr, "The NumPy type.", nullptr},
    {"size", Guarded<Size>, nullptr, "Bytes per element.", nullptr},
    {"base_dtype", Guarded<Base>, nullptr, "The non-reference type.", nullptr},
    {"real_dtype", Guarded<Real>, nullptr, "The type of the real part.",
     nullptr},
    {"is_floating", Guarded<Is<IsFloating>>, nullptr, "A floating point type?",
     nullptr},
    {"is_integer", Guarded<Is<IsInteger>>, nullptr,
     "An integer type, signed or not? Quantized ones are none.", nullptr},
    {"is_complex", Guarded<Is<IsComplex>>, nullptr, "A complex type?", nullptr},
    {"is_unsigned", Guarded<Is<IsUnsigned>>, nullptr,
     "An unsigned integer type?", nullptr},
    {"is_quantized", Guarded<Is<IsQuantized>>, nullptr,
     "A quantized integer type?", nullptr},
    {"is_bool", Guarded<Is<IsBoolType>>, nullptr, "The type of booleans?",
     nullptr},
    {"is_numeric", Guarded<Is<IsNumeric>>, nullptr, "Numbers, booleans apart?",
     nullptr},
    {"is_numpy_compatible", Guarded<Is<IsNumpyCompatible>>, nullptr,
     "Has NumPy a type for the elements?", nullptr},
    {"_is_ref_dtype", Guarded<IsRef>, nullptr, nullptr, nullptr},
    {"_as_ref", Guarded<AsRef>, nullptr, nullptr, nullptr},
    {"max", Guarded<Of<LargestOf>>, nullptr, "The largest value.", nullptr},
    {"min", Guarded<Of<SmallestOf>>, nullptr, "The smallest value.", nullptr},
    {"limits", Guarded<Of<LimitsOf>>, nullptr, "Usual image range.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyObject* RichCompare(PyObject* a, PyObject* b, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  bool equal = a == b;
  if (!equal && !IsDType(b) && b != Py_None) {
    equal = TryDType(b) == Self(a)->dtype && !Self(a)->is_ref;
    if (PyErr_Occurred()) return nullptr;
  }
  return PyBool_FromLong(equal == (op == Py_EQ));
}

PyObject* IsCompatibleWith(PyObject* o, PyObject* other) {
  const DataType t = AsDType(other);
  if (PyErr_Occurred()) return nullptr;
  return PyBool_FromLong(t == Self(o)->dtype);
}
PyObject* Reduce(PyObject* o, PyObject*) {
  PyRef as = PyRef::Steal(PyObject_GetAttrString(ThisModule(), "as_dtype"));
  PyRef name = PyRef::Steal(Name(o, nullptr));
  if (!as || !name) return nullptr;
  return Py_BuildValue("O(O)", as.get(), name.get());
}

PyObject* IsSubtypeOf(PyObject* o, PyObject* other) {
  return PyObject_RichCompare(o, other, Py_EQ);
}
PyObject* CommonSupertype(PyObject* o, PyObject* others) {
  PyRef items = PyRef::Steal(PySequence_Tuple(others));
  if (!items) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    const int same =
        PyObject_RichCompareBool(o, PyTuple_GET_ITEM(items.get(), i), Py_EQ);
    if (same < 0) return nullptr;
    if (same == 0) Py_RETURN_NONE;
  }
  return Py_NewRef(o);
}

constexpr char kOther[] = "other", kTypes[] = "types", kValue[] = "type_value";

PyMethodDef methods[] = {
    {"is_compatible_with", GK_OF_ARGUMENT(kOther, IsCompatibleWith),
     "is_compatible_with($self, other)\n--\n\n"
     "Same base type?"},
    {"is_subtype_of", GK_OF_ARGUMENT(kOther, IsSubtypeOf),
     "is_subtype_of($self, other)\n--\n\n"
     "Are they the same?"},
    {"most_specific_common_supertype", GK_OF_ARGUMENT(kTypes, CommonSupertype),
     "most_specific_common_supertype($self, types)\n--\n\n"
     "This one if all `types` are the same, or None."},
    GK_TYPE_PROTOCOL_METHODS,
    GK_MESSAGE_METHODS,
    {"__reduce__", Guarded<Reduce>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyObject* New(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"type_enum", "handle_data", nullptr};
  PyObject *value, *data = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O",
                                   const_cast<char**>(names), &value, &data)) {
    return nullptr;
  }
  const DataType t = AsDType(value);
  return t == DataType::kInvalid ? nullptr : Py_NewRef(DTypeObject(t));
}

PyType_Slot slots[] = {
    {Py_tp_new, Slot<New>()},
    {Py_tp_doc, Doc("DType(type_enum, handle_data=None)\n--\n\n"
                    "The type of the elements of a tensor.\n\n"
                    ">>> tf.float32.size, tf.as_dtype('int64')\n"
                    "(4, tf.int64)")},
    {Py_tp_repr, Slot<Repr>()},
    {Py_tp_str, Slot<Str>()},
    {Py_tp_hash, Slot<Hash>()},
    {Py_tp_richcompare, Slot<RichCompare>()},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_nb_int, Slot<Int>()},
    {0, nullptr}};
PyType_Spec spec = {"graphkiln.DType", sizeof(PyDType), 0, Py_TPFLAGS_DEFAULT,
                    slots};

PyObject* AsDTypeFunction(PyObject*, PyObject* value) {
  if (IsDType(value)) return Py_NewRef(value);
  if (PyUnicode_CheckExact(value)) {
    const std::string_view name = StringView(value);
    if (name.ends_with("_ref")) {
      if (auto t = DataTypeFromName(name.substr(0, name.size() - 4))) {
        return AsRef(DTypeObject(*t), nullptr);
      }
    }
  }
  const DataType t = AsDType(value);
  return t == DataType::kInvalid ? nullptr : Py_NewRef(DTypeObject(t));
}
PyMethodDef functions[] = {{"as_dtype", GK_OF_ARGUMENT(kValue, AsDTypeFunction),
                            "as_dtype(type_value)\n--\n\n"
                            "Converts to a DType.\n\n"
                            ">>> tf.as_dtype('float32'), tf.as_dtype(bool)\n"
                            "(tf.float32, tf.bool)"},
                           {nullptr, nullptr, 0, nullptr}};

DataType FromNumpyCode(char kind, int64_t size) {
  switch (kind) {
    case 'b':
      return DataType::kBool;
    case 'f':
      return size == 4   ? DataType::kFloat
             : size == 8 ? DataType::kDouble
             : size == 2 ? DataType::kHalf
                         : DataType::kInvalid;
    case 'i':
      return size == 4   ? DataType::kInt32
             : size == 8 ? DataType::kInt64
             : size == 2 ? DataType::kInt16
                         : DataType::kInt8;
    case 'u':
      return size == 4   ? DataType::kUint32
             : size == 8 ? DataType::kUint64
             : size == 2 ? DataType::kUint16
                         : DataType::kUint8;
    case 'c':
      return size == 8    ? DataType::kComplex64
             : size == 16 ? DataType::kComplex128
                          : DataType::kInvalid;
    case 'S':
    case 'U':
    case 'O':
      return DataType::kString;
    default:
      return DataType::kInvalid;
  }
}

// Quantized types are NumPy's of one field, which has their name.
DataType FromNumpyFields(PyObject* o) {
  PyRef names = PyRef::Steal(PyObject_GetAttrString(o, "names"));
  if (!names) PyErr_Clear();
  if (!names || !PyTuple_Check(names.get()) ||
      PyTuple_GET_SIZE(names.get()) != 1 ||
      !PyUnicode_Check(PyTuple_GET_ITEM(names.get(), 0))) {
    return DataType::kInvalid;
  }
  const DataType t =
      DataTypeFromName(StringView(PyTuple_GET_ITEM(names.get(), 0)))
          .value_or(DataType::kInvalid);
  PyRef type = PyRef::Steal(IsQuantized(t) ? NumpyType(t) : Py_NewRef(Py_None));
  const int same = type ? PyObject_RichCompareBool(o, type.get(), Py_EQ) : -1;
  if (same < 0) PyErr_Clear();
  return same == 1 ? t : DataType::kInvalid;
}

// NumPy's own types have numbers below this one; others register theirs.
constexpr int kNumNumpyTypes = 24;

// NumPy's dtype objects of numbers in the machine's order of bytes, by their
// number: there is one of each, and each of its attributes is a call.
struct KnownNumpyDType {
  PyObject* object = nullptr;
  DataType dtype = DataType::kInvalid;
};
KnownNumpyDType known_numpy[kNumNumpyTypes];

DataType KnownNumpy(PyObject* o) {
  for (const KnownNumpyDType& known : known_numpy) {
    if (known.object == o) return known.dtype;
  }
  return DataType::kInvalid;
}

void RememberNumpy(PyObject* o, long number, DataType t) {
  if (known_numpy[number].object != nullptr) return;
  PyRef native = PyRef::Steal(PyObject_GetAttrString(o, "isnative"));
  if (!native) PyErr_Clear();
  if (native.get() == Py_True) known_numpy[number] = {Py_NewRef(o), t};
}

// From an object with `kind`, `itemsize`, `num` and `name`: a numpy.dtype.
DataType FromNumpyDType(PyObject* o) {
  PyRef kind = PyRef::Steal(PyObject_GetAttrString(o, "kind"));
  PyRef size = PyRef::Steal(PyObject_GetAttrString(o, "itemsize"));
  PyRef number = PyRef::Steal(PyObject_GetAttrString(o, "num"));
  if (!kind || !size || !number || !PyUnicode_Check(kind.get()) ||
      !PyLong_Check(size.get()) || !PyLong_Check(number.get())) {
    PyErr_Clear();
    return DataType::kInvalid;
  }
  const std::string_view k = StringView(kind.get());
  if (k.size() != 1) return DataType::kInvalid;
  const long n = PyLong_AsLong(number.get());
  if (n >= 0 && n < kNumNumpyTypes && k != "V") {
    const DataType t = FromNumpyCode(k[0], PyLong_AsLongLong(size.get()));
    if (t != DataType::kInvalid && t != DataType::kString) {
      RememberNumpy(o, n, t);
    }
    return t;
  }
  // What makes the name is Python code of NumPy's.
  PyRef name = PyRef::Steal(PyObject_GetAttrString(o, "name"));
  if (!name || !PyUnicode_Check(name.get())) {
    PyErr_Clear();
    return DataType::kInvalid;
  }
  const std::string_view text = StringView(name.get());
  const DataType named = DataTypeFromName(text).value_or(DataType::kInvalid);
  if (IsMlDtype(named)) return named;
  if (k == "V") return FromNumpyFields(o);
  return FromNumpyCode(k[0], PyLong_AsLongLong(size.get()));
}

bool FromModule(PyTypeObject* t, std::string_view module) {
  PyRef m = PyRef::Steal(
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(t), "__module__"));
  if (!m || !PyUnicode_Check(m.get())) {
    PyErr_Clear();
    return false;
  }
  return StringView(m.get()).starts_with(module);
}

}  // namespace

PyObject* DTypeObject(DataType t) { return objects[static_cast<int>(t)]; }

DataType TryDType(PyObject* o) {
  if (IsDType(o)) return DTypeOf(o);
  if (PyUnicode_Check(o)) {
    const std::string_view name = StringView(o);
    if (name.starts_with("DT_")) return DataType::kInvalid;
    return DataTypeFromName(name).value_or(DataType::kInvalid);
  }
  if (PyLong_CheckExact(o)) {
    const long n = PyLong_AsLong(o);
    if (n == -1 && PyErr_Occurred()) PyErr_Clear();
    if (n > 0 && n < kNumDataTypes && objects[n]) return DataType(n);
    return DataType::kInvalid;
  }
  if (PyType_Check(o)) {
    if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) {
      return DataType::kFloat;
    }
    if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return DataType::kBool;
    if (o == reinterpret_cast<PyObject*>(&PyBaseObject_Type)) {
      return DataType::kString;
    }
    auto* type = reinterpret_cast<PyTypeObject*>(o);
    if (!FromModule(type, "numpy") && !FromModule(type, "ml_dtypes")) {
      return DataType::kInvalid;
    }
    PyRef numpy_dtype = ImportAttribute("numpy", "dtype");
    PyRef dtype = numpy_dtype
                      ? PyRef::Steal(PyObject_CallOneArg(numpy_dtype.get(), o))
                      : PyRef();
    if (!dtype) {
      PyErr_Clear();
      return DataType::kInvalid;
    }
    return FromNumpyDType(dtype.get());
  }
  if (const DataType known = KnownNumpy(o); known != DataType::kInvalid) {
    return known;
  }
  if (FromModule(Py_TYPE(o), "numpy")) return FromNumpyDType(o);
  // Objects that carry one, such as Keras' or NumPy's scalar types.
  if (PyObject_HasAttrString(o, "as_tf_dtype")) {
    PyRef r = PyRef::Steal(PyObject_CallMethod(o, "as_tf_dtype", nullptr));
    if (r && IsDType(r.get())) return DTypeOf(r.get());
    PyErr_Clear();
  }
  return DataType::kInvalid;
}

DataType AsDType(PyObject* o) {
  const DataType t = TryDType(o);
  if (t == DataType::kInvalid && !PyErr_Occurred()) {
    PyErr_Format(PyExc_TypeError,
                 "Cannot convert the argument `type_value`: %R to a "
                 "TensorFlow DType.",
                 o);
  }
  return t;
}

PyObject* NumpyType(DataType t) {
  PyObject*& cached = numpy_types[static_cast<int>(t)];
  if (cached == nullptr) cached = MakeNumpyType(t);
  return Py_XNewRef(cached);
}

bool AddDTypeType(PyObject* module) {
  DTypeType = AddType(module, &spec, nullptr);
  if (DTypeType == nullptr) return false;
  for (int n = 1; n < kNumDataTypes; ++n) {
    if (!DataTypeIsValid(n)) continue;
    for (int ref = 0; ref < 2; ++ref) {
      auto* o = PyObject_New(PyDType, DTypeType);
      if (o == nullptr) return false;
      o->dtype = DataType(n);
      o->is_ref = ref;
      objects[ref * kNumDataTypes + n] = reinterpret_cast<PyObject*>(o);
    }
    const std::string name(DataTypeName(DataType(n)));
    if (PyModule_AddObjectRef(module, name.c_str(), objects[n]) < 0) {
      return false;
    }
  }
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
