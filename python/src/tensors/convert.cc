#include "python/src/tensors/convert.h"

#include <algorithm>
#include <cmath>

#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/binding/package_parts.h"
#include "python/src/graph/source_location.h"
#include "python/src/graph/taken_tensor.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/numpy_behavior.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_leaves.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

// On the type, as Python looks up operators; no exception is made, as asking
// for a missing attribute would.
bool HasHook(PyObject* o) {
  static PyObject* name = PyUnicode_InternFromString("__tf_tensor__");
  return name != nullptr && _PyType_Lookup(Py_TYPE(o), name) != nullptr;
}

// Python's own numbers and strings convert in no other way.
bool IsPlain(PyObject* o) {
  return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) ||
         PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) ||
         PyComplex_CheckExact(o);
}

// (type or types, function, priority), by priority. A Python list.
PyObject* conversions = nullptr;

Status DTypeMismatch(PyObject* value, DataType have, DataType want) {
  PyErr_Format(PyExc_ValueError,
               "Tensor conversion requested dtype %s for Tensor with dtype "
               "%s: %R",
               std::string(DataTypeName(want)).c_str(),
               std::string(DataTypeName(have)).c_str(), value);
  return PythonError();
}

StatusOr<Tensor> CheckDType(PyObject* value, Tensor t, DataType dtype) {
  GK_RETURN_IF_ERROR(CheckTakenByGraph(t));
  if (dtype != kAnyDType && t.dtype() != dtype) {
    return DTypeMismatch(value, t.dtype(), dtype);
  }
  return t;
}

// What a conversion function returned must be a tensor at last.
StatusOr<Tensor> FromResult(PyObject* value, PyRef result, DataType dtype) {
  if (!result) return PythonError();
  if (IsTensor(result.get())) {
    return CheckDType(result.get(), TensorOf(result.get()), dtype);
  }
  if (result.get() != value && IsTensorLike(result.get())) {
    return ToTensor(result.get(), dtype);
  }
  PyErr_Format(PyExc_RuntimeError,
               "Conversion function for type %s returned non-Tensor: %R",
               Py_TYPE(value)->tp_name, result.get());
  return PythonError();
}

PyRef DTypeOrNone(DataType t) {
  return PyRef::Share(t == kAnyDType ? Py_None : DTypeObject(t));
}

// The type's own hook, looked up on the type as Python does with operators.
StatusOr<Tensor> CallHook(PyObject* value, DataType dtype,
                          std::string_view name) {
  PyRef dt = DTypeOrNone(dtype);
  PyRef text = PyRef::Steal(ToPyString(name));
  if (!text) return PythonError();
  PyRef hook = PyRef::Steal(PyObject_GetAttrString(value, "__tf_tensor__"));
  if (!hook) return PythonError();
  PyObject* args[] = {dt.get(), text.get()};
  PyRef result =
      PyRef::Steal(PyObject_Vectorcall(hook.get(), args, 2, nullptr));
  return FromResult(value, std::move(result), dtype);
}

StatusOr<Tensor> CallRegistered(PyObject* function, PyObject* value,
                                DataType dtype, std::string_view name,
                                bool* declined) {
  PyRef dt = DTypeOrNone(dtype);
  PyRef text = PyRef::Steal(ToPyString(name));
  if (!text) return PythonError();
  PyRef args = PyRef::Steal(PyTuple_Pack(1, value));
  PyRef kwargs =
      PyRef::Steal(Py_BuildValue("{s:O,s:O,s:O}", "dtype", dt.get(), "name",
                                 text.get(), "as_ref", Py_False));
  if (!args || !kwargs) return PythonError();
  PyRef result =
      PyRef::Steal(PyObject_Call(function, args.get(), kwargs.get()));
  *declined = result.get() == Py_NotImplemented;
  if (*declined) return Tensor();
  return FromResult(value, std::move(result), dtype);
}

// An empty tensor if no registered function applies.
StatusOr<Tensor> Registered(PyObject* value, DataType dtype,
                            std::string_view name) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(conversions); ++i) {
    PyRef entry = PyRef::Share(PyList_GET_ITEM(conversions, i));
    const int is = PyObject_IsInstance(value, PyTuple_GET_ITEM(entry.get(), 0));
    if (is < 0) return PythonError();
    if (is == 0) continue;
    bool declined = false;
    StatusOr<Tensor> t = CallRegistered(PyTuple_GET_ITEM(entry.get(), 1), value,
                                        dtype, name, &declined);
    if (!t.ok() || !declined) return t;
  }
  return Tensor();
}

StatusOr<Tensor> ShapeToTensor(PyObject* value, DataType dtype,
                               Narrowing narrowing) {
  const PartialTensorShape& shape = ShapeOf(value);
  if (!shape.IsFullyDefined()) {
    return ValueError(
        "Cannot convert a partially known TensorShape {} to a "
        "Tensor.",
        shape.PythonString());
  }
  const bool wide =
      std::any_of(shape.dims().begin(), shape.dims().end(),
                  [](int64_t d) { return d != static_cast<int32_t>(d); });
  if (dtype == kAnyDType) dtype = wide ? DataType::kInt64 : DataType::kInt32;
  PyRef list = PyRef::Steal(PySequence_List(value));
  if (!list) return PythonError();
  return SequenceToTensor(list.get(), dtype, narrowing);
}

// The first leaf that is no number, text or array; the value itself if all are.
PyObject* FirstOdd(PyObject* value, int depth) {
  if (!IsListOrTuple(value) || depth > kMaxRank) {
    return value;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(value, i);
    if (PyFloat_Check(item) || PyLong_Check(item) || PyComplex_Check(item) ||
        PyUnicode_Check(item) || PyBytes_Check(item) || IsNumpyValue(item)) {
      continue;
    }
    PyObject* odd = FirstOdd(item, depth + 1);
    if (odd != item || !IsListOrTuple(item)) return odd;
  }
  return value;
}

// In graphs what has an element of no dtype is a TypeError, as a whole.
Status NoElements(Status status, PyObject* value, DataType dtype) {
  const bool is_value_error =
      status.code() == Code::kPythonException
          ? PyErr_ExceptionMatches(PyExc_ValueError) != 0
          : status.code() == Code::kValueError;
  if (!is_value_error || !InGraph() || value == Py_None ||
      IsNumpyValue(value) || status.message() == kNonRectangular) {
    return status;
  }
  PyErr_Clear();
  if (dtype != kAnyDType) {
    PyObject* odd = FirstOdd(value, 0);
    PyErr_Format(PyExc_TypeError, "Expected %s, but got %R of type '%s'.",
                 std::string(DataTypeName(dtype)).c_str(), odd,
                 Py_TYPE(odd)->tp_name);
  } else {
    PyErr_Format(PyExc_TypeError,
                 "Failed to convert elements of %R to Tensor. Consider casting "
                 "elements to a supported type. See "
                 "https://www.tensorflow.org/api_docs/python/tf/dtypes for "
                 "supported TF dtypes.",
                 value);
  }
  return PythonError();
}

StatusOr<Tensor> ConvertOnce(PyObject* value, DataType dtype,
                             std::string_view name, Narrowing narrowing) {
  if (IsPlain(value)) {
    StatusOr<Tensor> t = ValueToTensor(value, dtype, narrowing);
    if (!t.ok()) return NoElements(t.status(), value, dtype);
    return OpBuilder::Current()->Constant(*t, name);
  }
  if (HasHook(value)) {
    return CallHook(value, dtype, name);
  }
  if (PyList_GET_SIZE(conversions) > 0) {
    GK_ASSIGN_OR_RETURN(Tensor t, Registered(value, dtype, name));
    if (t) return t;
  }
  if (IsListOrTuple(value) && ContainsTensor(value)) {
    return PackSequence(value, dtype, narrowing,
                        name == kConst ? "packed" : name);
  }
  StatusOr<Tensor> t = ValueToTensor(value, dtype, narrowing);
  if (!t.ok()) return NoElements(t.status(), value, dtype);
  return OpBuilder::Current()->Constant(*t, name);
}

}  // namespace

bool IsConversionFailure(const Status& status) {
  if (status.code() == Code::kTypeError || status.code() == Code::kValueError) {
    return true;
  }
  return status.code() == Code::kPythonException &&
         (PyErr_ExceptionMatches(PyExc_TypeError) ||
          PyErr_ExceptionMatches(PyExc_ValueError));
}

Status UnsupportedValue(PyObject* value) {
  if (value == Py_None && InGraph()) {
    return ValueError("None values not supported.");
  }
  PyErr_Format(PyExc_ValueError,
               "Attempt to convert a value (%R) with an unsupported type (%R) "
               "to a Tensor.",
               value, Py_TYPE(value));
  return PythonError();
}

Status CannotConvert(PyObject* value, DataType dtype) {
  if (value == Py_None) return UnsupportedValue(value);
  if (InGraph()) {
    PyErr_Format(PyExc_TypeError, "Expected %s, but got %R of type '%s'.",
                 std::string(DataTypeName(dtype)).c_str(), value,
                 Py_TYPE(value)->tp_name);
  } else {
    PyErr_Format(PyExc_TypeError,
                 "Cannot convert %R to EagerTensor of dtype %s", value,
                 std::string(DataTypeString(dtype)).c_str());
  }
  return PythonError();
}

bool IsTensorLike(PyObject* o) {
  if (IsTensor(o)) return true;
  if (IsPlain(o)) return false;
  return PyObject_TypeCheck(o, AbstractTensorType) || HasHook(o);
}

StatusOr<Tensor> ValueToTensor(PyObject* value, DataType dtype,
                               Narrowing narrowing) {
  if (value == Py_None) return UnsupportedValue(value);
  // The commonest first.
  if (PyFloat_CheckExact(value)) {
    if (dtype == kAnyDType || dtype == DataType::kFloat) {
      const double v = PyFloat_AS_DOUBLE(value);
      const auto narrow = static_cast<float>(v);
      if (dtype != kAnyDType || std::isfinite(narrow) || !std::isfinite(v)) {
        return Tensor::Scalar(narrow);
      }
    }
  }
  if (IsTensorShape(value)) return ShapeToTensor(value, dtype, narrowing);
  if (!PyLong_CheckExact(value) && !PyList_CheckExact(value)) {
    GK_ASSIGN_OR_RETURN(Tensor t, ArrayToTensor(value, dtype, narrowing));
    if (t) return t;
    if (!PyList_Check(value) && !PyTuple_Check(value)) {
      GK_ASSIGN_OR_RETURN(t, ArrayLikeToTensor(value, dtype, narrowing));
      if (t) return t;
    }
  }
  return SequenceToTensor(value, dtype, narrowing);
}

StatusOr<Tensor> ToTensor(PyObject* value, DataType dtype, DataType hint,
                          std::string_view name, Narrowing narrowing) {
  if (IsTensor(value)) return CheckDType(value, TensorOf(value), dtype);
  if (IsVariable(value)) {
    // A class of the user's that holds its value in a way of its own.
    if (!VariableOf(value)->handle) {
      GK_ASSIGN_OR_RETURN(Tensor t, Registered(value, dtype, name));
      return t ? StatusOr<Tensor>(std::move(t)) : ReadVariable(value);
    }
    if (dtype != kAnyDType && VariableOf(value)->dtype != dtype) {
      PyErr_Format(PyExc_ValueError,
                   "Incompatible type conversion requested to type %s for "
                   "`tf.Variable of type %s. (Variable: %R)",
                   std::string(DataTypeName(dtype)).c_str(),
                   std::string(DataTypeName(VariableOf(value)->dtype)).c_str(),
                   value);
      return PythonError();
    }
    return ReadVariable(value);
  }
  if (dtype == kAnyDType && hint != kAnyDType) {
    // Sizes and indices of 64 bits may not fit into the 32 wished for.
    if (hint == DataType::kInt32 && narrowing == Narrowing::kRefuse &&
        !IsPlain(value) && HasTensorOf(value, DataType::kInt64)) {
      hint = DataType::kInt64;
    }
    StatusOr<Tensor> t = ConvertOnce(value, hint, name, narrowing);
    if (t.ok() || !IsConversionFailure(t.status())) return t;
    PyErr_Clear();
    // A large number beside tensors of 32 bits.
    if (hint == DataType::kInt32 && narrowing == Narrowing::kRefuse &&
        IsListOrTuple(value) && ContainsTensor(value)) {
      t = ConvertOnce(value, DataType::kInt64, name, narrowing);
      if (t.ok() || !IsConversionFailure(t.status())) return t;
      PyErr_Clear();
    }
  }
  return ConvertOnce(value, dtype, name, narrowing);
}

StatusOr<std::vector<int64_t>> ToIntList(PyObject* value) {
  PyRef list = PyRef::Steal(PySequence_Fast(value, "expected a list of ints"));
  if (!list) return PythonError();
  std::vector<int64_t> out;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.get()); ++i) {
    PyRef item = PyRef::Share(PySequence_Fast_GET_ITEM(list.get(), i));
    PyRef index = PyRef::Steal(PyNumber_Index(item.get()));
    if (!index) return PythonError();
    const int64_t v = PyLong_AsLongLong(index.get());
    if (v == -1 && PyErr_Occurred()) return PythonError();
    out.push_back(v);
  }
  return out;
}

namespace {

StatusOr<DataType> OptionalDType(PyObject* o) {
  if (o == nullptr || o == Py_None) return kAnyDType;
  const DataType t = AsDType(o);
  if (t == kAnyDType) return PythonError();
  return t;
}

StatusOr<std::string> OptionalName(PyObject* o, std::string_view fallback) {
  if (o == nullptr || o == Py_None) return std::string(fallback);
  if (!PyUnicode_Check(o)) return TypeError("`name` must be a string");
  return std::string(StringView(o));
}

StatusOr<Tensor> ConvertToTensorImpl(PyObject* value, PyObject* dtype,
                                     PyObject* hint, PyObject* name) {
  GK_ASSIGN_OR_RETURN(DataType d, OptionalDType(dtype));
  GK_ASSIGN_OR_RETURN(DataType h, OptionalDType(hint));
  GK_ASSIGN_OR_RETURN(std::string n, OptionalName(name, kConst));
  const bool wished = d == kAnyDType && h != kAnyDType;
  return ToTensor(value, d, h, n,
                  wished ? Narrowing::kRefuse : Narrowing::kCut);
}

PyObject* ConvertToTensor(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"value", "dtype",  "dtype_hint",
                                "name",  "as_ref", "preferred_dtype",
                                nullptr};
  PyObject *value, *dtype = nullptr, *hint = nullptr, *name = nullptr,
                   *as_ref = nullptr, *preferred = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOOOO:convert_to_tensor",
                                   const_cast<char**>(names), &value, &dtype,
                                   &hint, &name, &as_ref, &preferred)) {
    return nullptr;
  }
  if (hint == nullptr || hint == Py_None) hint = preferred;
  StatusOr<Tensor> t = ConvertToTensorImpl(value, dtype, hint, name);
  return t.ok() ? WrapTensor(*std::move(t)) : Raise(t.status());
}

// tf.constant's `shape`: a scalar is repeated, others are reshaped.
StatusOr<Tensor> WithShapeArgument(PyObject* value, Tensor t,
                                   PyObject* shape_arg) {
  GK_ASSIGN_OR_RETURN(PartialTensorShape partial, AsShape(shape_arg));
  const int64_t have = t.num_elements(), want = partial.num_elements();
  if (want == have) {
    GK_ASSIGN_OR_RETURN(TensorShape shape, partial.AsTensorShape());
    return t.shape() == shape ? t : t.WithShape(shape);
  }
  if (want < 0 || have != 1) {
    PyRef shown = NumpyText(t, false);
    if (!shown) return PythonError();
    PyErr_Format(
        PyExc_TypeError,
        "Eager execution of tf.constant with unsupported shape. Tensor %U "
        "(converted from %R) has %lld elements, but got `shape` %s with %s "
        "elements).",
        shown.get(), value, static_cast<long long>(have),
        partial.PythonString().c_str(),
        want < 0 ? "None" : std::to_string(want).c_str());
    return PythonError();
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, partial.AsTensorShape());
  GK_ASSIGN_OR_RETURN(Tensor filled, Tensor::Allocate(t.dtype(), shape));
  if (t.dtype() == DataType::kString) {
    std::fill_n(filled.data<std::string>(), want, t.scalar<std::string>());
    return filled;
  }
  const int size = DataTypeSize(t.dtype());
  const char* from = static_cast<const char*>(t.raw_data());
  char* to = static_cast<char*>(filled.raw_data());
  for (int64_t i = 0; i < want; ++i) std::copy_n(from, size, to + i * size);
  return filled;
}

StatusOr<Tensor> ConstantImpl(PyObject* value, PyObject* dtype, PyObject* shape,
                              PyObject* name) {
  GK_ASSIGN_OR_RETURN(DataType d, OptionalDType(dtype));
  GK_ASSIGN_OR_RETURN(std::string n, OptionalName(name, kConst));
  Tensor t;
  if (IsEagerTensor(value)) {
    t = TensorOf(value);
    if (d != kAnyDType && d != t.dtype()) {
      PyRef shown = NumpyText(t, false);
      if (!shown) return PythonError();
      PyErr_Format(PyExc_TypeError,
                   "Expected tensor %U with dtype %R, but got dtype %R.",
                   shown.get(), DTypeObject(d), DTypeObject(t.dtype()));
      return PythonError();
    }
  } else if (IsTensorLike(value) ||
             (IsListOrTuple(value) && ContainsTensor(value))) {
    if (InGraph() && IsTensor(value)) {
      return TypeError(
          "Expected any non-tensor type, but got a tensor instead.");
    }
    GK_ASSIGN_OR_RETURN(t, ToTensor(value, d));
    if (t.is_symbolic()) return t;
  } else {
    StatusOr<Tensor> made = ValueToTensor(value, d);
    if (!made.ok()) return NoElements(made.status(), value, d);
    t = *std::move(made);
  }
  if (shape != nullptr && shape != Py_None) {
    GK_ASSIGN_OR_RETURN(t, WithShapeArgument(value, std::move(t), shape));
  }
  return OpBuilder::Current()->Constant(t, n);
}

PyObject* Constant(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"value", "dtype", "shape", "name", nullptr};
  PyObject *value, *dtype = nullptr, *shape = nullptr, *name = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOO:constant",
                                   const_cast<char**>(names), &value, &dtype,
                                   &shape, &name)) {
    return nullptr;
  }
  if (numpy_behavior.weak) [[unlikely]] {
    const auto or_none = [](PyObject* o) { return o ? o : Py_None; };
    PyRef made = PyRef::Steal(package::weak_constant.Call(
        {value, or_none(dtype), or_none(shape), or_none(name)}));
    if (!made || made.get() != Py_NotImplemented) return made.Release();
  }
  StatusOr<Tensor> t = ConstantImpl(value, dtype, shape, name);
  return t.ok() ? WrapTensor(*std::move(t)) : Raise(t.status());
}

PyObject* IsTensorFunction(PyObject*, PyObject* value) {
  // Not what only says how it becomes one (__tf_tensor__).
  if (IsTensor(value) || PyObject_TypeCheck(value, AbstractTensorType)) {
    Py_RETURN_TRUE;
  }
  // Ragged and sparse tensors, and what says that it stands in for a tensor.
  static PyObject* mark = PyUnicode_InternFromString("_counts_as_tensor");
  static PyObject* like = PyUnicode_InternFromString("is_tensor_like");
  if (mark == nullptr || like == nullptr) return nullptr;
  if (_PyType_Lookup(Py_TYPE(value), mark) != nullptr) Py_RETURN_TRUE;
  if (IsPlain(value)) Py_RETURN_FALSE;
  PyObject* said = nullptr;
  if (_PyObject_LookupAttr(value, like, &said) < 0) return nullptr;
  const bool is_like = said != nullptr;
  Py_XDECREF(said);
  return PyBool_FromLong(is_like);
}

PyObject* ExecutingEagerly(PyObject*, PyObject*) {
  return PyBool_FromLong(!InGraph());
}

PyObject* RegisterConversion(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"base_type", "conversion_func", "priority",
                                nullptr};
  PyObject *type, *function;
  long priority = 100;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|l",
                                   const_cast<char**>(names), &type, &function,
                                   &priority)) {
    return nullptr;
  }
  if (!PyType_Check(type) && !PyTuple_Check(type)) {
    return Raise(
        TypeError("Argument `base_type` must be a type or a tuple of types."));
  }
  if (!PyCallable_Check(function)) {
    return Raise(TypeError("Argument `conversion_func` must be callable."));
  }
  PyRef entry = PyRef::Steal(Py_BuildValue("(OOl)", type, function, priority));
  if (!entry) return nullptr;
  Py_ssize_t at = 0;
  while (at < PyList_GET_SIZE(conversions)) {
    PyObject* other = PyTuple_GET_ITEM(PyList_GET_ITEM(conversions, at), 2);
    if (PyLong_AsLong(other) > priority) break;
    ++at;
  }
  if (PyList_Insert(conversions, at, entry.get()) < 0) return nullptr;
  Py_RETURN_NONE;
}

PyObject* ToDlpack(PyObject*, PyObject* value) {
  if (!IsEagerTensor(value)) {
    return Raise(
        TypeError("The argument to `to_dlpack` must be a TF tensor, "
                  "not Python object"));
  }
  return TensorDlpack(value, nullptr, nullptr);
}

PyObject* FromDlpack(PyObject*, PyObject* value) {
  PyRef capsule = PyRef::Share(value);
  if (!PyCapsule_CheckExact(value) &&
      PyObject_HasAttrString(value, "__dlpack__")) {
    capsule = PyRef::Steal(PyObject_CallMethod(value, "__dlpack__", nullptr));
    if (!capsule) return nullptr;
  }
  StatusOr<Tensor> t = TensorFromDlpack(capsule.get());
  return t.ok() ? WrapNewTensor(*std::move(t)) : Raise(t.status());
}

#define METHOD(f) AsCFunction(Guarded<f>)
constexpr char kX[] = "x", kTensor[] = "tf_tensor", kCapsule[] = "dlcapsule";

PyMethodDef functions[] = {
    {"convert_to_tensor", METHOD(ConvertToTensor), METH_VARARGS | METH_KEYWORDS,
     "convert_to_tensor(value, dtype=None, dtype_hint=None, "
     "name=None)\n--\n\n"
     "Converts a value to a Tensor: a tensor or variable, a number or text, a\n"
     "nested list of them, an array.\n\n"
     ">>> tf.convert_to_tensor([[1, 2], [3, 4]]).shape\n"
     "TensorShape([2, 2])\n"
     ">>> tf.convert_to_tensor(1, dtype_hint=tf.float32).dtype\n"
     "tf.float32"},
    {"constant", METHOD(Constant), METH_VARARGS | METH_KEYWORDS,
     "constant(value, dtype=None, shape=None, name='Const')\n--\n\n"
     "A constant tensor of a Python value.\n\n"
     ">>> tf.constant([1, 2])\n"
     "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>\n"
     ">>> tf.constant(0.5, shape=[2]).numpy().tolist()\n"
     "[0.5, 0.5]"},
    {"is_tensor", GK_OF_ARGUMENT(kX, IsTensorFunction),
     "is_tensor(x)\n--\n\n"
     "Is it a tensor, a variable or a value made of tensors?\n\n"
     ">>> tf.is_tensor(tf.constant(1)), tf.is_tensor([1])\n"
     "(True, False)"},
    {"executing_eagerly", Guarded<ExecutingEagerly>, METH_NOARGS,
     "executing_eagerly()\n--\n\n"
     "False while a graph is being built.\n\n"
     ">>> tf.executing_eagerly()\n"
     "True\n"
     ">>> said = []\n"
     ">>> f = tf.function(lambda: said.append(tf.executing_eagerly()))\n"
     ">>> f()\n"
     ">>> said\n"
     "[False]"},
    {"register_tensor_conversion_function", METHOD(RegisterConversion),
     METH_VARARGS | METH_KEYWORDS,
     "register_tensor_conversion_function(base_type, "
     "conversion_func, priority=100)\n--\n\n"
     "Teaches conversion of a Python type.\n\n"
     ">>> class Length:\n"
     "...     def __init__(self, meters):\n"
     "...         self.meters = meters\n"
     ">>> tf.register_tensor_conversion_function(\n"
     "...     Length, lambda value, dtype=None, name=None, as_ref=False:\n"
     "...     tf.constant(value.meters, dtype))\n"
     ">>> tf.add(Length(2.0), 1.0).numpy().item()\n"
     "3.0"},
    {"to_dlpack", GK_OF_ARGUMENT(kTensor, ToDlpack),
     "to_dlpack(tf_tensor)\n--\n\n"
     "A DLPack capsule sharing the value.\n\n"
     ">>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1, 2]))\n"
     ">>> tf.experimental.dlpack.from_dlpack(capsule).numpy().tolist()\n"
     "[1, 2]"},
    {"from_dlpack", GK_OF_ARGUMENT(kCapsule, FromDlpack),
     "from_dlpack(dlcapsule)\n--\n\n"
     "A tensor sharing a DLPack capsule.\n\n"
     ">>> import numpy as np\n"
     ">>> capsule = np.arange(3).__dlpack__()\n"
     ">>> tf.experimental.dlpack.from_dlpack(capsule).numpy().tolist()\n"
     "[0, 1, 2]"},
    {nullptr, nullptr, 0, nullptr}};
#undef METHOD

}  // namespace

bool AddConversions(PyObject* module) {
  conversions = PyList_New(0);
  return conversions != nullptr &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
