// Functions of the program called from graphs: whenever the graph runs, with
// the values that there are then, and with gradients by tapes that watch the
// call.
#ifndef GK_FUNCTION_HOST_CALL_H_
#define GK_FUNCTION_HOST_CALL_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host_function.h"
#include "framework/op_builder.h"

namespace gk {

// What is called, eagerly, with values of its own; it may throw Error. The
// results have the `types` that they are wanted in.
using HostBody = std::function<TensorVector(
    const std::string& token, const TensorVector& values,
    const std::vector<DataType>& types)>;

enum class HostCallKind {
  kDifferentiable,  // if any argument can have a gradient
  kPlain,           // it has none
  kPure,            // nor side effects: it may be called less often
};

struct HostCallNode {
  TensorVector results;
  // Whoever traces keeps it as long as the graph may run.
  Ref<HostFunction> function;
};

// A node of the graph being built that calls `body`.
HostCallNode AddHostCall(HostBody body, std::span<const Tensor> inputs,
                         const std::vector<DataType>& types, HostCallKind kind,
                         std::string_view name);

// The same whose function lives as long as the node or a copy of it; eagerly
// it is called at once.
TensorVector CallOnHost(HostBody body, std::span<const Tensor> inputs,
                        const std::vector<DataType>& types, HostCallKind kind,
                        std::string_view name);

// InvalidArgument unless these are as many results, of the types, as wanted;
// thrown.
void CheckHostResults(const std::string& token, std::span<const Tensor> results,
                      const std::vector<DataType>& types);

// Gradients of recorded calls find what they call. Once, before any graph is
// made.
void InitHostCalls();

}  // namespace gk

#endif  // GK_FUNCTION_HOST_CALL_H_
