#include "function/variable_creation.h"

#include <algorithm>
#include <utility>

#include "function/func_graph.h"

namespace gk {
namespace {

thread_local VariableCreation* current = nullptr;

}  // namespace

VariableCreation::VariableCreation(Rule rule, Inputs inputs,
                                   const HostWords& words)
    : rule_(rule),
      inputs_(inputs),
      words_(words),
      outer_(std::exchange(current, this)) {}
VariableCreation::~VariableCreation() { current = outer_; }

VariableCreation* VariableCreation::Current() { return current; }

Status VariableCreation::Note(bool lifted) {
  // Also what the first trace made is there when the one that stays is made.
  if (rule_ == Rule::kRefused) return ValueError("{}", words_.made_again);
  happened_ |= lifted;
  return OkStatus();
}

Status VariableCreation::Settle() const {
  if (rule_ != Rule::kLate || !happened_) return OkStatus();
  return ValueError("{}", words_.made_late);
}

StatusOr<Tensor> VariableCreation::Lift(const FuncGraph& graph,
                                        const Tensor& initial) const {
  TensorVector values(graph.arguments().size());
  if (&graph == graph_) {
    GK_ASSIGN_OR_RETURN(TensorVector given, inputs_());
    std::move(given.begin(),
              given.begin() + std::min(given.size(), values.size()),
              values.begin());
  }
  GK_ASSIGN_OR_RETURN(TensorVector value,
                      EvaluateInGraph(graph, {&initial, 1}, values));
  return std::move(value[0]);
}

}  // namespace gk
