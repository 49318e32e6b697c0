// Control flow as nodes: branches and loops whose parts were traced into
// graphs of their own. Shared by all languages' cond, switch_case and
// while_loop, and by gradients.
//
// Everything here is called while the graph outside of the parts is being
// built. The parts capture what they use; all parts of a node get the same
// inputs.
#ifndef GK_FUNCTION_CONTROL_FLOW_H_
#define GK_FUNCTION_CONTROL_FLOW_H_

#include <functional>
#include <string>
#include <vector>

#include "function/func_graph.h"

namespace gk {

// A branch or a part of a loop: its graph, unfinished, and its results.
struct FunctionPart {
  Ref<FuncGraph> graph;
  TensorVector results;
};

// A function traced with `body` in a new graph inside the current one. Its
// arguments are as the tensors in `like`, but of `shapes`. Throws what `body`
// throws.
FunctionPart TracePart(
    std::string name, std::span<const Tensor> like,
    std::span<const PartialTensorShape> shapes,
    const std::function<TensorVector(std::span<const Tensor>)>& body);

// If (`selector` is a condition; two parts, the first for true) or Case
// (`selector` is an index). Results of the parts agree in number and dtype.
// Returns the node's results. `name` as for OpBuilder::Apply.
StatusOr<TensorVector> MakeIf(const Tensor& condition,
                              std::vector<FunctionPart> parts,
                              std::string_view name);
StatusOr<TensorVector> MakeCase(const Tensor& index,
                                std::vector<FunctionPart> parts,
                                std::string_view name);

struct WhileOptions {
  // Of the loop variables; empty: as they enter and leave the body.
  std::vector<PartialTensorShape> shapes;
  int64_t parallel_iterations = 10;
};
// `condition` and `body` take `state`; `condition` returns one value.
StatusOr<TensorVector> MakeWhile(FunctionPart condition, FunctionPart body,
                                 std::span<const Tensor> state,
                                 const WhileOptions& options,
                                 std::string_view name);

// InitEager with a FunctionRunner by which tapes differentiate If, Case and
// While ops too, custom gradients and calls of the host language. Comes before
// any other InitEager or InitRuntime of the process; cheap after the first
// time.
void InitControlFlow();

}  // namespace gk

#endif  // GK_FUNCTION_CONTROL_FLOW_H_
