// The trace type of a Python value.
#include "function_trace_type.h"

#include <cmath>
#include <cstring>

#include "base/per_thread.h"
#include "convert.h"
#include "tensor_spec_type.h"
#include "tensor_type.h"
#include "variable_type.h"

namespace gk::py {
namespace {

using Kind = TraceType::Kind;

std::string ReprText(PyObject* o) {
  PyRef text = PyRef::Steal(PyObject_Repr(o));
  if (!text) {
    PyErr_Clear();
    return std::string("<") + Py_TYPE(o)->tp_name + ">";
  }
  return std::string(StringView(text.get()));
}

// The first error of user code in a comparison of keys on this thread. It
// waits until the search that compares is over.
PyRef& ComparisonError() {
  struct First {
    PyRef error;
  };
  return PerThread<First, First>::Get().error;
}

void KeepComparisonError() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (value && trace) PyException_SetTraceback(value, trace);
  PyRef t = PyRef::Steal(type), v = PyRef::Steal(value);
  PyRef b = PyRef::Steal(trace);
  if (!ComparisonError()) ComparisonError() = std::move(v);
}

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

// The part of a composite's type that its components do not tell.
class MetadataValue final : public LanguageValue {
 public:
  explicit MetadataValue(PyRef o) : object_(o.Release()) {}
  ~MetadataValue() override { DeferredDecref(object_); }
  PyObject* get() const { return object_; }
  size_t Hash() const override {
    const Py_hash_t h = PyObject_Hash(object_);
    if (h != -1) return h;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) {
      KeepComparisonError();
      return 0;
    }
    PyErr_Clear();  // lists have no hash, but can be compared
    return reinterpret_cast<size_t>(PyTuple_GET_ITEM(object_, 0));
  }
  bool Equals(const LanguageValue& other) const override {
    const auto* o = dynamic_cast<const MetadataValue*>(&other);
    if (o == nullptr) return false;
    const int equal = PyObject_RichCompareBool(object_, o->object_, Py_EQ);
    if (equal < 0) KeepComparisonError();
    return equal == 1;
  }
  std::string Text() const override {
    return ReprText(PyTuple_GET_ITEM(object_, 1));
  }

 private:
  PyObject* object_;  // (class, metadata)
};

std::string Bytes(char tag, const void* data, size_t n) {
  std::string key(1, tag);
  key.append(static_cast<const char*>(data), n);
  return key;
}

// Key of a number, string or other constant; empty if `o` is none of them.
std::string LiteralKey(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  if (o == Py_None) return "N";
  if (o == Py_Ellipsis) return "E";
  if (o == Py_True) return "T";
  if (o == Py_False) return "F";
  if (type == &PyFloat_Type) {
    const double d = PyFloat_AS_DOUBLE(o);
    if (std::isnan(d)) return "n";
    return Bytes('d', &d, sizeof d);
  }
  if (type == &PyUnicode_Type) {
    std::string_view s = StringView(o);
    PyErr_Clear();  // lone surrogates
    if (s.data() == nullptr) return "U" + ReprText(o);
    return Bytes('s', s.data(), s.size());
  }
  if (type == &PyBytes_Type) {
    return Bytes('b', PyBytes_AS_STRING(o), PyBytes_GET_SIZE(o));
  }
  if (type == &PyComplex_Type) {
    const Py_complex c = PyComplex_AsCComplex(o);
    return Bytes('c', &c, sizeof c);
  }
  if (type == &PyRange_Type) return "r" + ReprText(o);
  if (PyLong_Check(o)) {
    PyRef number = PyRef::Steal(PyNumber_Index(o));
    PyRef text =
        PyRef::Steal(number ? PyLong_Type.tp_repr(number.get()) : nullptr);
    if (!text) {
      PyErr_Clear();
      return {};
    }
    std::string key = "i";
    if (type != &PyLong_Type) key += Bytes('t', &type, sizeof type);
    return key + std::string(StringView(text.get()));
  }
  return {};
}

std::string LiteralText(PyObject* o) {
  if (PyLong_Check(o) && Py_TYPE(o) != &PyLong_Type && !PyBool_Check(o)) {
    PyRef text = PyRef::Steal(PyLong_Type.tp_repr(o));
    if (text) return std::string(StringView(text.get()));
    PyErr_Clear();
  }
  return ReprText(o);
}

StatusOr<std::vector<TraceTypeRef>> TypesOf(PyObject* sequence,
                                            CallVariables* variables) {
  PyRef items = PyRef::Steal(PySequence_Tuple(sequence));
  if (!items) return PythonError();
  std::vector<TraceTypeRef> types;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    GK_ASSIGN_OR_RETURN(
        TraceTypeRef t,
        TraceTypeOf(PyTuple_GET_ITEM(items.get(), i), variables));
    types.push_back(std::move(t));
  }
  return types;
}

StatusOr<TraceTypeRef> MappingType(PyObject* o, CallVariables* variables) {
  PyRef items = PyRef::Steal(PyMapping_Items(o));
  if (!items) return PythonError();
  const Py_ssize_t n = PyList_GET_SIZE(items.get());
  std::vector<std::string> keys, texts;
  std::vector<TraceTypeRef> children;
  PyRef names = PyRef::Steal(PyTuple_New(n));
  if (!names) return PythonError();
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PyList_GET_ITEM(items.get(), i);
    if (!PyTuple_Check(item) || PyTuple_GET_SIZE(item) != 2) {
      return TypeError("{} does not give pairs of keys and values",
                       Py_TYPE(o)->tp_name);
    }
    PyObject* key = PyTuple_GET_ITEM(item, 0);
    std::string bytes = LiteralKey(key);
    keys.push_back(bytes.empty() ? "o" + ReprText(key) : std::move(bytes));
    texts.push_back(ReprText(key));
    GK_ASSIGN_OR_RETURN(TraceTypeRef t,
                        TraceTypeOf(PyTuple_GET_ITEM(item, 1), variables));
    children.push_back(std::move(t));
    PyTuple_SET_ITEM(names.get(), i, Py_NewRef(key));
  }
  PyRef factory = PyRef::Share(Py_None);
  if (PyObject_HasAttrString(o, "default_factory")) {
    factory = PyRef::Steal(PyObject_GetAttrString(o, "default_factory"));
    if (!factory) return PythonError();
  }
  PyRef value =
      PyRef::Steal(PyTuple_Pack(3, Py_TYPE(o), names.get(), factory.get()));
  if (!value) return PythonError();
  return TraceType::Dict(
      std::move(keys), std::move(texts), reinterpret_cast<uint64_t>(Py_TYPE(o)),
      std::move(children), MakeRef<PythonValue>(value.get()));
}

std::string ShortName(PyTypeObject* type) {
  const char* dot = std::strrchr(type->tp_name, '.');
  return dot ? dot + 1 : type->tp_name;
}

StatusOr<TraceTypeRef> RecordType(Kind kind, PyObject* o, PyObject* names,
                                  CallVariables* variables) {
  std::vector<std::string> keys;
  std::vector<TraceTypeRef> children;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    PyRef item = PyRef::Steal(PyObject_GetAttr(o, name));
    if (!item) return PythonError();
    GK_ASSIGN_OR_RETURN(TraceTypeRef t, TraceTypeOf(item.get(), variables));
    keys.emplace_back(StringView(name));
    children.push_back(std::move(t));
  }
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(o));
  return TraceType::Record(kind, ShortName(Py_TYPE(o)),
                           reinterpret_cast<uint64_t>(type), std::move(keys),
                           std::move(children), MakeRef<PythonValue>(type));
}

// The names of an attrs class's attributes, in order.
PyRef AttrsNames(PyObject* attributes) {
  PyRef all = PyRef::Steal(PySequence_Tuple(attributes));
  if (!all) return all;
  PyRef names = PyRef::Steal(PyTuple_New(PyTuple_GET_SIZE(all.get())));
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(all.get()); ++i) {
    PyObject* name =
        PyObject_GetAttrString(PyTuple_GET_ITEM(all.get(), i), "name");
    if (name == nullptr) return PyRef();
    PyTuple_SET_ITEM(names.get(), i, name);
  }
  return names;
}

// An attribute of the class, not of the instance. Borrowed; null if none.
PyObject* TypeAttribute(PyObject* o, const char* name) {
  PyRef text = PyRef::Steal(PyUnicode_InternFromString(name));
  return text ? _PyType_Lookup(Py_TYPE(o), text.get()) : nullptr;
}

// A value with __tf_flatten__: metadata and components.
StatusOr<TraceTypeRef> CompositeType(PyObject* o, CallVariables* variables) {
  PyRef parts =
      PyRef::Steal(CallPython("graphkiln._composite", "flatten", {o}));
  if (!parts) return PythonError();
  if (!PyTuple_Check(parts.get()) || PyTuple_GET_SIZE(parts.get()) != 2) {
    return TypeError("{}.__tf_flatten__ must return (metadata, components)",
                     Py_TYPE(o)->tp_name);
  }
  GK_ASSIGN_OR_RETURN(std::vector<TraceTypeRef> children,
                      TypesOf(PyTuple_GET_ITEM(parts.get(), 1), variables));
  return TraceType::Composite(
      ShortName(Py_TYPE(o)), std::move(children),
      MakeRef<MetadataValue>(PyRef::Steal(
          PyTuple_Pack(2, Py_TYPE(o), PyTuple_GET_ITEM(parts.get(), 0)))));
}

bool IsMapping(PyObject* o) {
  if (PyDict_Check(o)) return true;
  static PyObject* mapping =
      ImportAttribute("collections.abc", "Mapping").Release();
  if (mapping == nullptr) return false;
  const int yes = PyObject_IsInstance(o, mapping);
  if (yes < 0) PyErr_Clear();
  return yes == 1;
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
    PyRef type =
        PyRef::Steal(CallPython("graphkiln._composite", "tracing_type", {o}));
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
  if (TypeAttribute(o, "__tf_flatten__") != nullptr) {
    return CompositeType(o, variables);
  }
  if (PyTuple_Check(o)) {
    PyObject* fields = TypeAttribute(o, "_fields");
    if (fields != nullptr && PyTuple_Check(fields)) {
      return RecordType(Kind::kNamedTuple, o, fields, variables);
    }
  }
  if (PyList_Check(o) || PyTuple_Check(o)) {
    GK_ASSIGN_OR_RETURN(std::vector<TraceTypeRef> types, TypesOf(o, variables));
    return TraceType::Sequence(PyList_Check(o) ? Kind::kList : Kind::kTuple,
                               std::move(types));
  }
  if (IsMapping(o)) return MappingType(o, variables);
  if (PyObject* attributes = TypeAttribute(o, "__attrs_attrs__")) {
    PyRef names = AttrsNames(attributes);
    if (!names) return PythonError();
    return RecordType(Kind::kAttrs, o, names.get(), variables);
  }
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

PyObject* ObjectOf(const TraceType& t) {
  if (!t.value()) return Py_NewRef(Py_None);
  if (t.kind() == Kind::kObject) {
    PyRef o = static_cast<const ObjectValue*>(t.value().get())->Get();
    return o ? o.Release() : Py_NewRef(Py_None);
  }
  if (t.kind() == Kind::kCustom) {
    return Py_NewRef(static_cast<const ProtocolType*>(t.value().get())->get());
  }
  if (t.kind() == Kind::kComposite) {
    return Py_NewRef(static_cast<const MetadataValue*>(t.value().get())->get());
  }
  return Py_NewRef(static_cast<const PythonValue*>(t.value().get())->get());
}

void ForgetComparisonError() { ComparisonError() = PyRef(); }

bool RaiseComparisonError() {
  if (!ComparisonError()) return false;
  PyRef error = std::move(ComparisonError());
  ForgetComparisonError();
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())),
                  error.get());
  return true;
}

}  // namespace gk::py
