// Ops that call back into the language above.
#include "ops/fn/core_host_calls.h"

#include "framework/grad_context.h"
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

bool IsDifferentiable(const Tensor& t) {
  return IsFloating(t.dtype()) || IsComplex(t.dtype());
}

// A node that asks the record of the call, which is its last output.
void Gradient(GradContext& c) {
  const int last = c.num_outputs() - 1;
  const auto token = c.attr<std::string>("token");
  if (token == kSecondHostGradient) {
    throw Error(LookupError(
        "The second gradient of tf.py_function cannot be differentiated "
        "again."));
  }
  if (last < 0 || c.y(last).dtype() != DataType::kVariant) {
    throw Error(LookupError("{} keeps no record for gradients of its call",
                            c.record().name));
  }
  TensorVector taken{c.y(last)};
  for (int i = 0; i < last; ++i) {
    if (IsDifferentiable(c.y(i))) taken.push_back(c.dy(i));
  }
  if (taken.size() == 1) return;
  const bool second = token == kHostGradient;
  std::vector<int> sources;
  std::vector<DataType> types;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!IsDifferentiable(c.x(i))) continue;
    sources.push_back(i);
    types.push_back(c.x(i).dtype());
    // The gradient depends on them, although the record has them.
    if (!second) taken.push_back(c.x(i));
  }
  if (!second) types.push_back(DataType::kVariant);
  const TensorVector found = ops::EagerPyFunc(
      taken, second ? kSecondHostGradient : kHostGradient, std::move(types));
  for (size_t i = 0; i < sources.size(); ++i) c.Set(sources[i], found[i]);
}

const OpRecord kRecords[] = {
    {.name = "EagerPyFunc",
     .inputs = "input: Tin",
     .outputs = "output: Tout",
     .attrs = "token: string; is_async: bool = False; Tin: list(type) >= 0; "
              "Tout: list(type) >= 0",
     .traits = kStateful | kWritesResource,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = Compute},
     .gradient = Gradient,
     .doc = "Calls the Python function of `token` with tensors."},

    {.name = "PyFunc",
     .inputs = "input: Tin",
     .outputs = "output: Tout",
     .attrs = "token: string; Tin: list(type) >= 0; Tout: list(type) >= 0",
     .traits = kStateful | kWritesResource | kNoGradient,
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
