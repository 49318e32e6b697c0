#include "concrete_function_facts.h"

#include "concrete_function.h"
#include "graph_def.h"
#include "guarded.h"
#include "traced_values.h"

namespace gk::py {
namespace {

PyObject* FunctionDefMessage(PyObject* o, void*) {
  return FunctionDefOf(nanobind::handle(o)).release().ptr();
}
PyObject* Placeholders(PyObject* o, void*) {
  PyRef graph = PyRef::Steal(PyObject_GetAttrString(o, "graph"));
  return graph ? PyObject_GetAttrString(graph.get(), "inputs") : nullptr;
}

// The picture of the graph.
template <char kForm>
PyObject* ReprOf(PyObject* o, PyObject*) {
  PyRef graph = PyRef::Steal(PyObject_GetAttrString(o, "graph"));
  return graph ? PyObject_CallMethod(
                     graph.get(), kForm == 's' ? "_repr_svg_" : "_repr_html_",
                     nullptr)
               : nullptr;
}

PyMethodDef methods[] = {
    {"_repr_svg_", Guarded<ReprOf<'s'>>, METH_NOARGS, nullptr},
    {"_repr_html_", Guarded<ReprOf<'h'>>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef attributes[] = {
    {"function_def", Guarded<FunctionDefMessage>, nullptr,
     "The function as a FunctionDef.", nullptr},
    {"inputs", Guarded<Placeholders>, nullptr,
     "Placeholders of the arguments, then of the captures.", nullptr},
    {"structured_outputs", Guarded<TracedOutputs>, nullptr,
     "What the function returns, with symbolic tensors.", nullptr},
    {"structured_input_signature", Guarded<TracedInputs>, nullptr,
     "(args, kwargs) with tf.TensorSpecs for tensors.", nullptr},
    {"variables", Guarded<TracedVariables>, nullptr,
     "The variables captured, in the order of first use.", nullptr},
    {"trainable_variables", Guarded<TracedTrainableVariables>, nullptr,
     "Those of the variables that tapes watch.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

void AddConcreteFunctionFacts(TypeParts* parts) {
  parts->Add(methods);
  parts->Add(attributes);
}

}  // namespace gk::py
