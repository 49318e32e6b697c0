#include "function/evaluate_in_graph.h"

#include "runtime/executor.h"

namespace gk {

StatusOr<TensorVector> EvaluateInGraph(const FuncGraph& graph,
                                       std::span<const Tensor> outputs,
                                       std::span<const Tensor> arguments) {
  return EvaluateInGraph(graph, outputs, arguments,
                         [](const Tensor&) { return Tensor(); });
}

StatusOr<TensorVector> EvaluateInGraph(
    const FuncGraph& graph, std::span<const Tensor> outputs,
    std::span<const Tensor> arguments,
    FunctionRef<StatusOr<Tensor>(const Tensor&)> find) {
  std::vector<Node*> map;
  Ref<Graph> copy = graph.graph()->Clone(&map);
  std::vector<Output> results;
  std::vector<Node*> pending;
  for (const Tensor& t : outputs) {
    if (!t.is_symbolic() || Graph::GraphOf(t) != graph.graph().get()) {
      return InvalidArgument("EvaluateInGraph: output of another graph");
    }
    const Output o = Graph::OutputOf(t);
    results.push_back({map[o.node->id()], o.index});
    pending.push_back(results.back().node);
  }
  std::vector<bool> keep(map.size(), false);
  while (!pending.empty()) {
    Node* node = pending.back();
    pending.pop_back();
    if (keep[node->id()]) continue;
    keep[node->id()] = true;
    // Order among side effects is the traced program's, not the value's.
    node->ClearControlInputs();
    if (EffectsOf(*node).must_run) {
      return FailedPrecondition(
          "The value depends on {}, which has side "
          "effects",
          node->name());
    }
    for (const Output& o : node->inputs()) pending.push_back(o.node);
  }
  std::vector<Node*> inputs;
  TensorVector values;
  auto add = [&](const Node* placeholder, Tensor value) -> Status {
    Node* node = map[placeholder->id()];
    if (!keep[node->id()]) return OkStatus();
    if (value && value.is_symbolic()) {
      GK_ASSIGN_OR_RETURN(value, find(value));
    }
    if (!value) {
      return FailedPrecondition("The value depends on {}, which is not known",
                                placeholder->name());
    }
    inputs.push_back(node);
    values.push_back(value);
    return OkStatus();
  };
  for (size_t i = 0; i < graph.inputs().arguments().size(); ++i) {
    GK_RETURN_IF_ERROR(add(graph.inputs().arguments()[i],
                           i < arguments.size() ? arguments[i] : Tensor()));
  }
  for (const FunctionCapture& c : graph.inputs().captures()) {
    Tensor value = c.external;
    if (c.value && keep[map[c.placeholder->id()]->id()]) {
      GK_ASSIGN_OR_RETURN(value, c.value());
    }
    GK_RETURN_IF_ERROR(add(c.placeholder, value));
  }
  copy->RemoveNodes(keep);
  auto function = MakeRef<GraphFunction>(
      UniqueFunctionName("__initial_value_", graph.name()), std::move(copy),
      std::move(inputs), std::move(results), std::vector<Node*>(), AttrMap());
  TensorVector computed;
  OpBuilder::Scope eager(OpBuilder::Eager());
  GK_RETURN_IF_ERROR(RunFunction(*function, values, &computed));
  return computed;
}

}  // namespace gk
