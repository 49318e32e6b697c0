// Which tensors the graph being built takes.
#ifndef GK_PYTHON_TAKEN_TENSOR_H_
#define GK_PYTHON_TAKEN_TENSOR_H_

#include "function/func_graph.h"

namespace gk::py {

// RuntimeError for an eager tensor where a graph is built for its own sake:
// such take nothing from outside.
inline Status CheckTakenByGraph(const Tensor& t) {
  if (!t || t.is_symbolic()) return OkStatus();
  const FuncGraph* const graph = FuncGraph::Current();
  if (graph == nullptr || graph->is_function()) return OkStatus();
  return RuntimeError(
      "Attempting to capture an EagerTensor without building a function.");
}

}  // namespace gk::py

#endif  // GK_PYTHON_TAKEN_TENSOR_H_
