#include "framework/host_function.h"

#include <atomic>

namespace gk {
namespace {

std::atomic<HostFunctionCaller> current_caller{nullptr};
thread_local int quiet = 0;

}  // namespace

QuietHostCalls::QuietHostCalls() { ++quiet; }
QuietHostCalls::~QuietHostCalls() { --quiet; }
bool QuietHostCalls::Any() { return quiet > 0; }

void SetHostFunctionCaller(HostFunctionCaller caller) {
  current_caller.store(caller);
}

Status CallHostFunction(const std::string& token,
                        std::span<const Tensor* const> inputs,
                        const std::vector<DataType>& types,
                        std::span<Tensor> outputs) {
  const HostFunctionCaller caller = current_caller.load();
  if (!caller) {
    return FailedPrecondition(
        "The function {} of the language that traced this graph cannot be "
        "called: the language does not run in this process",
        token);
  }
  return caller(token, inputs, types, outputs);
}

}  // namespace gk
