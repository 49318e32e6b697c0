#include "python/src/gradients/gradient_tape.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eager/recorders.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/held_core.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/binding/type_parts.h"
#include "python/src/gradients/gradient_parts.h"
#include "python/src/host/log_functions.h"
#include "python/src/nest/nest.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// What is differentiated, flat.
TensorVector Parts(const nb::list& leaves, const char* what) {
  TensorVector parts;
  for (nb::handle leaf : leaves) {
    parts.push_back(DifferentiablePart(leaf));
    if (IsFloatingLeaf(leaf)) continue;
    Owned(LogMethod("debug").Release())(
        Format("The dtype of the {} tensor must be floating (e.g. tf.float32) "
               "when calling GradientTape.gradient, got %r",
               what),
        leaf.attr("dtype"));
  }
  return parts;
}

// ---- GradientTape ----

using HeldTape = Held<UserTape>;

UserTape& TapeOf(PyObject* o) { return CoreOf<UserTape>(o); }

int InitTape(PyObject* o, PyObject* args, PyObject* kwargs) {
  int persistent = 0, watch = 1;
  if (!ParseArguments(args, kwargs, "|pp",
                      {"persistent", "watch_accessed_variables"}, &persistent,
                      &watch)) {
    return -1;
  }
  Begin(o, std::make_unique<UserTape>(persistent != 0, watch != 0));
  return 0;
}

PyObject* EnterTape(PyObject* o, PyObject*) {
  TapeOf(o).Push();
  return Py_NewRef(o);
}
PyObject* PopTape(PyObject* o, PyObject*) {
  TapeOf(o).Pop();
  Py_RETURN_NONE;
}
PyObject* ExitTape(PyObject* o, PyObject*) {
  if (TapeOf(o).recording()) TapeOf(o).Pop();
  Py_RETURN_NONE;
}

void WatchAll(UserTape* tape, PyObject* value) {
  for (nb::handle leaf : FlatLeaves(value)) {
    if (IsComposite(leaf)) {
      // Its numbers; nothing depends on where they are.
      for (nb::handle part :
           Owned(FlatList(leaf.ptr(), NestRules::kExpanded).Release())) {
        if (IsFloatingLeaf(part)) tape->Watch(Differentiable(part.ptr()));
      }
      continue;
    }
    if (!IsTensorLike(leaf.ptr())) {
      Throw(ValueError(
          "Passed in object {} of type '{}', not tf.Tensor or tf.Variable or "
          "ExtensionType.",
          nb::str(leaf).c_str(),
          nb::str(leaf.type().attr("__name__")).c_str()));
    }
    if (!IsFloatingLeaf(leaf)) WarnOfDType("tensor", leaf);
    tape->Watch(Differentiable(leaf.ptr()));
  }
}

PyObject* Watch(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* tensor;
  if (!ParseArguments(args, kwargs, "O", {"tensor"}, &tensor)) return nullptr;
  WatchAll(&TapeOf(o), tensor);
  Py_RETURN_NONE;
}

// The context of GradientTape.stop_recording.
struct StoppedTape {
  nb::object tape;
};
PyObject* Stop(PyObject* o, PyObject*) {
  if (!TapeOf(o).recording()) {
    return Raise(ValueError("Tape is not recording."));
  }
  return nb::cast(StoppedTape{nb::borrow(o)}).release().ptr();
}
PyObject* Reset(PyObject* o, PyObject*) {
  TapeOf(o).Reset();
  Py_RETURN_NONE;
}

PyObject* WatchedVariables(PyObject* o, PyObject*) {
  std::vector<PyObject*> found;
  for (const Tensor& handle : TapeOf(o).watched_variables()) {
    PyObject* v = FindVariable(handle);
    if (v != nullptr) found.push_back(v);
  }
  std::sort(found.begin(), found.end(), [](PyObject* a, PyObject* b) {
    return gk::py::VariableOf(a)->serial < gk::py::VariableOf(b)->serial;
  });
  nb::list out;
  for (PyObject* v : found) out.append(nb::handle(v));
  return nb::tuple(out).release().ptr();
}

// What the gradients of the targets are, flat; none given: ones.
std::vector<Gradient> Weights(PyObject* given, PyObject* target,
                              const nb::list& targets) {
  std::vector<Gradient> weights;
  if (given == Py_None) return weights;
  nb::list flat = GradientParts(FlatLeaves(given));
  if (nb::len(flat) != nb::len(targets)) {
    flat = nb::list(
        Owned(FlattenUpTo(target, given, NestRules::kNest, /*gaps=*/false)));
  }
  for (size_t i = 0; i < nb::len(flat); ++i) {
    const DataType hint = AsDType(nb::object(targets[i].attr("dtype")).ptr());
    weights.push_back(ToGradient(flat[i], hint));
  }
  return weights;
}

PyObject* Gradient_(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *target, *sources, *given = Py_None, *unconnected = nullptr;
  if (!ParseArguments(
          args, kwargs, "OO|OO",
          {"target", "sources", "output_gradients", "unconnected_gradients"},
          &target, &sources, &given, &unconnected)) {
    return nullptr;
  }
  UserTape& tape = TapeOf(o);
  tape.CheckUsable();
  const UnconnectedGradients zero = Unconnected(unconnected);
  if (target == Py_None) {
    return Raise(TypeError(
        "Argument `target` should be a list or nested structure of Tensors, "
        "Variables or CompositeTensors to be differentiated, but received "
        "None."));
  }
  if (tape.recording() && tape.persistent()) {
    package::warn_first.Held()(
        "Calling GradientTape.gradient on a persistent tape inside its "
        "context is significantly less efficient than calling it outside the "
        "context (it causes the gradient ops to be recorded on the tape, "
        "leading to increased CPU and memory usage). Only call "
        "GradientTape.gradient inside the context if you actually want to "
        "trace the gradient in order to compute higher order derivatives.",
        nb::arg("times") = 1);
  }
  if (tape.recording() && !tape.persistent()) tape.Pop();
  const nb::list targets = GradientParts(FlatLeaves(target)),
                 along = FlatLeaves(sources);
  const TensorVector from = Parts(targets, "target");
  const TensorVector to = Parts(GradientParts(along), "source");
  const std::vector<Gradient> weights = Weights(given, target, targets);
  const std::vector<Gradient> found = Tried([&] {
    const LazyGilRelease release(false);
    return tape.Gradients(from, to, weights, zero);
  });
  nb::list out;
  size_t at = 0;
  for (nb::handle leaf : along) out.append(GradientLike(leaf, found, &at));
  return PackedAs(sources, out);
}

PyObject* Jacobian_(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *target, *sources, *unconnected = nullptr, *unused;
  if (!ParseArguments(args, kwargs, "OO|OOO",
                      {"target", "sources", "unconnected_gradients",
                       "parallel_iterations", "experimental_use_pfor"},
                      &target, &sources, &unconnected, &unused, &unused)) {
    return nullptr;
  }
  TapeOf(o).CheckUsable();
  const UnconnectedGradients zero = Unconnected(unconnected);
  const TensorVector found = TapeOf(o).Jacobians(
      Differentiable(target), Differentiables(FlatLeaves(sources)), zero);
  nb::list out;
  for (const Tensor& t : found) out.append(t ? Wrap(t) : nb::none());
  return PackedAs(sources, out);
}

PyObject* BatchJacobian_(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *target, *source, *unconnected = nullptr, *unused;
  if (!ParseArguments(args, kwargs, "OO|OOO",
                      {"target", "source", "unconnected_gradients",
                       "parallel_iterations", "experimental_use_pfor"},
                      &target, &source, &unconnected, &unused, &unused)) {
    return nullptr;
  }
  for (PyObject* x : {target, source}) {
    nb::handle(x).attr("shape").attr("with_rank_at_least")(2);
  }
  TapeOf(o).CheckUsable();
  if (unconnected != nullptr) Unconnected(unconnected);
  return WrapTensor(
      TapeOf(o).BatchJacobian(Differentiable(target), Differentiable(source)));
}

PyMethodDef tape_methods[] = {
    {"__enter__", Guarded<EnterTape>, METH_NOARGS, "__enter__($self)\n--\n\n"},
    {"__exit__", Guarded<ExitTape>, METH_VARARGS,
     "__exit__($self, kind, value, traceback)\n--\n\n"},
    {"_push", Guarded<EnterTape>, METH_NOARGS, nullptr},
    {"_pop", Guarded<PopTape>, METH_NOARGS, nullptr},
    {"watch", AsCFunction(Guarded<Watch>), kByName,
     "watch($self, tensor)\n--\n\n"
     "Makes what depends on `tensor` differentiable."},
    {"stop_recording", Guarded<Stop>, METH_NOARGS,
     "stop_recording($self)\n--\n\n"
     "A context in which this tape records nothing."},
    {"reset", Guarded<Reset>, METH_NOARGS,
     "reset($self)\n--\n\n"
     "Forgets everything recorded."},
    {"watched_variables", Guarded<WatchedVariables>, METH_NOARGS,
     "watched_variables($self)\n--\n\n"
     "The variables watched, in the order of their construction."},
    {"gradient", AsCFunction(Guarded<Gradient_>), kByName,
     "gradient($self, target, sources, output_gradients=None, "
     "unconnected_gradients='none')\n--\n\n"
     "The gradient of the sum of `target` with respect to `sources`.\n\n"
     "Args:\n"
     "  target: a tensor, variable or ragged tensor, or a nested structure of\n"
     "    them.\n"
     "  sources: the same.\n"
     "  output_gradients: what the gradients of the targets are; ones where\n"
     "    it is None.\n"
     "  unconnected_gradients: what comes out for a source that `target` does\n"
     "    not depend on: None, or with \"zero\" zeros.\n\n"
     "Returns:\n"
     "  A tensor, tf.IndexedSlices or None for each source, in the structure\n"
     "  of `sources`.\n\n"
     "Raises:\n"
     "  RuntimeError: the tape is not persistent and was used before.\n"
     "  ValueError: an unknown `unconnected_gradients`.\n"
     "  LookupError: an op on the way has no gradient.\n\n"
     ">>> x = tf.constant(3.0)\n"
     ">>> with tf.GradientTape() as tape:\n"
     "...     tape.watch(x)\n"
     "...     y = x * x\n"
     ">>> tape.gradient(y, x).numpy().item()\n"
     "6.0"},
    {"jacobian", AsCFunction(Guarded<Jacobian_>), kByName,
     "jacobian($self, target, sources, unconnected_gradients='none', "
     "parallel_iterations=None, experimental_use_pfor=True)\n--\n\n"
     "The matrix of derivatives of each element of `target`.\n\n"
     "Args:\n"
     "  target: a tensor.\n"
     "  sources: a tensor, a variable or a nested structure of them.\n"
     "  unconnected_gradients: what comes out for a source that `target`\n"
     "    does not depend on: None, or with \"zero\" zeros.\n"
     "  parallel_iterations: accepted for compatibility.\n"
     "  experimental_use_pfor: accepted for compatibility; the rows are made\n"
     "    by one backward pass each, in graphs in a loop if they are many.\n\n"
     "Returns:\n"
     "  Tensors of the shape of `target` followed by that of the source, in\n"
     "  the structure of `sources`.\n\n"
     "Raises:\n"
     "  RuntimeError: the tape is not persistent and was used before.\n"
     "  ValueError: an unknown `unconnected_gradients`.\n\n"
     ">>> x = tf.constant([1.0, 2.0])\n"
     ">>> with tf.GradientTape() as tape:\n"
     "...     tape.watch(x)\n"
     "...     y = x * x\n"
     ">>> tape.jacobian(y, x).numpy().tolist()\n"
     "[[2.0, 0.0], [0.0, 4.0]]"},
    {"batch_jacobian", AsCFunction(Guarded<BatchJacobian_>), kByName,
     "batch_jacobian($self, target, source, unconnected_gradients='none', "
     "parallel_iterations=None, experimental_use_pfor=True)\n--\n\n"
     "The Jacobian of each example of a batch by itself.\n\n"
     "Args:\n"
     "  target: a tensor of rank 2 or more; `target[i]` may depend on\n"
     "    `source[i]` alone.\n"
     "  source: a tensor of rank 2 or more.\n"
     "  unconnected_gradients: accepted for compatibility: zeros come out\n"
     "    if nothing depends on the source.\n"
     "  parallel_iterations: accepted for compatibility.\n"
     "  experimental_use_pfor: accepted for compatibility.\n\n"
     "Returns:\n"
     "  A tensor of the shape of `target` followed by that of `source`\n"
     "  without its first dimension.\n\n"
     "Raises:\n"
     "  RuntimeError: the tape is not persistent and was used before.\n"
     "  ValueError: a rank is below 2, or the batches differ in size.\n\n"
     ">>> x = tf.constant([[1.0], [2.0]])\n"
     ">>> with tf.GradientTape() as tape:\n"
     "...     tape.watch(x)\n"
     "...     y = x * x\n"
     ">>> tape.batch_jacobian(y, x).numpy().tolist()\n"
     "[[[2.0]], [[4.0]]]"},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot tape_slots[] = {{Py_tp_init, Slot<InitTape>()},
                            {Py_tp_methods, Slot<tape_methods>()},
                            {0, nullptr}};

}  // namespace

void AddGradientTape(nb::module_& m) {
  nb::class_<HeldTape>(
      m, "GradientTape", nb::type_slots(tape_slots), nb::dynamic_attr(),
      nb::is_weak_referenceable(),
      "GradientTape(persistent=False, watch_accessed_variables=True)\n--\n\n"
      "Records operations, and differentiates what was recorded.\n\n"
      "Args:\n"
      "  persistent: may gradients be computed more than once?\n"
      "  watch_accessed_variables: are trainable variables that are read\n"
      "    watched by themselves?\n\n"
      ">>> x = tf.Variable(3.0)\n"
      ">>> with tf.GradientTape() as tape:\n"
      "...     y = x * x\n"
      ">>> tape.gradient(y, x).numpy().item()\n"
      "6.0");
  nb::class_<StoppedTape>(m, "_StoppedTape")
      .def("__enter__",
           [](StoppedTape& self) { TapeOf(self.tape.ptr()).Pop(); })
      .def("__exit__",
           [](StoppedTape& self, nb::args) { TapeOf(self.tape.ptr()).Push(); });
  m.def(
      "_should_record_backprop",
      [](nb::handle given) {
        TensorVector tensors;
        for (nb::handle h : given) {
          if (IsTensor(h.ptr())) tensors.push_back(TensorOf(h.ptr()));
        }
        const ObserverList& all = CurrentObservers();
        return !all.paused &&
               std::any_of(
                   all.observers.begin(), all.observers.end(),
                   [&](const OpObserver* o) { return o->WantsAny(tensors); });
      },
      "_should_record_backprop(tensors)\n--\n\n"
      "Does a tape that records watch any of these?");
  AddForwardAccumulator(m);
  AddGraphGradients(m);
}

}  // namespace gk::py
