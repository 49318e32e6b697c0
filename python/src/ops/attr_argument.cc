// Python arguments <-> attribute values.
#include <algorithm>
#include <cmath>

#include "framework/graph.h"
#include "python/src/function/concrete_function.h"
#include "python/src/ops/long_way.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {

namespace {

Status Expected(const char* type, const AttrDef& attr, PyObject* value) {
  PyErr_Format(PyExc_TypeError, "Expected %s for argument '%s' not %R.", type,
               attr.name.c_str(), value);
  return PythonError();
}

StatusOr<int64_t> ToInt(const AttrDef& attr, PyObject* value) {
  PyRef index;
  if (PyFloat_Check(value) || !PyIndex_Check(value)) {
    return Expected("int", attr, value);
  }
  index = PyRef::Steal(PyNumber_Index(value));
  if (!index) {
    PyErr_Clear();
    return Expected("int", attr, value);
  }
  const int64_t v = PyLong_AsLongLong(index.get());
  if (v == -1 && PyErr_Occurred()) return PythonError();
  return v;
}

StatusOr<float> ToFloat(const AttrDef& attr, PyObject* value) {
  if (PyUnicode_Check(value) || PyBytes_Check(value)) {
    return Expected("float", attr, value);
  }
  const double v = PyFloat_AsDouble(value);
  if (v == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return Expected("float", attr, value);
  }
  return static_cast<float>(v);
}

StatusOr<bool> ToBool(const AttrDef& attr, PyObject* value) {
  if (PyBool_Check(value)) return value == Py_True;
  // numpy.bool_ is as good; numbers are not.
  if (std::string_view(Py_TYPE(value)->tp_name).find("bool") !=
      std::string_view::npos) {
    const int v = PyObject_IsTrue(value);
    if (v >= 0) return v == 1;
    return PythonError();
  }
  return Expected("bool", attr, value);
}

StatusOr<std::string> ToString(const AttrDef& attr, PyObject* value) {
  if (PyBytes_Check(value)) {
    return std::string(PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value));
  }
  if (!PyUnicode_Check(value)) return Expected("string", attr, value);
  const std::string_view s = StringView(value);
  if (PyErr_Occurred()) return PythonError();
  return std::string(s);
}

StatusOr<DataType> ToType(const AttrDef& attr, PyObject* value) {
  const DataType t = TryDType(value);
  if (PyErr_Occurred()) return PythonError();
  if (t == DataType::kInvalid) return Expected("DataType", attr, value);
  return t;
}

bool Countable(const PartialTensorShape& shape) {
  int64_t count = 1;
  return shape.unknown_rank() ||
         std::ranges::all_of(shape.dims(), [&](int64_t d) {
           return d < 0 || !__builtin_mul_overflow(count, d, &count);
         });
}

StatusOr<PartialTensorShape> ToShape(const AttrDef& attr, PyObject* value) {
  // -1 stands for an unknown dimension in attributes of eager ops. Nodes get
  // what TensorShape takes.
  if (IsListOrTuple(value)) {
    PartialTensorShape shape(std::span<const int64_t>{});
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
      if (i >= kMaxRank) return ValueError("Rank of '{}' too large", attr.name);
      PyObject* item = PySequence_Fast_GET_ITEM(value, i);
      if (PyLong_Check(item) && PyLong_AsLongLong(item) == -1) {
        if (PyErr_Occurred()) return PythonError();
        shape.AddDim(kUnknownDim);
        continue;
      }
      GK_ASSIGN_OR_RETURN(int64_t d, AsDimension(item));
      shape.AddDim(d);
    }
    return shape;
  }
  return AsShape(value);
}

StatusOr<PartialTensorShape> ToShapeOfNode(const AttrDef& attr,
                                           std::string_view op,
                                           PyObject* value) {
  StatusOr<PartialTensorShape> shape = AsShape(value);
  if (shape.ok() && !Countable(*shape)) {
    return ValueError(
        "Shape {} is too large (more than 2**63 - 1 entries): argument '{}' of "
        "{}",
        shape->DebugString(), attr.name, op);
  }
  if (shape.ok() || shape.status().code() != Code::kValueError) return shape;
  return ValueError(
      "Error converting {} to a TensorShape: {}. (argument '{}' of {})",
      attr.name, shape.status().message(), attr.name, op);
}

StatusOr<Tensor> ToTensorAttr(const AttrDef& attr, PyObject* value) {
  if (IsEagerTensor(value)) return TensorOf(value);
  if (IsTensor(value)) return Expected("a constant", attr, value);
  return ValueToTensor(value, DataType::kInvalid);
}

StatusOr<FunctionAttr> ToFunction(const AttrDef& attr, PyObject* value) {
  Ref<GraphFunction> f = DefinitionOf(value);
  if (f) return FunctionAttr{f->name(), f, nullptr};
  return Expected("a ConcreteFunction", attr, value);
}

template <class T, class Convert>
StatusOr<AttrValue> ToList(const AttrDef& attr, std::string_view op,
                           PyObject* value, Convert convert) {
  if (value == Py_None && !OpBuilder::Current()->builds_graph()) {
    return AttrValue(std::vector<T>{});
  }
  if (!PyList_Check(value) && !PyTuple_Check(value) && !IsTensorShape(value)) {
    PyErr_Format(PyExc_TypeError,
                 "Expected list for '%s' argument to '%s' Op, not %R.",
                 attr.name.c_str(), std::string(op).c_str(), value);
    return PythonError();
  }
  PyRef list = PyRef::Steal(PySequence_Tuple(value));
  if (!list) return PythonError();
  std::vector<T> out;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(list.get()); ++i) {
    GK_ASSIGN_OR_RETURN(T v, convert(attr, PyTuple_GET_ITEM(list.get(), i)));
    out.push_back(std::move(v));
  }
  return AttrValue(std::move(out));
}

template <class T>
StatusOr<AttrValue> Single(StatusOr<T> v) {
  if (!v.ok()) return v.status();
  return AttrValue(*std::move(v));
}

PyObject* ToPython(int64_t v) { return PyLong_FromLongLong(v); }
PyObject* ToPython(float v) { return PyFloat_FromDouble(v); }
PyObject* ToPython(bool v) { return PyBool_FromLong(v); }
PyObject* ToPython(const std::string& v) {
  return PyBytes_FromStringAndSize(v.data(), v.size());
}
PyObject* ToPython(DataType v) {
  return v == DataType::kInvalid ? Py_NewRef(Py_None)
                                 : Py_NewRef(DTypeObject(v));
}
PyObject* ToPython(const PartialTensorShape& v) { return WrapShape(v); }
PyObject* ToPython(const Tensor& v) { return WrapTensor(v); }
PyObject* ToPython(const FunctionAttr& v) { return ToPyString(v.name); }
PyObject* ToPython(std::monostate) { return Py_NewRef(Py_None); }
template <class T>
PyObject* ToPython(const std::vector<T>& v) {
  PyRef list = PyRef::Steal(PyList_New(0));
  for (const auto& e : v) {
    PyRef item = PyRef::Steal(ToPython(static_cast<const T&>(e)));
    if (!list || !item || PyList_Append(list.get(), item.get()) < 0) {
      return nullptr;
    }
  }
  return list.Release();
}

bool HasWhole(const std::vector<float>& values) {
  return std::ranges::any_of(values,
                             [](float v) { return v == std::floor(v); });
}

}  // namespace

bool GoesTheLongWay(const OpInfo& op, PyObject* const* arguments) {
  const OpDef& def = op.def();
  const std::vector<FunctionInfo::Parameter>& parameters = op.parameters();
  for (size_t i = def.inputs.size(); i < parameters.size(); ++i) {
    const AttrDef& a = def.attrs[parameters[i].index];
    PyObject* given = arguments[i];
    if (a.type == AttrType::kType && !a.is_list && given != nullptr &&
        PyUnicode_Check(given)) {
      return true;
    }
    if (a.type != AttrType::kFloat) continue;
    if (given == nullptr || given == Py_None) {
      if (!a.default_value) continue;
      const float* one = std::get_if<float>(&*a.default_value);
      const auto* list = std::get_if<std::vector<float>>(&*a.default_value);
      if (one != nullptr && *one == std::floor(*one)) return true;
      if (list != nullptr && HasWhole(*list)) return true;
    } else if (PyLong_Check(given)) {
      return true;
    } else if (IsListOrTuple(given)) {
      PyObject** items = PySequence_Fast_ITEMS(given);
      const Py_ssize_t n = PySequence_Fast_GET_SIZE(given);
      if (std::any_of(items, items + n,
                      [](PyObject* o) { return PyLong_Check(o); })) {
        return true;
      }
    }
  }
  return false;
}

StatusOr<AttrValue> ToAttrValue(const AttrDef& attr, std::string_view op,
                                PyObject* value) {
  switch (attr.type) {
    case AttrType::kInt:
      return attr.is_list ? ToList<int64_t>(attr, op, value, ToInt)
                          : Single(ToInt(attr, value));
    case AttrType::kFloat:
      return attr.is_list ? ToList<float>(attr, op, value, ToFloat)
                          : Single(ToFloat(attr, value));
    case AttrType::kBool:
      return attr.is_list ? ToList<bool>(attr, op, value, ToBool)
                          : Single(ToBool(attr, value));
    case AttrType::kString:
      return attr.is_list ? ToList<std::string>(attr, op, value, ToString)
                          : Single(ToString(attr, value));
    case AttrType::kType:
      return attr.is_list ? ToList<DataType>(attr, op, value, ToType)
                          : Single(ToType(attr, value));
    case AttrType::kShape:
      if (!attr.is_list && IsListOrTuple(value) && InGraph()) {
        return Single(ToShapeOfNode(attr, op, value));
      }
      if (attr.is_list) {
        StatusOr<AttrValue> shapes =
            ToList<PartialTensorShape>(attr, op, value, ToShape);
        if (shapes.ok() || shapes.status().code() != Code::kValueError) {
          return shapes;
        }
        return ValueError("{} (argument '{}' of {})", shapes.status().message(),
                          attr.name, op);
      }
      return Single(ToShape(attr, value));
    case AttrType::kTensor:
      return attr.is_list ? ToList<Tensor>(attr, op, value, ToTensorAttr)
                          : Single(ToTensorAttr(attr, value));
    case AttrType::kFunc:
      return attr.is_list ? ToList<FunctionAttr>(attr, op, value, ToFunction)
                          : Single(ToFunction(attr, value));
  }
  return Internal("attr '{}' has no type", attr.name);
}

PyObject* AttrToPython(const AttrValue& value) {
  return std::visit([](const auto& v) { return ToPython(v); }, value);
}

}  // namespace gk::py
