// tf.custom_gradient, tf.recompute_grad, tf.grad_pass_through: functions whose
// gradient is another one.
#include "python/src/gradients/own_gradients.h"

#include <structmember.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "eager/recorders.h"
#include "function/custom_gradient.h"
#include "function/function_gradient.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/binding/type_parts.h"
#include "python/src/gradients/gradient_parts.h"
#include "python/src/gradients/outer_tensors.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/nest/nest.h"
#include "python/src/tensors/converted.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

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
                         int first, OuterTensors outer) {
  const std::string name = NewGradientName();
  nb::object forget =
      nb::cpp_function([name](nb::handle) { RemoveGradientOverride(name); });
  std::shared_ptr<PyObject> weak(PyWeakref_NewRef(backward.ptr(), forget.ptr()),
                                 DeferredDecref);
  if (!weak) throw nb::python_error();
  SetGradientOverride(name, [weak, name, num_results, first,
                             around = std::move(outer)](GradContext& c) {
    around.Enter();
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

// ---- Functions with a gradient of their own ----

enum class Kind { kOwn, kRecomputed, kPassedThrough };

// As an attribute of a class it is a method: the object is no argument that
// has a gradient. The function is no entry of its dictionary: what
// functools.wraps copies to another must not hold it.
struct CustomGradient {
  PyObject_HEAD;
  PyObject* function;
  Kind kind;
  PyObject *dict, *weakrefs;
};
CustomGradient* Self(PyObject* o) {
  return reinterpret_cast<CustomGradient*>(o);
}
PyTypeObject* custom_gradient_type = nullptr;

PyObject* InputGradients(PyObject*, PyObject* args);
PyObject* PassGradients(PyObject*, PyObject* args, PyObject* kwargs);
PyObject* RerunGradients(PyObject*, PyObject* given, PyObject* named);
PyMethodDef input_gradients = {"_input_gradients", Guarded<InputGradients>,
                               METH_VARARGS, nullptr};
PyMethodDef pass_gradients = {
    "_pass_gradients", AsCFunction(Guarded<PassGradients>), kByName, nullptr};
PyMethodDef rerun_gradients = {
    "_rerun_gradients", AsCFunction(Guarded<RerunGradients>), kByName, nullptr};

// One that the garbage collector sees, as it sees no nb::cpp_function.
nb::object Partial(PyMethodDef* function, nb::handle a = {}, nb::handle b = {},
                   nb::handle c = {}) {
  nb::object made = Owned(PyCFunction_New(function, nullptr));
  const nb::object partial = nb::module_::import_("functools").attr("partial");
  for (nb::handle x : {a, b, c}) {
    if (x.is_valid()) made = partial(made, x);
  }
  return made;
}

nb::object PackedAs(nb::handle like, nb::handle leaves) {
  return Owned(Packed(like.ptr(), NestRules::kNest, leaves.ptr()));
}
nb::list FlatLeaves(nb::handle value) {
  return gk::py::FlatLeaves(value.ptr());
}
nb::object Called(nb::handle f, nb::handle args, nb::handle kwargs) {
  return Owned(PyObject_Call(f.ptr(), args.ptr(), kwargs.ptr()));
}

// Of variables that a function gives back: what is in them.
TensorVector Results(const nb::list& leaves) {
  TensorVector results;
  for (nb::handle y : leaves) {
    results.push_back(IsVariable(y.ptr()) ? Converted(y)
                                          : Differentiable(y.ptr()));
  }
  return results;
}

// The result of `f`, and the function of its gradient.
std::pair<nb::object, nb::object> ResultAndGradient(Kind kind, nb::handle f,
                                                    nb::handle args,
                                                    nb::handle kwargs) {
  nb::object result = Called(f, args, kwargs);
  if (kind == Kind::kPassedThrough) {
    return {result, Partial(&pass_gradients)};
  }
  if (kind == Kind::kRecomputed) {
    return {result, Partial(&rerun_gradients, f, args, kwargs)};
  }
  const nb::tuple both(result);
  if (nb::len(both) != 2) {
    Throw(
        ValueError("A function under tf.custom_gradient must return (result, "
                   "grad_fn): expected 2 values, got {}",
                   nb::len(both)));
  }
  return {both[0], both[1]};
}

void CheckTakesVariables(nb::handle gradient, const nb::list& variables) {
  if (nb::len(variables) == 0) return;
  const nb::object spec =
      nb::module_::import_("inspect").attr("getfullargspec")(gradient);
  if (spec.attr("args").attr("__contains__")("variables").is(nb::bool_(true)) ||
      spec.attr("kwonlyargs")
          .attr("__contains__")("variables")
          .is(nb::bool_(true)) ||
      !spec.attr("varkw").is_none()) {
    return;
  }
  Throw(
      TypeError("@tf.custom_gradient grad_fn must accept keyword argument "
                "'variables', since function uses variables: {}",
                nb::str(variables).c_str()));
}

// The results as those of a call whose gradient the function gives: it gets
// the variables read that are no arguments. What a recomputed one computes is
// not kept.
nb::object CallCustom(Kind kind, nb::handle f, nb::handle args,
                      nb::handle kwargs) {
  const nb::list others = FlatLeaves(kwargs);
  TensorVector inputs, results;
  nb::list flat;
  for (nb::handle h : FlatLeaves(args)) {
    // Defaults that tf.function filled in; nothing flows into them.
    if (h.is_none()) {
      flat.append(h);
      continue;
    }
    // What acts as a variable is read in graphs, as it is in TensorFlow's.
    const bool acts = ActsAsVariable(h.ptr());
    if (acts && FuncGraph::Current() != nullptr) {
      inputs.push_back(ValueOrThrow(ToTensor(h.ptr())));
    } else {
      inputs.push_back(Differentiable(h.ptr()));
    }
    const bool is_variable =
        IsVariable(h.ptr()) ||
        (acts && inputs.back().dtype() == DataType::kResource);
    if (!is_variable) {
      inputs.back() = Tried([&] { return OwnedHere(inputs.back()); });
    }
    flat.append(is_variable ? nb::borrow(h) : Wrap(inputs.back()));
  }
  // Some are held by objects that act as them.
  std::set<PyObject*> arguments;
  for (const Tensor& t : inputs) {
    if (t.dtype() == DataType::kResource) arguments.insert(FindVariable(t));
  }
  nb::object result, gradient;
  const TensorVector read = Tried([&] {
    return VariablesReadBy(
        [&] {
          std::tie(result, gradient) =
              ResultAndGradient(kind, f, PackedAs(args, flat), kwargs);
        },
        /*forget=*/kind == Kind::kRecomputed);
  });
  results = Results(FlatLeaves(result));
  nb::list variables;
  for (const Tensor& handle : read) {
    PyObject* v = FindVariable(handle);
    const auto is_it = [&](nb::handle h) { return h.ptr() == v; };
    if (v == nullptr || arguments.contains(v) ||
        std::any_of(others.begin(), others.end(), is_it)) {
      continue;
    }
    variables.append(nb::handle(v));
    inputs.push_back(gk::py::VariableOf(v)->handle);
  }
  if (kind == Kind::kOwn) CheckTakesVariables(gradient, variables);
  const nb::object backward = Partial(&input_gradients, gradient, variables);
  std::string name;
  if (FuncGraph* here = FuncGraph::Current()) {
    const nb::object graph = Owned(WrapGraph(here->graph().get()));
    const int n = static_cast<int>(results.size());
    name = NameGradient(graph, backward, n, n,
                        OuterTensors::CapturedFor(backward, here));
  }
  nb::list out;
  for (const Tensor& t : Tried([&] {
         return WithOwnGradient(
             results, inputs,
             BackwardOf(backward, inputs.size(), variables.size()), name);
       })) {
    out.append(Wrap(t));
  }
  return PackedAs(result, out);
}

// _input_gradients(gradient, variables, output_gradients): those of the
// arguments, then of the variables.
PyObject* InputGradients(PyObject*, PyObject* args) {
  PyObject *gradient, *variables, *given;
  if (!PyArg_ParseTuple(args, "OOO", &gradient, &variables, &given)) {
    return nullptr;
  }
  const nb::tuple upstream{nb::handle(given)};
  if (PyList_GET_SIZE(variables) == 0) {
    return FlatLeaves(Called(gradient, upstream, nb::dict())).release().ptr();
  }
  nb::dict named;
  named["variables"] = nb::handle(variables);
  const nb::tuple both(Called(gradient, upstream, named));
  if (nb::len(both) != 2) {
    return Raise(ValueError(
        "A grad_fn that takes variables must return (gradients of the "
        "arguments, gradients of the variables): expected 2 values, got {}",
        nb::len(both)));
  }
  const nb::list of_variables = FlatLeaves(both[1]);
  if (nb::len(of_variables) !=
      static_cast<size_t>(PyList_GET_SIZE(variables))) {
    return Raise(ValueError(
        "Must return gradient for each variable from @custom_gradient "
        "grad_fn."));
  }
  nb::list found = FlatLeaves(both[0]);
  found.extend(of_variables);
  return found.release().ptr();
}

nb::list VariablesGiven(PyObject* kwargs) {
  PyObject* given =
      kwargs ? PyDict_GetItemString(kwargs, "variables") : nullptr;
  return given == nullptr || given == Py_None ? nb::list()
                                              : nb::list(nb::handle(given));
}

// _pass_gradients(*upstream, variables=None)
PyObject* PassGradients(PyObject*, PyObject* args, PyObject* kwargs) {
  const nb::list variables = VariablesGiven(kwargs);
  const nb::handle upstream(args);
  nb::object passed = PyTuple_GET_SIZE(args) == 1 ? nb::object(upstream[0])
                                                  : nb::borrow(upstream);
  if (nb::len(variables) == 0) return passed.release().ptr();
  nb::list none;
  for (size_t i = 0; i < nb::len(variables); ++i) none.append(nb::none());
  return nb::make_tuple(passed, none).release().ptr();
}

// _rerun_gradients(f, args, kwargs, *upstream, variables=None): those of the
// arguments of `f`, which runs once more, then of the variables.
PyObject* RerunGradients(PyObject*, PyObject* given, PyObject* named) {
  const nb::list variables = VariablesGiven(named);
  const nb::handle all(given);
  const nb::object f = all[0], args = all[1], kwargs = all[2];
  const nb::list flat = FlatLeaves(args);
  const TensorVector inputs = Differentiables(flat);
  std::vector<Gradient> upstream;
  for (Py_ssize_t i = 3; i < PyTuple_GET_SIZE(given); ++i) {
    upstream.push_back(ToGradient(PyTuple_GET_ITEM(given, i)));
  }
  const std::vector<Gradient> found = Tried([&] {
    return GradientsOfRerun(
        [&](const TensorVector& again) {
          nb::list leaves;
          for (size_t i = 0; i < again.size(); ++i) {
            leaves.append(IsVariable(nb::object(flat[i]).ptr())
                              ? nb::object(flat[i])
                              : Wrap(again[i]));
          }
          return Results(FlatLeaves(Called(f, PackedAs(args, leaves), kwargs)));
        },
        inputs, Differentiables(variables), upstream);
  });
  nb::list of_arguments, of_variables;
  for (size_t i = 0; i < found.size(); ++i) {
    (i < inputs.size() ? of_arguments : of_variables)
        .append(WrapGradient(found[i]));
  }
  if (nb::len(variables) == 0) return of_arguments.release().ptr();
  return nb::make_tuple(of_arguments, of_variables).release().ptr();
}

nb::object NewCustomGradient(nb::handle function, Kind kind) {
  nb::object made =
      Owned(custom_gradient_type->tp_alloc(custom_gradient_type, 0));
  Self(made.ptr())->function = Py_NewRef(function.ptr());
  Self(made.ptr())->kind = kind;
  nb::module_::import_("functools").attr("update_wrapper")(made, function);
  return made;
}

PyObject* Call(PyObject* o, PyObject* args, PyObject* kwargs) {
  const nb::object named = kwargs ? nb::borrow(kwargs) : nb::object(nb::dict());
  return CallCustom(Self(o)->kind, Self(o)->function, args, named)
      .release()
      .ptr();
}

// What the class has may be a function, a classmethod or the like.
PyObject* Bind(PyObject* o, PyObject* instance, PyObject* owner) {
  PyObject* f = Self(o)->function;
  descrgetfunc bind = Py_TYPE(f)->tp_descr_get;
  if (bind == nullptr) return Py_NewRef(o);
  return NewCustomGradient(Owned(bind(f, instance, owner)), Self(o)->kind)
      .release()
      .ptr();
}

// Keras' layers look at it by getfullargspec, which follows no __wrapped__.
PyObject* SignatureOfFunction(PyObject* o, void*) {
  return nb::module_::import_("inspect")
      .attr("signature")(nb::handle(Self(o)->function))
      .release()
      .ptr();
}

PyObject* Wrapped(PyObject* o, void*) { return Py_NewRef(Self(o)->function); }

int Traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(Self(o)->function);
  Py_VISIT(Self(o)->dict);
  return 0;
}
int Clear(PyObject* o) {
  Py_CLEAR(Self(o)->function);
  Py_CLEAR(Self(o)->dict);
  return 0;
}
void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (Self(o)->weakrefs != nullptr) PyObject_ClearWeakRefs(o);
  Clear(o);
  type->tp_free(o);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(CustomGradient, weakrefs),
     READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(CustomGradient, dict), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef getset[] = {{"__dict__", PyObject_GenericGetDict,
                         PyObject_GenericSetDict, nullptr, nullptr},
                        {"__signature__", Guarded<SignatureOfFunction>, nullptr,
                         nullptr, nullptr},
                        {"__original_wrapped__", Guarded<Wrapped>, nullptr,
                         nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {
    {Py_tp_call, Slot<Call>()},       {Py_tp_descr_get, Slot<Bind>()},
    {Py_tp_dealloc, Slot<Dealloc>()}, {Py_tp_traverse, Slot<Traverse>()},
    {Py_tp_clear, Slot<Clear>()},     {Py_tp_getset, Slot<getset>()},
    {Py_tp_members, Slot<members>()}, {0, nullptr}};
PyType_Spec spec = {
    "graphkiln._CustomGradient", sizeof(CustomGradient), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots};

template <Kind kKind>
PyObject* Decorate(PyObject* module, PyObject* args, PyObject* kwargs) {
  PyObject* f = Py_None;
  if (!ParseArguments(args, kwargs, kKind == Kind::kOwn ? "|O" : "O", {"f"},
                      &f)) {
    return nullptr;
  }
  if (kKind == Kind::kOwn && f == Py_None) {
    return PyObject_GetAttrString(module, "custom_gradient");
  }
  return NewCustomGradient(f, kKind).release().ptr();
}

PyMethodDef kOwnGradientsFunctions[] = {
    {"custom_gradient", AsCFunction(Guarded<Decorate<Kind::kOwn>>), kByName,
     "custom_gradient(f=None)\n--\n\n"
     "Gives a function its own gradient: it returns (result, grad_fn).\n\n"
     "`grad_fn` takes the gradients of the results and returns those of the\n"
     "arguments. If the function uses variables, `grad_fn` also takes\n"
     "`variables` and returns (gradients of arguments, gradients of\n"
     "variables).\n\n"
     ">>> @tf.custom_gradient\n"
     "... def twice_as_steep(x):\n"
     "...     return x * x, lambda upstream: upstream * 4.0 * x\n"
     ">>> x = tf.constant(3.0)\n"
     ">>> with tf.GradientTape() as tape:\n"
     "...     tape.watch(x)\n"
     "...     y = twice_as_steep(x)\n"
     ">>> tape.gradient(y, x).numpy().item()\n"
     "12.0"},
    {"recompute_grad", AsCFunction(Guarded<Decorate<Kind::kRecomputed>>),
     kByName,
     "recompute_grad(f)\n--\n\n"
     "`f`, of which nothing is kept for the gradient but the arguments: its\n"
     "gradient runs it once more.\n\n"
     "Args:\n"
     "  f: a function of tensors that returns tensors.\n\n"
     "Returns:\n"
     "  A function with the same results and gradients.\n\n"
     ">>> cube = tf.recompute_grad(lambda x: x * x * x)\n"
     ">>> x = tf.constant(2.0)\n"
     ">>> with tf.GradientTape() as tape:\n"
     "...     tape.watch(x)\n"
     "...     y = cube(x)\n"
     ">>> float(tape.gradient(y, x))\n"
     "12.0"},
    {"grad_pass_through", AsCFunction(Guarded<Decorate<Kind::kPassedThrough>>),
     kByName,
     "grad_pass_through(f)\n--\n\n"
     "`f`, whose gradient is that of the identity.\n\n"
     ">>> x = tf.Variable(1.3)\n"
     ">>> with tf.GradientTape() as tape:\n"
     "...     y = tf.grad_pass_through(tf.round)(x)\n"
     ">>> y.numpy().item(), tape.gradient(y, x).numpy().item()\n"
     "(1.0, 1.0)"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddOwnGradients(nb::module_& m) {
  custom_gradient_type = AddType(m.ptr(), &spec, nullptr);
  if (custom_gradient_type == nullptr ||
      PyModule_AddFunctions(m.ptr(), kOwnGradientsFunctions) < 0) {
    throw nb::python_error();
  }
}

}  // namespace gk::py
