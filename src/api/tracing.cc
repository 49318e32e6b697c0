#include "api/tracing.h"

#include "framework/op_builder.h"
#include "function/func_graph.h"

namespace gk::api {
namespace {

thread_local VariableCreation* current_creation = nullptr;

constexpr char kCreationError[] =
    "A traced function may create variables only while it is traced for the "
    "first time: create the variable outside, or once, and keep it (a static, "
    "or a std::optional that the lambda fills)";

}  // namespace

VariableCreation::VariableCreation(bool allowed)
    : allowed_(allowed), outer_(current_creation) {
  current_creation = this;
}
VariableCreation::~VariableCreation() { current_creation = outer_; }

InnerTensor ValueForNewVariable(const InnerTensor& initial) {
  if (!OpBuilder::Current()->builds_graph()) {
    if (!initial.is_symbolic()) return initial;
    throw ::gk::Error(ValueError(
        "The initial value of a variable belongs to a function that was "
        "traced"));
  }
  if (current_creation != nullptr) {
    if (!current_creation->allowed_) {
      throw ::gk::Error(ValueError("{}", kCreationError));
    }
    current_creation->happened_ = true;
  }
  if (const InnerTensor known = initial.KnownValue()) return known;
  const FuncGraph* graph = FuncGraph::Current();
  if (graph == nullptr) {
    throw ::gk::Error(ValueError("Variables cannot be created here"));
  }
  const TensorVector arguments(graph->arguments().size());
  return ValueOrThrow(EvaluateInGraph(*graph, {&initial, 1}, arguments))[0];
}

}  // namespace gk::api
