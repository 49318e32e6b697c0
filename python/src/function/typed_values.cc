#include "python/src/function/typed_values.h"

#include <algorithm>
#include <numeric>

#include "function/signature_rules.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/imported_once.h"
#include "python/src/function/function_signature.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/tracing_protocol.h"
#include "python/src/nest/flattened_object.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

using Kind = TraceType::Kind;

// The parts of a value of a container type, in the order of flattening.
bool PartsOf(const TraceType& type, PyObject* value,
             std::vector<PyRef>* parts) {
  if (type.kind() == Kind::kDict) {
    // By the keys of the type: unsorted ones may come in another order.
    PyObject* keys = NodeOf(type)->sorted.get();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys); ++i) {
      parts->push_back(
          PyRef::Steal(PyObject_GetItem(value, PyList_GET_ITEM(keys, i))));
      if (!parts->back()) return false;
    }
    return true;
  }
  if (type.kind() == Kind::kAttrs || type.kind() == Kind::kComposite) {
    const int open = OpenNest(value, NestRules::kResult, parts, nullptr);
    if (open == 0) {
      PyErr_Format(PyExc_TypeError, "%R has no parts", value);
    }
    return open == 1;
  }
  return AppendItems(value, parts);
}

// Raises BindingError for what is pending if that says that a value does not
// convert.
void AsBindingError(bool assertions) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject* other = assertions ? PyExc_AssertionError : OpErrorClass();
  if (!PyErr_GivenExceptionMatches(type, PyExc_TypeError) &&
      !PyErr_GivenExceptionMatches(type, PyExc_ValueError) &&
      !PyErr_GivenExceptionMatches(type, other)) {
    return PyErr_Restore(type, value, trace);
  }
  PyErr_NormalizeException(&type, &value, &trace);
  PyRef t = PyRef::Steal(type), v = PyRef::Steal(value),
        b = PyRef::Steal(trace);
  PyRef text = PyRef::Steal(v ? PyObject_Str(v.get()) : nullptr);
  if (text) PyErr_SetObject(BindingErrorType, text.get());
}

PyObject* Refuse(const std::string& text) {
  PyRef object = PyRef::Steal(ToPyString(text));
  if (object) PyErr_SetObject(BindingErrorType, object.get());
  return nullptr;
}

PyObject* RefuseValue(const TraceType& type, PyObject* value,
                      PyObject* cls = nullptr) {
  return Refuse(
      WrongValue(type, ShownValue(value), cls ? ShownValue(cls, true) : ""));
}

PyObject* CastTensor(const TraceType& type, PyObject* value) {
  if (IsTensorSpec(value)) {
    CallVariables none;
    StatusOr<TraceTypeRef> own = TraceTypeOf(value, &none);
    if (!own.ok()) return Raise(own.status());
    if ((*own)->IsSubtypeOf(type)) return Py_NewRef(value);
    return Refuse(WrongValue(type, (*own)->Text()));
  }
  PyRef tensor = PyRef::Share(value);
  if (!IsTensor(value)) {
    StatusOr<Tensor> made = ToTensor(value, type.dtype());
    tensor = PyRef::Steal(made.ok() ? WrapTensor(*made) : Raise(made.status()));
    if (!tensor) {
      AsBindingError(/*assertions=*/false);
      return nullptr;
    }
  }
  const Tensor& t = TensorOf(tensor.get());
  if (t.dtype() == type.dtype() &&
      type.shape().IsCompatibleWith(t.partial_shape())) {
    return tensor.Release();
  }
  return Refuse(WrongValue(
      type, TensorSpecText(t.dtype(), t.partial_shape(), type.name())));
}

PyObject* CastParts(const TraceType& type, PyObject* value) {
  std::vector<PyRef> parts;
  if (!PartsOf(type, value, &parts)) return nullptr;
  const std::vector<size_t> order = type.FlatteningOrder();
  if (parts.size() != type.children().size()) {
    return Refuse(WrongParts(type, ShownValue(value), parts.size()));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i] =
        PyRef::Steal(CastValue(*type.children()[order[i]], parts[i].get()));
    if (!parts[i]) return nullptr;
  }
  return Assemble(type, parts);
}

PyObject* CastSequence(const TraceType& type, PyObject* value) {
  const bool is_list = type.kind() == Kind::kList;
  if (is_list ? !PyList_Check(value) : !PyTuple_Check(value)) {
    return RefuseValue(type, value);
  }
  const Py_ssize_t n = PySequence_Size(value);
  if (n < 0) return nullptr;
  if (static_cast<size_t>(n) == type.children().size()) {
    return CastParts(type, value);
  }
  return Refuse(WrongLength(type, ShownValue(value), n));
}

PyObject* CastDict(const TraceType& type, PyObject* value) {
  static constinit ImportedOnce cls("collections.abc", "Mapping");
  PyObject* const mapping = cls.Get();
  const int is_mapping = mapping ? PyObject_IsInstance(value, mapping) : -1;
  if (is_mapping < 0) return nullptr;
  if (is_mapping == 0) {
    return RefuseValue(type, value);
  }
  PyObject* keys = NodeOf(type)->keys.get();
  PyRef wanted = PyRef::Steal(PySet_New(keys));
  PyRef given = PyRef::Steal(wanted ? PySet_New(value) : nullptr);
  if (!given) return nullptr;
  const int same = PyObject_RichCompareBool(given.get(), wanted.get(), Py_EQ);
  if (same < 0) return nullptr;
  if (same == 0) {
    return Refuse(WrongKeys(type, ShownValue(value)));
  }
  // In the order of the value: a plain dict, whatever its class.
  PyRef names = PyRef::Steal(PySequence_List(value));
  PyRef items = PyRef::Steal(names ? PyDict_New() : nullptr);
  if (!items) return nullptr;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(names.get()); ++i) {
    PyObject* key = PyList_GET_ITEM(names.get(), i);
    const Py_ssize_t at = PySequence_Index(keys, key);
    if (at < 0) return nullptr;
    PyRef item = PyRef::Steal(PyObject_GetItem(value, key));
    if (!item) return nullptr;
    item = PyRef::Steal(CastValue(*type.children()[at], item.get()));
    if (!item || PyDict_SetItem(items.get(), key, item.get()) < 0) {
      return nullptr;
    }
  }
  return items.Release();
}

PyObject* CastNamedTuple(const TraceType& type, PyObject* value) {
  const PyRef& cls = NodeOf(type)->cls;
  PyRef wanted = PyRef::Steal(PyObject_GetAttrString(cls.get(), "_fields"));
  if (!wanted) return nullptr;
  PyRef own = PyRef::Steal(PyObject_GetAttrString(value, "_fields"));
  if (!own) PyErr_Clear();
  const int same =
      own ? PyObject_RichCompareBool(own.get(), wanted.get(), Py_EQ) : 0;
  if (same < 0) return nullptr;
  if (same == 1) return CastParts(type, value);
  return RefuseValue(type, value, cls.get());
}

PyObject* CastAttrs(const TraceType& type, PyObject* value) {
  const int is = PyObject_IsInstance(value, NodeOf(type)->cls.get());
  if (is < 0) return nullptr;
  if (is == 1) return CastParts(type, value);
  return RefuseValue(type, value);
}

// A value of a class with `__tf_flatten__`.
PyObject* CastComposite(const TraceType& type, PyObject* value) {
  PyObject* cls = NodeOf(type)->cls.get();
  PyObject* metadata = NodeOf(type)->facts.get();
  const int is = PyObject_IsInstance(value, cls);
  if (is < 0) return nullptr;
  if (is == 0) {
    return RefuseValue(type, value, cls);
  }
  PyRef own = FlattenObject(value);
  if (!own) return nullptr;
  PyObject* own_metadata = PyTuple_GET_ITEM(own.get(), 0);
  const int differs = PyObject_RichCompareBool(own_metadata, metadata, Py_NE);
  if (differs < 0) return nullptr;
  if (differs == 0) return CastParts(type, value);
  return Refuse(WrongMetadata(ShownValue(metadata, true),
                              ShownValue(own_metadata, true)));
}

PyObject* CastCustom(const TraceType& type, PyObject* value) {
  PyRef own = PyRef::Steal(ObjectOf(type));
  if (!own) return nullptr;
  PyObject* cast = PyObject_CallMethod(own.get(), "cast", "OO", value, Py_None);
  if (cast == nullptr) AsBindingError(/*assertions=*/true);
  return cast;
}

}  // namespace

PyObject* BindingErrorType = nullptr;

bool ForEachPart(const TraceType& type, PyObject* value,
                 FunctionRef<bool(const TraceType&, PyObject*)> visit) {
  std::vector<PyRef> parts;
  if (!PartsOf(type, value, &parts)) return false;
  const std::vector<size_t> order = type.FlatteningOrder();
  for (size_t i = 0; i < std::min(parts.size(), order.size()); ++i) {
    if (!visit(*type.children()[order[i]], parts[i].get())) return false;
  }
  return true;
}

bool AppendItems(PyObject* iterable, std::vector<PyRef>* items) {
  PyRef tuple = PyRef::Steal(iterable ? PySequence_Tuple(iterable) : nullptr);
  if (!tuple) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple.get()); ++i) {
    items->push_back(PyRef::Share(PyTuple_GET_ITEM(tuple.get(), i)));
  }
  return true;
}

bool FlattenInputs(const TraceType& type, PyObject* value,
                   std::vector<int>* seen, std::vector<PyRef>* inputs) {
  switch (type.kind()) {
    case Kind::kLiteral:
    case Kind::kObject:
      return true;
    case Kind::kVariable:
      if (std::find(seen->begin(), seen->end(), type.alias()) != seen->end()) {
        return true;
      }
      seen->push_back(type.alias());
      [[fallthrough]];
    case Kind::kTensor:
      inputs->push_back(PyRef::Share(value));
      return true;
    case Kind::kCustom: {
      PyRef own = PyRef::Steal(ObjectOf(type));
      PyRef tensors = own ? TensorsOfType(own.get(), value) : PyRef();
      return tensors && AppendItems(tensors.get(), inputs);
    }
    default:
      break;
  }
  return ForEachPart(type, value, [&](const TraceType& child, PyObject* part) {
    return FlattenInputs(child, part, seen, inputs);
  });
}

PyObject* Assemble(const TraceType& type, std::span<const PyRef> parts) {
  if (const NestNode* node = NodeOf(type)) {
    return CloseNest(*node, parts, nullptr);
  }
  NestNode plain;
  plain.kind = type.kind() == Kind::kTuple ? Structure::Kind::kTuple
                                           : Structure::Kind::kList;
  return CloseNest(plain, parts, nullptr);
}

PyObject* CastValue(const TraceType& type, PyObject* value) {
  switch (type.kind()) {
    case Kind::kTensor:
      return CastTensor(type, value);
    case Kind::kList:
    case Kind::kTuple:
      return CastSequence(type, value);
    case Kind::kDict:
      return CastDict(type, value);
    case Kind::kNamedTuple:
      return CastNamedTuple(type, value);
    case Kind::kAttrs:
      return CastAttrs(type, value);
    case Kind::kComposite:
      return CastComposite(type, value);
    case Kind::kCustom:
      return CastCustom(type, value);
    default:
      break;
  }
  CallVariables none;
  StatusOr<TraceTypeRef> own = TraceTypeOf(value, &none);
  if (!own.ok()) return Raise(own.status());
  if ((*own)->IsSubtypeOf(type)) return Py_NewRef(value);
  return RefuseValue(type, value);
}

bool ToInputs(const std::vector<PyRef>& values, TensorVector* inputs) {
  for (const PyRef& value : values) {
    PyObject* o = value.get();
    if (IsTensor(o)) {
      inputs->push_back(TensorOf(o));
    } else if (IsVariable(o)) {
      inputs->push_back(VariableOf(o)->handle);
    } else {
      StatusOr<Tensor> made = ToTensor(o);
      if (!made.ok()) {
        Raise(made.status());
        return false;
      }
      inputs->push_back(*std::move(made));
    }
  }
  return true;
}

bool ToKnownInputs(const std::vector<PyRef>& values, TensorVector* inputs) {
  for (const PyRef& value : values) {
    if (IsTensorSpec(value.get()) || IsTraceType(value.get())) {
      inputs->push_back(Tensor());
    } else if (!ToInputs({value}, inputs)) {
      return false;
    }
  }
  return true;
}

}  // namespace gk::py
