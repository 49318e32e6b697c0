// Calls of ops that eager code made before (known_calls.h).
#include "base/caught.h"
#include "base/checks.h"
#include "framework/check_numerics.h"
#include "framework/large_work.h"
#include "framework/logical_device.h"
#include "python/src/binding/gil.h"
#include "python/src/graph/source_location.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {

bool OpInfo::CallKnown(PyObject* const* arguments, std::string_view name,
                       PyObject** result) const {
  if (MindsDevices() || ChecksNumerics()) return false;
  TensorVector inputs;
  const Ref<CheckedCall> call(known_calls_.Find(
      std::span(arguments, parameters_.size()), def().inputs.size(), &inputs));
  if (!call) return false;
  if (ChecksOn()) [[unlikely]] {
    TensorVector anew;
    AttrMap attrs;
    Status status = ConvertInputs(arguments, &anew, &attrs);
    if (status.ok()) status = ConvertAttrs(arguments, &attrs);
    if (status.ok()) status = CheckSameCall(*call, inputs, anew, attrs);
    if (!status.ok()) {
      *result = Raise(status);
      return true;
    }
  }
  int64_t elements = 0;
  for (const Tensor& t : inputs) elements += t.num_elements();
  if (plain_elementwise_ && parameters_.size() == inputs.size() &&
      elements < kLargeElements && !CurrentObservers().active()) {
    const Tensor* in[2] = {&inputs.front(), &inputs.back()};
    Tensor out;
    Status status;
    if (EagerContext::RunElementwise(*record_, std::span(in, inputs.size()),
                                     name, &out, &status)) {
      *result =
          status.ok()
              ? WrapNewTensor(std::move(out))
              : Raise(AsCalled(
                    status, std::span(arguments, def().inputs.size()), name));
      return true;
    }
  }
  constexpr size_t kFew = 4;
  Tensor few[kFew];
  TensorVector many;
  if (call->num_outputs() > kFew) many.resize(call->num_outputs());
  const std::span<Tensor> outputs(many.empty() ? few : many.data(),
                                  call->num_outputs());
  const Status status = [&]() -> Status {
    LazyGilRelease release(elements >= kLargeElements);
    try {
      return call->Run(inputs, name, outputs);
    } catch (...) {
      return CaughtStatus();
    }
  }();
  *result = status.ok()
                ? WrapOutputs(outputs, call->attrs())
                : RaiseOpError(AsCalled(
                      status, std::span(arguments, def().inputs.size()), name));
  return true;
}

}  // namespace gk::py
