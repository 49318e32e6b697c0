// Python numbers, strings and nested sequences of them -> tensors.
//
// Two walks: the first finds shape and dtype, the second writes. User code
// (__index__, __float__, __len__) may run in between, so the second checks
// every length again.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "python/src/tensors/convert.h"
#include "python/src/tensors/dimension_type.h"
#include "python/src/tensors/dtype_type.h"

namespace gk::py {
namespace {

// What a leaf is to Python.
enum Kind {
  kNone,
  kBoolKind,
  kIntKind,
  kInt64Kind,
  kFloatKind,
  kComplexKind,
  kStringKind,
  kUint64Kind
};

bool IsNested(PyObject* o) {
  if (IsListOrTuple(o)) return true;
  if (PyUnicode_Check(o) || PyBytes_Check(o) || PyDict_Check(o) ||
      PyAnySet_Check(o) || PyLong_Check(o) || PyFloat_Check(o)) {
    return false;
  }
  return PySequence_Check(o) && !IsNumpyValue(o) &&
         PyObject_HasAttrString(o, "__len__");
}

Status Mixed() {
  return ValueError(
      "Can't convert Python sequence with mixed types to Tensor.");
}
Status Ragged() { return ValueError("{}", kNonRectangular); }

StatusOr<Kind> KindOf(PyObject* o) {
  if (PyFloat_CheckExact(o)) return kFloatKind;
  if (PyBool_Check(o)) return kBoolKind;
  if (PyLong_Check(o)) {
    int overflow = 0;
    const int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow < 0) return OutOfRangeInteger();
    if (overflow > 0) return kUint64Kind;
    return v == static_cast<int32_t>(v) ? kIntKind : kInt64Kind;
  }
  if (PyUnicode_Check(o) || PyBytes_Check(o)) return kStringKind;
  if (PyComplex_Check(o)) return kComplexKind;
  if (PyFloat_Check(o) && !IsNumpyValue(o)) return kFloatKind;
  if (IsDimension(o)) {
    const PyRef size = PyRef::Steal(PyNumber_Index(o));
    return size ? KindOf(size.get()) : PythonError();
  }
  return kNone;
}

// Outside graphs, a finite number that is too large for the dtype that floats
// get.
Status CheckFloat(double value, DataType dtype) {
  if (dtype != DataType::kFloat || std::isinf(value) ||
      !std::isinf(static_cast<float>(value)) || InGraph()) {
    return OkStatus();
  }
  return ValueError(
      "Can't convert Python sequence with a value out of range for a "
      "double-precision float.");
}

class Walk {
 public:
  Walk(DataType dtype, Narrowing narrowing)
      : dtype_(dtype), narrowing_(narrowing) {}

  bool has_numpy_scalars() const { return has_numpy_scalars_; }
  bool is_bool() const { return kind_ == kBoolKind; }

  // Finds shape and kind of everything below `o`.
  Status Look(PyObject* o, int depth) {
    if (!IsNested(o)) return LookLeaf(o, depth);
    if (depth >= kMaxRank) {
      return ValueError(
          "Can't convert Python sequence nested deeper than {} "
          "levels to Tensor.",
          kMaxRank);
    }
    PyRef list = PyRef::Steal(PySequence_Fast(o, "expected a sequence"));
    if (!list) return PythonError();
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(list.get());
    if (depth == static_cast<int>(dims_.size())) {
      if (leaf_depth_ >= 0) return Mixed();
      dims_.push_back(n);
    } else if (dims_[depth] != n) {
      return Ragged();
    }
    if (leaf_depth_ >= 0 && depth >= leaf_depth_) return Mixed();
    for (Py_ssize_t i = 0; i < n; ++i) {
      if (i >= PySequence_Fast_GET_SIZE(list.get())) return Ragged();
      PyRef item = PyRef::Share(PySequence_Fast_GET_ITEM(list.get(), i));
      // One more float among floats tells nothing new.
      if (kind_ == kFloatKind && leaf_depth_ == depth + 1 &&
          PyFloat_CheckExact(item.get())) {
        continue;
      }
      GK_RETURN_IF_ERROR(Look(item.get(), depth + 1));
    }
    return OkStatus();
  }

  DataType dtype() const {
    if (dtype_ != DataType::kInvalid) return dtype_;
    if (array_dtype_ != DataType::kInvalid) return array_dtype_;
    switch (kind_) {
      case kBoolKind:
        return DataType::kBool;
      case kIntKind:
        return DataType::kInt32;
      case kInt64Kind:
        return DataType::kInt64;
      case kComplexKind:
        return DataType::kComplex128;
      case kStringKind:
        return DataType::kString;
      default:
        return DataType::kFloat;
    }
  }
  const std::vector<int64_t>& dims() const { return dims_; }

  Status Write(PyObject* o, int depth, Tensor* t) {
    if (PyFloat_CheckExact(o)) {
      if (next_ >= t->num_elements()) return Ragged();
      if (dtype_ == DataType::kInvalid) {
        GK_RETURN_IF_ERROR(CheckFloat(PyFloat_AS_DOUBLE(o), t->dtype()));
      }
      return WriteElement(o, t, next_++);
    }
    if (depth < static_cast<int>(dims_.size()) && IsNested(o)) {
      PyRef list = PyRef::Steal(PySequence_Fast(o, "expected a sequence"));
      if (!list) return PythonError();
      if (PySequence_Fast_GET_SIZE(list.get()) != dims_[depth]) {
        return Ragged();
      }
      for (int64_t i = 0; i < dims_[depth]; ++i) {
        if (i >= PySequence_Fast_GET_SIZE(list.get())) return Ragged();
        PyRef item = PyRef::Share(PySequence_Fast_GET_ITEM(list.get(), i));
        GK_RETURN_IF_ERROR(Write(item.get(), depth + 1, t));
      }
      return OkStatus();
    }
    StatusOr<Kind> kind = KindOf(o);
    if (kind.ok() && *kind == kNone) {
      GK_ASSIGN_OR_RETURN(Tensor part,
                          ArrayToTensor(o, DataType::kInvalid, narrowing_));
      if (part && dtype_ != DataType::kInvalid &&
          !Holds(dtype_, ArrayKind(part))) {
        return CannotConvert(o, dtype_);
      }
      if (part && part.dtype() != t->dtype()) {
        GK_ASSIGN_OR_RETURN(part, ArrayToTensor(o, t->dtype(), narrowing_));
      }
      if (part) return WriteArray(part, t);
    }
    if (next_ >= t->num_elements()) return Ragged();
    return WriteElement(o, t, next_++, narrowing_);
  }
  bool complete(const Tensor& t) const { return next_ == t.num_elements(); }

 private:
  Status LookLeaf(PyObject* o, int depth) {
    GK_ASSIGN_OR_RETURN(Kind kind, KindOf(o));
    if (kind == kUint64Kind && dtype_ == DataType::kInvalid) {
      return OutOfRangeInteger();
    }
    int rank = 0;
    if (kind == kNone) {
      GK_ASSIGN_OR_RETURN(Tensor part, ArrayToTensor(o, DataType::kInvalid));
      if (!part) {
        if (seen_ && kind_ != kNone) return Mixed();
        return UnsupportedValue(o);
      }
      rank = part.rank();
      if (rank == 0) has_numpy_scalars_ = true;
      const int end = depth + rank;
      if (static_cast<int>(dims_.size()) < end) {
        if (seen_ || static_cast<int>(dims_.size()) != depth) return Ragged();
        for (int i = 0; i < rank; ++i) dims_.push_back(part.dim(i));
      } else {
        for (int i = 0; i < rank; ++i) {
          if (dims_[depth + i] != part.dim(i)) return Ragged();
        }
      }
      if (end > kMaxRank) return Ragged();
      kind = ArrayKind(part);
      // Floats that come first keep their dtype, in graphs all arrays do;
      // others count as Python's numbers.
      if (!seen_ && (kind == kFloatKind || (rank > 0 && InGraph()))) {
        array_dtype_ = part.dtype();
      }
    }
    if (depth + rank != static_cast<int>(dims_.size())) return Ragged();
    if (rank == 0) leaf_depth_ = depth;
    if (seen_ && kind != kNone && kind_ != kNone) {
      GK_ASSIGN_OR_RETURN(kind, Join(kind_, kind));
    }
    if (kind != kNone) kind_ = kind;
    seen_ = true;
    return OkStatus();
  }

  static Kind ArrayKind(const Tensor& part) {
    const DataType t = part.dtype();
    if (t == DataType::kBool) return kBoolKind;
    if (t == DataType::kString) return kStringKind;
    if (IsComplex(t)) return kComplexKind;
    if (IsFloating(t)) return kFloatKind;
    bool narrow = true;
    VisitType<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
              uint64_t>(t, [&]<class T>(T) {
      narrow = std::ranges::all_of(
          part.flat<T>(), [](T v) { return std::in_range<int32_t>(v); });
    });
    return narrow ? kIntKind : kInt64Kind;
  }

  // May NumPy's numbers of that kind stand where the dtype is asked for?
  static bool Holds(DataType dtype, Kind kind) {
    switch (kind) {
      case kBoolKind:
        return dtype == DataType::kBool;
      case kIntKind:
      case kInt64Kind:
        return dtype != DataType::kBool && dtype != DataType::kString;
      case kFloatKind:
        return IsFloating(dtype) || IsComplex(dtype);
      case kComplexKind:
        return IsComplex(dtype);
      case kStringKind:
        return dtype == DataType::kString;
      default:
        return true;
    }
  }

  // Numbers grow (int -> int64 -> float); a bool may follow numbers; all
  // else must be alike.
  StatusOr<Kind> Join(Kind a, Kind b) const {
    if (a == b) return a;
    if (dtype_ != DataType::kInvalid && a != kStringKind && b != kStringKind) {
      return std::max(a, b);  // a demanded dtype decides per element
    }
    const auto number = [](Kind k) { return k >= kIntKind && k <= kFloatKind; };
    if (number(a) && number(b)) return std::max(a, b);
    if (number(a) && b == kBoolKind) return a;
    if (a == kComplexKind && number(b)) return a;
    // NumPy's rule, by which TensorFlow makes constants in graphs.
    const auto any = [](Kind k) { return k >= kBoolKind && k <= kComplexKind; };
    if (InGraph() && any(a) && any(b)) return std::max(a, b);
    return Mixed();
  }

  Status WriteArray(const Tensor& part, Tensor* t) {
    const int64_t n = part.num_elements();
    if (next_ + n > t->num_elements()) return Ragged();
    if (part.dtype() == DataType::kString) {
      std::copy_n(part.data<std::string>(), n, t->data<std::string>() + next_);
    } else {
      const int size = DataTypeSize(t->dtype());
      std::copy_n(static_cast<const char*>(part.raw_data()), n * size,
                  static_cast<char*>(t->raw_data()) + next_ * size);
    }
    next_ += n;
    return OkStatus();
  }

  DataType dtype_;
  Narrowing narrowing_;
  DataType array_dtype_ = DataType::kInvalid;
  std::vector<int64_t> dims_;
  Kind kind_ = kNone;
  bool seen_ = false;
  bool has_numpy_scalars_ = false;
  int leaf_depth_ = -1;
  int64_t next_ = 0;
};

// Numbers that 64 bits hold may be cut to fewer bits as a cast would.
template <class T>
Status WriteInt(PyObject* v, Narrowing narrowing, T* out) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    const uint64_t u = PyLong_AsUnsignedLongLong(v);
    if (u == uint64_t(-1) && PyErr_Occurred()) {
      PyErr_Clear();
      return OutOfRangeInteger();
    }
    *out = u;
  } else {
    int overflow = 0;
    const int64_t i = PyLong_AsLongLongAndOverflow(v, &overflow);
    if (overflow != 0) return OutOfRangeInteger();
    if (narrowing == Narrowing::kRefuse && !std::in_range<T>(i)) {
      return OutOfRangeInteger();
    }
    *out = static_cast<T>(i);
  }
  return OkStatus();
}

template <class T>
Status WriteIntElement(PyObject* v, DataType dtype, Narrowing narrowing,
                       T* out) {
  if (PyLong_Check(v)) return WriteInt(v, narrowing, out);
  if (PyFloat_Check(v) || PyComplex_Check(v) || !PyIndex_Check(v)) {
    return CannotConvert(v, dtype);
  }
  PyRef index = PyRef::Steal(PyNumber_Index(v));
  if (!index) return PythonError();
  return WriteInt(index.get(), narrowing, out);
}

Status ReadDouble(PyObject* v, DataType dtype, double* out) {
  if (PyFloat_CheckExact(v)) {
    *out = PyFloat_AS_DOUBLE(v);
    return OkStatus();
  }
  if (PyUnicode_Check(v) || PyBytes_Check(v) || PyComplex_Check(v)) {
    return CannotConvert(v, dtype);
  }
  *out = PyFloat_AsDouble(v);
  if (*out == -1 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return PythonError();
    PyErr_Clear();
    return CannotConvert(v, dtype);
  }
  return OkStatus();
}

// Dtypes that TensorFlow writes elements of as they come. Values for the others
// it first makes of the dtype that they have by themselves.
bool IsWrittenAtOnce(DataType t) {
  switch (t) {
    case DataType::kInt8:
    case DataType::kInt16:
    case DataType::kUint8:
    case DataType::kUint16:
    case DataType::kUint32:
    case DataType::kBfloat16:
    case DataType::kComplex64:
    case DataType::kInt4:
    case DataType::kUint4:
      return false;
    default:
      return true;
  }
}

Status CheckOwnDType(PyObject* value, DataType dtype) {
  Walk own(DataType::kInvalid, Narrowing::kCut);
  GK_RETURN_IF_ERROR(own.Look(value, 0));
  return own.is_bool() ? CannotConvert(value, dtype) : OkStatus();
}

// Numbers among which are NumPy's, in a graph: NumPy says of which dtype they
// are, and its widest ones are halved, as for Python's numbers.
StatusOr<Tensor> NumpySequence(PyObject* value) {
  PyRef array = PyRef::Steal(CallPython("numpy", "array", {value}));
  if (!array) return PythonError();
  GK_ASSIGN_OR_RETURN(Tensor t, ArrayToTensor(array.get(), kAnyDType));
  if (t.dtype() == DataType::kDouble) {
    return ArrayToTensor(array.get(), DataType::kFloat);
  }
  if (t.dtype() == DataType::kInt64 &&
      std::ranges::all_of(t.flat<int64_t>(), [](int64_t v) {
        return std::in_range<int32_t>(v);
      })) {
    return ArrayToTensor(array.get(), DataType::kInt32);
  }
  return t;
}

}  // namespace

Status OutOfRangeInteger() {
  return ValueError(
      "Can't convert Python sequence with out-of-range integer to Tensor.");
}

Status WriteElement(PyObject* v, Tensor* t, int64_t i, Narrowing narrowing) {
  const DataType dtype = t->dtype();
  double d = 0;
  switch (dtype) {
    case DataType::kFloat:
      GK_RETURN_IF_ERROR(ReadDouble(v, dtype, &d));
      t->data<float>()[i] = static_cast<float>(d);
      return OkStatus();
    case DataType::kDouble:
      return ReadDouble(v, dtype, &t->data<double>()[i]);
    case DataType::kHalf:
      GK_RETURN_IF_ERROR(ReadDouble(v, dtype, &d));
      t->data<half>()[i] = half(static_cast<float>(d));
      return OkStatus();
    case DataType::kBfloat16:
      GK_RETURN_IF_ERROR(ReadDouble(v, dtype, &d));
      t->data<bfloat16>()[i] = bfloat16(static_cast<float>(d));
      return OkStatus();
    case DataType::kFloat8E5m2:
      GK_RETURN_IF_ERROR(ReadDouble(v, dtype, &d));
      t->data<float8_e5m2>()[i] = float8_e5m2(static_cast<float>(d));
      return OkStatus();
    case DataType::kFloat8E4m3fn:
      GK_RETURN_IF_ERROR(ReadDouble(v, dtype, &d));
      t->data<float8_e4m3fn>()[i] = float8_e4m3fn(static_cast<float>(d));
      return OkStatus();
    case DataType::kInt8:
    case DataType::kQint8:
      return WriteIntElement(v, dtype, narrowing, &t->data<int8_t>()[i]);
    case DataType::kInt16:
    case DataType::kQint16:
      return WriteIntElement(v, dtype, narrowing, &t->data<int16_t>()[i]);
    case DataType::kInt32:
    case DataType::kQint32:
      return WriteIntElement(v, dtype, narrowing, &t->data<int32_t>()[i]);
    case DataType::kInt64:
      return WriteIntElement(v, dtype, narrowing, &t->data<int64_t>()[i]);
    case DataType::kUint8:
    case DataType::kQuint8:
      return WriteIntElement(v, dtype, narrowing, &t->data<uint8_t>()[i]);
    case DataType::kUint16:
    case DataType::kQuint16:
      return WriteIntElement(v, dtype, narrowing, &t->data<uint16_t>()[i]);
    case DataType::kUint32:
      return WriteIntElement(v, dtype, narrowing, &t->data<uint32_t>()[i]);
    case DataType::kUint64:
      return WriteIntElement(v, dtype, narrowing, &t->data<uint64_t>()[i]);
    case DataType::kInt4:
    case DataType::kUint4: {
      int64_t number = 0;
      GK_RETURN_IF_ERROR(WriteIntElement(v, dtype, narrowing, &number));
      static_cast<uint8_t*>(t->raw_data())[i] = number & 0xf;
      return OkStatus();
    }
    case DataType::kBool:
      if (!PyBool_Check(v)) return CannotConvert(v, dtype);
      t->data<bool>()[i] = v == Py_True;
      return OkStatus();
    case DataType::kComplex64:
    case DataType::kComplex128: {
      if (PyUnicode_Check(v) || PyBytes_Check(v)) {
        return CannotConvert(v, dtype);
      }
      const Py_complex c = PyComplex_AsCComplex(v);
      if (PyErr_Occurred()) {
        PyErr_Clear();
        return CannotConvert(v, dtype);
      }
      if (dtype == DataType::kComplex64) {
        t->data<complex64>()[i] = complex64(c.real, c.imag);
      } else {
        t->data<complex128>()[i] = complex128(c.real, c.imag);
      }
      return OkStatus();
    }
    case DataType::kString:
      if (PyBytes_Check(v)) {
        t->data<std::string>()[i].assign(PyBytes_AS_STRING(v),
                                         PyBytes_GET_SIZE(v));
        return OkStatus();
      }
      if (PyUnicode_Check(v)) {
        t->data<std::string>()[i] = StringView(v);
        return PyErr_Occurred() ? PythonError() : OkStatus();
      }
      return CannotConvert(v, dtype);
    default:
      return CannotConvert(v, dtype);
  }
}

StatusOr<Tensor> SequenceToTensor(PyObject* value, DataType dtype,
                                  Narrowing narrowing) {
  Walk walk(dtype, narrowing);
  // The error shows all that was given, not the element that does not fit.
  const auto whole = [&](Status status) {
    if (status.code() != Code::kPythonException ||
        (InGraph() && !PySequence_Check(value)) ||
        !PyErr_ExceptionMatches(PyExc_TypeError)) {
      return status;
    }
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    PyRef text = PyRef::Steal(error ? PyObject_Str(error) : nullptr);
    const std::string_view said = text ? StringView(text.get()) : "";
    PyErr_Restore(type, error, trace);
    if (!said.starts_with("Cannot convert ") ||
        said.find(" to EagerTensor of dtype ") == std::string_view::npos) {
      return status;
    }
    PyErr_Clear();
    if (!InGraph()) GK_RETURN_IF_ERROR(CheckOwnDType(value, walk.dtype()));
    return CannotConvert(value, walk.dtype());
  };
  if (!IsWrittenAtOnce(dtype) && !InGraph()) {
    GK_RETURN_IF_ERROR(CheckOwnDType(value, dtype));
  }
  GK_RETURN_IF_ERROR(whole(walk.Look(value, 0)));
  if (dtype == DataType::kInvalid && walk.has_numpy_scalars() && InGraph()) {
    return NumpySequence(value);
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(walk.dims()));
  GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(walk.dtype(), shape));
  GK_RETURN_IF_ERROR(whole(walk.Write(value, 0, &t)));
  if (!walk.complete(t)) return Ragged();
  return t;
}

}  // namespace gk::py
