// The extension module graphkiln._graphkiln.
#include <nanobind/nanobind.h>

#include "argument_snapshot.h"
#include "atomic_function.h"
#include "composite_types.h"
#include "concrete_call.h"
#include "assertions.h"
#include "concrete_function.h"
#include "concrete_function_facts.h"
#include "control_flow.h"
#include "dataset_class.h"
#include "dataset_methods.h"
#include "dataset_options.h"
#include "convert.h"
#include "deferred_captures.h"
#include "dimension_type.h"
#include "device_types.h"
#include "dtype_type.h"
#include "eager/eager_context.h"
#include "framework/shared_variables.h"
#include "element_spec.h"
#include "errors.h"
#include "extension_fields.h"
#include "external_captures.h"
#include "func_graph_object.h"
#include "function/control_flow.h"
#include "function_facts.h"
#include "function_object.h"
#include "function_trace_type.h"
#include "generator.h"
#include "gradient_tape.h"
#include "graph_def.h"
#include "graph_functions.h"
#include "graph_parts.h"
#include "graph_scopes.h"
#include "host_function.h"
#include "initializers.h"
#include "interrupt.h"
#include "late_attributes.h"
#include "name_scope.h"
#include "nest_node.h"
#include "op_function.h"
#include "op_record.h"
#include "operation_members.h"
#include "operation_type.h"
#include "own_gradients.h"
#include "package_facts.h"
#include "plain_values.h"
#include "printing.h"
#include "ragged.h"
#include "reference_type.h"
#include "retraces.h"
#include "shape_type.h"
#include "slicing.h"
#include "source_location.h"
#include "tensor_array.h"
#include "tensor_spec_type.h"
#include "tensor_type.h"
#include "throw_status.h"
#include "traced_values.h"
#include "variable_type.h"

NB_MODULE(_graphkiln, m) {
  // What nanobind knows of its classes, which it has just made anew for an
  // interpreter that it did not know.
  static auto* known = nanobind::detail::internals;
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    nanobind::detail::internals = known;
    throw nanobind::import_error(
        "graphkiln cannot be imported in a subinterpreter: use the main one");
  }
  // Types and tables are the process's: whoever imports the module again, after
  // it was taken out of sys.modules, gets the first one.
  known = nanobind::detail::internals;
  static PyObject* first = nullptr;
  if (first != nullptr) {
    if (PyDict_SetItem(PyImport_GetModuleDict(), m.attr("__name__").ptr(),
                       first) < 0) {
      throw nanobind::python_error();
    }
    return;
  }
  gk::InitEager();
  gk::InitControlFlow();
  PyObject* module = m.ptr();
  gk::py::TypeParts graph, func_graph, concrete_function, function;
  gk::py::AddGraphScopes(&graph);
  gk::py::AddGraphState(&graph);
  gk::py::AddGraphMessages(&graph);
  gk::py::AddFuncGraphState(&func_graph);
  gk::py::AddConcreteFunctionFacts(&concrete_function);
  gk::py::AddExternalCaptures(&concrete_function);
  gk::py::AddFunctionFacts(&function);
  const bool ok =
      gk::py::AddErrorTypes(module) && gk::py::AddDTypeType(module) &&
      gk::py::AddShapeType(module) && gk::py::AddReferenceType(module) &&
      gk::py::AddTensorTypes(module) && gk::py::AddVariableType(module) &&
      gk::py::AddTensorSpecTypes(module) && gk::py::AddConversions(module) &&
      gk::py::AddOpFunctions(module) && gk::py::AddCompositeFunctions(module) &&
      gk::py::AddProcessSettings(module) &&
      gk::py::AddConfigFunctions(module) && gk::py::AddSlicing(module) &&
      gk::py::AddNest(module) && gk::py::AddTraceTypes(module) &&
      gk::py::AddGraphTypes(module, std::move(graph), std::move(func_graph)) &&
      gk::py::AddConcreteFunctionType(module, std::move(concrete_function),
                                      gk::py::CallStructured) &&
      gk::py::AddTracedValues(module) && gk::py::AddSourceLocations(module) &&
      gk::py::AddFunctionType(module, std::move(function)) &&
      gk::py::AddGraphFunctions(module) && gk::py::AddGenerator(module) &&
      gk::py::AddInitializers(module);
  if (!ok || !gk::py::AddLateAttributes(module) ||
      !gk::py::InstallInterruptCheck()) throw nanobind::python_error();
  gk::py::AddExceptionTranslator();
  gk::py::InstallHostFunctions(m);
  gk::py::AddDimension(m);
  gk::py::AddAtomicFunction(m);
  gk::py::AddArgumentSnapshot(m);
  gk::py::AddPlainValues(m);
  gk::py::AddGraphParts(m);
  gk::py::AddFunctionSpec(m);
  gk::py::AddRetraces(m);
  gk::py::AddScopes(m);
  gk::py::AddGraphScopeType(m);
  gk::py::AddDeferredCaptures(m);
  gk::py::AddGradientTape(m);
  gk::py::AddOwnGradients(m);
  gk::py::AddGradientRegistry(m);
  gk::py::AddAssertions(m);
  gk::py::AddControlFlow(m);
  gk::py::AddControlFlowFunctions(m);
  gk::py::AddRowLoops(m);
  gk::py::AddElementSpecs(m);
  gk::py::AddElementClasses(m);
  gk::py::AddDatasetClass(m);
  gk::py::AddDatasetMethods(m);
  gk::py::AddDatasetBy(m);
  gk::py::AddDatasetOptions(m);
  gk::py::AddDatasetExperimental(m);
  gk::py::AddCompositeTypes(m);
  gk::py::AddRagged(m);
  gk::py::AddTensorArray(m);
  gk::py::AddOperation(m);
  gk::py::AddGraphDef(m);
  gk::py::AddOpRecord(m);
  gk::py::AddDeviceTypes(m);
  gk::py::AddLogFunctions(m);
  gk::py::AddPackageFacts(m);
  gk::py::AddPrinting(m);
  gk::py::AddExtensionFields(m);
  gk::py::AddPublicNames(m);
  m.attr("anonymous_name") = gk::kAnonymousName.data();
  first = Py_NewRef(module);
}
