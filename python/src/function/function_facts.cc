#include "python/src/function/function_facts.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "function/user_scopes.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/function/concrete_function.h"
#include "python/src/function/decorated_function.h"
#include "python/src/function/function_object.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/py_trace.h"
#include "python/src/function/retraces.h"
#include "python/src/profiler/function_profile.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

const PythonFunction& Python(PyObject* o) { return *FunctionOf(o)->python; }
const TraceCache& TracesOf(PyObject* o) {
  return FunctionOf(o)->function->cache();
}

// --- The Python function.

PyObject* Body(PyObject* o, void*) { return Python(o).Body().release().ptr(); }
PyObject* TypeOfFunction(PyObject* o, void*) {
  return WrapFunctionType(FunctionOf(o)->rules->Type());
}
PyObject* NameOf(PyObject* o, void*) { return ToPyString(Python(o).Name()); }
// Of the name `option`, as tf.function was given it.
PyObject* OptionOf(PyObject* o, void* option) {
  return Python(o).Option(static_cast<const char*>(option)).release().ptr();
}
constexpr PyGetSetDef ShownOption(const char* name, const char* option) {
  return {name, Guarded<OptionOf>, nullptr, nullptr, const_cast<char*>(option)};
}
PyObject* OwnFunction(PyObject* o, void*) {
  return nb::object(Python(o).function()).release().ptr();
}
nb::object InputSignatureOf(PyObject* o) {
  const nb::object specs = Python(o).Option("input_signature");
  return specs.is_none() ? specs : nb::object(nb::tuple(specs));
}
PyObject* InputSignature(PyObject* o, void*) {
  return InputSignatureOf(o).release().ptr();
}

// What a Function says of its parameters.
struct FunctionSpec {
  nb::object full, input_signature, type;
  bool is_method;
  nb::list names;
};
PyObject* Spec(PyObject* o, void*) {
  const PythonFunction& python = Python(o);
  FunctionSpec spec{
      nb::module_::import_("inspect").attr("getfullargspec")(python.function()),
      InputSignatureOf(o),
      nb::none(),
      python.is_bound(),
      {}};
  const FunctionSignature& signature = FunctionOf(o)->rules->signature();
  spec.type = nb::steal(WrapFunctionType(signature.Type()));
  for (const auto& p : signature.parameters()) {
    spec.names.append(nb::steal(ToPyString(p.name)));
  }
  return nb::cast(std::move(spec)).release().ptr();
}

// For the module that looks for frozen values.
PyObject* Unbound(PyObject* o, void*) {
  return nb::object(Python(o).function()).release().ptr();
}
PyObject* Instance(PyObject* o, void*) {
  return Python(o).Instance().release().ptr();
}
PyObject* IsBound(PyObject* o, void*) {
  return PyBool_FromLong(Python(o).is_bound());
}
// _of_object(id): the Function of a living object that was asked for, or None.
PyObject* OfObject(PyObject* o, PyObject* id) {
  PyObject* known = FunctionOf(o)->of_objects == nullptr
                        ? nullptr
                        : PyDict_GetItem(FunctionOf(o)->of_objects, id);
  if (known == nullptr ||
      PyWeakref_GetObject(PyTuple_GET_ITEM(known, 0)) == Py_None) {
    Py_RETURN_NONE;
  }
  return Py_NewRef(PyTuple_GET_ITEM(known, 1));
}

PyObject* Repr(PyObject* o) {
  char address[2 * sizeof(o) + 1];
  std::snprintf(address, sizeof(address), "%zx", reinterpret_cast<size_t>(o));
  return ToPyString("<graphkiln.Function " + Python(o).Name() + " at 0x" +
                    address + ">");
}

// Puts a decorator around the Python function, before it is traced.
PyObject* Decorate(PyObject* o, PyObject* decorator) {
  if (FunctionOf(o)->function->traced_once()) {
    return Raise(ValueError(
        "Functions cannot be decorated after they have been traced."));
  }
  const PythonFunction& python = Python(o);
  SetPythonFunction(o, PythonFunction(nb::handle(decorator)(python.function()),
                                      python.options(), nb::none()));
  Py_RETURN_NONE;
}

// The same of another Python function, without traces. New reference.
PyObject* CopyOf(PyObject* o, nb::handle function) {
  return NewFunction(PythonFunction(function, Python(o).options(), nb::none()))
      .release()
      .ptr();
}
PyObject* Copy(PyObject* o, PyObject*) {
  return CopyOf(o, Python(o).function());
}
// Of another Python function, or None for this one's.
PyObject* Clone(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* given;
  if (!ParseArguments(args, kwargs, "O", {"python_function"}, &given)) {
    return nullptr;
  }
  return given == Py_None ? Copy(o, nullptr) : CopyOf(o, given);
}
PyObject* Reduce(PyObject* o, PyObject*) {
  return nb::make_tuple(
             DecoratedFunction(),
             nb::make_tuple(Python(o).function(), Python(o).options()))
      .release()
      .ptr();
}

// --- The traces.

PyObject* ClearTraces(PyObject* o, PyObject*) {
  FunctionOf(o)->function->cache().Clear();
  Py_RETURN_NONE;
}

PyObject* CacheInfo(PyObject* o, PyObject*) {
  static constinit MadeOnce once;
  PyObject* const cls = once.Get([] {
    return nb::module_::import_("collections")
        .attr("namedtuple")("CacheInfo",
                            "hits misses maxsize currsize evictions",
                            nb::arg("module") = "graphkiln")
        .release()
        .ptr();
  });
  const TraceCacheInfo info = TracesOf(o).info();
  const nb::object limit =
      info.max_traces == 0 ? nb::none() : nb::object(nb::int_(info.max_traces));
  return nb::handle(cls)(info.hits, info.misses, limit, info.size,
                         info.evictions)
      .release()
      .ptr();
}

PyObject* TracingCount(PyObject* o, PyObject*) {
  return PyLong_FromLong(FunctionOf(o)->function->tracing_count());
}
PyObject* Explanation(PyObject* o, PyObject*) {
  return ExplanationObject(FunctionOf(o)->function->Explain());
}

PyObject* PrettySignatures(PyObject* o, PyObject* args, PyObject* kwargs) {
  int verbose = 1;
  if (!ParseArguments(args, kwargs, "|p", {"verbose"}, &verbose)) {
    return nullptr;
  }
  std::string text;
  for (const Ref<Trace>& t : TracesOf(o).traces()) {
    const nb::object one = nb::handle(ConcreteOf(*t))
                               .attr("pretty_printed_signature")(verbose != 0);
    text += (text.empty() ? "" : "\n\n") + nb::cast<std::string>(one);
  }
  return ToPyString(text);
}

nb::object ConcreteFor(PyObject* o, PyObject* args, PyObject* kwargs) {
  return nb::handle(o).attr("get_concrete_function")(
      *nb::borrow<nb::args>(args),
      **(kwargs ? nb::borrow<nb::kwargs>(kwargs)
                : nb::steal<nb::kwargs>(PyDict_New())));
}

PyObject* CompilerIr(PyObject* o, PyObject* args, PyObject* kwargs) {
  if (FunctionOf(o)->function->options().jit_compile != true) {
    return Raise(
        ValueError("Compiler IR can only be returned for functions marked "
                   "with 'jit_compile=True'"));
  }
  // The text alone: what keeps the trace could not be collected with it.
  const nb::object graph =
      ConcreteFor(o, args, kwargs).attr("graph").attr("as_graph_def")();
  const auto text = [text = TextOf(graph)](nb::object stage, nb::handle,
                                           nb::handle) {
    if (!stage.equal(nb::str("graph"))) {
      Raise(
          ValueError("Unknown stage {}: there is \"graph\", the text of the "
                     "traced program.",
                     ReprOf(stage)));
      throw nb::python_error();
    }
    return text;
  };
  return nb::cpp_function(text, nb::arg("stage") = "hlo",
                          nb::arg("device_name") = nb::none(),
                          nb::arg("platform_name") = nb::none())
      .release()
      .ptr();
}

// The ConcreteFunctions, in the order made.
PyObject* AllConcrete(PyObject* o, PyObject*) {
  nb::list all;
  for (const Ref<Trace>& trace : TracesOf(o).traces()) {
    all.append(nb::handle(ConcreteOf(*trace)));
  }
  return all.release().ptr();
}

// One ConcreteFunction for each of the traces, as it is where this is asked:
// while a model is saved, one that was traced for it.
PyObject* AllConcreteHere(PyObject* o, PyObject*) {
  const auto traces = TracesOf(o).traces();
  const bool has_signature = !nb::handle(o).attr("input_signature").is_none();
  nb::list all;
  for (const Ref<Trace>& trace : traces) {
    nb::object one = nb::borrow(nb::handle(ConcreteOf(*trace)));
    if (trace->type().place() != TracePlace()) {
      const nb::object make = nb::handle(o).attr("get_concrete_function");
      const nb::object given = one.attr("structured_input_signature");
      one = has_signature ? make()
                          : make(*nb::cast<nb::args>(given[0]),
                                 **nb::cast<nb::kwargs>(given[1]));
    }
    const auto is_it = [&](nb::handle other) { return other.is(one); };
    if (std::none_of(all.begin(), all.end(), is_it)) all.append(one);
  }
  return all.release().ptr();
}

// _trackable_children(save_type="checkpoint", **kwargs): the traces that a
// SavedModel has of it; of a function with an input signature there is one.
PyObject* TraceChildren(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* type = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0)
                   : kwargs ? PyDict_GetItemString(kwargs, "save_type")
                            : nullptr;
  nb::dict children;
  if (type == nullptr || nb::handle(type).equal(nb::str("checkpoint"))) {
    return children.release().ptr();
  }
  const nb::handle function(o);
  if (TracesOf(o).traces().empty() &&
      !function.attr("input_signature").is_none()) {
    function.attr("get_concrete_function")();
  }
  for (nb::handle trace : Owned(AllConcreteHere(o, nullptr))) {
    children[Format("trace_{}", nb::len(children)).c_str()] = trace;
  }
  return children.release().ptr();
}

PyObject* Profile(PyObject* o, PyObject* args, PyObject* kwargs) {
  return ProfileOfCall(ConcreteFor(o, args, kwargs), o, args, kwargs);
}
PyObject* Memory(PyObject* o, PyObject*) {
  const auto traces = TracesOf(o).traces();
  if (traces.empty()) {
    return Raise(ValueError("Function {} has not been traced: call it first",
                            Python(o).Name()));
  }
  return MemoryOfConcrete(ConcreteOf(*traces.back()), nullptr);
}

constexpr int kAny = METH_VARARGS | METH_KEYWORDS;

PyMethodDef kFunctionFactsMethods[] = {
    {"_list_all_concrete_functions", Guarded<AllConcrete>, METH_NOARGS,
     "_list_all_concrete_functions($self)\n--\n\n"
     "The ConcreteFunctions that were traced, in that order."},
    {"_list_all_concrete_functions_for_serialization", Guarded<AllConcreteHere>,
     METH_NOARGS, nullptr},
    {"_trackable_children", AsCFunction(Guarded<TraceChildren>),
     METH_VARARGS | METH_KEYWORDS, nullptr},
    {"_of_object", Guarded<OfObject>, METH_O, nullptr},
    {"_decorate", Guarded<Decorate>, METH_O,
     "_decorate($self, decorator)\n--\n\n"
     "Puts `decorator` around the Python function, before it is traced."},
    {"_clone", AsCFunction(Guarded<Clone>), kByName,
     "_clone($self, python_function)\n--\n\n"
     "The same for another Python function, without traces."},
    {"__copy__", Guarded<Copy>, METH_NOARGS, nullptr},
    {"__deepcopy__", Guarded<Copy>, METH_O, nullptr},
    {"__reduce__", Guarded<Reduce>, METH_NOARGS, nullptr},
    {"clear_traces", Guarded<ClearTraces>, METH_NOARGS,
     "clear_traces($self)\n--\n\n"
     "Forgets all traces, with their graphs and what they captured, and sets\n"
     "the counts of `cache_info` to 0. Variables stay."},
    {"cache_info", Guarded<CacheInfo>, METH_NOARGS,
     "cache_info($self)\n--\n\n"
     "Hits, misses, limit and number of traces, and how many were dropped,\n"
     "like `cache_info` of functools.\n\n"
     ">>> f = tf.function(lambda x: x + 1, max_traces=2)\n"
     ">>> for n in (1, 2, 1, 3):\n"
     "...     _ = f(n)\n"
     ">>> f.cache_info()\n"
     "CacheInfo(hits=1, misses=3, maxsize=2, currsize=2, evictions=1)"},
    {"experimental_get_tracing_count", Guarded<TracingCount>, METH_NOARGS,
     "experimental_get_tracing_count($self)\n--\n\n"
     "How often the Python function has been traced."},
    {"profile", AsCFunction(Guarded<Profile>), kAny,
     "profile($self, *args, **kwargs)\n--\n\n"
     "Calls the function with these arguments and tells where the time went:\n"
     "for each op or fused group the user's line that made it, how often it\n"
     "ran, its time and share, the part of the machine's peak that it "
     "attained,\nand the memory of its results. If there is no trace for the "
     "arguments, one\nis made before. All runs are recorded, none is left out: "
     "that adds some 25 ns\nto each of these times.\n\n"
     "Args:\n"
     "  *args, **kwargs: of the function. One that has no effects and draws "
     "no\n    random numbers is called for some milliseconds, and means are "
     "told; others\n    are called once, and what they do happens.\n\n"
     "Returns:\n"
     "  A `FunctionProfile`, which prints as a table and, in notebooks, as "
     "one with\n  bars; its `rows` are `ProfileRow`s.\n\n"
     "Raises:\n"
     "  AlreadyExistsError: a profile is being made "
     "(`tf.profiler.experimental`).\n\n"
     ">>> f = tf.function(lambda x: tf.nn.relu(x @ x))\n"
     ">>> profile = f.profile(tf.ones([64, 64]))\n"
     ">>> [product] = [row for row in profile.rows if row.name == 'MatMul']\n"
     ">>> product.calls, int(product.flops), product.shapes\n"
     "(1, 524288, '(float32[64,64], float32[64,64]) -> float32[64,64]')"},
    {"memory_report", Guarded<Memory>, METH_NOARGS,
     "memory_report($self)\n--\n\n"
     "What memory the plan of the trace made last needs: how much at the "
     "peak,\nwhere that is, and which values it is for, by the user's line.\n"
     "\nReturns:\n"
     "  A `MemoryReport`, which prints as a table and, in notebooks, as one "
     "with\n  bars; its `plans` have `buffers`.\n\n"
     "Raises:\n"
     "  ValueError: the function has not been traced.\n\n"
     ">>> f = tf.function(lambda x: tf.reduce_sum(tf.linalg.inv(x) @ x))\n"
     ">>> _ = f(tf.eye(64))\n"
     ">>> report = f.memory_report()\n"
     ">>> report.plans[0].buffers[0].type, report.plans[0].buffers[0].bytes\n"
     "('float32[64,64]', 16384)"},
    {"explain_retraces", Guarded<Explanation>, METH_NOARGS,
     "explain_retraces($self)\n--\n\n"
     "Why it was traced more than once: for every trace beyond the first, "
     "which\nargument caused it, its old and new type, where the call was, "
     "and what would\navoid it. A sequence of records that prints as text "
     "and, in notebooks, as a\ntable.\n\n"
     ">>> f = tf.function(lambda x: x + 1)\n"
     ">>> _ = f(tf.constant([1, 2])), f(tf.constant([1, 2, 3]))\n"
     ">>> [retrace] = f.explain_retraces()\n"
     ">>> [reason] = retrace.reasons\n"
     ">>> reason.argument, reason.cause\n"
     "('x', 'shape')"},
    {"pretty_printed_concrete_signatures",
     AsCFunction(Guarded<PrettySignatures>), kByName,
     "pretty_printed_concrete_signatures($self, verbose=True)\n--\n\n"
     "The signatures of all traces."},
    {"experimental_get_compiler_ir", AsCFunction(Guarded<CompilerIr>), kAny,
     "experimental_get_compiler_ir($self, *args, **kwargs)\n--\n\n"
     "A function that gives a text of the compiled program.\n\n"
     "Raises ValueError unless the function has `jit_compile=True`."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef attributes[] = {
    {"python_function", Guarded<Body>, nullptr,
     "The Python function that is traced.", nullptr},
    {"function_type", Guarded<TypeOfFunction>, nullptr,
     "The parameters of the Python function, with the types that an input\n"
     "signature gives them.",
     nullptr},
    {"function_spec", Guarded<Spec>, nullptr,
     "The parameters and the input signature.", nullptr},
    {"input_signature", Guarded<InputSignature>, nullptr,
     "The input signature given, or None.", nullptr},
    {"name", Guarded<NameOf>, nullptr, "The name of the Python function.",
     nullptr},
    ShownOption("_jit_compile", "jit_compile"),
    ShownOption("_reduce_retracing", "reduce_retracing"),
    ShownOption("_autograph", "autograph"),
    ShownOption("_experimental_autograph_options",
                "experimental_autograph_options"),
    ShownOption("_attributes", "attributes"),
    {"_name", Guarded<NameOf>, nullptr, nullptr, nullptr},
    {"_python_function", Guarded<OwnFunction>, nullptr, nullptr, nullptr},
    {"_unbound", Guarded<Unbound>, nullptr, nullptr, nullptr},
    {"_instance", Guarded<Instance>, nullptr, nullptr, nullptr},
    {"_is_bound", Guarded<IsBound>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

void AddFunctionFacts(TypeParts* function) {
  function->Add(kFunctionFactsMethods);
  function->Add(attributes);
  function->slots.push_back({Py_tp_repr, Slot<Repr>()});
}

void AddFunctionSpec(nb::module_& m) {
  nb::class_<FunctionSpec>(m, "FunctionSpec",
                           "What a Function says of its parameters.")
      .def_ro("fullargspec", &FunctionSpec::full)
      .def_ro("input_signature", &FunctionSpec::input_signature)
      .def_ro("function_type", &FunctionSpec::type,
              "Names, kinds and defaults.")
      .def_ro("is_method", &FunctionSpec::is_method,
              "Is it bound to an object?")
      .def_ro("arg_names", &FunctionSpec::names,
              "Names of the positional parameters.");
}

}  // namespace gk::py
