// Sequences with tensors in them.
#include "base/caught.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Pack.h"
#include "python/src/graph/name_scope.h"
#include "python/src/graph/source_location.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

// The dtype of the first tensor below a sequence.
DataType FirstTensorDTypeBelow(PyObject* o, int depth) {
  if (IsTensor(o)) return ImplOf(o)->dtype();
  if (IsVariable(o)) return VariableOf(o)->dtype;
  if (!IsListOrTuple(o) || depth > kMaxRank) return kAnyDType;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(o, i);
    if (PyFloat_CheckExact(item) || PyLong_CheckExact(item)) continue;
    const DataType t = FirstTensorDTypeBelow(item, depth + 1);
    if (t != kAnyDType) return t;
  }
  return kAnyDType;
}

bool ContainsTensorBelow(PyObject* o, int depth) {
  if (IsTensorLike(o)) return true;
  if (!IsListOrTuple(o) || depth > kMaxRank) {
    return false;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(o, i);
    if (PyFloat_CheckExact(item) || PyLong_CheckExact(item)) continue;
    if (ContainsTensorBelow(item, depth + 1)) return true;
  }
  return false;
}

bool HasTensorOfBelow(PyObject* o, DataType dtype, int depth) {
  if (IsTensor(o)) return ImplOf(o)->dtype() == dtype;
  if (IsVariable(o)) return VariableOf(o)->dtype == dtype;
  if (!IsListOrTuple(o) || depth > kMaxRank) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    if (HasTensorOfBelow(PySequence_Fast_GET_ITEM(o, i), dtype, depth + 1)) {
      return true;
    }
  }
  return false;
}

Status FailedOp(const Status& status) {
  if (InGraph()) return status;
  RaiseOpError(status);
  return PythonError();
}

// A sequence with its tensors cast to `dtype`, as a tuple of tuples.
PyRef CastBelow(PyObject* value, DataType dtype, int depth) {
  if (IsListOrTuple(value) && depth <= kMaxRank) {
    PyRef items = PyRef::Steal(PySequence_Tuple(value));
    if (!items) return items;
    const Py_ssize_t n = PyTuple_GET_SIZE(items.get());
    PyRef out = PyRef::Steal(PyTuple_New(n));
    for (Py_ssize_t i = 0; out && i < n; ++i) {
      PyRef item =
          CastBelow(PyTuple_GET_ITEM(items.get(), i), dtype, depth + 1);
      if (!item) return item;
      PyTuple_SET_ITEM(out.get(), i, item.Release());
    }
    return out;
  }
  if (!IsTensor(value) && !IsVariable(value)) return PyRef::Share(value);
  StatusOr<Tensor> t = ToTensor(value);
  if (t.ok() && t->dtype() == dtype) return PyRef::Share(value);
  if (t.ok()) {
    try {
      return PyRef::Steal(WrapTensor(ops::Cast(*t, dtype)));
    } catch (...) {
      t = FailedOp(CaughtStatus());
    }
  }
  Raise(t.status());
  return PyRef();
}

// A tensor among the elements of a list of `dtype`.
StatusOr<Tensor> Element(PyObject* item, DataType dtype, bool checks) {
  GK_ASSIGN_OR_RETURN(Tensor t, ToTensor(item));
  if (!checks || dtype == kAnyDType || t.dtype() == dtype) return t;
  PyErr_Format(PyExc_TypeError,
               "Cannot convert a list containing a tensor of dtype %S to %S "
               "(Tensor is: %R)",
               DTypeObject(t.dtype()), DTypeObject(dtype), item);
  return PythonError();
}

// A sequence with tensors in it is packed, level by level.
StatusOr<Tensor> Pack(PyObject* value, DataType dtype, Narrowing narrowing,
                      std::string_view name, int depth) {
  if (depth > kMaxRank) return ValueError("Sequence nested too deeply");
  PyRef list = PyRef::Steal(PySequence_Tuple(value));
  if (!list) return PythonError();
  const Py_ssize_t n = PyTuple_GET_SIZE(list.get());
  // Eagerly the op itself tells of tensors that do not match, if there is
  // nothing else.
  bool checks = InGraph();
  for (Py_ssize_t i = 0; i < n && !checks; ++i) {
    checks = !IsTensorLike(PyTuple_GET_ITEM(list.get(), i));
  }
  const OpScope scope(name, true);
  GK_RETURN_IF_ERROR(scope.status());
  TensorVector parts(n);
  // Constants are made last: nodes have TensorFlow's order.
  for (const bool constants : {false, true}) {
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = PyTuple_GET_ITEM(list.get(), i);
      const std::string place = std::to_string(i);
      const bool tensor = IsTensorLike(item);
      const bool is_list = IsListOrTuple(item);
      const bool nested = !tensor && is_list && ContainsTensor(item);
      if ((tensor || nested) == constants) {
        // Any list takes its name before the constants take theirs.
        if (is_list && !constants) OpScope taken(place);
        continue;
      }
      StatusOr<Tensor> part =
          tensor   ? Element(item, dtype, checks)
          : nested ? Pack(item, dtype, narrowing, place, depth + 1)
                   : ToTensor(item, dtype, kAnyDType, place, narrowing);
      if (!part.ok()) return part.status();
      parts[i] = *std::move(part);
    }
  }
  try {
    return ops::Pack(OpName(InGraph() ? scope.node_name() : name), parts);
  } catch (...) {
    return FailedOp(CaughtStatus());
  }
}

}  // namespace

bool HasTensorOf(PyObject* value, DataType dtype) {
  return HasTensorOfBelow(value, dtype, 0);
}

bool ContainsTensor(PyObject* sequence) {
  return ContainsTensorBelow(sequence, 0);
}

DataType FirstTensorDType(PyObject* value) {
  return FirstTensorDTypeBelow(value, 0);
}

StatusOr<Tensor> PackSequence(PyObject* value, DataType dtype,
                              Narrowing narrowing, std::string_view name) {
  const DataType first = FirstTensorDType(value);
  if (dtype == DataType::kInt64 && narrowing == Narrowing::kRefuse &&
      InGraph() && HasTensorOf(value, DataType::kInt32)) {
    // Sizes of 32 and of 64 bits.
    PyRef cast = CastBelow(value, dtype, 0);
    if (!cast) return PythonError();
    return Pack(cast.get(), dtype, narrowing, name, 0);
  }
  if (dtype == kAnyDType) return Pack(value, first, narrowing, name, 0);
  if (dtype == first || first == kAnyDType) {
    return Pack(value, dtype, narrowing, name, 0);
  }
  PyRef cast = CastBelow(value, dtype, 0);
  if (!cast) return PythonError();
  return Pack(cast.get(), dtype, narrowing, name, 0);
}

}  // namespace gk::py
