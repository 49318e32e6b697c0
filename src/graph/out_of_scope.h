// The error of a symbolic tensor that is used where its graph is not: what
// it is, where it was made, and how to do without. Thread-safe.
#ifndef GK_GRAPH_OUT_OF_SCOPE_H_
#define GK_GRAPH_OUT_OF_SCOPE_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "framework/tensor.h"
#include "framework/graph.h"

namespace gk {

// TypeError. `defined_in` names the tensor's graph ("FuncGraph(name=f, ...)")
// where that is known.
Status OutOfScopeError(const Tensor& symbolic, std::string_view defined_in);
// ValueError for a tensor of a function made inside the one that uses it;
// Python shows it as InaccessibleTensorError.
Status InaccessibleTensorError(const Tensor& symbolic,
                               std::string_view defined_in,
                               std::string_view used_in);
bool IsInaccessibleTensorError(const Status& status);
// A tensor of a graph is no input of a run: a run that failed with one says so
// instead.
Status ExplainedFailure(Status failed, std::span<const Tensor> inputs);
inline Status ExplainedRun(Status status, std::span<const Tensor> inputs) {
  return status.ok() ? OkStatus() : ExplainedFailure(std::move(status), inputs);
}

// Shows a user's position as the host language does, outermost line first, a
// line each. Empty text if unknown.
std::string SourceText(SourceId source);

}  // namespace gk

#endif  // GK_GRAPH_OUT_OF_SCOPE_H_
