#include "python/src/function/call_key.h"

#include <cmath>
#include <cstring>

#include "framework/symbolic_tensor.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxBytes = 1024;

// An attribute of the type. Borrowed; null if none.
PyObject* Lookup(PyTypeObject* type, PyObject** name, const char* text) {
  if (*name == nullptr) *name = PyUnicode_InternFromString(text);
  return *name ? _PyType_Lookup(type, *name) : nullptr;
}

// Is identity all there is to objects of this type? Not if they are
// structures, act as tensors or describe themselves.
bool IsOpaque(PyTypeObject* type) {
  static PyObject* names[7];
  static const char* const texts[7] = {
      "__tf_tracing_type__", "__tf_flatten__", "_type_spec",
      "__attrs_attrs__",     "__tf_tensor__",  "keys",
      "most_specific_compatible_type"};
  for (int i = 0; i < 7; ++i) {
    if (Lookup(type, &names[i], texts[i]) != nullptr) return false;
  }
  return true;
}

}  // namespace

CallKey::~CallKey() {
  if (words_ != inline_words_) delete[] words_;
  if (tensors_ != inline_tensors_) delete[] tensors_;
}

void CallKey::GrowWords() {
  auto* bigger = new uint64_t[2 * word_capacity_];
  std::memcpy(bigger, words_, num_words_ * sizeof(uint64_t));
  if (words_ != inline_words_) delete[] words_;
  words_ = bigger;
  word_capacity_ *= 2;
}

void CallKey::GrowTensors() {
  auto** bigger = new TensorImpl*[2 * tensor_capacity_];
  std::memcpy(bigger, tensors_, num_tensors_ * sizeof(TensorImpl*));
  if (tensors_ != inline_tensors_) delete[] tensors_;
  tensors_ = bigger;
  tensor_capacity_ *= 2;
}

void CallKey::AddSymbolicType(TensorImpl* impl) {
  const PartialTensorShape shape = static_cast<SymbolicTensor*>(impl)->shape();
  if (shape.unknown_rank()) {
    Word(kSymbolicTag | static_cast<uint64_t>(impl->dtype()) << 8);
  } else {
    AddType(impl->dtype(), shape.dims());
  }
}

bool CallKey::AddBytes(uint64_t tag, const char* data, size_t n) {
  if (n > kMaxBytes) return false;
  Word(tag | static_cast<uint64_t>(n) << 8);
  for (size_t i = 0; i < n; i += 8) {
    uint64_t w = 0;
    std::memcpy(&w, data + i, std::min<size_t>(8, n - i));
    Word(w);
  }
  return true;
}

bool CallKey::AddValue(PyObject* o, int depth) {
  if (IsTensor(o)) {
    AddTensor(ImplOf(o));
    return true;
  }
  PyTypeObject* type = Py_TYPE(o);
  if (type == &PyLong_Type) {
    int overflow = 0;
    const long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow != 0) return false;
    Word(kIntTag);
    Word(v);
    return true;
  }
  if (o == Py_None || type == &PyBool_Type || o == Py_Ellipsis) {
    Word(kConstantTag);
    Identity(o);
    return true;
  }
  if (type == &PyFloat_Type) {
    double d = PyFloat_AS_DOUBLE(o);
    if (std::isnan(d)) d = NAN;
    uint64_t bits;
    std::memcpy(&bits, &d, sizeof bits);
    Word(kFloatTag);
    Word(bits);
    return true;
  }
  if (type == &PyUnicode_Type) {
    Py_ssize_t n = 0;
    const char* s = PyUnicode_AsUTF8AndSize(o, &n);
    if (s == nullptr) {
      PyErr_Clear();
      return false;
    }
    return AddBytes(kStrTag, s, n);
  }
  if (type == &PyBytes_Type) {
    return AddBytes(kBytesTag, PyBytes_AS_STRING(o), PyBytes_GET_SIZE(o));
  }
  if (depth > kMaxDepth) return false;
  if (PyTuple_Check(o)) {
    const Py_ssize_t n = PyTuple_GET_SIZE(o);
    if (type == &PyTuple_Type) {
      Word(kTupleTag | static_cast<uint64_t>(n) << 8);
    } else {
      Word(kRecordTag | static_cast<uint64_t>(n) << 8);
      Identity(reinterpret_cast<PyObject*>(type));
      if (held_) held_->push_back(reinterpret_cast<PyObject*>(type));
    }
    for (Py_ssize_t i = 0; i < n; ++i) {
      if (!AddValue(PyTuple_GET_ITEM(o, i), depth + 1)) return false;
    }
    return true;
  }
  if (type == &PyList_Type) {
    Word(kListTag | static_cast<uint64_t>(PyList_GET_SIZE(o)) << 8);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i) {
      if (!AddValue(PyList_GET_ITEM(o, i), depth + 1)) return false;
    }
    return true;
  }
  if (type == &PyDict_Type) {
    Word(kDictTag | static_cast<uint64_t>(PyDict_GET_SIZE(o)) << 8);
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
      if (!PyUnicode_CheckExact(key)) return false;
      Identity(key);
      if (held_) held_->push_back(key);
      if (!AddValue(value, depth + 1)) return false;
    }
    return true;
  }
  if (IsVariable(o)) {
    PyVariable* v = VariableOf(o);
    if (!v->handle) return false;
    size_t alias = 0;
    while (alias < variables_.size() && variables_[alias] != o) ++alias;
    if (alias == variables_.size()) variables_.push_back(o);
    size_t captured = 0;
    if (!captured_->empty()) captured = captured_->NumberOf(v->handle);
    if (alias > 0xffff || captured > 0xffff) return false;
    Word(kVariableTag | static_cast<uint64_t>(v->dtype) << 8 |
         static_cast<uint64_t>(v->trainable) << 15 |
         static_cast<uint64_t>(v->shape.rank() & 0xffff) << 16 |
         static_cast<uint64_t>(alias) << 32 |
         static_cast<uint64_t>(captured) << 48);
    for (int64_t d : v->shape.dims()) Word(d);
    PushTensor(v->handle.impl());
    return true;
  }
  return AddObject(o);
}

bool CallKey::AddObject(PyObject* o) {
  if (IsNumpyValue(o)) {
    StatusOr<Tensor> t = ValueToTensor(o, DataType::kInvalid);
    if (!t.ok()) {
      PyErr_Clear();
      return false;  // the long way reports it
    }
    converted_.push_back(*t);
    AddTensor(t->impl());
    return true;
  }
  PyTypeObject* type = Py_TYPE(o);
  // Subclasses of containers and numbers have more to them than identity.
  if (PyList_Check(o) || PyDict_Check(o) || PyLong_Check(o) ||
      PyFloat_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o) ||
      PyComplex_Check(o) || PyRange_Check(o) || !IsOpaque(type) ||
      IsTraceType(o)) {
    return false;
  }
  Word(kObjectTag);
  Identity(o);
  if (watched_) watched_->push_back(o);
  return true;
}

bool CallKey::Add(PyObject* const* args, size_t n, PyObject* kwnames) {
  const size_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  Word(kArgumentsTag | n << 8 | keywords << 32);
  for (size_t i = 0; i < keywords; ++i) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, i);
    Identity(name);
    if (held_) held_->push_back(name);
  }
  for (size_t i = 0; i < n + keywords; ++i) {
    if (IsTensor(args[i])) [[likely]] {
      AddTensor(ImplOf(args[i]));
    } else if (!AddValue(args[i], 0)) {
      return false;
    }
  }
  return true;
}

PyKnownCall::PyKnownCall(std::vector<uint64_t> words, Ref<Trace> trace,
                         std::vector<int> order)
    : KnownCall(std::move(words), std::move(trace)), order_(std::move(order)) {}

PyKnownCall::~PyKnownCall() {
  for (PyObject* o : held_) DeferredDecref(o);
  for (auto& [weak, address] : watched_) DeferredDecref(weak);
}

Ref<KnownCall> PyKnownCall::Make(const CapturedVariables& captured,
                                 PyObject* const* args, size_t n,
                                 PyObject* kwnames, Ref<Trace> trace,
                                 std::vector<int> order) {
  CallKey key(&captured);
  std::vector<PyObject*> held, watched;
  key.held_ = &held;
  key.watched_ = &watched;
  if (!key.Add(args, n, kwnames)) return nullptr;
  bool in_order = order.size() == key.tensors().size();
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] < 0 || order[i] >= static_cast<int>(key.tensors().size())) {
      return nullptr;
    }
    in_order &= order[i] == static_cast<int>(i);
  }
  if (in_order) order.clear();
  // No inputs although there are tensors: an order of its own.
  if (!in_order && order.empty()) return nullptr;
  auto call = MakeRef<PyKnownCall>(
      std::vector<uint64_t>(key.words().begin(), key.words().end()),
      std::move(trace), std::move(order));
  for (PyObject* o : held) call->held_.push_back(Py_NewRef(o));
  for (PyObject* o : watched) {
    PyObject* weak = PyWeakref_NewRef(o, nullptr);
    if (weak != nullptr) {
      call->watched_.emplace_back(weak, o);
    } else {
      PyErr_Clear();
      call->held_.push_back(Py_NewRef(o));
    }
  }
  return call;
}

bool PyKnownCall::IsCurrent() const {
  for (const auto& [weak, address] : watched_) {
    if (PyWeakref_GET_OBJECT(weak) != address) return false;
  }
  return true;
}

}  // namespace gk::py
