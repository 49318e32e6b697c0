#include "function/make_variable.h"

#include "framework/shared_variables.h"
#include "function/graph_part.h"
#include "function/part_scope.h"
#include "function/user_scopes.h"
#include "function/variable_creation.h"
#include "ops/fn/AssignVariableOp.h"
#include "ops/fn/ReadVariableOp.h"
#include "ops/fn/VarHandleOp.h"
#include "ops/fn/VarIsInitializedOp.h"
#include "ops/variable/eager_variable.h"

namespace gk {
namespace {

// Is it known to calls of a function alone?
bool IsOfFunction(const Tensor& t) {
  if (!t || !t.is_symbolic()) return false;
  const FuncGraph* graph = FuncGraph::Of(Graph::GraphOf(t));
  return graph == nullptr || graph->is_function();
}

// The graph that a session runs around the functions that are traced; null if
// these are called eagerly.
FuncGraph* SessionGraph() {
  FuncGraph* graph = FuncGraph::Current();
  while (graph != nullptr && graph->is_function()) graph = graph->outer();
  return graph;
}

std::string WithoutSlash(std::string scope) {
  if (scope.ends_with('/')) scope.pop_back();
  return scope;
}

// The initial value, and what is known of the variable by it.
Tensor Begin(AskedVariable* asked, MadeVariable* made) {
  Tensor value = ValueOrThrow(asked->Value());
  made->dtype = value.dtype();
  made->shape = asked->shape.value_or(value.partial_shape());
  if (!made->shape.IsCompatibleWith(value.partial_shape())) {
    throw Error(asked->Misfit(value.partial_shape()));
  }
  return value;
}
Tensor BeginIn(FuncGraph* graph, AskedVariable* asked, MadeVariable* made) {
  const NameScope scope(graph, "Initializer");
  return Begin(asked, made);
}

MadeVariable MakeNow(AskedVariable* asked, const std::string& name) {
  MadeVariable made{.name = WithoutSlash(name)};
  const Tensor value = Begin(asked, &made);
  made.handle =
      EagerVariableHandle(made.name, made.dtype, made.shape, asked->trainable);
  ops::AssignVariableOp(made.handle, value);
  return made;
}

// The nodes of a variable that each run makes for itself.
MadeVariable MakeInRun(AskedVariable* asked) {
  FuncGraph* const graph = FuncGraph::Current();
  const NameScope scope(graph, asked->name);
  MadeVariable made{.name = WithoutSlash(scope.name())};
  const Tensor value = BeginIn(graph, asked, &made);
  made.handle = ops::VarHandleOp(OpName(scope.name()), made.dtype, made.shape,
                                 "", kAnonymousName, scope.name());
  ops::AssignVariableOp(made.handle, value);
  return made;
}

// The nodes of a variable that whoever runs the graph initialises.
MadeVariable MakeInGraph(AskedVariable* asked, const std::string& name) {
  FuncGraph* const graph = FuncGraph::Current();
  const NameScope outermost(graph, "");
  const NameScope scope(graph, name);
  MadeVariable made{.name = WithoutSlash(scope.name())};
  made.initial_value = BeginIn(graph, asked, &made);
  made.handle = ops::VarHandleOp(OpName(scope.name()), made.dtype, made.shape,
                                 "", made.name, scope.name());
  ops::VarIsInitializedOp(OpName("IsInitialized/VarIsInitializedOp"),
                          made.handle);
  ops::AssignVariableOp(OpName("Assign"), made.handle, made.initial_value);
  made.initializer = graph->graph()->nodes().back().get();
  ops::ReadVariableOp(OpName("Read/ReadVariableOp"), made.handle, made.dtype);
  return made;
}

}  // namespace

MadeVariable MakeVariable(AskedVariable* asked) {
  VariableCreation* const creation = VariableCreation::Here();
  const bool lifts = creation != nullptr && asked->lifted && creation->lifts();
  if (creation != nullptr) ThrowIfError(creation->Note(asked->lifted));
  if (lifts) {
    ThrowIfError(asked->Settle());
    if (IsOfFunction(asked->initial)) {
      // What the trace knows: other calls may have other values.
      if (!asked->shape) asked->shape = asked->initial.partial_shape();
      FuncGraph* const around = SessionGraph();
      const auto value = [&] {
        return around != nullptr ? CopyOut(asked->initial, around)
                                 : creation->Lift(asked->initial);
      };
      ThrowIfError(asked->Lift(value, /*runs=*/around == nullptr));
    }
  }
  if (IsOfFunction(asked->initial)) throw Error(asked->OfFunction());
  if (!asked->lifted && FuncGraph::Current() != nullptr &&
      SessionGraph() == nullptr) {
    return MakeInRun(asked);
  }
  const std::string name = asked->name.ends_with('/')
                               ? asked->name
                               : CurrentNameScope() + asked->name;
  InitScope outside;
  outside.Enter();
  MadeVariable made = FuncGraph::Current() != nullptr ? MakeInGraph(asked, name)
                                                      : MakeNow(asked, name);
  ThrowIfError(outside.Exit());
  if (lifts) creation->AddMade(made.handle);
  return made;
}

}  // namespace gk
