// Values of eager tensors as Python and NumPy see them: arrays, printed
// forms, buffers.
#include <cstring>

#include "framework/symbolic_tensor.h"
#include "framework/tensor_text.h"
#include "graph/graph_elements.h"
#include "python/src/binding/imported_once.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/large_copy.h"
#include "python/src/tensors/numpy_numbers.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {
namespace {

PyRef ShapeTuple(const TensorShape& shape) {
  PyRef tuple = PyRef::Steal(PyTuple_New(shape.rank()));
  for (int i = 0; tuple && i < shape.rank(); ++i) {
    PyObject* d = PyLong_FromLongLong(shape.dim(i));
    if (d == nullptr) return PyRef();
    PyTuple_SET_ITEM(tuple.get(), i, d);
  }
  return tuple;
}

PyObject* NumpyEmpty(const TensorShape& shape, PyObject* dtype) {
  static constinit ImportedOnce function("numpy", "empty");
  PyObject* const empty = function.Get();
  if (empty == nullptr) return nullptr;
  PyRef tuple = ShapeTuple(shape);
  if (!tuple) return nullptr;
  PyObject* args[] = {tuple.get(), dtype};
  return PyObject_Vectorcall(empty, args, 2, nullptr);
}

class WritableBuffer {
 public:
  explicit WritableBuffer(PyObject* array) {
    ok_ = PyObject_GetBuffer(
              array, &view_,
              PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE | PyBUF_FORMAT) == 0;
  }
  ~WritableBuffer() {
    if (ok_) PyBuffer_Release(&view_);
  }
  bool ok() const { return ok_; }
  void* data() const { return view_.buf; }
  int64_t size() const { return view_.len; }

 private:
  Py_buffer view_;
  bool ok_;
};

PyObject* ArrayOfStrings(const Tensor& t) {
  PyRef array = PyRef::Steal(
      NumpyEmpty(t.shape(), reinterpret_cast<PyObject*>(&PyBaseObject_Type)));
  if (!array) return nullptr;
  WritableBuffer buffer(array.get());
  if (!buffer.ok()) return nullptr;
  PyObject** out = static_cast<PyObject**>(buffer.data());
  for (const std::string& s : t.flat<std::string>()) {
    PyObject* bytes = PyBytes_FromStringAndSize(s.data(), s.size());
    if (bytes == nullptr) return nullptr;
    Py_XSETREF(*out, bytes);
    ++out;
  }
  return array.Release();
}

}  // namespace

bool HasNumpyValue(DataType dtype) {
  return dtype != DataType::kResource && dtype != DataType::kVariant;
}

PyObject* ToNumpy(const Tensor& t, bool scalars_as_objects) {
  const DataType dtype = t.dtype();
  if (!HasNumpyValue(dtype)) {
    return Raise(
        InvalidArgument("Cannot convert a Tensor of dtype {} to a "
                        "NumPy array.",
                        DataTypeName(dtype)));
  }
  PyRef array;
  if (dtype == DataType::kString) {
    if (scalars_as_objects && t.rank() == 0) {
      const std::string& s = t.scalar<std::string>();
      return PyBytes_FromStringAndSize(s.data(), s.size());
    }
    array = PyRef::Steal(ArrayOfStrings(t));
  } else {
    const bool view = IsMlDtype(dtype);
    const char* code =
        view ? (DataTypeSize(dtype) == 1 ? "u1" : "u2") : QuantizedCode(dtype);
    PyRef np_type = PyRef::Steal(code != nullptr ? PyUnicode_FromString(code)
                                                 : NumpyType(dtype));
    if (!np_type) return nullptr;
    array = PyRef::Steal(NumpyEmpty(t.shape(), np_type.get()));
    if (!array) return nullptr;
    if (t.byte_size() > 0) {
      WritableBuffer buffer(array.get());
      if (!buffer.ok()) return nullptr;
      const Status copied =
          CopyBytes(buffer.data(), t.raw_data(), t.byte_size());
      if (!copied.ok()) return Raise(copied);
    }
    if (view) {
      PyRef real = PyRef::Steal(NumpyType(dtype));
      if (!real) return nullptr;
      array = PyRef::Steal(
          PyObject_CallMethod(array.get(), "view", "O", real.get()));
    }
  }
  if (!array || !scalars_as_objects || t.rank() != 0) return array.Release();
  PyRef empty = PyRef::Steal(PyTuple_New(0));
  return empty ? PyObject_GetItem(array.get(), empty.get()) : nullptr;
}

PyRef NumpyText(const Tensor& t, bool is_repr) {
  if (!HasNumpyValue(t.dtype())) {
    return PyRef::Steal(ToPyString(BothEndsText(t, 3)));
  }
  PyRef value = PyRef::Steal(ToNumpy(t, true));
  if (value && is_repr && t.rank() == 0 && IsNumeric(t.dtype())) {
    // A scalar's repr is Python's own number: all digits of its value.
    value = PyRef::Steal(PyObject_CallMethod(value.get(), "item", nullptr));
  }
  if (!value) return PyRef();
  const bool as_repr = t.rank() > 0 ? is_repr : PyBytes_Check(value.get());
  PyRef text = PyRef::Steal(as_repr ? PyObject_Repr(value.get())
                                    : PyObject_Str(value.get()));
  if (text && StringView(text.get()).find('\n') != std::string_view::npos) {
    text = PyRef::Steal(PyUnicode_FromFormat("\n%U", text.get()));
  }
  return text;
}

namespace {

std::string NameOfEdge(const Tensor& t) {
  const SymbolicTensor* s = SymbolicTensor::Of(t);
  return Format("{}:{}", s->node()->name(), s->index());
}

PyObject* DefaultRepr(PyObject* self) {
  return PyUnicode_FromFormat("<%s object at %p>", Py_TYPE(self)->tp_name,
                              self);
}

}  // namespace

PyObject* TensorRepr(PyObject* self) {
  if (!IsTensor(self)) return DefaultRepr(self);
  const Tensor t = TensorOf(self);
  const std::string dtype(DataTypeName(t.dtype()));
  if (t.is_symbolic()) {
    return ToPyString(EdgeText(Graph::OutputOf(t)));
  }
  PyRef text = NumpyText(t, true);
  if (!text) return nullptr;
  const char* label = HasNumpyValue(t.dtype()) ? "numpy" : "value";
  return PyUnicode_FromFormat(
      "<tf.Tensor: shape=%s, dtype=%s, %s=%U>",
      PartialTensorShape(t.shape()).PythonString().c_str(), dtype.c_str(),
      label, text.get());
}

PyObject* TensorStr(PyObject* self) {
  if (!IsTensor(self)) return PyObject_Repr(self);
  const Tensor t = TensorOf(self);
  const std::string dtype(DataTypeName(t.dtype()));
  if (t.is_symbolic()) {
    const PartialTensorShape shape = t.partial_shape();
    const std::string shown =
        shape.unknown_rank() ? "" : ", shape=" + shape.PythonString();
    return ToPyString(
        Format("Tensor(\"{}\"{}, dtype={})", NameOfEdge(t), shown, dtype));
  }
  PyRef text = NumpyText(t, false);
  if (!text) return nullptr;
  return PyUnicode_FromFormat(
      "tf.Tensor(%U, shape=%s, dtype=%s)", text.get(),
      PartialTensorShape(t.shape()).PythonString().c_str(), dtype.c_str());
}

// Buffer protocol: read-only, row-major, sharing the tensor's elements.
namespace {

const char* BufferFormat(DataType t) {
  switch (t) {
    case DataType::kFloat:
      return "f";
    case DataType::kDouble:
      return "d";
    case DataType::kHalf:
      return "e";
    case DataType::kInt8:
    case DataType::kQint8:
      return "b";
    case DataType::kUint8:
    case DataType::kQuint8:
      return "B";
    case DataType::kInt16:
    case DataType::kQint16:
      return "h";
    case DataType::kUint16:
    case DataType::kQuint16:
      return "H";
    case DataType::kInt32:
    case DataType::kQint32:
      return "i";
    case DataType::kUint32:
      return "I";
    case DataType::kInt64:
      return "l";
    case DataType::kUint64:
      return "L";
    case DataType::kBool:
      return "?";
    case DataType::kComplex64:
      return "Zf";
    case DataType::kComplex128:
      return "Zd";
    default:
      return nullptr;
  }
}

}  // namespace

int GetTensorBuffer(PyObject* self, Py_buffer* view, int flags) {
  const Tensor t = TensorOf(self);
  const char* format = BufferFormat(t.dtype());
  view->obj = nullptr;
  if (format == nullptr || (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
    PyErr_Format(PyExc_BufferError,
                 format ? "a tensor's elements are read-only"
                        : "a tensor of this dtype has no buffer");
    return -1;
  }
  const int rank = t.rank();
  Py_ssize_t* dims = nullptr;
  if (rank > 0) {
    dims =
        static_cast<Py_ssize_t*>(PyMem_Malloc(2 * rank * sizeof(Py_ssize_t)));
    if (dims == nullptr) {
      PyErr_NoMemory();
      return -1;
    }
    Py_ssize_t stride = DataTypeSize(t.dtype());
    for (int i = rank - 1; i >= 0; --i) {
      dims[i] = t.dim(i);
      dims[rank + i] = stride;
      stride *= t.dim(i);
    }
  }
  view->buf = t.raw_data();
  view->obj = Py_NewRef(self);
  view->len = t.byte_size();
  view->itemsize = DataTypeSize(t.dtype());
  view->readonly = 1;
  view->ndim = rank;
  view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
  view->shape = flags & PyBUF_ND ? dims : nullptr;
  view->strides =
      (flags & PyBUF_STRIDES) == PyBUF_STRIDES && dims ? dims + rank : nullptr;
  view->suboffsets = nullptr;
  view->internal = dims;
  return 0;
}

void ReleaseTensorBuffer(PyObject*, Py_buffer* view) {
  PyMem_Free(view->internal);
}

}  // namespace gk::py
