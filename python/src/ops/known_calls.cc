#include "python/src/ops/known_calls.h"

#include <algorithm>
#include <cstring>

#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {
namespace {

// As many entries may be replaced without use before an op gives up.
constexpr int kMostFutile = 64;
// Longer lists cost as much to compare as to convert.
constexpr Py_ssize_t kMostItems = 32;

// Nobody can change it, and comparing it runs no code of a program.
bool IsPlainAttribute(PyObject* o) {
  return o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) ||
         PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) ||
         PyBytes_CheckExact(o) || IsDType(o);
}

// The same attribute for every op: of one type, with one value, the sign of
// zero and the bits of NaN included.
bool SameValue(PyObject* known, PyObject* given) {
  if (known == given) return true;
  if (Py_TYPE(known) != Py_TYPE(given)) return false;
  if (PyFloat_CheckExact(known)) {
    const double a = PyFloat_AS_DOUBLE(known), b = PyFloat_AS_DOUBLE(given);
    return std::memcmp(&a, &b, sizeof(a)) == 0;
  }
  if (!PyLong_CheckExact(known) && !PyUnicode_CheckExact(known) &&
      !PyBytes_CheckExact(known)) {
    return false;
  }
  const int same = PyObject_RichCompareBool(known, given, Py_EQ);
  if (same < 0) PyErr_Clear();
  return same > 0;
}

bool IsPlainList(PyObject* o) {
  return PyList_CheckExact(o) || PyTuple_CheckExact(o);
}

}  // namespace

bool KnownCalls::Matches(const Entry& entry,
                         std::span<PyObject* const> arguments,
                         size_t num_inputs) {
  const std::vector<DataType>& types = entry.call->types();
  size_t next = 0;
  for (size_t i = 0; i < num_inputs; ++i) {
    PyObject* o = arguments[i];
    if (entry.lengths[i] < 0) {
      if (!IsEagerTensor(o) || ImplOf(o)->dtype() != types[next++]) {
        return false;
      }
      continue;
    }
    if (!IsPlainList(o) || PySequence_Fast_GET_SIZE(o) != entry.lengths[i]) {
      return false;
    }
    for (int k = 0; k < entry.lengths[i]; ++k) {
      PyObject* item = PySequence_Fast_GET_ITEM(o, k);
      if (!IsEagerTensor(item) || ImplOf(item)->dtype() != types[next++]) {
        return false;
      }
    }
  }
  for (size_t i = num_inputs; i < arguments.size(); ++i) {
    const Attr& known = entry.attrs[i - num_inputs];
    PyObject* given = arguments[i];
    if (!known.is_list) {
      if (given == known.value.get()) continue;
      if (given == nullptr || !known.value ||
          !SameValue(known.value.get(), given)) {
        return false;
      }
      continue;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(known.value.get());
    if (given == nullptr || !IsPlainList(given) ||
        PySequence_Fast_GET_SIZE(given) != n) {
      return false;
    }
    for (Py_ssize_t k = 0; k < n; ++k) {
      if (!SameValue(PyTuple_GET_ITEM(known.value.get(), k),
                     PySequence_Fast_GET_ITEM(given, k))) {
        return false;
      }
    }
  }
  return true;
}

CheckedCall* KnownCalls::Find(std::span<PyObject* const> arguments,
                              size_t num_inputs, TensorVector* inputs) {
  for (const Entry& entry : entries_) {
    if (!Matches(entry, arguments, num_inputs)) continue;
    inputs->reserve(entry.call->types().size());
    for (size_t i = 0; i < num_inputs; ++i) {
      PyObject* o = arguments[i];
      if (entry.lengths[i] < 0) {
        inputs->push_back(TensorOf(o));
        continue;
      }
      for (int k = 0; k < entry.lengths[i]; ++k) {
        inputs->push_back(TensorOf(PySequence_Fast_GET_ITEM(o, k)));
      }
    }
    if (futile_ > 0) --futile_;
    return entry.call.get();
  }
  return nullptr;
}

void KnownCalls::Remember(const OpRecord& record, const OpDef& def,
                          std::span<PyObject* const> arguments,
                          std::span<const Tensor> inputs,
                          const AttrMap& attrs) {
  const size_t num_inputs = def.inputs.size();
  if (futile_ > kMostFutile || !record.kernel.compute) return;
  Entry entry;
  for (size_t i = 0; i < num_inputs; ++i) {
    PyObject* o = arguments[i];
    if (!def.inputs[i].is_list()) {
      // A list of tensors is packed, which makes another tensor each time.
      if (!IsEagerTensor(o)) return;
      entry.lengths.push_back(-1);
      continue;
    }
    // An empty list says nothing of its dtype.
    if (!IsPlainList(o) || PySequence_Fast_GET_SIZE(o) == 0 ||
        PySequence_Fast_GET_SIZE(o) > kMostItems) {
      return;
    }
    entry.lengths.push_back(static_cast<int>(PySequence_Fast_GET_SIZE(o)));
    for (int k = 0; k < entry.lengths.back(); ++k) {
      if (!IsEagerTensor(PySequence_Fast_GET_ITEM(o, k))) return;
    }
  }
  for (size_t i = num_inputs; i < arguments.size(); ++i) {
    PyObject* o = arguments[i];
    Attr& attr = entry.attrs.emplace_back();
    if (o == nullptr) continue;
    if (IsPlainAttribute(o)) {
      attr.value = PyRef::Share(o);
      continue;
    }
    if (!IsPlainList(o) || PySequence_Fast_GET_SIZE(o) > kMostItems) return;
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(o); ++k) {
      if (!IsPlainAttribute(PySequence_Fast_GET_ITEM(o, k))) return;
    }
    attr.value = PyRef::Steal(PySequence_Tuple(o));
    if (!attr.value) {
      PyErr_Clear();
      return;
    }
    attr.is_list = true;
  }
  StatusOr<Ref<CheckedCall>> call = CheckedCall::Make(record, inputs, attrs);
  if (!call.ok()) return;  // the call itself will tell
  entry.call = *std::move(call);
  if (entries_.size() < kMost) {
    entries_.push_back(std::move(entry));
    return;
  }
  ++futile_;
  entries_[next_] = std::move(entry);
  next_ = (next_ + 1) % kMost;
}

Status CheckSameCall(const CheckedCall& call, std::span<const Tensor> inputs,
                     std::span<const Tensor> converted, AttrMap attrs) {
  const OpRecord& record = call.record();
  GK_RETURN_IF_ERROR(ResolveAttrs(record, call.types(), false, &attrs));
  bool same = std::ranges::equal(
                  inputs, converted,
                  [](const Tensor& a, const Tensor& b) { return a.Is(b); }) &&
              std::ranges::equal(
                  inputs, call.types(),
                  [](const Tensor& t, DataType d) { return t.dtype() == d; });
  same =
      same &&
      std::ranges::equal(attrs, call.attrs(), [](const auto& a, const auto& b) {
        return a.first == b.first && AttrEquals(a.second, b.second);
      });
  if (same) return OkStatus();
  return Internal("op {} took a call for one that it is not", record.name);
}

}  // namespace gk::py
