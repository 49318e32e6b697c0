#include "slicing.h"

#include <cstring>

#include "convert.h"
#include "dtype_type.h"
#include "guarded.h"
#include "name_scope.h"
#include "op_function.h"
#include "tensor_type.h"
#include "variable_type.h"

namespace gk::py {
namespace {

Status InvalidIndex(PyObject* o) {
  PyErr_Format(PyExc_TypeError,
               "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis "
               "(`None`) and scalar tf.int32/tf.int64 tensors are valid "
               "indices, got %R",
               o);
  return PythonError();
}

// One bound of a slice: a number, or a scalar tensor known only at run time.
struct Bound {
  int64_t value = 0;
  Tensor tensor;
};

bool IsIndexTensor(const Tensor& t) {
  const PartialTensorShape shape = t.partial_shape();
  return (t.dtype() == DataType::kInt32 || t.dtype() == DataType::kInt64 ||
          t.dtype() == DataType::kInt16) &&
         (shape.unknown_rank() || shape.rank() == 0);
}

StatusOr<Bound> ToBound(PyObject* o) {
  Bound b;
  if (IsTensorLike(o)) {
    GK_ASSIGN_OR_RETURN(b.tensor, ToTensor(o));
    if (!IsIndexTensor(b.tensor)) return InvalidIndex(o);
    if (!b.tensor.is_symbolic()) {
      VisitType<int16_t, int32_t, int64_t>(b.tensor.dtype(), [&](auto v) {
        b.value = b.tensor.scalar<decltype(v)>();
      });
      b.tensor = Tensor();
    }
    return b;
  }
  if (PyFloat_Check(o) || PyBool_Check(o) || !PyIndex_Check(o)) {
    return InvalidIndex(o);
  }
  PyRef index = PyRef::Steal(PyNumber_Index(o));
  if (!index) {  // an array that is no scalar
    PyErr_Clear();
    return InvalidIndex(o);
  }
  b.value = PyLong_AsLongLong(index.get());
  if (b.value == -1 && PyErr_Occurred()) return PythonError();
  return b;
}

struct Bounds {
  std::vector<Bound> begin, end, strides;
};

StatusOr<Tensor> Vector(std::vector<Bound>& bounds, DataType t,
                        std::string_view name) {
  bool symbolic = false;
  for (const Bound& b : bounds) symbolic |= static_cast<bool>(b.tensor);
  if (!symbolic) {
    Tensor v;
    if (t == DataType::kInt64) {
      std::vector<int64_t> values;
      for (const Bound& b : bounds) values.push_back(b.value);
      v = Tensor::Vector<int64_t>(values);
    } else {
      std::vector<int32_t> values;
      for (const Bound& b : bounds) {
        values.push_back(static_cast<int32_t>(b.value));
      }
      v = Tensor::Vector<int32_t>(values);
    }
    return OpBuilder::Current()->Constant(v, name);
  }
  TensorVector parts;
  for (Bound& b : bounds) {
    if (!b.tensor) {
      b.tensor = t == DataType::kInt64
                     ? Tensor::Scalar<int64_t>(b.value)
                     : Tensor::Scalar<int32_t>(static_cast<int32_t>(b.value));
    } else if (b.tensor.dtype() != t) {
      b.tensor = MakeOp1("Cast", {b.tensor}, {{"DstT", t}});
    }
    parts.push_back(b.tensor);
  }
  return MakeOp("Pack", parts, {{"axis", int64_t{0}}}, name)[0];
}

bool Fits32(const Bounds& b) {
  const auto fits = [](const std::vector<Bound>& v) {
    for (const Bound& e : v) {
      if (e.value != static_cast<int32_t>(e.value)) return false;
      if (e.tensor && e.tensor.dtype() == DataType::kInt64) return false;
    }
    return true;
  };
  return fits(b.begin) && fits(b.end) && fits(b.strides);
}

// The value of a known mask or index list: bools make it a mask.
bool IsMask(PyObject* o) {
  if (PyBool_Check(o)) return true;
  if (PyTuple_Check(o) || PyList_Check(o) || PyLong_Check(o) ||
      PySlice_Check(o) || o == Py_None || o == Py_Ellipsis) {
    return false;
  }
  if (IsTensor(o)) return ImplOf(o)->dtype() == DataType::kBool;
  if (!PyObject_HasAttrString(o, "dtype") ||
      !PyObject_HasAttrString(o, "ndim")) {
    return false;
  }
  PyRef dtype = PyRef::Steal(PyObject_GetAttrString(o, "dtype"));
  const bool mask = dtype && TryDType(dtype.get()) == DataType::kBool;
  PyErr_Clear();
  return mask;
}

// t[i] of an eager tensor, copied without any op. Empty if it must be one.
Tensor EagerRow(const Tensor& t, int64_t i) {
  if (t.rank() == 0 || IsObjectType(t.dtype()) || CurrentObservers().active() ||
      OpBuilder::Current() != OpBuilder::Eager()) {
    return Tensor();
  }
  if (i < 0) i += t.dim(0);
  if (i < 0 || i >= t.dim(0)) return Tensor();
  StatusOr<Tensor> row =
      Tensor::Allocate(t.dtype(), TensorShape(t.shape().dims().subspan(1)));
  if (!row.ok()) return Tensor();
  std::memcpy(row->raw_data(),
              static_cast<const char*>(t.raw_data()) + i * row->byte_size(),
              row->byte_size());
  return *std::move(row);
}

}  // namespace

StatusOr<SliceSpec> ParseSlice(PyObject* key) {
  PyRef items;
  if (PyTuple_Check(key) || PyList_Check(key)) {
    items = PyRef::Steal(PySequence_Tuple(key));
  } else {
    items = PyRef::Steal(PyTuple_Pack(1, key));
  }
  if (!items) return PythonError();
  Bounds b;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0,
          shrink_mask = 0;
  const Py_ssize_t n = PyTuple_GET_SIZE(items.get());
  if (n > 62) return InvalidArgument("Too many indices: {}", n);
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PyTuple_GET_ITEM(items.get(), i);
    const int64_t bit = int64_t{1} << i;
    Bound begin, end, stride;
    stride.value = 1;
    if (PySlice_Check(item)) {
      const auto* s = reinterpret_cast<PySliceObject*>(item);
      if (s->start == Py_None) {
        begin_mask |= bit;
      } else {
        GK_ASSIGN_OR_RETURN(begin, ToBound(s->start));
      }
      if (s->stop == Py_None) {
        end_mask |= bit;
      } else {
        GK_ASSIGN_OR_RETURN(end, ToBound(s->stop));
      }
      if (s->step != Py_None) {
        GK_ASSIGN_OR_RETURN(stride, ToBound(s->step));
      }
    } else if (item == Py_Ellipsis) {
      ellipsis_mask |= bit;
    } else if (item == Py_None) {
      new_axis_mask |= bit;
    } else {
      GK_ASSIGN_OR_RETURN(begin, ToBound(item));
      if (begin.tensor) {
        end.tensor = MakeOp1(
            "AddV2",
            {begin.tensor, begin.tensor.dtype() == DataType::kInt64
                               ? Tensor::Scalar<int64_t>(1)
                               : MakeOp1("Cast", {Tensor::Scalar<int32_t>(1)},
                                         {{"DstT", begin.tensor.dtype()}})},
            {}, "add");
      } else {
        end.value = begin.value + 1;
      }
      shrink_mask |= bit;
    }
    b.begin.push_back(std::move(begin));
    b.end.push_back(std::move(end));
    b.strides.push_back(std::move(stride));
  }
  const DataType t = Fits32(b) ? DataType::kInt32 : DataType::kInt64;
  SliceSpec spec;
  GK_ASSIGN_OR_RETURN(spec.begin, Vector(b.begin, t, "stack"));
  GK_ASSIGN_OR_RETURN(spec.end, Vector(b.end, t, "stack_1"));
  GK_ASSIGN_OR_RETURN(spec.strides, Vector(b.strides, t, "stack_2"));
  spec.masks = {{"begin_mask", begin_mask},
                {"end_mask", end_mask},
                {"ellipsis_mask", ellipsis_mask},
                {"new_axis_mask", new_axis_mask},
                {"shrink_axis_mask", shrink_mask}};
  return spec;
}

PyObject* Subscript(PyObject* self, PyObject* key) {
  if (IsEagerTensor(self) && PyLong_CheckExact(key)) {
    const int64_t i = PyLong_AsLongLong(key);
    if (i == -1 && PyErr_Occurred()) return nullptr;
    Tensor row = EagerRow(TensorOf(self), i);
    if (row) return WrapNewTensor(std::move(row));
  }
  if (IsVariable(self)) {
    return CallPython("graphkiln._variable", "slice_variable", {self, key});
  }
  if (!IsTensor(self)) {
    PyErr_Format(PyExc_TypeError, "'%s' object is not subscriptable",
                 Py_TYPE(self)->tp_name);
    return nullptr;
  }
  if (IsMask(key)) {
    return CallPython("graphkiln._slicing", "boolean_mask", {self, key});
  }
  static const OpInfo* info = OpInfo::Find("StridedSlice");
  if (info == nullptr) {
    return Raise(NotFound("Op type not registered 'StridedSlice'"));
  }
  try {
    const OpScope scope("strided_slice");
    if (!scope.status().ok()) return Raise(scope.status());
    StatusOr<SliceSpec> spec = ParseSlice(key);
    if (!spec.ok()) return Raise(spec.status());
    const Tensor inputs[] = {TensorOf(self), spec->begin, spec->end,
                             spec->strides};
    return info->Run(
        inputs, std::move(spec->masks),
        scope.node_name().empty() ? "strided_slice/" : scope.node_name());
  } catch (...) {
    return RaiseCaught();
  }
}

namespace {

struct PyRowIterator {
  PyObject_HEAD;
  PyObject* tensor;
  int64_t next, rows;
};
PyTypeObject* RowIteratorType = nullptr;

void DeallocIterator(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  Py_CLEAR(reinterpret_cast<PyRowIterator*>(o)->tensor);
  type->tp_free(o);
  Py_DECREF(type);
}
PyObject* NextRow(PyObject* o) {
  auto* it = reinterpret_cast<PyRowIterator*>(o);
  if (it->next >= it->rows) return nullptr;
  PyRef index = PyRef::Steal(PyLong_FromLongLong(it->next++));
  return index ? Subscript(it->tensor, index.get()) : nullptr;
}
PyType_Slot iterator_slots[] = {{Py_tp_dealloc, Slot<DeallocIterator>()},
                                {Py_tp_iter, PlainSlot(PyObject_SelfIter)},
                                {Py_tp_iternext, Slot<NextRow>()},
                                {0, nullptr}};
PyType_Spec iterator_spec = {
    "graphkiln._TensorIterator", sizeof(PyRowIterator), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, iterator_slots};

// (begin, end, strides, masks as a dict) of a subscript, for Python code
// that makes the relatives of StridedSlice.
PyObject* ParseSliceFunction(PyObject*, PyObject* key) {
  try {
    StatusOr<SliceSpec> spec = ParseSlice(key);
    if (!spec.ok()) return Raise(spec.status());
    PyRef masks = PyRef::Steal(PyDict_New());
    for (const auto& [name, value] : spec->masks) {
      PyRef v = PyRef::Steal(AttrToPython(value));
      if (!masks || !v ||
          PyDict_SetItemString(masks.get(), name.c_str(), v.get()) < 0) {
        return nullptr;
      }
    }
    PyRef begin = PyRef::Steal(WrapTensor(spec->begin));
    PyRef end = PyRef::Steal(WrapTensor(spec->end));
    PyRef strides = PyRef::Steal(WrapTensor(spec->strides));
    if (!begin || !end || !strides) return nullptr;
    return PyTuple_Pack(4, begin.get(), end.get(), strides.get(), masks.get());
  } catch (...) {
    return RaiseCaught();
  }
}
PyMethodDef functions[] = {
    {"parse_slice", Guarded<ParseSliceFunction>, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* NewRowIterator(PyObject* tensor, int64_t rows) {
  PyRowIterator* it = PyObject_New(PyRowIterator, RowIteratorType);
  if (it == nullptr) return nullptr;
  it->tensor = Py_NewRef(tensor);
  it->next = 0;
  it->rows = rows;
  return reinterpret_cast<PyObject*>(it);
}

bool AddSlicing(PyObject* module) {
  RowIteratorType = AddType(module, &iterator_spec, nullptr);
  return RowIteratorType != nullptr &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
