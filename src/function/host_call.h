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
#include "function/specs/type_spec.h"

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

// How errors speak of a call.
struct HostResultWords {
  std::string function, results, wanted;
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

// Results of which some may be made of several tensors: what they are.
class HostResults {
 public:
  explicit HostResults(std::vector<TypeSpec> specs);

  size_t size() const { return specs_.size(); }
  const TypeSpec& spec(size_t i) const { return specs_[i]; }
  // The dtypes of all tensors, which are the results of the call.
  const std::vector<DataType>& types() const { return types_; }
  // ValueError unless a value of a spec, which prints as `text`, may be result
  // `i`; thrown. `words`: how the function, its results and what is wanted
  // print. A plain tensor is checked by its dtype, with the others.
  void Check(size_t i, const TypeSpec& given, const std::string& text,
             const HostResultWords& words) const;
  // The tensors of each result, of which those of graphs are known to have the
  // shapes of its spec.
  std::vector<TensorVector> Apart(const TensorVector& tensors) const;

 private:
  std::vector<TypeSpec> specs_;
  std::vector<DataType> types_;
};

// InvalidArgument unless these are as many results, of the types, as wanted;
// thrown.
void CheckHostResults(const std::string& token, std::span<const Tensor> results,
                      const std::vector<DataType>& types);

// Gradients of recorded calls find what they call. Once, before any graph is
// made.
void InitHostCalls();

}  // namespace gk

#endif  // GK_FUNCTION_HOST_CALL_H_
