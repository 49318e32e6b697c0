#include "python/src/ops/composition_arguments.h"

#include <algorithm>

#include "ops/random/random_seeds.h"
#include "python/src/ops/op_function.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/ragged/rows_value.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {

DataType GivenDType(PyObject* o) {
  if (IsTensor(o)) return ImplOf(o)->dtype();
  if (IsVariable(o)) return VariableOf(o)->dtype;
  return DataType::kInvalid;
}

namespace {

// A list with integer tensors in it.
bool HoldsIntegers(PyObject* value) {
  return IsListOrTuple(value) && IsInteger(FirstTensorDType(value));
}

StatusOr<Tensor> ConvertTensor(const CompositionArg& arg, PyObject* value,
                               int element, GroupTypes* groups) {
  DataType want = DataType::kInvalid, hint = DataType::kInvalid;
  const bool group = arg.in_group();
  // A tensor of another dtype is left for the ops' own checks.
  if (GivenDType(value) == DataType::kInvalid && !IsTensorLike(value)) {
    if (group) {
      want = (*groups)[arg];
    } else if (!arg.type_of.empty()) {
      hint = arg.named_type();
      // Numbers stand for no truth values.
      if (hint == DataType::kBool || arg.demands_type()) std::swap(hint, want);
    } else if (arg.kind == ArgKind::kNative && HoldsIntegers(value)) {
      hint = DataType::kInt32;  // sizes, some of them tensors
    }
  }
  const Narrowing narrowing =
      hint != DataType::kInvalid || arg.demands_type() || groups->guessed(arg)
          ? Narrowing::kRefuse
          : Narrowing::kCut;
  StatusOr<Tensor> converted =
      OpBuilder::Current()->builds_graph()
          ? ToTensor(value, want, hint, NameOfInput(arg.node, element),
                     narrowing)
          : ToTensor(value, want, hint, kConst, narrowing);
  if (!converted.ok()) return converted.status();
  Tensor t = *std::move(converted);
  if (group) {
    DataType& known = (*groups)[arg];
    if (known == DataType::kInvalid) {
      known = t.dtype();
      if (!IsTensorLike(value)) groups->Guess(arg);
    }
  }
  return t;
}

// A NumPy number or array where Python's numbers may stand, too: an axis, a
// size. Integers of few bits become int32, as in TensorFlow.
StatusOr<CompositionValue> ConvertNumpy(const CompositionArg& arg,
                                        PyObject* value, GroupTypes* groups) {
  GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, value, -1, groups));
  const DataType own = t.dtype();
  if (arg.in_group() || !IsInteger(own) || own == DataType::kInt32 ||
      own == DataType::kInt64) {
    return CompositionValue(std::move(t));
  }
  GK_ASSIGN_OR_RETURN(t, ToTensor(value, DataType::kInt32, kAnyDType, arg.node,
                                  Narrowing::kRefuse));
  return CompositionValue(std::move(t));
}

// If the list is of Python's numbers alone and the first of them suggest a
// dtype that a later one does not fit, all become int64.
StatusOr<TensorVector> ConvertTensors(const CompositionArg& arg,
                                      PyObject* tuple, GroupTypes* groups) {
  const bool open = arg.in_group() && (*groups)[arg] == DataType::kInvalid;
  TensorVector tensors;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    StatusOr<Tensor> t =
        ConvertTensor(arg, PyTuple_GET_ITEM(tuple, i), i, groups);
    if (!t.ok() && open && t.status().code() == Code::kValueError &&
        (*groups)[arg] == DataType::kInt32) {
      (*groups)[arg] = DataType::kInt64;
      return ConvertTensors(arg, tuple, groups);
    }
    if (!t.ok()) return t.status();
    tensors.push_back(*std::move(t));
  }
  return tensors;
}

StatusOr<TensorVector> ConvertGradients(const CompositionArg& arg,
                                        PyObject* value, GroupTypes* groups) {
  if (IsTensorLike(value) || PyUnicode_Check(value) ||
      !PySequence_Check(value)) {
    return TypeError("`{}` should be a sequence of tensors. Received {}.",
                     arg.name, Py_TYPE(value)->tp_name);
  }
  PyRef list = PyRef::Steal(PySequence_Tuple(value));
  if (!list) return PythonError();
  TensorVector tensors;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(list.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(list.get(), i);
    if (item == Py_None) {
      tensors.emplace_back();
    } else if (IsSlices(item)) {
      tensors.push_back(AsSlices(item).values);
    } else {
      GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, item, i, groups));
      tensors.push_back(std::move(t));
    }
  }
  return tensors;
}

StatusOr<int64_t> AsInt(const CompositionArg& arg, PyObject* value) {
  if (!PyFloat_Check(value) && PyIndex_Check(value)) {
    PyRef index = PyRef::Steal(PyNumber_Index(value));
    if (index) {
      const int64_t v = PyLong_AsLongLong(index.get());
      if (v == -1 && PyErr_Occurred()) return PythonError();
      return v;
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return PythonError();
    PyErr_Clear();
  }
  PyErr_Format(PyExc_TypeError, "Expected int for argument '%s' not %R.",
               arg.name.c_str(), value);
  return PythonError();
}

StatusOr<std::string> AsText(const CompositionArg& arg, PyObject* value) {
  if (PyBytes_Check(value)) {
    return std::string(PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value));
  }
  if (PyUnicode_Check(value)) return std::string(StringView(value));
  PyErr_Format(PyExc_TypeError, "Expected string for argument '%s' not %R.",
               arg.name.c_str(), value);
  return PythonError();
}

StatusOr<double> AsDouble(const CompositionArg& arg, PyObject* value) {
  const double v = PyFloat_AsDouble(value);
  if (v == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "Expected float for argument '%s' not %R.",
                 arg.name.c_str(), value);
    return PythonError();
  }
  return v;
}

// Whatever int() takes, of any size.
StatusOr<int64_t> AsSeed(PyObject* value) {
  PyRef number = PyRef::Steal(PyNumber_Long(value));
  PyRef modulus = PyRef::Steal(PyLong_FromLong(kSeedModulus));
  if (!number || !modulus) return PythonError();
  PyRef folded = PyRef::Steal(PyNumber_Remainder(number.get(), modulus.get()));
  if (!folded) return PythonError();
  return PyLong_AsLongLong(folded.get());
}

bool FitsInt64(PyObject* integer) {
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(integer, &overflow);
  return overflow == 0;
}

bool AllInts(PyObject* sequence) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(sequence, i);
    if (PyBool_Check(item) || PyFloat_Check(item) || !PyIndex_Check(item) ||
        IsTensorLike(item)) {
      return false;
    }
  }
  return true;
}

bool HoldsNone(PyObject* value) {
  if (!IsListOrTuple(value)) return false;
  PyObject** const begin = PySequence_Fast_ITEMS(value);
  return std::find(begin, begin + PySequence_Fast_GET_SIZE(value), Py_None) !=
         begin + PySequence_Fast_GET_SIZE(value);
}

template <class T>
StatusOr<CompositionValue> Value(StatusOr<T> v) {
  if (!v.ok()) return v.status();
  return CompositionValue(*std::move(v));
}

// The first item of a list or tuple, or what else it is; borrowed.
PyObject* FirstOf(PyObject* value) {
  const bool list = IsListOrTuple(value);
  return list && PySequence_Fast_GET_SIZE(value) > 0
             ? PySequence_Fast_GET_ITEM(value, 0)
             : Py_None;
}

}  // namespace

StatusOr<CompositionValue> ConvertArgument(const CompositionArg& arg,
                                           PyObject* value,
                                           GroupTypes* groups) {
  if (value == Py_None && (arg.takes_none || arg.kind == ArgKind::kNative)) {
    return CompositionValue();
  }
  switch (arg.kind) {
    case ArgKind::kTensor:
      return Value(ConvertTensor(arg, value, -1, groups));
    case ArgKind::kHandle:
      if (IsVariable(value)) return CompositionValue(VariableOf(value)->handle);
      return Value(ConvertTensor(arg, value, -1, groups));
    case ArgKind::kRows: {
      GK_ASSIGN_OR_RETURN(std::optional<RowsValue> rows, RowsOf(value));
      if (rows) return CompositionValue(*std::move(rows));
      GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, value, -1, groups));
      return CompositionValue(RowsValue{RowsValue::Kind::kDense, t});
    }
    case ArgKind::kManyRows: {
      if (!IsListOrTuple(value)) {
        return TypeError("`{}` should be a list. Received {}.", arg.name,
                         Py_TYPE(value)->tp_name);
      }
      PyRef list = PyRef::Steal(PySequence_Tuple(value));
      if (!list) return PythonError();
      std::vector<RowsValue> many;
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(list.get()); ++i) {
        PyObject* item = PyTuple_GET_ITEM(list.get(), i);
        GK_ASSIGN_OR_RETURN(std::optional<RowsValue> rows, RowsOf(item));
        if (!rows) {
          GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, item, i, groups));
          rows = RowsValue{RowsValue::Kind::kDense, t};
        }
        many.push_back(*std::move(rows));
      }
      return CompositionValue(std::move(many));
    }
    case ArgKind::kTensors: {
      if (arg.type_of == "gradients") {
        return Value(ConvertGradients(arg, value, groups));
      }
      if (arg.type_of == "whole" && !IsTensorLike(FirstOf(value))) {
        GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, value, -1, groups));
        return CompositionValue(TensorVector{t});
      }
      if (arg.type_of == "parts" && !PyList_Check(value)) {
        GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, value, -1, groups));
        return CompositionValue(TensorVector{t});
      }
      if (IsTensor(value) && ImplOf(value)->is_symbolic()) {
        // A symbolic tensor is one operand, as in TensorFlow.
        GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, value, -1, groups));
        return CompositionValue(TensorVector{t});
      }
      PyRef list = PyRef::Steal(PySequence_Tuple(value));
      if (!list) return PythonError();
      const Py_ssize_t n = PyTuple_GET_SIZE(list.get());
      if (arg.in_group()) {
        DataType& known = (*groups)[arg];
        for (Py_ssize_t i = 0; i < n && known == DataType::kInvalid; ++i) {
          known = GivenDType(PyTuple_GET_ITEM(list.get(), i));
        }
      }
      return Value(ConvertTensors(arg, list.get(), groups));
    }
    case ArgKind::kShape: {
      if (IsTensor(value) || IsVariable(value)) {
        return Value(ConvertTensor(arg, value, -1, groups));
      }
      PyRef list;
      if (PyLong_Check(value)) {  // a single number is a vector of one
        list = PyRef::Steal(PyTuple_Pack(1, value));
        if (!list) return PythonError();
        value = list.get();
      }
      const bool empty = IsListOrTuple(value) && PySequence_Size(value) == 0;
      return Value(ToTensor(value,
                            empty ? DataType::kInt32 : DataType::kInvalid,
                            DataType::kInt32, arg.node, Narrowing::kRefuse));
    }
    case ArgKind::kNative: {
      if (IsTensorLike(value)) {
        return Value(ConvertTensor(arg, value, -1, groups));
      }
      if (arg.numpy_numbers && IsNumpyScalar(value)) {
        return Value(ConvertTensor(arg, value, -1, groups));
      }
      if (PyBool_Check(value)) return CompositionValue(value == Py_True);
      if (IsNumpyValue(value) && (arg.in_group() || !PyFloat_Check(value))) {
        return ConvertNumpy(arg, value, groups);
      }
      if (PyFloat_Check(value)) {
        return CompositionValue(PyFloat_AS_DOUBLE(value));
      }
      if (PyUnicode_Check(value) || PyBytes_Check(value)) {
        return Value(AsText(arg, value));
      }
      if (PyLong_Check(value) && arg.in_group() && !FitsInt64(value)) {
        return Value(ConvertTensor(arg, value, -1, groups));
      }
      if (PyLong_Check(value) ||
          (PyIndex_Check(value) && !PyObject_HasAttrString(value, "shape"))) {
        return Value(AsInt(arg, value));
      }
      if (IsTensorShape(value) && ShapeOf(value).IsFullyDefined()) {
        const auto dims = ShapeOf(value).dims();
        return CompositionValue(std::vector<int64_t>(dims.begin(), dims.end()));
      }
      if (IsListOrTuple(value) && AllInts(value)) {
        return Value(ToIntList(value));
      }
      if (arg.partial && (IsTensorShape(value) || HoldsNone(value))) {
        const PartialTensorShape shape = Shape(value);
        if (PyErr_Occurred()) return PythonError();
        if (!shape.unknown_rank()) {
          return CompositionValue(
              std::vector<int64_t>(shape.dims().begin(), shape.dims().end()));
        }
      }
      GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, value, -1, groups));
      return CompositionValue(std::move(t));
    }
    case ArgKind::kBool: {
      const int v = PyObject_IsTrue(value);
      if (v < 0) return PythonError();
      return CompositionValue(v == 1);
    }
    case ArgKind::kInt:
      return Value(AsInt(arg, value));
    case ArgKind::kFloat:
      return Value(AsDouble(arg, value));
    case ArgKind::kString:
      return Value(AsText(arg, value));
    case ArgKind::kType: {
      const DataType t = AsDType(value);
      if (t == DataType::kInvalid) return PythonError();
      return CompositionValue(t);
    }
    case ArgKind::kInts: {
      if (IsTensorShape(value)) {
        GK_ASSIGN_OR_RETURN(TensorShape s, ShapeOf(value).AsTensorShape());
        return CompositionValue(
            std::vector<int64_t>(s.dims().begin(), s.dims().end()));
      }
      if (PyIndex_Check(value) && !PySequence_Check(value)) {
        GK_ASSIGN_OR_RETURN(int64_t v, AsInt(arg, value));
        return CompositionValue(std::vector<int64_t>{v});
      }
      return Value(ToIntList(value));
    }
    case ArgKind::kSeed:
      return Value(AsSeed(value));
    case ArgKind::kName:
      return CompositionValue();
  }
  return Internal("argument '{}' has no kind", arg.name);
}

}  // namespace gk::py
