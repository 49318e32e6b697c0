// The trace type of a Python value.
#include "python/src/function/function_trace_type.h"

#include <algorithm>
#include <cstring>

#include "python/src/function/literal_key.h"
#include "python/src/function/tracing_protocol.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

using Kind = TraceType::Kind;

// An object that is compared by its own ==, held weakly where that works.
class ObjectValue final : public LanguageValue {
 public:
  static StatusOr<Ref<LanguageValue>> Make(PyObject* o) {
    const Py_hash_t hash = PyObject_Hash(o);
    if (hash == -1) {
      if (!PyErr_ExceptionMatches(PyExc_TypeError)) return PythonError();
      PyErr_Clear();
      return TypeError(
          "Could not generate a generic TraceType for {}.Please verify that "
          "it is immutable/hashable. Otherwise, consider implementing the "
          "Tracing Protocol for it.",
          ReprText(o));
    }
    PyObject* weak = PyWeakref_NewRef(o, nullptr);
    if (weak == nullptr) {
      PyErr_Clear();
      return Ref<LanguageValue>(
          MakeRef<ObjectValue>(Py_NewRef(o), hash, false));
    }
    return Ref<LanguageValue>(MakeRef<ObjectValue>(weak, hash, true));
  }
  ObjectValue(PyObject* o, Py_hash_t hash, bool weak)
      : object_(o), hash_(hash), weak_(weak) {}
  ~ObjectValue() override { DeferredDecref(object_); }

  // Null once dead.
  PyRef Get() const {
    if (!weak_) return PyRef::Share(object_);
    PyObject* o = PyWeakref_GET_OBJECT(object_);
    return o == Py_None ? PyRef() : PyRef::Share(o);
  }
  size_t Hash() const override { return hash_; }
  bool Equals(const LanguageValue& other) const override {
    const auto* o = dynamic_cast<const ObjectValue*>(&other);
    if (o == nullptr) return false;
    PyRef a = Get(), b = o->Get();
    if (!a || !b) return false;
    if (a.get() == b.get()) return true;
    const int equal = PyObject_RichCompareBool(a.get(), b.get(), Py_EQ);
    if (equal < 0) KeepComparisonError();
    return equal == 1;
  }
  bool IsAlive() const override { return static_cast<bool>(Get()); }
  std::string Text() const override {
    return weak_ ? "Weakref[" + ReprText(object_) + "])"
                 : "Literal[" + ReprText(object_) + "]";
  }

 private:
  PyObject* object_;
  Py_hash_t hash_;
  bool weak_;
};

// A type made by a user's __tf_tracing_type__.
class ProtocolType final : public LanguageType {
 public:
  explicit ProtocolType(PyRef type) : type_(type.Release()) {}
  ~ProtocolType() override { DeferredDecref(type_); }
  PyObject* get() const { return type_; }

  size_t Hash() const override {
    const Py_hash_t h = PyObject_Hash(type_);
    if (h == -1) KeepComparisonError();
    return h;
  }
  bool Equals(const LanguageValue& other) const override {
    const auto* o = dynamic_cast<const ProtocolType*>(&other);
    if (o == nullptr) return false;
    const int equal = PyObject_RichCompareBool(type_, o->type_, Py_EQ);
    if (equal < 0) KeepComparisonError();
    return equal == 1;
  }
  bool IsSubtypeOf(const LanguageType& other) const override {
    const auto* o = dynamic_cast<const ProtocolType*>(&other);
    if (o == nullptr) return false;
    PyRef r = PyRef::Steal(
        PyObject_CallMethod(type_, "is_subtype_of", "O", o->type_));
    const int yes = r ? PyObject_IsTrue(r.get()) : -1;
    if (yes < 0) KeepComparisonError();
    return yes == 1;
  }
  size_t NumTensors() const override {
    PyRef specs = PyRef::Steal(PyObject_CallMethod(type_, "flatten", nullptr));
    const Py_ssize_t n = specs ? PySequence_Size(specs.get()) : -1;
    if (n < 0) KeepComparisonError();
    return std::max<Py_ssize_t>(n, 0);
  }
  bool IsCompatibleWith(const LanguageType& other) const override {
    const auto* o = dynamic_cast<const ProtocolType*>(&other);
    if (o == nullptr) return false;
    if (!PyObject_TypeCheck(type_, TypeSpecType)) return o->IsSubtypeOf(*this);
    PyRef r = PyRef::Steal(
        PyObject_CallMethod(type_, "is_compatible_with", "O", o->type_));
    const int yes = r ? PyObject_IsTrue(r.get()) : -1;
    if (yes < 0) KeepComparisonError();
    return yes == 1;
  }
  Ref<LanguageType> CommonSupertype(const LanguageType& other) const override {
    const auto* o = dynamic_cast<const ProtocolType*>(&other);
    if (o == nullptr) return nullptr;
    PyRef r = PyRef::Steal(PyObject_CallMethod(
        type_, "most_specific_common_supertype", "[O]", o->type_));
    if (!r) KeepComparisonError();
    if (!r || r.get() == Py_None) return nullptr;
    return MakeRef<ProtocolType>(std::move(r));
  }
  std::string Text() const override { return ReprText(type_); }

 private:
  PyObject* type_;
};

std::string LiteralText(PyObject* o) {
  if (PyLong_Check(o) && Py_TYPE(o) != &PyLong_Type && !PyBool_Check(o)) {
    PyRef text = PyRef::Steal(PyLong_Type.tp_repr(o));
    if (text) return std::string(StringView(text.get()));
    PyErr_Clear();
  }
  return ReprText(o);
}

std::string ShortName(PyTypeObject* type) {
  const char* dot = std::strrchr(type->tp_name, '.');
  return dot ? dot + 1 : type->tp_name;
}

// An attribute of the class, not of the instance. Borrowed; null if none.
PyObject* TypeAttribute(PyObject* o, const char* name) {
  PyRef text = PyRef::Steal(PyUnicode_InternFromString(name));
  return text ? _PyType_Lookup(Py_TYPE(o), text.get()) : nullptr;
}

// Which of the variables of a call it is.
int AliasOf(PyObject* o, CallVariables* variables) {
  size_t alias = 0;
  while (alias < variables->size() && (*variables)[alias].get() != o) {
    ++alias;
  }
  if (alias == variables->size()) variables->push_back(PyRef::Share(o));
  return static_cast<int>(alias);
}

StatusOr<TraceTypeRef> MappingType(Ref<NestNode> node,
                                   std::vector<TraceTypeRef> types) {
  std::vector<std::string> keys, texts;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(node->keys.get()); ++i) {
    PyObject* key = PyList_GET_ITEM(node->keys.get(), i);
    std::string bytes = LiteralKey(key);
    keys.push_back(bytes.empty() ? "o" + ReprText(key) : std::move(bytes));
    texts.push_back(ReprText(key));
  }
  const PyObject* cls =
      node->cls ? node->cls.get() : reinterpret_cast<PyObject*>(&PyDict_Type);
  std::vector<int> flat = node->order;
  return TraceType::Dict(std::move(keys), std::move(texts),
                         reinterpret_cast<uint64_t>(cls), std::move(types),
                         std::move(node), std::move(flat));
}

// The fields of a named tuple, the attributes of an attrs class.
StatusOr<std::vector<std::string>> FieldsOf(const NestNode& node) {
  const bool attrs = node.kind == Structure::Kind::kAttrs;
  PyRef names =
      attrs ? node.facts
            : PyRef::Steal(PyObject_GetAttrString(node.cls.get(), "_fields"));
  std::vector<std::string> fields;
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(names.get(), i);
    PyRef name = attrs ? PyRef::Steal(PyObject_GetAttrString(item, "name"))
                       : PyRef::Share(item);
    if (!name) return PythonError();
    fields.emplace_back(StringView(name.get()));
  }
  if (!names) return PythonError();
  return fields;
}

// The type of a container; null if `o` is none.
StatusOr<TraceTypeRef> ContainerType(PyObject* o, CallVariables* variables) {
  std::vector<PyRef> parts;
  auto node = MakeRef<NestNode>();
  const int open = OpenNest(o, NestRules::kResult, &parts, node.get());
  if (open < 0) return PythonError();
  if (open == 0 || node->kind == Structure::Kind::kSequence) {
    return TraceTypeRef();
  }
  // Types of the entries of mappings in their own order.
  std::vector<TraceTypeRef> types;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t at = node->order.empty() ? i : node->order[i];
    GK_ASSIGN_OR_RETURN(TraceTypeRef t,
                        TraceTypeOf(parts[at].get(), variables));
    types.push_back(std::move(t));
  }
  auto* cls = reinterpret_cast<PyTypeObject*>(node->cls.get());
  switch (node->kind) {
    case Structure::Kind::kList:
      return TraceType::Sequence(Kind::kList, std::move(types));
    case Structure::Kind::kTuple:
      return TraceType::Sequence(Kind::kTuple, std::move(types));
    case Structure::Kind::kDict:
      return MappingType(std::move(node), std::move(types));
    case Structure::Kind::kFlattened:
      return TraceType::Composite(ShortName(cls), std::move(types),
                                  std::move(node));
    default: {
      GK_ASSIGN_OR_RETURN(std::vector<std::string> fields, FieldsOf(*node));
      const bool attrs = node->kind == Structure::Kind::kAttrs;
      return TraceType::Record(attrs ? Kind::kAttrs : Kind::kNamedTuple,
                               ShortName(cls), reinterpret_cast<uint64_t>(cls),
                               std::move(fields), std::move(types),
                               std::move(node));
    }
  }
}

StatusOr<TraceTypeRef> TypeOf(PyObject* o, CallVariables* variables) {
  if (IsTensor(o)) {
    const gk::Tensor t = TensorOf(o);
    return TraceType::Tensor(t.dtype(), t.partial_shape());
  }
  std::string key = LiteralKey(o);
  if (!key.empty()) {
    return TraceType::Literal(std::move(key), LiteralText(o),
                              MakeRef<PythonValue>(o));
  }
  if (IsTraceType(o)) return TraceTypeIn(o);
  if (IsVariable(o)) {
    PyVariable* v = VariableOf(o);
    return TraceType::Variable(v->dtype, v->shape, v->trainable,
                               AliasOf(o, variables));
  }
  if (IsTensorSpec(o)) {
    PyTensorSpec* s = TensorSpecOf(o);
    return TraceType::Tensor(s->dtype, s->shape,
                             s->name && s->name != Py_None
                                 ? StringView(s->name)
                                 : std::string_view());
  }
  if (IsNumpyValue(o)) {
    GK_ASSIGN_OR_RETURN(gk::Tensor t, ValueToTensor(o, DataType::kInvalid));
    return TraceType::Tensor(t.dtype(), t.partial_shape());
  }
  if (TypeAttribute(o, "__tf_tracing_type__") != nullptr ||
      TypeAttribute(o, "_type_spec") != nullptr) {
    PyRef type = TracingTypeOf(o);
    if (!type) return PythonError();
    if (IsTraceType(type.get()) &&
        TraceTypeIn(type.get())->kind() == Kind::kVariable &&
        TraceTypeIn(type.get())->alias() == kNoAlias) {
      const TraceTypeRef v = TraceTypeIn(type.get());
      return TraceType::Variable(v->dtype(), v->shape(), v->trainable(),
                                 AliasOf(o, variables));
    }
    if (IsTraceType(type.get()) || IsTensorSpec(type.get())) {
      return TypeOf(type.get(), variables);
    }
    return TraceType::Custom(MakeRef<ProtocolType>(std::move(type)));
  }
  GK_ASSIGN_OR_RETURN(TraceTypeRef container, ContainerType(o, variables));
  if (container) return container;
  if (PyWeakref_Check(o)) {
    return TypeError("weakref input {} not supported for tf.function.",
                     ReprText(o));
  }
  GK_ASSIGN_OR_RETURN(Ref<LanguageValue> value, ObjectValue::Make(o));
  return TraceType::Object(std::move(value));
}

}  // namespace

StatusOr<TraceTypeRef> TraceTypeOf(PyObject* value, CallVariables* variables) {
  if (Py_EnterRecursiveCall(" while finding the type of an argument")) {
    return PythonError();
  }
  StatusOr<TraceTypeRef> type = TypeOf(value, variables);
  Py_LeaveRecursiveCall();
  return type;
}

const NestNode* NodeOf(const TraceType& type) {
  return type.is_container() ? static_cast<const NestNode*>(type.value().get())
                             : nullptr;
}

PyObject* ObjectOf(const TraceType& t) {
  if (!t.value()) return Py_NewRef(Py_None);
  if (t.kind() == Kind::kObject) {
    PyRef o = static_cast<const ObjectValue*>(t.value().get())->Get();
    return o ? o.Release() : Py_NewRef(Py_None);
  }
  if (t.kind() == Kind::kCustom) {
    return Py_NewRef(static_cast<const ProtocolType*>(t.value().get())->get());
  }
  if (const NestNode* node = NodeOf(t)) {
    return Py_NewRef(node->cls ? node->cls.get() : Py_None);
  }
  return Py_NewRef(static_cast<const PythonValue*>(t.value().get())->get());
}

TraceTypeRef TypeOfValue(nanobind::handle value) {
  CallVariables none;
  StatusOr<TraceTypeRef> type = TraceTypeOf(value.ptr(), &none);
  if (!type.ok()) {
    Raise(type.status());
    throw nanobind::python_error();
  }
  return *std::move(type);
}

}  // namespace gk::py
