#include "gradient_tape.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/caught.h"
#include "convert.h"
#include "eager/gradient_tape.h"
#include "errors.h"
#include "framework/grad_context.h"
#include "function/function_gradient.h"
#include "function/jacobian.h"
#include "gil.h"
#include "tensor_type.h"
#include "text_caster.h"
#include "variable_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

[[noreturn]] void Throw(const Status& status) {
  Raise(status);
  throw nb::python_error();
}

// A tensor, or what stands for one: a variable's handle.
Tensor Differentiable(PyObject* o) {
  if (IsTensor(o)) return TensorOf(o);
  if (IsVariable(o)) return VariableOf(o)->handle;
  // Objects that act as variables (Keras').
  if (PyObject_HasAttrString(o, "_should_act_as_resource_variable")) {
    PyRef handle = PyRef::Steal(PyObject_GetAttrString(o, "handle"));
    if (!handle) throw nb::python_error();
    if (IsTensor(handle.get())) return TensorOf(handle.get());
  }
  StatusOr<Tensor> t = ToTensor(o);
  if (!t.ok()) Throw(t.status());
  return *std::move(t);
}

TensorVector Differentiables(const nb::list& list) {
  TensorVector out;
  for (nb::handle h : list) out.push_back(Differentiable(h.ptr()));
  return out;
}

nb::object Wrap(const Tensor& t) {
  PyObject* o = WrapTensor(t);
  if (o == nullptr) throw nb::python_error();
  return nb::steal(o);
}

// None, a tensor, or IndexedSlices.
nb::object WrapGradient(const Gradient& g) {
  if (g.is_none()) return nb::none();
  nb::object values = Wrap(g.dense);
  if (!g.is_slices()) return values;
  static PyObject* type =
      ImportAttribute("graphkiln._src.sparse.indexed_slices", "IndexedSlices").Release();
  if (type == nullptr) throw nb::python_error();
  nb::object shape = g.dense_shape ? Wrap(g.dense_shape) : nb::none();
  return nb::handle(type)(values, Wrap(g.indices), shape);
}

Gradient ToGradient(nb::handle h) {
  Gradient g;
  if (h.is_none()) return g;
  if (!IsTensorLike(h.ptr()) || !nb::hasattr(h, "indices")) {
    g.dense = Differentiable(h.ptr());
    return g;
  }
  g.dense = Differentiable(h.attr("values").ptr());
  g.indices = Differentiable(h.attr("indices").ptr());
  nb::object shape = h.attr("dense_shape");
  if (!shape.is_none()) g.dense_shape = Differentiable(shape.ptr());
  return g;
}

class Tape {
 public:
  Tape(bool persistent, bool watch_accessed)
      : tape_(std::make_unique<GradientTape>(persistent, watch_accessed)) {}
  void Push() { tape_->Push(); }
  void Pop() { tape_->Pop(); }
  bool recording() const { return tape_->recording(); }
  void Reset() { tape_->Reset(); }
  void Watch(nb::handle h) { tape_->Watch(Differentiable(h.ptr())); }

  nb::list WatchedVariables() const {
    std::vector<PyObject*> found;
    for (const Tensor& handle : tape_->watched_variables()) {
      PyObject* v = FindVariable(handle);
      if (v != nullptr) found.push_back(v);
    }
    std::sort(found.begin(), found.end(), [](PyObject* a, PyObject* b) {
      return gk::py::VariableOf(a)->serial < gk::py::VariableOf(b)->serial;
    });
    nb::list out;
    for (PyObject* v : found) out.append(nb::handle(v));
    return out;
  }

  // For each source a tensor or None.
  nb::list Jacobians(nb::handle target, const nb::list& sources, bool zero) {
    const Watchable from = WatchableOf(Differentiable(target.ptr()));
    std::vector<Watchable> along;
    for (const Tensor& t : Differentiables(sources)) {
      along.push_back(WatchableOf(t));
    }
    nb::list out;
    for (const Tensor& t : Caught([&] {
           return Jacobian(tape_.get(), from, along, zero);
         })) {
      out.append(t ? Wrap(t) : nb::none());
    }
    return out;
  }
  nb::object JacobianOfExamples(nb::handle target, nb::handle source) {
    const Watchable from = WatchableOf(Differentiable(target.ptr()));
    const Watchable along = WatchableOf(Differentiable(source.ptr()));
    return Wrap(Caught([&] {
      return TensorVector{BatchJacobian(tape_.get(), from, along)};
    })[0]);
  }

  nb::list Compute(const nb::list& targets, const nb::list& sources,
                   nb::object output_gradients) {
    const TensorVector t = Differentiables(targets);
    const TensorVector s = Differentiables(sources);
    std::vector<Gradient> given;
    if (!output_gradients.is_none()) {
      for (nb::handle h : nb::cast<nb::list>(output_gradients)) {
        given.push_back(ToGradient(h));
      }
    }
    StatusOr<std::vector<Gradient>> gradients = [&]() {
      const LazyGilRelease release(false);
      try {
        return tape_->ComputeGradient(t, s, given);
      } catch (...) {
        return StatusOr<std::vector<Gradient>>(CaughtStatus());
      }
    }();
    if (!gradients.ok()) Throw(gradients.status());
    nb::list out;
    for (const Gradient& g : *gradients) out.append(WrapGradient(g));
    return out;
  }

 private:
  template <class F>
  static TensorVector Caught(F&& f) {
    StatusOr<TensorVector> found = [&]() -> StatusOr<TensorVector> {
      try {
        return f();
      } catch (...) {
        return CaughtStatus();
      }
    }();
    if (!found.ok()) Throw(found.status());
    return *std::move(found);
  }

  std::unique_ptr<GradientTape> tape_;
};

// Gradients of tensors of the graph being built, without a tape.
nb::list Symbolic(const nb::list& targets, const nb::list& sources,
                  const nb::list& output_gradients, const nb::list& stops) {
  const TensorVector t = Differentiables(targets);
  const TensorVector s = Differentiables(sources);
  const TensorVector ends = Differentiables(stops);
  std::vector<Gradient> given;
  for (nb::handle h : output_gradients) given.push_back(ToGradient(h));
  StatusOr<std::vector<Gradient>> gradients =
      SymbolicGradients(t, given, s, ends);
  if (!gradients.ok()) Throw(gradients.status());
  nb::list out;
  for (const Gradient& g : *gradients) out.append(WrapGradient(g));
  return out;
}

// While entered, tapes of this thread see nothing.
class StopRecording {
 public:
  void Enter() {
    entered_.push_back(std::this_thread::get_id());
    ++CurrentObservers().paused;
  }
  void Exit() {
    if (entered_.empty()) return;
    if (entered_.back() != std::this_thread::get_id()) {
      Throw(RuntimeError(
          "Recording must go on on the thread where it was stopped"));
    }
    entered_.pop_back();
    --CurrentObservers().paused;
  }

 private:
  std::vector<std::thread::id> entered_;
};

// Tells the tapes of a call whose gradient is a Python function of the
// gradients of its outputs.
void RecordCall(const nb::list& inputs, const nb::list& outputs,
                nb::callable backward) {
  const TensorVector in = Differentiables(inputs);
  const TensorVector out = Differentiables(outputs);
  ObserverList& observers = CurrentObservers();
  if (!observers.active()) return;
  // The tape may be dropped by a thread without the GIL.
  std::shared_ptr<PyObject> function(backward.inc_ref().ptr(), DeferredDecref);
  const size_t n = in.size();
  BackwardFn fn = [function, n](std::span<const Gradient> dy,
                                const std::vector<bool>&) {
    const ScopedGil gil;
    std::vector<Gradient> result(n);
    try {
      nb::list args;
      for (const Gradient& g : dy) args.append(WrapGradient(g));
      nb::object r = nb::handle(function.get())(args);
      nb::list list = nb::cast<nb::list>(r);
      if (list.size() != n) {
        throw Error(ValueError(
            "custom_gradient function expected to return {} gradients, but "
            "returned {} instead.",
            n, list.size()));
      }
      for (size_t i = 0; i < n; ++i) result[i] = ToGradient(list[i]);
    } catch (nb::python_error& e) {
      e.restore();
      throw Error(PythonError());
    }
    return result;
  };
  for (OpObserver* o : observers.observers) o->OnCall(in, out, fn);
}

// The handles of trainable variables that a thread reads, in order.
class ReadVariables final : public OpObserver {
 public:
  const TensorVector& handles() const { return handles_; }
  // Nobody asks any more.
  void Leave() { is_left_ = true; }

  void OnOp(const OpRecord&, std::span<const Tensor>, std::span<const Tensor>,
            const AttrMap&) override {}
  void OnCall(std::span<const Tensor>, std::span<const Tensor>,
              BackwardFn) override {}
  bool WantsAny(std::span<const Tensor> tensors) const override {
    for (const Tensor& t : tensors) {
      if (IsTrainableHandle(t)) Add(t);
    }
    return false;
  }
  void OnVariableAccess(const Tensor& handle) override { Add(handle); }

 private:
  void Add(const Tensor& handle) const {
    if (is_left_) return;
    for (const Tensor& t : handles_) {
      if (t.id() == handle.id()) return;
    }
    handles_.push_back(handle);
  }

  mutable TensorVector handles_;
  std::atomic<bool> is_left_{false};
};

// Notes which trainable variables are read while it is entered; tapes see
// nothing of what happens meanwhile.
class VariableWatcher {
 public:
  VariableWatcher() : read_(std::make_unique<ReadVariables>()) {}
  VariableWatcher(const VariableWatcher&) = delete;
  // After an interrupt it is let go of without an exit, by whoever collects
  // it. A list of observers that cannot be reached keeps its own.
  ~VariableWatcher() {
    if (!entered_) return;
    if (IsHere()) {
      Exit();
    } else {
      read_.release()->Leave();
    }
  }

  void Enter() {
    if (entered_) Throw(RuntimeError("This watcher watches already"));
    ObserverList own;
    own.observers.push_back(read_.get());
    saved_ = std::exchange(CurrentObservers(), std::move(own));
    thread_ = std::this_thread::get_id();
    entered_ = true;
  }
  void Exit() {
    if (!entered_) return;
    if (!IsHere()) {
      Throw(RuntimeError("What is watched must end where it began"));
    }
    CurrentObservers() = std::move(saved_);
    entered_ = false;
  }
  nb::list Handles() const {
    nb::list list;
    for (const Tensor& t : read_->handles()) list.append(Wrap(t));
    return list;
  }

 private:
  // Whether this thread tells it, now.
  bool IsHere() const {
    const std::vector<OpObserver*>& now = CurrentObservers().observers;
    return thread_ == std::this_thread::get_id() &&
           std::find(now.begin(), now.end(), read_.get()) != now.end();
  }

  std::unique_ptr<ReadVariables> read_;
  ObserverList saved_;
  std::thread::id thread_;  // where it was entered
  bool entered_ = false;
};

// Nodes of gradient type `name` get their gradient from the object behind
// `weak`, called with the gradients of the outputs.
void SetOverride(const std::string& name, nb::object weak) {
  std::shared_ptr<PyObject> reference(weak.inc_ref().ptr(), DeferredDecref);
  SetGradientOverride(name, [reference, name](GradContext& c) {
    const ScopedGil gil;
    try {
      nb::object function = nb::handle(reference.get())();
      if (function.is_none()) {
        throw Error(FailedPrecondition(
            "The gradient function {} has been deleted", name));
      }
      nb::list dy;
      for (int i = 0; i < c.num_outputs(); ++i) {
        dy.append(WrapGradient(c.raw_dy(i)));
      }
      nb::list found = nb::cast<nb::list>(function(dy));
      for (size_t i = 0; i < found.size() && i < c.grads().size(); ++i) {
        c.grads()[i] = ToGradient(found[i]);
      }
    } catch (nb::python_error& e) {
      e.restore();
      throw Error(PythonError());
    }
  });
}

// Nodes of gradient type `name` get their gradient from `function`, called
// with the operation and the gradients of its outputs.
void RegisterGradient(const std::string& name, nb::object function) {
  std::shared_ptr<PyObject> shared(function.inc_ref().ptr(), DeferredDecref);
  SetGradientOverride(name, [shared, name](GradContext& c) {
    const ScopedGil gil;
    try {
      nb::list arguments;
      PyObject* op = wrap_operation(c.y(0));
      if (op == nullptr) throw nb::python_error();
      arguments.append(nb::steal(op));
      for (int i = 0; i < c.num_outputs(); ++i) {
        arguments.append(c.raw_dy(i).is_none() ? Wrap(c.dy(i))
                                               : WrapGradient(c.raw_dy(i)));
      }
      nb::object found = nb::handle(shared.get())(*nb::tuple(arguments));
      nb::list grads;
      if (nb::isinstance<nb::list>(found) || nb::isinstance<nb::tuple>(found)) {
        for (nb::handle g : found) grads.append(g);
      } else {
        grads.append(found);
      }
      if (grads.size() != c.grads().size()) {
        throw Error(ValueError(
            "Num gradients {} generated for op {} do not match num inputs {}",
            grads.size(), c.record().name, c.grads().size()));
      }
      for (size_t i = 0; i < grads.size(); ++i) {
        c.grads()[i] = ToGradient(grads[i]);
      }
    } catch (nb::python_error& e) {
      e.restore();
      throw Error(PythonError());
    }
  });
}

void SetGradientType(nb::handle tensor, const std::string& name) {
  if (!IsSymbolicTensor(tensor.ptr())) Throw(TypeError("not symbolic"));
  Graph::OutputOf(TensorOf(tensor.ptr()))
      .node->mutable_attrs()
      .Set("_gradient_op_type", name);
}

}  // namespace

void AddGradientTape(nb::module_& m) {
  nb::class_<Tape>(m, "Tape")
      .def(nb::init<bool, bool>(), nb::arg("persistent"),
           nb::arg("watch_accessed_variables"))
      .def("push", &Tape::Push)
      .def("pop", &Tape::Pop)
      .def("reset", &Tape::Reset)
      .def("watch", &Tape::Watch)
      .def_prop_ro("recording", &Tape::recording)
      .def("watched_variables", &Tape::WatchedVariables)
      .def("gradient", &Tape::Compute, nb::arg("targets"), nb::arg("sources"),
           nb::arg("output_gradients").none())
      .def("jacobian", &Tape::Jacobians)
      .def("batch_jacobian", &Tape::JacobianOfExamples);
  nb::class_<StopRecording>(m, "StopRecording")
      .def(nb::init<>())
      .def("__enter__", &StopRecording::Enter)
      .def("__exit__", [](StopRecording& self, nb::args) { self.Exit(); });
  nb::class_<VariableWatcher>(m, "VariableWatcher")
      .def(nb::init<>())
      .def(
          "__enter__",
          [](VariableWatcher& self) -> VariableWatcher& {
            self.Enter();
            return self;
          },
          nb::rv_policy::reference)
      .def("__exit__", [](VariableWatcher& self, nb::args) { self.Exit(); })
      .def("handles", &VariableWatcher::Handles);
  m.def("set_gradient_override", &SetOverride);
  m.def("register_gradient", &RegisterGradient);
  m.def("remove_gradient_override", &RemoveGradientOverride);
  m.def("set_gradient_type", &SetGradientType);
  m.def("symbolic_gradients", Symbolic,
        "symbolic_gradients(ys, xs, grad_ys, stops): d sum(ys * grad_ys) / d "
        "xs in the graph being built; None in grad_ys is ones. Nothing goes "
        "through the ops that make `stops`.");
  m.def("record_call", &RecordCall, nb::arg("inputs"), nb::arg("outputs"),
        nb::arg("backward"));
}

}  // namespace gk::py
