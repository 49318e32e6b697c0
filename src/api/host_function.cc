#include "graphkiln/host_function.h"

#include <utility>

#include "api/inner.h"
#include "api/result_parts.h"
#include "api/type_spec_inner.h"
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
          return Inner(Inward([&] { return f(Outer(values)); }));
        },
        Inner(inp), InnerList(types), kind, name));
  });
}

HostResults Inner(const std::vector<TypeSpec>& specs) {
  std::vector<::gk::TypeSpec> inner;
  for (const TypeSpec& spec : specs) inner.push_back(Inner(spec));
  return HostResults(std::move(inner));
}

}  // namespace

namespace detail {

std::vector<Tensor> CallOnHost(TensorFunction f, const std::vector<Tensor>& inp,
                               const std::vector<TypeSpec>& Tout,
                               const std::string& name) {
  const HostResults results = Guarded([&] { return Inner(Tout); });
  std::vector<DataType> types;
  for (InnerType type : results.types()) types.push_back(Outer(type));
  const std::vector<Tensor> tensors =
      Call(std::move(f), inp, types, HostCallKind::kDifferentiable, name);
  Guarded([&] { results.Apart(Inner(tensors)); });
  return tensors;
}

std::vector<Tensor> HostParts(const Results& result,
                              const std::vector<TypeSpec>& Tout) {
  Guarded([&] {
    std::vector<TypeSpec> given;
    for (ResultPart& part : PartsOf(result)) {
      given.push_back(std::move(part.spec));
    }
    const HostResults wanted = Inner(Tout);
    for (size_t i = 0; i < given.size() && i < wanted.size(); ++i) {
      wanted.Check(i, Inner(given[i]), given[i].to_string(),
                   {"the function", SpecsText(given), SpecsText(Tout)});
    }
  });
  return result.tensors;
}

void ThrowOtherHostResults(const std::vector<TypeSpec>& Tout) {
  ThrowPublic(TypeError("py_function: the results of the function are not of "
                        "the kinds of Tout={}",
                        SpecsText(Tout)));
}

}  // namespace detail

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
