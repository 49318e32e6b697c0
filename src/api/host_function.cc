#include "graphkiln/host_function.h"

#include <utility>

#include "api/inner.h"
#include "function/host_call.h"

namespace gk::api {
namespace {

std::vector<Tensor> Call(TensorFunction f, const std::vector<Tensor>& inp,
                         const std::vector<DataType>& types, HostCallKind kind,
                         const std::string& name) {
  EnsureReady();
  return Guarded([&] {
    return Outer(CallOnHost(
        [f = std::move(f)](const std::string&, const TensorVector& values,
                           const std::vector<InnerType>&) {
          return Inner(f(Outer(values)));
        },
        Inner(inp), InnerList(types), kind, name));
  });
}

}  // namespace

std::vector<Tensor> py_function(TensorFunction f,
                                const std::vector<Tensor>& inp,
                                const std::vector<DataType>& Tout,
                                const std::string& name) {
  return Call(std::move(f), inp, Tout, HostCallKind::kDifferentiable, name);
}

std::vector<Tensor> numpy_function(TensorFunction f,
                                   const std::vector<Tensor>& inp,
                                   const std::vector<DataType>& Tout,
                                   bool stateful, const std::string& name) {
  return Call(std::move(f), inp, Tout,
              stateful ? HostCallKind::kPlain : HostCallKind::kPure, name);
}

}  // namespace gk::api
