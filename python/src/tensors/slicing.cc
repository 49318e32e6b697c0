#include "python/src/tensors/slicing.h"

#include "framework/op_registry.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/package_parts.h"
#include "python/src/graph/name_scope.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/numpy_behavior.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

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

StatusOr<SubscriptBound> ToBound(PyObject* o) {
  if (IsTensorLike(o)) {
    GK_ASSIGN_OR_RETURN(const Tensor t, ToTensor(o));
    const std::optional<SubscriptBound> bound = SubscriptBound::Of(t);
    if (!bound) return InvalidIndex(o);
    return *bound;
  }
  if (PyFloat_Check(o) || PyBool_Check(o) || !PyIndex_Check(o)) {
    return InvalidIndex(o);
  }
  PyRef index = PyRef::Steal(PyNumber_Index(o));
  if (!index) {  // an array that is no scalar
    PyErr_Clear();
    return InvalidIndex(o);
  }
  const int64_t value = PyLong_AsLongLong(index.get());
  if (value == -1 && PyErr_Occurred()) return PythonError();
  return SubscriptBound(value);
}

// A part of a slice that may be None.
Status SetBound(PyObject* o, std::optional<SubscriptBound>* bound) {
  if (o == Py_None) return OkStatus();
  GK_ASSIGN_OR_RETURN(*bound, ToBound(o));
  return OkStatus();
}

bool IsBasicBound(PyObject* o) { return o == Py_None || PyLong_CheckExact(o); }

bool IsBasicItem(PyObject* o) {
  if (PySlice_Check(o)) {
    const auto* s = reinterpret_cast<PySliceObject*>(o);
    return IsBasicBound(s->start) && IsBasicBound(s->stop) &&
           IsBasicBound(s->step);
  }
  return PyLong_CheckExact(o) || o == Py_None || o == Py_Ellipsis;
}

// Is it a key that means the same to NumPy and to TensorFlow?
bool IsBasicKey(PyObject* key) {
  if (!PyTuple_CheckExact(key)) return IsBasicItem(key);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
    if (!IsBasicItem(PyTuple_GET_ITEM(key, i))) return false;
  }
  return true;
}

// The value of a known mask or index list: bools make it a mask.
bool IsMask(PyObject* o) {
  if (PyBool_Check(o)) return true;
  if (IsListOrTuple(o) || PyLong_Check(o) || PySlice_Check(o) || o == Py_None ||
      o == Py_Ellipsis) {
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

}  // namespace

StatusOr<std::vector<SubscriptEntry>> ParseEntries(PyObject* key) {
  PyRef items;
  if (IsListOrTuple(key)) {
    items = PyRef::Steal(PySequence_Tuple(key));
  } else {
    items = PyRef::Steal(PyTuple_Pack(1, key));
  }
  if (!items) return PythonError();
  const Py_ssize_t n = PyTuple_GET_SIZE(items.get());
  std::vector<SubscriptEntry> entries(n);
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PyTuple_GET_ITEM(items.get(), i);
    SubscriptEntry& entry = entries[i];
    if (PySlice_Check(item)) {
      const auto* s = reinterpret_cast<PySliceObject*>(item);
      GK_RETURN_IF_ERROR(SetBound(s->start, &entry.begin));
      GK_RETURN_IF_ERROR(SetBound(s->stop, &entry.end));
      GK_RETURN_IF_ERROR(SetBound(s->step, &entry.stride));
    } else if (item == Py_Ellipsis) {
      entry.kind = SubscriptEntry::Kind::kEllipsis;
    } else if (item == Py_None) {
      entry.kind = SubscriptEntry::Kind::kNewAxis;
    } else {
      entry.kind = SubscriptEntry::Kind::kIndex;
      GK_ASSIGN_OR_RETURN(entry.begin, ToBound(item));
    }
  }
  return entries;
}

StatusOr<SliceOperands> ParseSlice(PyObject* key) {
  GK_ASSIGN_OR_RETURN(std::vector<SubscriptEntry> entries, ParseEntries(key));
  return OperandsOf(std::move(entries));
}

PyObject* Subscript(PyObject* self, PyObject* key) {
  if (IsEagerTensor(self) && PyLong_CheckExact(key)) {
    const int64_t i = PyLong_AsLongLong(key);
    if (i == -1 && PyErr_Occurred()) return nullptr;
    Tensor row = EagerRow(TensorOf(self), i);
    if (row) return WrapNewTensor(std::move(row));
  }
  if (IsVariable(self)) {
    return SliceVariable(self, key);
  }
  if (!IsTensor(self)) {
    PyErr_Format(PyExc_TypeError, "'%s' object is not subscriptable",
                 Py_TYPE(self)->tp_name);
    return nullptr;
  }
  if (numpy_behavior.slices && !IsBasicKey(key)) [[unlikely]] {
    return package::numpy_subscript.Call({self, key});
  }
  return BasicSubscript(self, key);
}

PyObject* BasicSubscript(PyObject* self, PyObject* key) {
  if (IsMask(key)) {
    PyRef mask = PyRef::Steal(CompositionFunction("boolean_mask"));
    PyObject* const given[] = {self, key};
    return mask ? PyObject_Vectorcall(mask.get(), given, 2, nullptr) : nullptr;
  }
  static const OpInfo* info = OpInfo::Of(OpRegistry::Get().The(kSlices));
  try {
    const OpScope scope("strided_slice");
    if (!scope.status().ok()) return Raise(scope.status());
    StatusOr<SliceOperands> spec = ParseSlice(key);
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
  return RowIteratorType != nullptr;
}

}  // namespace gk::py
