#include "python/src/function/concrete_function_facts.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "function/argument_names.h"
#include "python/src/binding/guarded.h"
#include "python/src/function/atomic_function.h"
#include "python/src/function/concrete_function.h"
#include "python/src/function/function_signature.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/traced_values.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/graph_def.h"
#include "python/src/nest/nest_node.h"
#include "python/src/profiler/function_profile.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

const ConcreteFunction& Function(PyObject* o) {
  return *ConcreteFunctionOf(o)->function;
}

// What there is of this name, made and kept where there is nothing yet.
template <class Make>
PyObject* Known(PyObject* o, const char* name, Make make) {
  if (PyObject* known =
          ConcreteFunctionOf(o)->dict
              ? PyDict_GetItemString(ConcreteFunctionOf(o)->dict, name)
              : nullptr) {
    return Py_NewRef(known);
  }
  PyRef made = PyRef::Steal(make());
  if (!made || PyObject_SetAttrString(o, name, made.get()) < 0) return nullptr;
  return made.Release();
}

PyObject* FunctionDefMessage(PyObject* o, void*) {
  return FunctionDefOf(nb::handle(o)).release().ptr();
}
PyObject* Placeholders(PyObject* o, void*) {
  return nb::object(nb::handle(o).attr("graph").attr("inputs")).release().ptr();
}

// --- Types, in the structure of what the function returns.

// `leaf` makes what stands for a result.
template <class Leaf>
PyObject* Packed(PyObject* o, PackOptions options, Leaf leaf) {
  std::vector<PyRef> leaves;
  for (const Output& r : Function(o).function()->results()) {
    leaves.push_back(PyRef::Steal(leaf(r.node->output(r.index))));
    if (!leaves.back()) return nullptr;
  }
  return PackValue(*ConcreteFunctionOf(o)->structure, leaves, options);
}
PyObject* OutputSpecs(PyObject* o) {
  return Packed(o, {.composites = PackOptions::kSpec},
                [](const Node::OutputInfo& r) {
                  return WrapTensorSpec(r.shape, r.dtype);
                });
}
PyObject* OutputShapes(PyObject* o, void*) {
  PyRef unknown = PyRef::Steal(WrapShape(PartialTensorShape()));
  if (!unknown) return nullptr;
  return Packed(o,
                {.composites = PackOptions::kParts, .nothing = unknown.get()},
                [](const Node::OutputInfo& r) { return WrapShape(r.shape); });
}
PyObject* OutputTypes(PyObject* o, void*) {
  return Packed(o, {.composites = PackOptions::kParts},
                [](const Node::OutputInfo& r) {
                  return Py_NewRef(DTypeObject(r.dtype));
                });
}

PyObject* NewFunctionType(PyObject* o) {
  nb::object graph = nb::handle(o).attr("graph");
  std::vector<FunctionType::Capture> captures;
  for (nb::handle pair : graph.attr("captures")) {
    nb::object outside = pair[0];
    if (outside.is_none()) continue;
    captures.emplace_back(
        std::to_string(reinterpret_cast<uintptr_t>(outside.ptr())),
        TypeOfValue(pair[1]));
  }
  const nb::object deferred = nb::getattr(graph, "_deferred", nb::dict());
  for (auto [key, value] : nb::borrow<nb::dict>(deferred)) {
    captures.emplace_back(StringView(nb::str(key).ptr()),
                          TraceTypeIn(nb::object(value[0]).ptr()));
  }
  // Specs of a file have names.
  nb::object specs = nb::getattr(nb::handle(o), kSavedOutputs, nb::none());
  if (specs.is_none()) specs = nb::steal(OutputSpecs(o));
  if (!specs.is_valid()) return nullptr;
  const Ref<FunctionType>& traced = Function(o).signature().type;
  return WrapFunctionType(MakeRef<FunctionType>(
      traced ? traced->parameters() : std::vector<FunctionParameter>(),
      std::move(captures), TypeOfValue(specs)));
}

std::string Text(PyObject* o, bool verbose) {
  nb::object type = nb::steal(FunctionTypeOf(o, nullptr));
  if (!type.is_valid()) throw nb::python_error();
  const Ref<FunctionType> signature = FunctionTypeIn(type.ptr());
  return verbose ? signature->LongText() : signature->Text();
}
PyObject* Repr(PyObject* o) {
  char address[2 * sizeof(o) + 1];
  std::snprintf(address, sizeof(address), "%zX", reinterpret_cast<size_t>(o));
  return ToPyString("<ConcreteFunction " + Text(o, /*verbose=*/false) +
                    " at 0x" + address + ">");
}
PyObject* LongRepr(PyObject* o) {
  return ToPyString("ConcreteFunction " + Text(o, /*verbose=*/true));
}

PyObject* PrettySignature(PyObject* o, PyObject* args, PyObject* kwargs) {
  int verbose = 1;
  if (!ParseArguments(args, kwargs, "|p", {"verbose"}, &verbose)) {
    return nullptr;
  }
  return ToPyString(Text(o, verbose != 0));
}

PyObject* ArgumentNames(PyObject* o, void*) {
  nb::list names;
  for (const std::string& name : FlatNames(Function(o))) {
    names.append(nb::steal(ToPyString(name)));
  }
  return names.release().ptr();
}

// Which arguments fit is for the call to say.
PyObject* CallSignature(PyObject*, void*) {
  return AnySignature().release().ptr();
}

PyObject* InferenceFunction(PyObject* o, void*) {
  return Known(o, "_inference_fn", [&] { return NewAtomicFunction(o); });
}

PyObject* BakedValues(PyObject* o, PyObject*) {
  return nb::list(nb::getattr(nb::handle(o), "_baked", nb::tuple()))
      .release()
      .ptr();
}

// Traces never change, so a copy is as good as the trace itself.
PyObject* Copy(PyObject* o, PyObject*) { return Py_NewRef(o); }

// The picture of the graph.
template <char kForm>
PyObject* ReprOf(PyObject* o, PyObject*) {
  return nb::object(nb::handle(o).attr("graph").attr(
                        kForm == 's' ? "_repr_svg_" : "_repr_html_")())
      .release()
      .ptr();
}

PyObject* Show(PyObject* o, PyObject* args, PyObject* kwargs) {
  return nb::object(nb::object(nb::handle(o).attr("graph"))
                        .attr("show")(*nb::handle(args),
                                      **(kwargs == nullptr
                                             ? nb::dict()
                                             : nb::borrow<nb::dict>(kwargs))))
      .release()
      .ptr();
}

PyMethodDef methods[] = {
    {"show", AsCFunction(Guarded<Show>), kByName,
     "show($self, path=None)\n--\n\n"
     "Shows the graph, as tf.Graph.show does: functions that it calls can be\n"
     "unfolded, and all drawings be zoomed.\n\n"
     "Args:\n"
     "  path: of the page that is written; a new one unless given.\n\n"
     "Returns the path, None in a notebook, which shows it there."},
    {"pretty_printed_signature", AsCFunction(Guarded<PrettySignature>), kByName,
     "pretty_printed_signature($self, verbose=True)\n--\n\n"
     "The parameters and what is returned."},
    {"baked_values", Guarded<BakedValues>, METH_NOARGS,
     "baked_values($self)\n--\n\n"
     "The Python values that this trace froze: globals, closure cells and\n"
     "attributes that the function and the functions it calls read. Changes "
     "of\nthem have no effect on the trace.\n\n"
     ">>> rate = 0.5\n"
     ">>> @tf.function\n"
     "... def scale(x):\n"
     "...     return x * rate\n"
     ">>> [baked] = scale.get_concrete_function(1.0).baked_values()\n"
     ">>> baked.name, baked.value, baked.kind\n"
     "('rate', 0.5, 'global')"},
    {"profile", AsCFunction(Guarded<ProfileConcrete>), kByName,
     "profile($self, *args, **kwargs)\n--\n\n"
     "Calls it and tells where the time went, as `tf.function`'s `profile` "
     "does."},
    {"memory_report", Guarded<MemoryOfConcrete>, METH_NOARGS,
     "memory_report($self)\n--\n\n"
     "What memory its plan needs, and for which values, as `tf.function`'s\n"
     "`memory_report` tells it."},
    {"__copy__", Guarded<Copy>, METH_NOARGS, nullptr},
    {"_repr_svg_", Guarded<ReprOf<'s'>>, METH_NOARGS, nullptr},
    {"_repr_html_", Guarded<ReprOf<'h'>>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef attributes[] = {
    {"function_def", Guarded<FunctionDefMessage>, nullptr,
     "The function as a FunctionDef.", nullptr},
    {"function_type", Guarded<FunctionTypeOf>, nullptr,
     "Parameters, captures and output with their types.", nullptr},
    {"inference_fn", Guarded<InferenceFunction>, nullptr,
     "The function that runs when no tape watches.", nullptr},
    {"inputs", Guarded<Placeholders>, nullptr,
     "Placeholders of the arguments, then of the captures.", nullptr},
    {"output_shapes", Guarded<OutputShapes>, nullptr,
     "Shapes in the structure of what the function returns.", nullptr},
    {"output_dtypes", Guarded<OutputTypes>, nullptr,
     "Data types in the structure of what the function returns.", nullptr},
    {"structured_outputs", Guarded<TracedOutputs>, nullptr,
     "What the function returns, with symbolic tensors; of a loaded function "
     "with tf.TensorSpecs.",
     nullptr},
    {"structured_input_signature", Guarded<TracedInputs>, nullptr,
     "(args, kwargs) with tf.TensorSpecs for tensors.", nullptr},
    {"variables", Guarded<TracedVariables>, nullptr,
     "The variables captured, in the order of first use.", nullptr},
    {"trainable_variables", Guarded<TracedTrainableVariables>, nullptr,
     "Those of the variables that tapes watch.", nullptr},
    {"_arg_keywords", Guarded<ArgumentNames>, nullptr,
     "The names by which the tensors can be given.", nullptr},
    {"__signature__", Guarded<CallSignature>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

std::string ShortName(const ConcreteFunction& f) {
  constexpr std::string_view kPrefix = "__inference_";
  std::string_view name = f.name();
  if (name.starts_with(kPrefix)) {
    name = name.substr(kPrefix.size());
    const size_t end = name.rfind('_');
    name = name.substr(0, end == name.npos ? 0 : end);
  }
  return std::string(name);
}

PyObject* FunctionTypeOf(PyObject* o, void*) {
  return Known(o, "_function_type", [&] { return NewFunctionType(o); });
}

void AddConcreteFunctionFacts(TypeParts* parts) {
  parts->Add(methods);
  parts->Add(attributes);
  parts->slots.push_back({Py_tp_repr, Slot<Repr>()});
  parts->slots.push_back({Py_tp_str, Slot<LongRepr>()});
}

}  // namespace gk::py
