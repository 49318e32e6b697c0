// Values of edges of a graph under construction.
#ifndef GK_FUNCTION_EVALUATE_IN_GRAPH_H_
#define GK_FUNCTION_EVALUATE_IN_GRAPH_H_

#include "base/function_ref.h"
#include "function/func_graph.h"

namespace gk {

// As the function of func_graph.h; `find` gives the value of a tensor of a
// graph around this one, that an argument or a capture is.
StatusOr<TensorVector> EvaluateInGraph(
    const FuncGraph& graph, std::span<const Tensor> outputs,
    std::span<const Tensor> arguments,
    FunctionRef<StatusOr<Tensor>(const Tensor& outside)> find);

}  // namespace gk

#endif  // GK_FUNCTION_EVALUATE_IN_GRAPH_H_
