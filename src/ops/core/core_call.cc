// PartitionedCall: a node that runs another function.
#include "ops/fn/core_call.h"

#include "framework/function_runner.h"
#include "framework/graph.h"
#include "framework/op_registry.h"
#include "ops/call_results.h"

namespace gk {
namespace {

// Of its function; other knowledge comes from the graph that makes the node.
Status CallShape(InferenceContext& c) {
  const FunctionAttr f = c.attr<FunctionAttr>("f");
  if (!f.definition) return OkStatus();
  const std::vector<PartialTensorShape> shapes = f.definition->output_shapes();
  for (int i = 0; i < c.num_outputs() && i < int(shapes.size()); ++i) {
    c.set_output(i, shapes[i]);
  }
  return OkStatus();
}

Status ComputeCall(KernelContext& c) {
  const FunctionAttr& f = c.attr<FunctionAttr>("f");
  FunctionRunner* runner = FunctionRunner::Get();
  if (!f.definition || runner == nullptr) {
    return NotFound("Function {} is not defined.", f.name);
  }
  TensorVector inputs;
  inputs.reserve(c.num_inputs());
  for (int i = 0; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  TensorVector outputs;
  GK_RETURN_IF_ERROR(
      runner->Run(*f.definition, inputs, &outputs, c.cancellation()));
  return TakeResults(c, "Function", f.name, std::move(outputs));
}

const OpRecord kRecords[] = {
    {.name = "PartitionedCall",
     .inputs = "args: Tin",
     .outputs = "output: Tout",
     .attrs = "Tin: list(type) >= 0; Tout: list(type) >= 0; f: func;"
              "config: string = ''; config_proto: string = '';"
              "executor_type: string = ''",
     .traits = kCallsFunction,
     .control = Control::kCall,
     .shape = CallShape,
     .kernel = {.compute = ComputeCall},
     .doc = "Returns `f(args)`, for a function without side effects."},

    {.name = "StatefulPartitionedCall",
     .inputs = "args: Tin",
     .outputs = "output: Tout",
     .attrs = "Tin: list(type) >= 0; Tout: list(type) >= 0; f: func;"
              "config: string = ''; config_proto: string = '';"
              "executor_type: string = ''",
     .traits = kCallsFunction | kStateful,
     .control = Control::kCall,
     .shape = CallShape,
     .kernel = {.compute = ComputeCall},
     .doc = "Returns `f(args)`, for a function with side effects."},
};

}  // namespace

GK_REGISTER_OPS(core_call)

}  // namespace gk
