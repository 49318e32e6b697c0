#include "gradient_tape.h"

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bound_values.h"
#include "convert.h"
#include "dtype_type.h"
#include "function/derivatives.h"
#include "function/forward_accumulator.h"
#include "function/function_gradient.h"
#include "gil.h"
#include "gradient_parts.h"
#include "guarded.h"
#include "name_scope.h"
#include "nest.h"
#include "tensor_type.h"
#include "text_caster.h"
#include "throw_error.h"
#include "type_parts.h"
#include "variable_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// ---- Arguments ----

nb::list FlatLeaves(PyObject* value) {
  return nb::list(Owned(FlatList(value, NestRules::kNest).Release()));
}
PyObject* PackedAs(PyObject* like, const nb::list& leaves) {
  return Packed(like, NestRules::kNest, leaves.ptr());
}

// A member of tf.UnconnectedGradients, or its value.
UnconnectedGradients Unconnected(PyObject* given, bool by_name = true) {
  const nb::object value =
      nb::getattr(nb::handle(given), "value", nb::borrow(given));
  if (nb::isinstance<nb::str>(value)) {
    const auto parsed = ParseUnconnectedGradients(StringView(value.ptr()));
    if (parsed.ok()) return *parsed;
  }
  const nb::object shown = nb::repr(nb::handle(given));
  const std::string text(StringView(shown.ptr()));
  Throw(by_name
            ? ValueError("Unknown value for unconnected_gradients: {}", text)
            : ValueError("{} is not a valid UnconnectedGradients", text));
}

nb::object Logging(const char* function) {
  return nb::module_::import_("graphkiln._src.host.logging").attr(function);
}

// What is differentiated, flat.
TensorVector Parts(const nb::list& leaves, const char* what) {
  TensorVector parts;
  for (nb::handle leaf : leaves) {
    parts.push_back(DifferentiablePart(leaf));
    if (IsFloatingLeaf(leaf)) continue;
    Logging("debug")(
        Format("The dtype of the {} tensor must be floating (e.g. tf.float32) "
               "when calling GradientTape.gradient, got %r",
               what),
        leaf.attr("dtype"));
  }
  return parts;
}

void WarnOfDType(const char* what, nb::handle leaf) {
  Logging("warn_first")(
      Format("The dtype of the watched {} must be floating (e.g. tf.float32), "
             "got %r",
             what),
      leaf.attr("dtype"));
}

// ---- GradientTape ----

// What instances of the two classes hold; Python may begin one anew.
template <class Core>
struct Held {
  std::unique_ptr<Core> core;
};
using HeldTape = Held<UserTape>;
using HeldAccumulator = Held<ForwardAccumulator>;

template <class Core>
Core& CoreOf(PyObject* o) {
  if (!nb::inst_ready(o)) {
    throw Error(RuntimeError("{}.__init__() has not been called",
                             Py_TYPE(o)->tp_name));
  }
  return *nb::inst_ptr<Held<Core>>(o)->core;
}
template <class Core>
void Begin(PyObject* o, std::unique_ptr<Core> core) {
  auto* held = nb::inst_ptr<Held<Core>>(o);
  if (nb::inst_ready(o)) {
    held->core = std::move(core);
  } else {
    new (held) Held<Core>{std::move(core)};
    nb::inst_mark_ready(o);
  }
}

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
  nb::list flat = FlatLeaves(given);
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
  if (!ParseArguments(args, kwargs, "OO|OO",
                      {"target", "sources", "output_gradients",
                       "unconnected_gradients"},
                      &target, &sources, &given, &unconnected)) {
    return nullptr;
  }
  UserTape& tape = TapeOf(o);
  tape.CheckUsable();
  const UnconnectedGradients zero =
      unconnected ? Unconnected(unconnected) : UnconnectedGradients::kNone;
  if (target == Py_None) {
    return Raise(TypeError(
        "Argument `target` should be a list or nested structure of Tensors, "
        "Variables or CompositeTensors to be differentiated, but received "
        "None."));
  }
  if (tape.recording() && tape.persistent()) {
    Logging("warn_first")(
        "Calling GradientTape.gradient on a persistent tape inside its "
        "context is significantly less efficient than calling it outside the "
        "context (it causes the gradient ops to be recorded on the tape, "
        "leading to increased CPU and memory usage). Only call "
        "GradientTape.gradient inside the context if you actually want to "
        "trace the gradient in order to compute higher order derivatives.",
        nb::arg("times") = 1);
  }
  if (tape.recording() && !tape.persistent()) tape.Pop();
  const nb::list targets = FlatLeaves(target), along = FlatLeaves(sources);
  const TensorVector from = Parts(targets, "target");
  const TensorVector to = Parts(along, "source");
  const std::vector<Gradient> weights = Weights(given, target, targets);
  const std::vector<Gradient> found = Tried([&] {
    const LazyGilRelease release(false);
    return tape.Gradients(from, to, weights, zero);
  });
  nb::list out;
  for (size_t i = 0; i < found.size(); ++i) {
    out.append(GradientLike(along[i], found[i]));
  }
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
  const UnconnectedGradients zero =
      unconnected ? Unconnected(unconnected) : UnconnectedGradients::kNone;
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

// ---- ForwardAccumulator ----

// A tensor, or the handle of a variable.
Tensor Key(nb::handle h) {
  if (IsTensor(h.ptr()) || IsVariable(h.ptr())) return Differentiable(h.ptr());
  PyErr_Format(PyExc_AttributeError,
               "%R object has no attribute '_id': only tensors and variables "
               "have derivatives, got %R",
               nb::object(h.type().attr("__name__")).ptr(), h.ptr());
  throw nb::python_error();
}

ForwardAccumulator& AccumulatorOf(PyObject* o) {
  return CoreOf<ForwardAccumulator>(o);
}

// Of as many directions as the tangents have rows, if `rows`.
std::unique_ptr<ForwardAccumulator> NewAccumulator(PyObject* primals,
                                                   nb::object tangents,
                                                   bool rows) {
  auto made = std::make_unique<ForwardAccumulator>();
  nb::list along = FlatLeaves(tangents.ptr());
  if (rows) {
    const TensorVector all = Differentiables(along);
    made = std::make_unique<ForwardAccumulator>(NumDirections(all));
    for (size_t i = 0; i < all.size(); ++i) along[i] = Wrap(all[i]);
    tangents = Owned(PackedAs(tangents.ptr(), along));
  }
  if (!AssertSame(primals, tangents.ptr(), true, NestRules::kNest)) {
    throw nb::python_error();
  }
  const nb::list flat = FlatLeaves(primals);
  for (size_t i = 0; i < nb::len(flat); ++i) {
    const nb::object primal = flat[i];
    if (!IsFloatingLeaf(primal)) {
      WarnOfDType("primal", primal);
      continue;
    }
    const DataType type = AsDType(nb::object(primal.attr("dtype")).ptr());
    const Tensor tangent =
        ValueOrThrow(ToTensor(nb::object(along[i]).ptr(), type));
    made->Watch(Key(primal), tangent);
  }
  return made;
}

int InitAccumulator(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *primals, *tangents;
  if (!ParseArguments(args, kwargs, "OO", {"primals", "tangents"}, &primals,
                      &tangents)) {
    return -1;
  }
  Begin(o, NewAccumulator(primals, nb::borrow(tangents), /*rows=*/false));
  return 0;
}

PyObject* BatchAccumulator(PyObject* cls, PyObject* args, PyObject* kwargs) {
  PyObject *primals, *tangents;
  if (!ParseArguments(args, kwargs, "OO", {"primals", "tangents"}, &primals,
                      &tangents)) {
    return nullptr;
  }
  nb::object self = nb::inst_alloc(cls);
  Begin(self.ptr(),
        NewAccumulator(primals, nb::borrow(tangents), /*rows=*/true));
  return self.release().ptr();
}

PyObject* PushAccumulator(PyObject* o, PyObject*) {
  AccumulatorOf(o).Push();
  return Py_NewRef(o);
}
PyObject* PopAccumulator(PyObject* o, PyObject*) {
  AccumulatorOf(o).Pop();
  Py_RETURN_NONE;
}
PyObject* ExitAccumulator(PyObject* o, PyObject*) {
  if (AccumulatorOf(o).recording()) AccumulatorOf(o).Pop();
  Py_RETURN_NONE;
}

PyObject* Jvp(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *primals, *unconnected = nullptr;
  if (!ParseArguments(args, kwargs, "O|O",
                      {"primals", "unconnected_gradients"}, &primals,
                      &unconnected)) {
    return nullptr;
  }
  const bool zero = unconnected != nullptr &&
                    Unconnected(unconnected, /*by_name=*/false) ==
                        UnconnectedGradients::kZero;
  ForwardAccumulator& core = AccumulatorOf(o);
  nb::list out;
  for (nb::handle h : FlatLeaves(primals)) {
    const Tensor t = Key(h);
    const Tensor product = Tried([&] {
      const LazyGilRelease release(false);
      const Tensor found = core.Product(t);
      return found || !zero ? found : core.Zeros(t);
    });
    out.append(product ? Wrap(product) : nb::none());
  }
  return PackedAs(primals, out);
}

PyMethodDef accumulator_methods[] = {
    {"__enter__", Guarded<PushAccumulator>, METH_NOARGS,
     "__enter__($self)\n--\n\n"},
    {"__exit__", Guarded<ExitAccumulator>, METH_VARARGS,
     "__exit__($self, kind, value, traceback)\n--\n\n"},
    {"_push", Guarded<PushAccumulator>, METH_NOARGS, nullptr},
    {"_pop", Guarded<PopAccumulator>, METH_NOARGS, nullptr},
    {"_push_accumulator", Guarded<PushAccumulator>, METH_NOARGS, nullptr},
    {"_pop_accumulator", Guarded<PopAccumulator>, METH_NOARGS, nullptr},
    {"_batch_accumulator", AsCFunction(Guarded<BatchAccumulator>),
     kByName | METH_CLASS,
     "_batch_accumulator($type, primals, tangents)\n--\n\n"
     "An accumulator of several directions at once, which are along the\n"
     "first axis of the tangents and of the products."},
    {"jvp", AsCFunction(Guarded<Jvp>), kByName,
     "jvp($self, primals, unconnected_gradients='none')\n--\n\n"
     "The product of the Jacobian of `primals` with the tangents.\n\n"
     "Args:\n"
     "  primals: a tensor or a nested structure of tensors; as a rule what\n"
     "    was computed under the accumulator.\n"
     "  unconnected_gradients: what comes out for a tensor that does not\n"
     "    depend on the watched primals: None, or with \"zero\" zeros.\n\n"
     "Returns:\n"
     "  Tensors of the shapes and dtypes of `primals`, in the same structure.\n"
     "\n"
     "Raises:\n"
     "  ValueError: an unknown `unconnected_gradients`.\n"
     "  LookupError: an op on the way has no gradient.\n\n"
     ">>> x = tf.constant(2.0)\n"
     ">>> with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:\n"
     "...     y = x * x\n"
     ">>> acc.jvp({\"y\": y, \"x\": x})[\"y\"].numpy().item()\n"
     "4.0"},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot accumulator_slots[] = {{Py_tp_init, Slot<InitAccumulator>()},
                                   {Py_tp_methods, Slot<accumulator_methods>()},
                                   {0, nullptr}};

// ---- Graphs ----

nb::list AsList(PyObject* value) {
  if (PyList_Check(value) || PyTuple_Check(value)) {
    return nb::list(nb::handle(value));
  }
  nb::list one;
  one.append(nb::handle(value));
  return one;
}

void CheckGraph() {
  if (FuncGraph::Current() != nullptr) return;
  Throw(RuntimeError(
      "tf.gradients is not supported when eager execution is enabled. Use "
      "tf.GradientTape instead."));
}

void CheckAggregation(PyObject* method) {
  if (method == nullptr || method == Py_None) return;
  for (int known = 0; known < 3; ++known) {
    if (nb::handle(method).equal(nb::int_(known))) return;
  }
  Throw(ValueError(
      "Invalid `aggregation_method` specified {}. Accepted values are [0, 1, "
      "2].",
      nb::str(nb::handle(method)).c_str()));
}

// What the gradients of ys are, tensors of their dtypes.
std::vector<Gradient> GraphWeights(const nb::list& given,
                                   const TensorVector& ys) {
  std::vector<Gradient> weights;
  for (size_t i = 0; i < nb::len(given); ++i) {
    const nb::object w = given[i];
    const bool converts = i < ys.size() && !w.is_none() &&
                          !(IsTensorLike(w.ptr()) && nb::hasattr(w, "indices"));
    if (converts) {
      weights.emplace_back();
      weights.back().dense = ValueOrThrow(
          ToTensor(w.ptr(), ys[i].dtype(), DataType::kInvalid,
                   Format("grad_ys_{}", i)));
    } else {
      weights.push_back(ToGradient(w));
    }
  }
  return weights;
}

PyObject* Gradients(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *ys, *xs, *grad_ys = Py_None, *unused, *aggregation = nullptr;
  PyObject *stops = Py_None, *unconnected = nullptr;
  const char* name = nullptr;
  if (!ParseArguments(
          args, kwargs, "OO|OzOOOO",
          {"ys", "xs", "grad_ys", "name", "gate_gradients",
           "aggregation_method", "stop_gradients", "unconnected_gradients"},
          &ys, &xs, &grad_ys, &name, &unused, &aggregation, &stops,
          &unconnected)) {
    return nullptr;
  }
  CheckGraph();
  const UnconnectedGradients zero =
      unconnected ? Unconnected(unconnected) : UnconnectedGradients::kNone;
  CheckAggregation(aggregation);
  const nb::list targets = AsList(ys);
  nb::list weights;
  if (grad_ys != Py_None) weights = AsList(grad_ys);
  if (grad_ys != Py_None && nb::len(weights) != nb::len(targets)) {
    return Raise(ValueError("Length mismatch. Passed {} grad_ys for {} ys",
                            nb::len(weights), nb::len(targets)));
  }
  const OpScope scope(name && *name ? name : "gradients");
  if (!scope.status().ok()) return Raise(scope.status());
  TensorVector from;
  for (nb::handle y : targets) {
    from.push_back(ValueOrThrow(ToTensor(y.ptr())));
  }
  TensorVector ends;
  if (stops != Py_None) ends = Differentiables(AsList(stops));
  nb::list out;
  for (const Gradient& g :
       GraphGradients(from, Differentiables(AsList(xs)),
                      GraphWeights(weights, from), ends, zero)) {
    out.append(WrapGradient(g));
  }
  return out.release().ptr();
}

PyObject* HessiansOf(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *ys, *xs, *unused, *aggregation = nullptr;
  const char* name = nullptr;
  if (!ParseArguments(
          args, kwargs, "OO|OOz",
          {"ys", "xs", "gate_gradients", "aggregation_method", "name"}, &ys,
          &xs, &unused, &aggregation, &name)) {
    return nullptr;
  }
  CheckGraph();
  CheckAggregation(aggregation);
  return WrapTensors(Hessians(Differentiables(AsList(ys)),
                              Differentiables(AsList(xs)),
                              name && *name ? name : "hessians"));
}

PyMethodDef functions[] = {
    {"gradients", AsCFunction(Guarded<Gradients>), kByName,
     "gradients(ys, xs, grad_ys=None, name='gradients', gate_gradients=False, "
     "aggregation_method=None, stop_gradients=None, "
     "unconnected_gradients='none')\n--\n\n"
     "The gradients of the sum of `ys` with respect to each of `xs`.\n\n"
     "Works in functions and graphs, whose nodes say how the `ys` came about.\n"
     "\n"
     "Args:\n"
     "  ys: a tensor or a list of tensors.\n"
     "  xs: a tensor, a variable or a list of them.\n"
     "  grad_ys: what the gradients of `ys` are; ones where it is None.\n"
     "  name: of the scope of the new nodes.\n"
     "  gate_gradients: accepted for compatibility.\n"
     "  aggregation_method: accepted for compatibility.\n"
     "  stop_gradients: tensors that count as constants: nothing goes through\n"
     "    the ops that made them (of calls and branches, through these\n"
     "    results). The gradient for such a tensor itself can be asked for.\n"
     "  unconnected_gradients: tf.UnconnectedGradients.NONE or ZERO.\n\n"
     "Returns:\n"
     "  A list with a gradient, or None, for each of `xs`.\n\n"
     "Raises:\n"
     "  RuntimeError: in eager mode.\n"
     "  ValueError: `grad_ys` is not as long as `ys`, or an option is unknown.\n"
     "\n"
     ">>> @tf.function\n"
     "... def slope(x):\n"
     "...     return tf.gradients(x * x, x)[0]\n"
     ">>> float(slope(tf.constant(3.0)))\n"
     "6.0"},
    {"hessians", AsCFunction(Guarded<HessiansOf>), kByName,
     "hessians(ys, xs, gate_gradients=False, aggregation_method=None, "
     "name='hessians')\n--\n\n"
     "The matrices of second derivatives of the sum of `ys`.\n\n"
     "Args:\n"
     "  ys: a tensor or a list of tensors.\n"
     "  xs: a tensor or a list of tensors whose shapes are known.\n"
     "  gate_gradients: accepted for compatibility.\n"
     "  aggregation_method: accepted for compatibility.\n"
     "  name: of the scope of the new nodes.\n\n"
     "Returns:\n"
     "  A list with a tensor of the shape of x twice for each x.\n\n"
     "Raises:\n"
     "  RuntimeError: in eager mode.\n"
     "  ValueError: the shape of an x is not known.\n\n"
     ">>> @tf.function\n"
     "... def curvature(x):\n"
     "...     return tf.hessians(tf.reduce_sum(x ** 3.0), x)[0]\n"
     ">>> curvature(tf.constant([1.0, 2.0])).numpy().tolist()\n"
     "[[6.0, 0.0], [0.0, 12.0]]"},
    {nullptr, nullptr, 0, nullptr}};

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
      .def("__exit__", [](StoppedTape& self, nb::args) {
        TapeOf(self.tape.ptr()).Push();
      });
  nb::class_<StopRecording>(m, "StopRecording")
      .def(nb::init<>())
      .def("__enter__", &StopRecording::Enter)
      .def("__exit__", [](StopRecording& self, nb::args) { self.Exit(); });
  nb::class_<HeldAccumulator>(
      m, "ForwardAccumulator", nb::type_slots(accumulator_slots),
      nb::dynamic_attr(), nb::is_weak_referenceable(),
      "ForwardAccumulator(primals, tangents)\n--\n\n"
      "Computes Jacobian-vector products while the program runs forwards.\n\n"
      "`jvp(y)` is the derivative of `y` with respect to `primals` in the\n"
      "direction `tangents`: for `y = f(x)`, the limit of `(f(x + h * tangent)\n"
      "- f(x)) / h`. Accumulators nest with each other and with gradient\n"
      "tapes; each sees what accumulators inside it compute.\n\n"
      "Args:\n"
      "  primals: a tensor, a variable or a nested structure of them.\n"
      "  tangents: directions in the same structure, with the shapes and\n"
      "    dtypes of the primals.\n\n"
      "Raises:\n"
      "  ValueError: the structures, dtypes or shapes differ, or a primal is\n"
      "    there twice.\n\n"
      ">>> x = tf.constant([1.0, 2.0])\n"
      ">>> with tf.autodiff.ForwardAccumulator(\n"
      "...     x, tf.constant([1.0, 0.0])\n"
      "... ) as acc:\n"
      "...     y = x * x * x\n"
      ">>> acc.jvp(y).numpy().tolist()\n"
      "[3.0, 0.0]\n\n"
      "Forward over backward gives the product of a Hessian with a vector:\n\n"
      ">>> with tf.autodiff.ForwardAccumulator(\n"
      "...     x, tf.constant([1.0, 0.0])\n"
      "... ) as acc:\n"
      "...     with tf.GradientTape() as tape:\n"
      "...         tape.watch(x)\n"
      "...         y = tf.reduce_sum(x * x * x)\n"
      "...     gradient = tape.gradient(y, x)\n"
      ">>> acc.jvp(gradient).numpy().tolist()\n"
      "[6.0, 0.0]");
  if (PyModule_AddFunctions(m.ptr(), functions) < 0) throw nb::python_error();
}

}  // namespace gk::py
