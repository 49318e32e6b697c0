// NumPy arrays and scalars -> tensors, through the buffer protocol. NumPy is
// not imported: if nobody has, no value can be one of its arrays.
#include <cstring>

#include "framework/op_builder.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/large_copy.h"
#include "python/src/tensors/numpy_numbers.h"

namespace gk::py {
namespace {

struct NumpyTypes {
  PyTypeObject* array = nullptr;
  PyTypeObject* scalar = nullptr;
};

const NumpyTypes& LoadedNumpy() {
  static NumpyTypes types;
  if (types.array != nullptr) return types;
  PyObject* modules = PyImport_GetModuleDict();  // borrowed
  PyObject* numpy = PyDict_GetItemString(modules, "numpy");
  if (numpy == nullptr) return types;
  PyRef array = PyRef::Steal(PyObject_GetAttrString(numpy, "ndarray"));
  PyRef scalar = PyRef::Steal(PyObject_GetAttrString(numpy, "generic"));
  if (!array || !scalar || !PyType_Check(array.get()) ||
      !PyType_Check(scalar.get())) {
    PyErr_Clear();  // being imported just now
    return types;
  }
  types.scalar = reinterpret_cast<PyTypeObject*>(scalar.Release());
  types.array = reinterpret_cast<PyTypeObject*>(array.Release());
  return types;
}

PyRef Call(PyObject* o, const char* method) {
  return PyRef::Steal(PyObject_CallMethod(o, method, nullptr));
}

StatusOr<TensorShape> ShapeOfArray(PyObject* array) {
  PyRef shape = PyRef::Steal(PyObject_GetAttrString(array, "shape"));
  if (!shape) return PythonError();
  GK_ASSIGN_OR_RETURN(std::vector<int64_t> dims, ToIntList(shape.get()));
  return TensorShape::Make(dims);
}

Status NotText(PyObject* item) {
  if (InGraph()) {
    PyErr_Format(PyExc_TypeError, "Expected binary or unicode string, got %R",
                 item);
    return PythonError();
  }
  return ValueError(
      "Failed to convert a NumPy array to a Tensor (Unsupported object type "
      "{}).",
      Py_TYPE(item)->tp_name);
}

StatusOr<Tensor> StringArray(PyObject* array) {
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfArray(array));
  GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(DataType::kString, shape));
  PyRef flat = Call(array, "ravel");
  PyRef list = flat ? Call(flat.get(), "tolist") : PyRef();
  if (!list) return PythonError();
  if (!PyList_Check(list.get()) ||
      PyList_GET_SIZE(list.get()) != shape.num_elements()) {
    return Internal("a NumPy array has changed while it was read");
  }
  std::string* out = t.data<std::string>();
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    PyObject* item = PyList_GET_ITEM(list.get(), i);
    if (PyBytes_Check(item)) {
      out[i].assign(PyBytes_AS_STRING(item), PyBytes_GET_SIZE(item));
    } else if (PyUnicode_Check(item)) {
      out[i] = StringView(item);
      if (PyErr_Occurred()) return PythonError();
    } else {
      return NotText(item);
    }
  }
  return t;
}

// Numbers where text is asked for: there are some.
StatusOr<Tensor> TextOfNumbers(PyObject* array) {
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeOfArray(array));
  if (shape.num_elements() == 0) {
    return Tensor::Allocate(DataType::kString, shape);
  }
  PyRef flat = Call(array, "ravel");
  PyRef list = flat ? Call(flat.get(), "tolist") : PyRef();
  if (!list || !PyList_Check(list.get())) return PythonError();
  PyObject* first = PyList_GET_SIZE(list.get()) > 0
                        ? PyList_GET_ITEM(list.get(), 0)
                        : Py_None;
  return NotText(first);
}

StatusOr<Tensor> CopyOf(const Py_buffer& view, DataType dtype) {
  const std::vector<int64_t> dims(view.shape, view.shape + view.ndim);
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(dtype, shape));
  if (view.len != t.byte_size()) {
    return Internal("a NumPy array has {} bytes, expected {}", view.len,
                    t.byte_size());
  }
  if (PyBuffer_IsContiguous(&view, 'C')) {
    GK_RETURN_IF_ERROR(CopyBytes(t.raw_data(), view.buf, view.len));
  } else if (PyBuffer_ToContiguous(t.raw_data(), &view, view.len, 'C') < 0) {
    return PythonError();
  }
  return t;
}

StatusOr<Tensor> CopyBuffer(PyObject* array, DataType dtype) {
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_FULL_RO) < 0) {
    return PythonError();
  }
  StatusOr<Tensor> t = CopyOf(view, dtype);
  PyBuffer_Release(&view);
  return t;
}

Status UnsupportedDType(PyObject* numpy_dtype) {
  PyRef name = PyRef::Steal(PyObject_GetAttrString(numpy_dtype, "name"));
  if (!name || !PyUnicode_Check(name.get())) {
    PyErr_Clear();
    return ValueError("Failed to convert a NumPy array to a Tensor.");
  }
  return ValueError(
      "Failed to convert a NumPy array to a Tensor (Unsupported numpy type: "
      "{}).",
      StringView(name.get()));
}

// Does a cast to `to` change a value of the array: an integer that it cannot
// hold, a fraction or an imaginary part? Asked of NumPy in the array's own
// dtype. Real numbers that only lose digits are not counted.
StatusOr<bool> LosesValues(PyObject* array, DataType own, DataType to) {
  const bool cut = IsInteger(to) && (IsInteger(own) || IsFloating(own));
  const bool projected = IsComplex(own) && (IsInteger(to) || IsFloating(to));
  if (projected) {
    PyRef part = PyRef::Steal(PyObject_GetAttrString(array, "imag"));
    PyRef any = part ? Call(part.get(), "any") : PyRef();
    if (!any) return PythonError();
    const int truth = PyObject_IsTrue(any.get());
    if (truth < 0) return PythonError();
    if (truth == 1) return true;
    PyRef real = PyRef::Steal(PyObject_GetAttrString(array, "real"));
    if (!real) return PythonError();
    return LosesValues(real.get(), RealType(own), to);
  }
  if (!cut) return false;
  PyRef narrow_type = PyRef::Steal(NumpyType(to));
  PyRef own_type = PyRef::Steal(NumpyType(own));
  if (!narrow_type || !own_type) return PythonError();
  PyRef narrow = PyRef::Steal(
      PyObject_CallMethod(array, "astype", "O", narrow_type.get()));
  if (!narrow) return PythonError();
  PyRef back = PyRef::Steal(
      PyObject_CallMethod(narrow.get(), "astype", "O", own_type.get()));
  if (!back) return PythonError();
  PyRef same = PyRef::Steal(PyObject_RichCompare(array, back.get(), Py_EQ));
  PyRef all = same ? Call(same.get(), "all") : PyRef();
  if (!all) return PythonError();
  const int truth = PyObject_IsTrue(all.get());
  if (truth < 0) return PythonError();
  return truth == 0;
}

// Arrays hold no variants and no resources.
Status NoHandle(PyObject* value, DataType dtype) {
  if (dtype == DataType::kVariant || OpBuilder::Current()->builds_graph()) {
    return CannotConvert(value, dtype);
  }
  return ValueError(
      "Failed to convert a NumPy array to a Tensor (Unexpected numpy data "
      "type): a {} is wanted, which no array holds.",
      DataTypeName(dtype));
}

bool IsNative(PyObject* numpy_dtype) {
  PyRef native = PyRef::Steal(PyObject_GetAttrString(numpy_dtype, "isnative"));
  return native && PyObject_IsTrue(native.get()) == 1;
}

}  // namespace

bool IsNumpyValue(PyObject* value) {
  const NumpyTypes& numpy = LoadedNumpy();
  return numpy.array != nullptr && (PyObject_TypeCheck(value, numpy.array) ||
                                    PyObject_TypeCheck(value, numpy.scalar));
}

bool IsNumpyScalar(PyObject* value) {
  const NumpyTypes& numpy = LoadedNumpy();
  return numpy.scalar != nullptr && PyObject_TypeCheck(value, numpy.scalar);
}

DataType NumpyDType(PyObject* value) {
  if (!IsNumpyValue(value)) return DataType::kInvalid;
  PyRef dtype = PyRef::Steal(PyObject_GetAttrString(value, "dtype"));
  const DataType t = dtype ? TryDType(dtype.get()) : DataType::kInvalid;
  PyErr_Clear();
  return t;
}

StatusOr<Tensor> ArrayToTensor(PyObject* value, DataType dtype,
                               Narrowing narrowing) {
  if (!IsNumpyValue(value)) return Tensor();
  PyRef array = PyRef::Share(value);
  PyRef np_dtype = PyRef::Steal(PyObject_GetAttrString(value, "dtype"));
  if (!np_dtype) return PythonError();
  DataType own = TryDType(np_dtype.get());
  if (PyErr_Occurred()) return PythonError();
  if (dtype == DataType::kVariant || dtype == DataType::kResource) {
    return NoHandle(value, dtype);
  }
  const bool cast = dtype != DataType::kInvalid && dtype != own;
  if (own == DataType::kInvalid && !cast) {
    return UnsupportedDType(np_dtype.get());
  }
  if (own == DataType::kString && !cast) return StringArray(array.get());
  if (cast || !IsNative(np_dtype.get())) {
    if (dtype == DataType::kString) return TextOfNumbers(array.get());
    // What NumPy casts, text, dates and objects too, is as good.
    if (cast && narrowing == Narrowing::kRefuse) {
      GK_ASSIGN_OR_RETURN(const bool loses, LosesValues(value, own, dtype));
      if (loses) {
        return IsInteger(own) ? OutOfRangeInteger()
                              : CannotConvert(value, dtype);
      }
    }
    if (cast) own = dtype;
    PyRef type = PyRef::Steal(NumpyType(own));
    if (!type) return PythonError();
    array = PyRef::Steal(
        PyObject_CallMethod(array.get(), "astype", "O", type.get()));
    if (!array && InGraph()) {
      PyErr_Clear();
      return CannotConvert(value, dtype);
    }
    if (!array) return PythonError();
  }
  // ml_dtypes' types have no buffer format, those of fields another: look at
  // the bits.
  if (IsMlDtype(own) || QuantizedCode(own) != nullptr) {
    const int size = DataTypeSize(own);
    array = PyRef::Steal(PyObject_CallMethod(array.get(), "view", "s",
                                             size == 4   ? "u4"
                                             : size == 2 ? "u2"
                                                         : "u1"));
    if (!array) return PythonError();
  }
  return CopyBuffer(array.get(), own);
}

StatusOr<Tensor> ArrayLikeToTensor(PyObject* value, DataType dtype,
                                   Narrowing narrowing) {
  PyRef array;
  if (PyObject_HasAttrString(value, "__array__")) {
    array = Call(value, "__array__");
  } else if (PyObject_HasAttrString(value, "__array_interface__")) {
    array = PyRef::Steal(CallPython("numpy", "asarray", {value}));
  } else {
    return Tensor();
  }
  if (!array) return PythonError();
  GK_ASSIGN_OR_RETURN(Tensor t, ArrayToTensor(array.get(), dtype, narrowing));
  if (t) return t;
  return UnsupportedValue(value);
}

}  // namespace gk::py
