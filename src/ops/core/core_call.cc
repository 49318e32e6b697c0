// PartitionedCall: a node that runs another function.
#include "ops/fn/core_call.h"

#include <string>

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

// Calls `f` with the inputs from `first` on.
Status RunCall(KernelContext& c, int first) {
  const FunctionAttr& f = c.attr<FunctionAttr>("f");
  FunctionRunner* runner = FunctionRunner::Get();
  if (!f.definition || runner == nullptr) {
    return NotFound("Function {} is not defined.", f.name);
  }
  TensorVector inputs;
  inputs.reserve(c.num_inputs());
  for (int i = first; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  TensorVector outputs;
  GK_RETURN_IF_ERROR(
      runner->Run(*f.definition, inputs, &outputs, c.cancellation()));
  return TakeResults(c, "Function", f.name, std::move(outputs));
}

Status ComputeCall(KernelContext& c) { return RunCall(c, 0); }

// Does it name the one device there is, "/job:localhost/.../device:CPU:0",
// "cpu:0" or nothing?
bool IsThisDevice(std::string name) {
  for (char& ch : name) {
    if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch - 'A' + 'a');
  }
  const size_t job = name.find("job:");
  if (job != std::string::npos &&
      !name.substr(job).starts_with("job:localhost")) {
    return false;
  }
  if (name.empty() || name == "cpu:0") return true;
  return name.ends_with("/cpu:0") || name.ends_with("/device:cpu:0");
}

Status ComputeRemoteCall(KernelContext& c) {
  if (c.input(0).num_elements() != 1) {
    return InvalidArgument("target must be a scalar, but has shape {}",
                           c.input(0).shape().DebugString());
  }
  const std::string& target = c.input(0).scalar<std::string>();
  if (!IsThisDevice(target)) {
    return Internal(
        "Currently don't support instantiating functions on device: {}",
        target);
  }
  return RunCall(c, 1);
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

    // Passes that look into functions take inputs for arguments, and the first
    // is none: they know of this one that it may do anything.
    {.name = "RemoteCall",
     .inputs = "target: string; args: Tin",
     .outputs = "output: Tout",
     .attrs = "Tin: list(type) >= 1; Tout: list(type) >= 1; f: func",
     .traits = kStateful | kReadsResource | kWritesResource,
     .shape = CallShape,
     .kernel = {.compute = ComputeRemoteCall},
     .doc = "Returns `f(args)`, run on the device named `target`, of which "
            "there is one."},
};

}  // namespace

GK_REGISTER_OPS(core_call)

}  // namespace gk
