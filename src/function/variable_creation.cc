#include "function/variable_creation.h"

#include <utility>

#include "function/evaluate_in_graph.h"
#include "function/user_scopes.h"

namespace gk {
namespace {

thread_local VariableCreation* current = nullptr;

constexpr auto kNoInputs = [] {
  return StatusOr<TensorVector>(TensorVector());
};

}  // namespace

VariableCreation::VariableCreation(Rule rule, Inputs inputs,
                                   const HostWords& words)
    : rule_(rule),
      inputs_(inputs),
      words_(words),
      outer_(std::exchange(current, this)) {}
VariableCreation::~VariableCreation() { current = outer_; }

VariableCreation* VariableCreation::Here() {
  const bool here = current != nullptr && current->graph_ != nullptr &&
                    IsAround(current->graph_);
  return here ? current : nullptr;
}

void VariableCreation::EnterGraph(const FuncGraph* graph) {
  if (current != nullptr && current->graph_ == nullptr) {
    current->graph_ = graph;
  }
}

Status VariableCreation::Note(bool lifted) {
  // Also what the first trace made is there when the one that stays is made.
  if (rule_ == Rule::kRefused) {
    return ValueError("{}", words_.made_again);
  }
  happened_ |= lifted;
  return OkStatus();
}

Status VariableCreation::Settle() const {
  if (rule_ != Rule::kLate || !happened_) return OkStatus();
  return ValueError("{}", words_.made_late);
}

StatusOr<Tensor> VariableCreation::Lift(const Tensor& initial) const {
  if (Tensor known = initial.KnownValue()) return known;
  const FuncGraph* graph = FuncGraph::Of(Graph::GraphOf(initial));
  if (graph == nullptr) {
    return FailedPrecondition("The graph of the value is gone");
  }
  const VariableCreation* of_graph = this;
  while (of_graph != nullptr && of_graph->graph_ != graph) {
    of_graph = of_graph->outer_;
  }
  TensorVector given;
  if (of_graph != nullptr) {
    GK_ASSIGN_OR_RETURN(given, of_graph->inputs_());
  }
  GK_ASSIGN_OR_RETURN(
      TensorVector value,
      EvaluateInGraph(*graph, {&initial, 1}, given,
                      [this](const Tensor& outside) { return Lift(outside); }));
  return std::move(value[0]);
}

Status TraceMakingVariables(const HostWords& words,
                            FunctionRef<Status()> trace) {
  using Rule = VariableCreation::Rule;
  for (const Rule rule : {Rule::kAllowed, Rule::kRefused}) {
    const VariableCreation creation(rule, kNoInputs, words);
    GK_RETURN_IF_ERROR(trace());
    if (!creation.happened()) break;
  }
  return OkStatus();
}

}  // namespace gk
