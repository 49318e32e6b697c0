// Which of the tensors of a call's key the inputs of a trace are: positions
// are bound and flattened in place of the tensors.
#include "python/src/function/call_rules.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

constexpr char kPosition[] = "graphkiln.position";

// Numbers are capsules: no value of a program is one of these.
class Shadows {
 public:
  // `value` with positions in place of what counts as a tensor, in the order
  // in which the call's key meets them. Null with an exception set.
  PyRef Of(PyObject* value) {
    if (IsTensor(value) || IsVariable(value) || IsNumpyValue(value)) {
      return PyRef::Steal(
          PyCapsule_New(reinterpret_cast<void*>(++count_), kPosition, nullptr));
    }
    if (PyList_CheckExact(value)) {
      PyRef items = Items(value);
      return PyRef::Steal(items ? PySequence_List(items.get()) : nullptr);
    }
    if (PyDict_CheckExact(value)) return OfDict(value);
    if (!PyTuple_Check(value)) return PyRef::Share(value);
    PyRef items = Items(value);
    if (!items || PyTuple_CheckExact(value)) return items;
    return PyRef::Steal(PyObject_CallObject(
        reinterpret_cast<PyObject*>(Py_TYPE(value)), items.get()));
  }

 private:
  PyRef Items(PyObject* sequence) {
    if (Py_EnterRecursiveCall(" in an argument")) return {};
    PyRef items = PyRef::Steal(PySequence_Tuple(sequence));
    PyRef out = PyRef::Steal(
        items ? PyTuple_New(PyTuple_GET_SIZE(items.get())) : nullptr);
    for (Py_ssize_t i = 0; out && i < PyTuple_GET_SIZE(items.get()); ++i) {
      PyRef item = Of(PyTuple_GET_ITEM(items.get(), i));
      if (!item) {
        out = {};
        break;
      }
      PyTuple_SET_ITEM(out.get(), i, item.Release());
    }
    Py_LeaveRecursiveCall();
    return out;
  }

  PyRef OfDict(PyObject* dict) {
    if (Py_EnterRecursiveCall(" in an argument")) return {};
    PyRef out = PyRef::Steal(PyDict_New());
    PyObject *key, *value;
    for (Py_ssize_t at = 0; out && PyDict_Next(dict, &at, &key, &value);) {
      PyRef item = Of(value);
      if (!item || PyDict_SetItem(out.get(), key, item.get()) < 0) out = {};
    }
    Py_LeaveRecursiveCall();
    return out;
  }

  uintptr_t count_ = 0;
};

}  // namespace

bool CallRules::OrderOf(const CallArguments& call, const FunctionType& type,
                        std::vector<int>* order) const {
  Shadows shadows;
  std::vector<PyRef> values;
  std::vector<PyObject*> pointers;
  for (size_t i = 0; i < call.n + call.num_named(); ++i) {
    values.push_back(shadows.Of(call.args[i]));
    if (!values.back()) return PyErr_Clear(), false;
    pointers.push_back(values.back().get());
  }
  std::vector<BoundValue> bound;
  std::vector<PyRef> inputs;
  if (signature_.Bind({pointers.data(), call.n, call.kwnames}, &bound) !=
          FunctionSignature::Fit::kYes ||
      !FlattenCall(type, bound, &inputs)) {
    PyErr_Clear();
    return false;
  }
  for (const PyRef& input : inputs) {
    if (!PyCapsule_IsValid(input.get(), kPosition)) return false;
    order->push_back(static_cast<int>(
        reinterpret_cast<uintptr_t>(
            PyCapsule_GetPointer(input.get(), kPosition)) -
        1));
  }
  return true;
}

}  // namespace gk::py
