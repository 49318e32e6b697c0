// Attributes and plain methods of tf.Tensor and of its two leaves.
#include <cmath>

#include "framework/graph.h"
#include "framework/logical_device.h"
#include "framework/symbolic_tensor.h"
#include "function/graph_facts.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/binding/only_argument.h"
#include "python/src/binding/package_parts.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/operation_members.h"
#include "python/src/graph/session_object.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/reference_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_leaves.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/tensors/version_one.h"

namespace gk::py {
namespace {

std::string EdgeName(PyObject* o) {
  const SymbolicTensor* s = SymbolicTensor::Of(TensorOf(o));
  return Format("{}:{}", s->node()->name(), s->index());
}

// Subclasses of tf.Tensor without a payload define these themselves.
PyObject* Abstract(PyObject* o, const char* what) {
  PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute '%s'",
               Py_TYPE(o)->tp_name, what);
  return nullptr;
}
PyObject* UndefinedWhenEager(PyObject* o, const char* what) {
  if (!IsTensor(o)) return Abstract(o, what);
  PyErr_Format(PyExc_AttributeError,
               "Tensor.%s is undefined when eager execution is enabled.", what);
  return nullptr;
}

PyObject* StaticShape(PyObject* o, void*) {
  if (!IsTensor(o)) return Abstract(o, "shape");
  return WrapShape(TensorOf(o).partial_shape());
}
PyObject* DType(PyObject* o, void*) {
  if (!IsTensor(o)) return Abstract(o, "dtype");
  return Py_NewRef(DTypeObject(ImplOf(o)->dtype()));
}
PyObject* Rank(PyObject* o, void*) {
  if (!IsTensor(o)) return Abstract(o, "ndim");
  const int rank = TensorOf(o).partial_shape().rank();
  if (rank < 0) Py_RETURN_NONE;
  return PyLong_FromLong(rank);
}
PyObject* Device(PyObject* o, void*) {
  if (!IsTensor(o)) return Abstract(o, "device");
  if (IsEagerTensor(o)) return ToPyString(DeviceName(DeviceOf(TensorOf(o))));
  return ToPyString(SymbolicTensor::Of(TensorOf(o))->node()->device());
}
PyObject* Name(PyObject* o, void*) {
  if (!IsSymbolicTensor(o)) return UndefinedWhenEager(o, "name");
  return ToPyString(EdgeName(o));
}
PyObject* ValueIndex(PyObject* o, void*) {
  if (!IsSymbolicTensor(o)) return UndefinedWhenEager(o, "value_index");
  return PyLong_FromLong(SymbolicTensor::Of(TensorOf(o))->index());
}
PyObject* GraphIn(PyObject* o, void*) {
  if (!IsSymbolicTensor(o)) return UndefinedWhenEager(o, "graph");
  return WrapGraph(Graph::GraphOf(TensorOf(o)));
}
PyObject* Operation(PyObject* o, void*) {
  if (!IsSymbolicTensor(o)) return UndefinedWhenEager(o, "op");
  return OperationOf(TensorOf(o)).release().ptr();
}
PyObject* Id(PyObject* o, void*) {
  if (!IsTensor(o)) return Abstract(o, "_id");
  return PyLong_FromUnsignedLongLong(ImplOf(o)->id());
}
// NumPy's methods, which users of arrays try first.
PyObject* NumpyOnly(PyObject* o, void* name) {
  PyErr_Format(
      PyExc_AttributeError,
      "%s object has no attribute '%s'. \n"
      "        If you are looking for numpy-related methods, please run the "
      "following:\n"
      "        tf.experimental.numpy.experimental_enable_numpy_behavior()\n"
      "      ",
      IsSymbolicTensor(o) ? "SymbolicTensor" : "EagerTensor",
      static_cast<const char*>(name));
  return nullptr;
}
PyObject* IsTrue(PyObject* o, PyObject*) {
  const int truth = PyObject_IsTrue(o);
  return truth < 0 ? nullptr : PyBool_FromLong(truth);
}

PyObject* GetShape(PyObject* o, PyObject*) {
  return PyObject_GetAttrString(o, "shape");
}

PyObject* SetShape(PyObject* o, PyObject* value) {
  if (!IsTensor(o)) return Abstract(o, "set_shape");
  StatusOr<PartialTensorShape> shape = AsShape(value);
  if (!shape.ok()) return Raise(shape.status());
  const Status status = SetStaticShape(TensorOf(o), *shape);
  return status.ok() ? Py_NewRef(Py_None) : Raise(status);
}

PyObject* Eval(PyObject* o, PyObject* args, PyObject* kwargs) {
  if (IsSymbolicTensor(o)) return EvaluateInSession(o, args, kwargs);
  PyErr_SetString(PyExc_NotImplementedError,
                  "eval is not supported when eager execution is enabled, is "
                  ".numpy() what you're looking for?");
  return nullptr;
}

PyObject* Consumers(PyObject* o, PyObject*) {
  if (!IsSymbolicTensor(o)) {
    PyErr_SetString(
        PyExc_NotImplementedError,
        "Tensor.consumers is undefined when eager execution is enabled.");
    return nullptr;
  }
  return ConsumersIn(TensorOf(o)).release().ptr();
}

PyObject* Reference(PyObject* o, PyObject*) { return NewReference(o); }

PyObject* Round(PyObject* o, PyObject* args) {
  PyObject* digits = nullptr;
  if (!PyArg_ParseTuple(args, "|O:__round__", &digits)) return nullptr;
  return package::numpy_round.Call({o, digits ? digits : Py_None});
}

PyObject* ShapeAsList(PyObject* o, PyObject*) {
  PyRef shape = PyRef::Steal(StaticShape(o, nullptr));
  if (!shape) return nullptr;
  if (ShapeOf(shape.get()).unknown_rank()) Py_RETURN_NONE;
  return PySequence_List(shape.get());
}

// object.__format__: the text, and a TypeError for any other wish.
PyObject* DefaultFormat() {
  static constinit MadeOnce format;
  return format.Get([] {
    return PyObject_GetAttrString(
        reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__format__");
  });
}

PyObject* FormatTensor(PyObject* o, PyObject* spec) {
  if (!IsEagerTensor(o)) {
    PyObject* args[] = {o, spec};
    return PyObject_Vectorcall(DefaultFormat(), args, 2, nullptr);
  }
  const Tensor t = TensorOf(o);
  PyRef value = HasNumpyValue(t.dtype()) ? PyRef::Steal(ToNumpy(t, true))
                                         : NumpyText(t, false);
  return value ? PyObject_Format(value.get(), spec) : nullptr;
}

PyObject* SymbolicArray(PyObject* o, PyObject* const*, Py_ssize_t, PyObject*) {
  if (!IsSymbolicTensor(o)) return Abstract(o, "__array__");
  PyErr_Format(PyExc_NotImplementedError,
               "Cannot convert a symbolic tf.Tensor (%s) to a numpy array. "
               "This error may indicate that you're trying to pass a Tensor "
               "to a NumPy call, which is not supported.",
               EdgeName(o).c_str());
  return nullptr;
}

}  // namespace

bool IsOfPlainGraph(PyObject* o) {
  if (!IsSymbolicTensor(o)) return false;
  const FuncGraph* f = FuncGraph::Of(Graph::GraphOf(TensorOf(o)));
  return f != nullptr && !f->is_function();
}

Py_hash_t TensorHash(PyObject* o) {
  if (IsOfPlainGraph(o) ||
      (version_one.compares_identity && IsSymbolicTensor(o))) {
    return reinterpret_cast<Py_hash_t>(ImplOf(o));
  }
  PyErr_SetString(
      PyExc_TypeError,
      "Tensor is unhashable. Instead, use tensor.ref() as the key.");
  return -1;
}

PyGetSetDef tensor_getset[] = {
    {"is_packed", [](PyObject*, void*) -> PyObject* { Py_RETURN_FALSE; },
     nullptr, "Is it one tensor for each of several devices? Never.", nullptr},
    {"shape", Guarded<StaticShape>, nullptr, "The static shape.", nullptr},
    {"dtype", Guarded<DType>, nullptr, "The type of the elements.", nullptr},
    {"ndim", Guarded<Rank>, nullptr, "The rank, or None.", nullptr},
    {"device", Guarded<Device>, nullptr, "Where the value is.", nullptr},
    {"backing_device", Guarded<Device>, nullptr, "Where the value is.",
     nullptr},
    {"name", Guarded<Name>, nullptr, "The edge's name in its graph.", nullptr},
    {"op", Guarded<Operation>, nullptr, "The producing Operation.", nullptr},
    {"graph", Guarded<GraphIn>, nullptr, "The graph it belongs to.", nullptr},
    {"value_index", Guarded<ValueIndex>, nullptr, "Which output of `op`.",
     nullptr},
    {"_id", Guarded<Id>, nullptr, nullptr, nullptr},
#define NUMPY_ONLY(name)                                            \
  {                                                                 \
    name, NumpyOnly, nullptr,                                       \
        "AttributeError: arrays of NumPy have it, tensors do not.", \
        const_cast<char*>(name)                                     \
  }
    NUMPY_ONLY("T"),
    NUMPY_ONLY("astype"),
    NUMPY_ONLY("ravel"),
    NUMPY_ONLY("transpose"),
    NUMPY_ONLY("reshape"),
    NUMPY_ONLY("clip"),
    NUMPY_ONLY("size"),
    NUMPY_ONLY("tolist"),
    NUMPY_ONLY("data"),
#undef NUMPY_ONLY
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

constexpr char kShape[] = "shape";

// Python 2's division, which programs override by its name: of whole numbers it
// rounds down.
PyObject* Divided(PyObject* tensor, PyObject* a, PyObject* b) {
  const DataType type = TensorOf(tensor).dtype();
  return IsFloating(type) || IsComplex(type) ? PyNumber_TrueDivide(a, b)
                                             : PyNumber_FloorDivide(a, b);
}
PyObject* Div(PyObject* self, PyObject* other) {
  return Divided(self, self, other);
}
PyObject* RDiv(PyObject* self, PyObject* other) {
  return Divided(self, other, self);
}

// Sizes that are not known are None, as is the whole for an unknown rank.
PyObject* ShapeTuple(PyObject* o, PyObject*) {
  const PyRef shape = PyRef::Steal(StaticShape(o, nullptr));
  if (!shape) return nullptr;
  if (TensorOf(o).partial_shape().unknown_rank()) Py_RETURN_NONE;
  const PyRef sizes =
      PyRef::Steal(PyObject_CallMethod(shape.get(), "as_list", nullptr));
  return sizes ? PyList_AsTuple(sizes.get()) : nullptr;
}

PyMethodDef tensor_methods[] = {
    {"_shape_tuple", Guarded<ShapeTuple>, METH_NOARGS, nullptr},
    {"__div__", Guarded<Div>, METH_O, nullptr},
    {"__rdiv__", Guarded<RDiv>, METH_O, nullptr},
    {"__nonzero__", Guarded<IsTrue>, METH_NOARGS, nullptr},
    {"get_shape", Guarded<GetShape>, METH_NOARGS,
     "get_shape($self)\n--\n\n"
     "The static shape."},
    {"set_shape", GK_OF_ARGUMENT(kShape, SetShape),
     "set_shape($self, shape)\n--\n\n"
     "Refines the static shape."},
    {"eval", AsCFunction(Guarded<Eval>), METH_VARARGS | METH_KEYWORDS,
     "eval($self, feed_dict=None, session=None)\n--\n\n"
     "The value of a tensor of a graph, by the session given or the default\n"
     "one. Raises NotImplementedError when eager: see `numpy()`.\n\n"
     ">>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:\n"
     "...     print((tf.constant(2) + 3).eval())\n"
     "5"},
    {"consumers", Guarded<Consumers>, METH_NOARGS,
     "consumers($self)\n--\n\n"
     "The operations that use it."},
    {"ref", Guarded<Reference>, METH_NOARGS,
     "ref($self)\n--\n\n"
     "A hashable reference."},
    {"experimental_ref", Guarded<Reference>, METH_NOARGS,
     "experimental_ref($self)\n--\n\n"
     "A hashable reference."},
    {"_shape_as_list", Guarded<ShapeAsList>, METH_NOARGS, nullptr},
    {"__format__", Guarded<FormatTensor>, METH_O, nullptr},
    {"__round__", Guarded<Round>, METH_VARARGS, nullptr},
    {"__array__", AsCFunction(Guarded<SymbolicArray>),
     METH_FASTCALL | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

// ---- EagerTensor ----

namespace {

PyObject* Gpu(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"gpu_index", nullptr};
  long index = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|l",
                                   const_cast<char**>(names), &index)) {
    return nullptr;
  }
  return Raise(RuntimeError("GPU:{} unknown device.", index));
}
PyObject* Numpy(PyObject* o, PyObject*) { return ToNumpy(TensorOf(o), true); }
PyObject* RankMethod(PyObject* o, PyObject*) {
  return PyLong_FromLong(TensorOf(o).rank());
}
PyObject* NumElements(PyObject* o, PyObject*) {
  return PyLong_FromLongLong(TensorOf(o).num_elements());
}

PyObject* Array(PyObject* o, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO",
                                   const_cast<char**>(names), &dtype, &copy)) {
    return nullptr;
  }
  PyRef array = PyRef::Steal(ToNumpy(TensorOf(o), false));
  if (!array || dtype == Py_None) return array.Release();
  return PyObject_CallMethod(array.get(), "astype", "O", dtype);
}

PyObject* CopyOfTensor(PyObject* o, PyObject*) { return Py_NewRef(o); }
PyObject* DeepCopy(PyObject* o, PyObject*) {
  DeviceGuard device(DeviceOf(TensorOf(o)));
  if (IsObjectType(ImplOf(o)->dtype()) &&
      ImplOf(o)->dtype() != DataType::kString) {
    return Py_NewRef(o);
  }
  StatusOr<Tensor> copy = TensorOf(o).Copy();
  return copy.ok() ? WrapNewTensor(*std::move(copy)) : Raise(copy.status());
}
PyObject* Reduce(PyObject* o, PyObject*) {
  PyRef convert =
      PyRef::Steal(PyObject_GetAttrString(ThisModule(), "convert_to_tensor"));
  PyRef value = PyRef::Steal(ToNumpy(TensorOf(o), false));
  if (!convert || !value) return nullptr;
  return Py_BuildValue("O(OO)", convert.get(), value.get(),
                       DTypeObject(ImplOf(o)->dtype()));
}
PyObject* GetItem(PyObject* o, PyObject*) {
  PyRef value = PyRef::Steal(ToNumpy(TensorOf(o), false));
  return value ? PyObject_CallMethod(value.get(), "item", nullptr) : nullptr;
}
PyObject* Cpu(PyObject* o, PyObject*) {
  if (!MindsDevices()) return Py_NewRef(o);
  return WrapTensor(OnDevice(TensorOf(o), 0));
}

PyRef ScalarObject(PyObject* o) {
  const Tensor t = TensorOf(o);
  if (t.rank() != 0) {
    PyErr_SetString(
        PyExc_TypeError,
        "only 0-dimensional arrays can be converted to Python scalars");
    return PyRef();
  }
  return PyRef::Steal(ToNumpy(t, true));
}
PyObject* AsInt(PyObject* o) {
  const Tensor t = TensorOf(o);
  if (t.rank() == 0) {
    switch (t.dtype()) {
      case DataType::kInt32:
        return PyLong_FromLong(t.scalar<int32_t>());
      case DataType::kInt64:
        return PyLong_FromLongLong(t.scalar<int64_t>());
      case DataType::kBool:
        return PyLong_FromLong(t.scalar<bool>());
      case DataType::kFloat:
        return PyLong_FromDouble(t.scalar<float>());
      default:
        break;
    }
  }
  PyRef value = ScalarObject(o);
  if (!value) return nullptr;
  if (PyBytes_Check(value.get())) {
    return PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyLong_Type),
                               value.get());
  }
  return PyNumber_Long(value.get());
}
PyObject* AsFloat(PyObject* o) {
  const Tensor t = TensorOf(o);
  if (t.rank() == 0) {
    switch (t.dtype()) {
      case DataType::kFloat:
        return PyFloat_FromDouble(t.scalar<float>());
      case DataType::kDouble:
        return PyFloat_FromDouble(t.scalar<double>());
      case DataType::kInt32:
        return PyFloat_FromDouble(t.scalar<int32_t>());
      default:
        break;
    }
  }
  PyRef value = ScalarObject(o);
  return value ? PyNumber_Float(value.get()) : nullptr;
}
PyObject* AsComplex(PyObject* o, PyObject*) {
  PyRef value = ScalarObject(o);
  return value ? PyObject_CallOneArg(
                     reinterpret_cast<PyObject*>(&PyComplex_Type), value.get())
               : nullptr;
}
PyObject* AsIndex(PyObject* o) {
  const Tensor t = TensorOf(o);
  if (t.rank() != 0 || !IsInteger(t.dtype())) {
    PyErr_SetString(
        PyExc_TypeError,
        "only integer scalar arrays can be converted to a scalar index");
    return nullptr;
  }
  return AsInt(o);
}

}  // namespace

PyMethodDef eager_tensor_methods[] = {
    {"numpy", Guarded<Numpy>, METH_NOARGS,
     "numpy($self)\n--\n\n"
     "The value as a NumPy array or scalar."},
    {"_numpy", Guarded<Numpy>, METH_NOARGS, nullptr},
    {"item", Guarded<GetItem>, METH_NOARGS,
     "item($self)\n--\n\n"
     "The only element as a Python object."},
    {"cpu", Guarded<Cpu>, METH_NOARGS,
     "cpu($self)\n--\n\n"
     "The tensor in host memory."},
    {"gpu", AsCFunction(Guarded<Gpu>), METH_VARARGS | METH_KEYWORDS,
     "gpu($self, gpu_index=0)\n--\n\nThe tensor on a GPU; there is none."},
    {"_rank", Guarded<RankMethod>, METH_NOARGS, nullptr},
    {"_num_elements", Guarded<NumElements>, METH_NOARGS, nullptr},
    {"__array__", AsCFunction(Guarded<Array>), METH_VARARGS | METH_KEYWORDS,
     nullptr},
    {"__copy__", Guarded<CopyOfTensor>, METH_NOARGS, nullptr},
    {"__deepcopy__", Guarded<DeepCopy>, METH_O, nullptr},
    {"__reduce__", Guarded<Reduce>, METH_NOARGS, nullptr},
    {"__complex__", Guarded<AsComplex>, METH_NOARGS, nullptr},
    {"__dlpack__", AsCFunction(Guarded<TensorDlpack>),
     METH_VARARGS | METH_KEYWORDS, "A DLPack capsule sharing the value."},
    {"__dlpack_device__", Guarded<TensorDlpackDevice>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

namespace {
PyObject* NoPickle(PyObject*, PyObject*) {
  return Raise(TypeError("cannot pickle 'SymbolicTensor' object"));
}
}  // namespace
PyMethodDef symbolic_tensor_methods[] = {
    {"__copy__", Guarded<CopyOfTensor>, METH_NOARGS, nullptr},
    {"__reduce_ex__", Guarded<NoPickle>, METH_O, nullptr},
    {"__reduce__", Guarded<NoPickle>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot eager_number_slots[] = {{Py_nb_int, Slot<AsInt>()},
                                    {Py_nb_float, Slot<AsFloat>()},
                                    {Py_nb_index, Slot<AsIndex>()},
                                    {0, nullptr}};

}  // namespace gk::py
