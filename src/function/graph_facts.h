// What programs ask of a graph beside its operations: of that of a function
// what goes in and out, of a tensor who uses it and what its shape is to be.
#ifndef GK_FUNCTION_GRAPH_FACTS_H_
#define GK_FUNCTION_GRAPH_FACTS_H_

#include <string>
#include <vector>

#include "function/func_graph.h"

namespace gk {

// The tensors that stand for the arguments, then those for the captures.
TensorVector InputsOf(const FuncGraph& graph);
// What the function returns, flat; empty before it is finished.
TensorVector OutputsOf(const FuncGraph& graph);
// Operations that run even if no result needs them, as they were made.
std::vector<Node*> ControlOutputsOf(const FuncGraph& graph);
// The handles of the variables that it uses: of those outside.
TensorVector CapturedVariables(const FuncGraph& graph);
// The handle of the variable that a placeholder of functions within functions
// stands for; itself if it is none.
Tensor OutermostHandle(Tensor handle);

// The operations that use a symbolic tensor, as they were made.
std::vector<Node*> ConsumersOf(const Tensor& t);

// Says what the shape of a tensor is: of a symbolic one it is known from now
// on, unless its function is traced already. ValueError if it cannot be.
Status SetStaticShape(const Tensor& t, const PartialTensorShape& shape);

}  // namespace gk

#endif  // GK_FUNCTION_GRAPH_FACTS_H_
