// Ops that call back into the language above.
#include "ops/fn/core_host_calls.h"

#include "framework/host_function.h"
#include "framework/op_registry.h"

namespace gk {
namespace {

Status Compute(KernelContext& c) {
  std::vector<const Tensor*> inputs(c.num_inputs());
  for (int i = 0; i < c.num_inputs(); ++i) inputs[i] = &c.input(i);
  // Copies: the call may make other ops, which may reuse what is held.
  const std::string token = c.attr<std::string>("token");
  const std::vector<DataType> types = c.attr<std::vector<DataType>>("Tout");
  std::vector<Tensor> outputs(types.size());
  GK_RETURN_IF_ERROR(CallHostFunction(token, inputs, types, outputs));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i] || outputs[i].dtype() != types[i]) {
      return Internal("{} gave no value of type {} as output {}", token,
                      DataTypeString(types[i]), i);
    }
    c.set_output(static_cast<int>(i), std::move(outputs[i]));
  }
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "EagerPyFunc",
     .inputs = "input: Tin",
     .outputs = "output: Tout",
     .attrs = "token: string; is_async: bool = False; Tin: list(type) >= 0; "
              "Tout: list(type) >= 0",
     .traits = kStateful,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = Compute},
     .doc = "Calls the Python function of `token` with tensors."},

    {.name = "PyFunc",
     .inputs = "input: Tin",
     .outputs = "output: Tout",
     .attrs = "token: string; Tin: list(type) >= 0; Tout: list(type) >= 0",
     .traits = kStateful | kNoGradient,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = Compute},
     .doc = "Calls the Python function of `token` with NumPy arrays."},

    {.name = "PyFuncStateless",
     .inputs = "input: Tin",
     .outputs = "output: Tout",
     .attrs = "token: string; Tin: list(type) >= 0; Tout: list(type) >= 0",
     .traits = kNoGradient,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = Compute},
     .doc = "PyFunc of a function without side effects."},
};

}  // namespace

GK_REGISTER_OPS(core_host_calls)

}  // namespace gk
