#include "gradient_tape.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/caught.h"
#include "convert.h"
#include "eager/recorders.h"
#include "errors.h"
#include "framework/grad_context.h"
#include "function/custom_gradient.h"
#include "function/forward_accumulator.h"
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

// Calls what throws Errors, which become Python's.
template <class F>
auto Tried(F&& f) -> decltype(f()) {
  Status failed;
  try {
    return f();
  } catch (const nb::python_error&) {
    throw;
  } catch (...) {
    failed = CaughtStatus();
  }
  Throw(failed);
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
      ImportAttribute("graphkiln._src.sparse.indexed_slices", "IndexedSlices")
          .Release();
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
    for (const Tensor& t :
         Tried([&] { return Jacobian(tape_.get(), from, along, zero); })) {
      out.append(t ? Wrap(t) : nb::none());
    }
    return out;
  }
  nb::object JacobianOfExamples(nb::handle target, nb::handle source) {
    const Watchable from = WatchableOf(Differentiable(target.ptr()));
    const Watchable along = WatchableOf(Differentiable(source.ptr()));
    return Wrap(Tried([&] { return BatchJacobian(tape_.get(), from, along); }));
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

// A Python function of the gradients of outputs as a gradient of `n` inputs,
// of which the last are variables.
BackwardFn BackwardOf(nb::handle backward, size_t n, size_t num_variables) {
  // The tape may be dropped by a thread without the GIL.
  std::shared_ptr<PyObject> function(backward.inc_ref().ptr(), DeferredDecref);
  return [function, n, num_variables](std::span<const Gradient> dy,
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
            n - num_variables, list.size() - num_variables));
      }
      for (size_t i = 0; i < n; ++i) result[i] = ToGradient(list[i]);
    } catch (nb::python_error& e) {
      e.restore();
      throw Error(PythonError());
    }
    return result;
  };
}

// Tells the tapes of a call whose gradient is a Python function of the
// gradients of its outputs.
void RecordCall(const nb::list& inputs, const nb::list& outputs,
                nb::callable backward) {
  RecordOwnGradient(Differentiables(inputs), Differentiables(outputs),
                    BackwardOf(backward, inputs.size(), 0),
                    /*forward_too=*/true);
}

class Accumulator {
 public:
  Accumulator() : core_(std::make_unique<ForwardAccumulator>()) {}
  // Of as many directions as the tangents have rows.
  explicit Accumulator(const nb::list& tangents) {
    const TensorVector along = Differentiables(tangents);
    Tried([&] {
      core_ = std::make_unique<ForwardAccumulator>(NumDirections(along));
    });
  }
  void Watch(nb::handle primal, nb::handle tangent) {
    const Tensor x = Key(primal), along = Differentiable(tangent.ptr());
    Tried([&] { core_->Watch(x, along); });
  }
  void Push() {
    Tried([&] { core_->Push(); });
  }
  void Pop() {
    Tried([&] { core_->Pop(); });
  }
  void Exit(const nb::args&) {
    if (core_->recording()) Pop();
  }
  // For each tensor or variable a tensor or None.
  nb::list Products(const nb::list& of, bool zero) {
    nb::list out;
    for (nb::handle h : of) {
      const Tensor t = Key(h);
      const Tensor product = Tried([&] {
        const LazyGilRelease release(false);
        const Tensor found = core_->Product(t);
        return found || !zero ? found : core_->Zeros(t);
      });
      out.append(product ? Wrap(product) : nb::none());
    }
    return out;
  }

 private:
  static Tensor Key(nb::handle h) {
    if (IsTensor(h.ptr()) || IsVariable(h.ptr()))
      return Differentiable(h.ptr());
    PyErr_Format(PyExc_AttributeError,
                 "%R object has no attribute '_id': only tensors and variables "
                 "have derivatives, got %R",
                 nb::object(h.type().attr("__name__")).ptr(), h.ptr());
    throw nb::python_error();
  }

  std::unique_ptr<ForwardAccumulator> core_;
};

// The gradient function of a node that is running: what gradient functions it
// makes live as long as it.
PyObject*& RunningGradient() {
  thread_local PyObject* running = nullptr;
  return running;
}

void Keep(nb::handle owner, const char* list, nb::handle part) {
  owner.attr("__dict__")
      .attr("setdefault")(list, nb::list())
      .attr("append")(part);
}

// Gives nodes of the gradient type that is returned the gradient `backward`,
// called with the gradients of the first `num_results` outputs; what it gives
// is for the inputs from `first` on. It lives as long as the Python face of
// the graph; if another gradient function makes it, as long as that, too.
std::string NameGradient(nb::handle graph, nb::handle backward, int num_results,
                         int first) {
  const std::string name = NewGradientName();
  nb::object forget =
      nb::cpp_function([name](nb::handle) { RemoveGradientOverride(name); });
  std::shared_ptr<PyObject> weak(PyWeakref_NewRef(backward.ptr(), forget.ptr()),
                                 DeferredDecref);
  if (!weak) throw nb::python_error();
  SetGradientOverride(name, [weak, name, num_results, first](GradContext& c) {
    const ScopedGil gil;
    try {
      nb::object function = nb::handle(weak.get())();
      if (function.is_none()) {
        throw Error(FailedPrecondition(
            "The gradient function {} has been deleted", name));
      }
      nb::list dy;
      for (int i = 0; i < num_results; ++i) {
        // Inputs that follow results are no results: zeros stand for none.
        dy.append(first > 0 && !c.has_dy(i) ? Wrap(c.dy(i))
                                            : WrapGradient(c.raw_dy(i)));
      }
      PyObject* const outer = std::exchange(RunningGradient(), function.ptr());
      nb::object found;
      try {
        found = function(dy);
      } catch (...) {
        RunningGradient() = outer;
        throw;
      }
      RunningGradient() = outer;
      size_t i = first;
      for (nb::handle g : nb::cast<nb::list>(found)) {
        if (i < c.grads().size()) c.grads()[i++] = ToGradient(g);
      }
    } catch (nb::python_error& e) {
      e.restore();
      throw Error(PythonError());
    }
  });
  Keep(graph, "_python_parts", backward);
  if (PyObject* outer = RunningGradient()) Keep(outer, "_inner", backward);
  return name;
}

void SetOwnGradient(nb::handle graph, nb::handle output, nb::handle backward,
                    int num_results) {
  Graph::OutputOf(TensorOf(output.ptr()))
      .node->mutable_attrs()
      .Set("_gradient_op_type", NameGradient(graph, backward, num_results, 0));
}

// Calls `function` with the arguments as tensors and variables; its results as
// those of a call whose gradient is what `make_backward` gives: it gets the
// variables read that are neither arguments nor among the `others`. `forget`:
// nothing that it computes is kept for gradients. `graph`: being built, or
// None.
nb::list CallWithGradient(nb::handle graph, nb::handle function,
                          nb::handle make_backward, const nb::list& arguments,
                          const nb::list& others, bool forget) {
  TensorVector inputs;
  nb::list given, flat;
  for (nb::handle h : arguments) {
    const bool is_variable = IsVariable(h.ptr());
    inputs.push_back(Differentiable(h.ptr()));
    if (!is_variable)
      inputs.back() = Tried([&] { return OwnedHere(inputs.back()); });
    flat.append(is_variable ? nb::borrow(h) : Wrap(inputs.back()));
  }
  TensorVector results;
  const TensorVector read = Tried([&] {
    return VariablesReadBy(
        [&] {
          for (nb::handle y : nb::cast<nb::list>(function(flat))) {
            results.push_back(Differentiable(y.ptr()));
          }
        },
        forget);
  });
  nb::list variables;
  for (const Tensor& handle : read) {
    PyObject* v = FindVariable(handle);
    const auto is_it = [&](nb::handle h) { return h.ptr() == v; };
    if (v == nullptr || std::any_of(flat.begin(), flat.end(), is_it) ||
        std::any_of(others.begin(), others.end(), is_it)) {
      continue;
    }
    variables.append(nb::handle(v));
    inputs.push_back(gk::py::VariableOf(v)->handle);
  }
  nb::object backward = make_backward(variables);
  std::string name;
  if (!graph.is_none()) {
    name = NameGradient(graph, backward, static_cast<int>(results.size()),
                        static_cast<int>(results.size()));
  }
  nb::list out;
  for (const Tensor& t : Tried([&] {
         return WithOwnGradient(
             results, inputs,
             BackwardOf(backward, inputs.size(), variables.size()), name);
       })) {
    out.append(Wrap(t));
  }
  return out;
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
  nb::class_<Accumulator>(m, "ForwardAccumulator")
      .def(nb::init<>())
      .def(nb::init<const nb::list&>())
      .def("_watch", &Accumulator::Watch)
      .def("_push_accumulator", &Accumulator::Push)
      .def("_pop_accumulator", &Accumulator::Pop)
      .def("_push", &Accumulator::Push)
      .def("_pop", &Accumulator::Pop)
      .def("__enter__",
           [](nb::object self) {
             nb::cast<Accumulator&>(self).Push();
             return self;
           })
      .def("__exit__", &Accumulator::Exit)
      .def("_products", &Accumulator::Products);
  m.def("set_own_gradient", &SetOwnGradient);
  m.def("call_with_gradient", &CallWithGradient, nb::arg("graph").none(),
        nb::arg("function"), nb::arg("make_backward"), nb::arg("arguments"),
        nb::arg("others"), nb::arg("forget"));
  m.def("register_gradient", &RegisterGradient);
  m.def("symbolic_gradients", Symbolic,
        "symbolic_gradients(ys, xs, grad_ys, stops): d sum(ys * grad_ys) / d "
        "xs in the graph being built; None in grad_ys is ones. Nothing goes "
        "through the ops that make `stops`.");
  m.def("record_call", &RecordCall, nb::arg("inputs"), nb::arg("outputs"),
        nb::arg("backward"));
}

}  // namespace gk::py
