// The extension module graphkiln._graphkiln.
#include <nanobind/nanobind.h>

#include "framework/shared_variables.h"
#include "function/control_flow.h"
#include "kernels/close_dnnl.h"
#include "python/src/binding/bound_classes.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/throw_status.h"
#include "python/src/checkpoint/checkpoint.h"
#include "python/src/checkpoint/trackable_type.h"
#include "python/src/control_flow/control_flow.h"
#include "python/src/control_flow/list_value.h"
#include "python/src/control_flow/tensor_array.h"
#include "python/src/data/dataset_class.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_options.h"
#include "python/src/data/element_spec.h"
#include "python/src/example/parse_example.h"
#include "python/src/files/gfile_type.h"
#include "python/src/function/cancelable_calls.h"
#include "python/src/function/atomic_function.h"
#include "python/src/function/concrete_call.h"
#include "python/src/function/concrete_function.h"
#include "python/src/function/concrete_function_facts.h"
#include "python/src/function/decorated_function.h"
#include "python/src/function/deferred_captures.h"
#include "python/src/function/external_captures.h"
#include "python/src/function/frozen_function.h"
#include "python/src/function/function_facts.h"
#include "python/src/function/function_object.h"
#include "python/src/function/function_options.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/retraces.h"
#include "python/src/function/told_function.h"
#include "python/src/function/traced_values.h"
#include "python/src/gradients/gradient_tape.h"
#include "python/src/gradients/own_gradients.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/graph_def.h"
#include "python/src/graph/graph_elements.h"
#include "python/src/graph/graph_functions.h"
#include "python/src/graph/graph_scopes.h"
#include "python/src/graph/host_function.h"
#include "python/src/graph/meta_graph.h"
#include "python/src/graph/name_scope.h"
#include "python/src/graph/operation_members.h"
#include "python/src/graph/operation_type.h"
#include "python/src/graph/session_object.h"
#include "python/src/graph/source_location.h"
#include "python/src/host/device_types.h"
#include "python/src/host/interrupt.h"
#include "python/src/host/log_functions.h"
#include "python/src/host/package_facts.h"
#include "python/src/host/python_language.h"
#include "python/src/nest/nest_node.h"
#include "python/src/ops/assertions.h"
#include "python/src/ops/dispatch.h"
#include "python/src/ops/fallback_dispatch.h"
#include "python/src/ops/op_function.h"
#include "python/src/ops/op_record.h"
#include "python/src/ops/plain_values.h"
#include "python/src/ops/printing.h"
#include "python/src/profiler/function_profile.h"
#include "python/src/profiler/profiler.h"
#include "python/src/ragged/composite_types.h"
#include "python/src/random/generator.h"
#include "python/src/random/initializers.h"
#include "python/src/saved_model/saved_model.h"
#include "python/src/saved_model/structured_value.h"
#include "python/src/summary/summary.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dimension_type.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/numpy_functions.h"
#include "python/src/tensors/reference_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/slicing.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/overridable_operators.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/tensors/version_one.h"
#include "python/src/types/batch_encoder.h"
#include "python/src/types/extension_class.h"
#include "python/src/types/extension_constructor.h"
#include "python/src/types/extension_type.h"
#include "python/src/types/spec_of_value.h"
#include "python/src/variables/variable_arguments.h"
#include "python/src/variables/variable_type.h"

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
  gk::InitControlFlow();
  PyObject* module = m.ptr();
  gk::py::TypeParts graph, func_graph, concrete_function, function;
  gk::py::AddGraphScopes(&graph);
  gk::py::AddGraphState(&graph);
  gk::py::AddGraphMessages(&graph);
  gk::py::AddFuncGraphState(&func_graph);
  gk::py::AddConcreteFunctionFacts(&concrete_function);
  gk::py::AddExternalCaptures(&concrete_function);
  gk::py::AddFlatCalls(&concrete_function);
  gk::py::AddFunctionFacts(&function);
  const bool ok =
      gk::py::AddPackageParts(module) && gk::py::AddErrorTypes(module) &&
      gk::py::AddDTypeType(module) && gk::py::AddShapeType(module) &&
      gk::py::AddReferenceType(module) && gk::py::AddTensorTypes(module) &&
      gk::py::AddOverridableOperators() &&
      gk::py::AddTrackableType(module) &&
      gk::py::AddVariableType(module) && gk::py::AddTensorSpecTypes(module) &&
      gk::py::AddConversions(module) && gk::py::AddOpFunctions(module) &&
      gk::py::AddCompositionFunctions(module) &&
      gk::py::AddProcessSettings(module) &&
      gk::py::AddConfigFunctions(module) && gk::py::AddSlicing(module) &&
      gk::py::AddNumpyFunctions(module) && gk::py::AddNest(module) &&
      gk::py::AddTraceTypes(module) &&
      gk::py::AddGraphTypes(module, std::move(graph), std::move(func_graph)) &&
      gk::py::AddConcreteFunctionType(module, std::move(concrete_function),
                                      gk::py::CallStructured) &&
      gk::py::AddTracedValues(module) && gk::py::AddSourceLocations(module) &&
      gk::py::AddFunctionType(module, std::move(function)) &&
      gk::py::AddGraphFunctions(module) && gk::py::AddFrozenFunction(module);
  if (!ok || !gk::py::AddLateAttributes(module) || !gk::py::NoteMainThread())
    throw nanobind::python_error();
  // When Python has ended, before what libraries destroy at the end.
  Py_AtExit(gk::CloseDnnl);
  // Threads may ask it as long as the process lives.
  gk::HostLanguage::Set(new gk::py::PythonLanguage);
  gk::py::AddExceptionTranslator();
  gk::py::AddHostFunctions(m);
  gk::py::AddVariableCreatorScope(m);
  gk::py::AddModuleWalk(m);
  gk::py::AddMetaGraphFunctions(m);
  gk::py::AddSummaries(m);
  gk::py::AddProfiler(m);
  gk::py::AddProfilerService(m);
  gk::py::AddFunctionProfile(m);
  gk::py::AddGenerator(m);
  gk::py::AddInitializers(m);
  gk::py::AddDimension(m);
  gk::py::AddVersionOne(m);
  gk::py::AddAtomicFunction(m);
  gk::py::AddPlainValues(m);
  gk::py::AddFunctionSpec(m);
  gk::py::AddRetraces(m);
  gk::py::AddScopes(m);
  gk::py::AddFunctionOptions(m);
  gk::py::AddCancellationManager(m);
  gk::py::AddDecoratedFunction(m);
  gk::py::AddGraphScopeType(m);
  gk::py::AddDeferredCaptures(m);
  gk::py::AddGradientTape(m);
  gk::py::AddOwnGradients(m);
  gk::py::AddGradientRegistry(m);
  gk::py::AddAssertions(m);
  gk::py::AddControlFlow(m);
  gk::py::AddControlFlowFunctions(m);
  gk::py::AddRowLoops(m);
  gk::py::AddMapFunctions(m);
  gk::py::AddListValue(m);
  gk::py::AddElementSpecs(m);
  gk::py::AddElementClasses(m);
  gk::py::AddSpecsOfValues(m);
  gk::py::AddBatchEncoder(m);
  gk::py::AddDatasetClass(m);
  gk::py::AddDatasetMethods(m);
  gk::py::AddGeneratedDataset(m);
  gk::py::AddDatasetOptions(m);
  gk::py::AddDatasetExperimental(m);
  gk::py::AddDatasetFiles(m);
  gk::py::AddCsvFunctions(m);
  gk::py::AddSavingFunctions(m);
  gk::py::AddCompositeTypes(m);
  gk::py::AddParseExample(m);
  gk::py::AddDispatch(m);
  gk::py::AddFallbackDispatch(m);
  gk::py::AddDispatchForApi(m);
  gk::py::AddTensorArray(m);
  gk::py::AddOperation(m);
  gk::py::AddGraphDef(m);
  gk::py::AddGraphElements(m);
  gk::py::AddGraphSession(m);
  gk::py::AddCheckpointReader(m);
  gk::py::AddKeptCheckpoints(m);
  gk::py::AddObjectGraphs(m);
  gk::py::AddTrackedAttributes(m);
  gk::py::AddSharding(m);
  gk::py::AddStructuredValues(m);
  gk::py::AddToldFunction(m);
  gk::py::AddRestoredFunction(m);
  gk::py::AddLoadedModel(m);
  gk::py::AddExportedModel(m);
  gk::py::AddOpRecord(m);
  gk::py::AddDeviceTypes(m);
  gk::py::AddLogFunctions(m);
  gk::py::AddGFile(m);
  gk::py::AddFileFunctions(m);
  gk::py::AddRecordFiles(m);
  gk::py::AddPackageFacts(m);
  gk::py::AddPrinting(m);
  gk::py::AddExtensionConstructor(m);
  gk::py::AddExtensionTypes(m);
  gk::py::AddExtensionClasses(m);
  gk::py::AddPublicNames(m);
  m.attr("anonymous_name") = gk::kAnonymousName.data();
  gk::py::GuardBoundClasses(m);
  first = Py_NewRef(module);
}
