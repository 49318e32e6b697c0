#include "api/tracing.h"

#include "framework/op_builder.h"
#include "function/func_graph.h"
#include "function/variable_creation.h"

namespace gk::api {

InnerTensor ValueForNewVariable(const InnerTensor& initial) {
  if (!OpBuilder::Current()->builds_graph()) {
    if (!initial.is_symbolic()) return initial;
    throw ::gk::Error(ValueError(
        "The initial value of a variable belongs to a function that was "
        "traced"));
  }
  VariableCreation* const creation = VariableCreation::Current();
  if (creation != nullptr) ThrowIfError(creation->Note(/*lifted=*/true));
  if (const InnerTensor known = initial.KnownValue()) return known;
  const FuncGraph* graph = FuncGraph::Current();
  if (graph == nullptr) {
    throw ::gk::Error(ValueError("Variables cannot be created here"));
  }
  if (creation != nullptr) return ValueOrThrow(creation->Lift(*graph, initial));
  const TensorVector arguments(graph->arguments().size());
  return ValueOrThrow(EvaluateInGraph(*graph, {&initial, 1}, arguments))[0];
}

}  // namespace gk::api
