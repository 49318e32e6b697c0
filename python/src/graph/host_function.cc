#include "python/src/graph/host_function.h"

#include <atomic>

#include "base/stack.h"
#include "data/background_work.h"
#include "framework/host_function.h"
#include "framework/op_builder.h"
#include "framework/variant.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/text_caster.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {
namespace {

// Python is about to take its lock for good: threads that it does not know
// must not ask for it any more.
std::atomic<bool> python_ends{false};

class PythonVariant final : public VariantObject {
 public:
  explicit PythonVariant(PyObject* o) : object_(Py_NewRef(o)) {}
  ~PythonVariant() override { DeferredDecref(object_); }
  std::string_view type_name() const override { return "graphkiln::Python"; }
  PyObject* get() const { return object_; }

 private:
  PyObject* object_;
};

// An exception that is on its way while the call is made: an iterator that is
// dropped because of it ends its generator.
class PendingException {
 public:
  PendingException() { PyErr_Fetch(&type_, &value_, &trace_); }
  ~PendingException() {
    if (type_ != nullptr) PyErr_Restore(type_, value_, trace_);
  }
  PendingException(const PendingException&) = delete;

 private:
  PyObject *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

// What is made in the call is made eagerly, and is no business of the tapes
// around the graph that runs.
class EagerCall {
 public:
  EagerCall()
      : scope_(OpBuilder::Eager()), saved_(std::move(CurrentObservers())) {
    CurrentObservers() = ObserverList();
  }
  ~EagerCall() { CurrentObservers() = std::move(saved_); }

 private:
  OpBuilder::Scope scope_;
  ObserverList saved_;
};

// New reference.
PyObject* ToPython(const Tensor& t) {
  if (t.dtype() != DataType::kVariant) {
    // The memory may be a plan's, while the function may keep the tensor.
    StatusOr<Tensor> copy = t.Copy();
    return copy.ok() ? WrapTensor(*std::move(copy)) : Raise(copy.status());
  }
  const auto* held = t.shape().IsScalar()
                         ? t.scalar<Variant>().As<PythonVariant>()
                         : nullptr;
  // Of other variants Python sees the tensor.
  return held == nullptr ? WrapTensor(t.Alias()) : Py_NewRef(held->get());
}

StatusOr<Tensor> FromPython(PyObject* o, DataType type) {
  if (type == DataType::kVariant) {
    if (IsEagerTensor(o) && TensorOf(o).dtype() == type) return TensorOf(o);
    return Tensor::Scalar(
        Variant(Ref<VariantObject>(MakeRef<PythonVariant>(o))));
  }
  if (!IsEagerTensor(o)) return Internal("a callback gave no tensor");
  return TensorOf(o);
}

Status CallWithGil(const std::string& token,
                   std::span<const Tensor* const> inputs,
                   const std::vector<DataType>& types,
                   std::span<Tensor> outputs) {
  EagerCall eager;
  PyRef name = PyRef::Steal(ToPyString(token));
  PyRef list = PyRef::Steal(PyList_New(inputs.size()));
  if (!name || !list) return PythonError();
  for (size_t i = 0; i < inputs.size(); ++i) {
    PyObject* item = ToPython(*inputs[i]);
    if (item == nullptr) return PythonError();
    PyList_SET_ITEM(list.get(), i, item);
  }
  PyRef result =
      PyRef::Steal(CallPython("graphkiln._src.host.py_function", "call_back",
                              {name.get(), list.get()}));
  if (!result) return PythonError();
  if (PyTuple_Check(result.get())) {
    // The function raised: (code, text).
    int code;
    PyObject* text;
    if (!PyArg_ParseTuple(result.get(), "iU", &code, &text)) {
      return PythonError();
    }
    return Status(static_cast<Code>(code), std::string(StringView(text)));
  }
  if (!PyList_Check(result.get()) ||
      PyList_GET_SIZE(result.get()) != static_cast<Py_ssize_t>(types.size())) {
    return InvalidArgument(
        "{} returns {} values, but expects to see {} values.", token,
        PyObject_Size(result.get()), types.size());
  }
  for (size_t i = 0; i < types.size(); ++i) {
    GK_ASSIGN_OR_RETURN(
        outputs[i], FromPython(PyList_GET_ITEM(result.get(), i), types[i]));
  }
  return OkStatus();
}

Status Call(const std::string& token, std::span<const Tensor* const> inputs,
            const std::vector<DataType>& types, std::span<Tensor> outputs) {
  if (!Py_IsInitialized() ||
      (python_ends && PyGILState_GetThisThreadState() == nullptr)) {
    return Cancelled("Python has ended");
  }
  if (!HasStackLeft()) {
    return ResourceExhausted(
        "Python functions and graphs call each other more deeply than the "
        "stack of this thread allows");
  }
  const ScopedGil gil;
  PendingException pending;
  Status status = CallWithGil(token, inputs, types, outputs);
  if (status.code() == Code::kPythonException && QuietHostCalls::Any()) {
    PyErr_Clear();
    return Cancelled("a Python function was interrupted");
  }
  return status;
}

}  // namespace

void InstallHostFunctions(nanobind::module_& m) {
  SetHostFunctionCaller(Call);
  m.def(
      "_stop_background_work",
      [] {
        constexpr int kPatience = 2000;  // milliseconds
        GilRelease unlocked(true);
        StopBackgroundWork(kPatience);
        python_ends = true;
      },
      "Ends what iterators do in advance; for the end of the program.");
}

}  // namespace gk::py
