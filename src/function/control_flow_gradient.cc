// Gradients of If, Case and While where a tape recorded them as plain ops:
// their forward variants run again to get the intermediates.
#include <mutex>

#include "eager/eager_context.h"
#include "framework/op_registry.h"
#include "function/concrete_function.h"
#include "function/control_flow.h"
#include "function/custom_gradient.h"
#include "function/differentiable_branches.h"
#include "function/differentiable_while.h"
#include "function/graph_edit.h"
#include "function/host_call.h"
#include "graph/call_signature.h"
#include "runtime/executor.h"
#include "runtime/plan_runner.h"

namespace gk {
namespace {

Ref<GraphFunction> Definition(const FunctionAttr& f) {
  auto* graph = f.definition.get();
  if (graph == nullptr) {
    throw Error(NotFound("Function {} is not defined.", f.name));
  }
  return Ref<GraphFunction>(graph);
}

std::vector<Gradient> OfBranches(const AttrMap& attrs,
                                 std::span<const Tensor> inputs,
                                 std::span<const Gradient> dy,
                                 const std::vector<bool>& wanted) {
  const auto* then_branch = attrs.Get<FunctionAttr>("then_branch");
  std::vector<Ref<GraphFunction>> branches;
  if (then_branch != nullptr) {
    branches = {Definition(*then_branch),
                Definition(*attrs.Get<FunctionAttr>("else_branch"))};
  } else {
    for (const FunctionAttr& f :
         *attrs.Get<std::vector<FunctionAttr>>("branches")) {
      branches.push_back(Definition(f));
    }
  }
  const Ref<DifferentiableBranches> node = ValueOrThrow(
      DifferentiableBranches::For(then_branch != nullptr, branches,
                                  {wanted.begin() + 1, wanted.end()}, true));
  BranchNodeParts parts = ValueOrThrow(
      BranchNode(then_branch != nullptr, inputs[0].dtype(), node->forward()));
  const TensorVector outputs = ValueOrThrow(OpBuilder::Current()->Apply(
      *parts.record, inputs, std::move(parts.attrs), {}));
  std::vector<Gradient> grads(dy.begin(), dy.end());
  grads.resize(outputs.size());
  return node->Backward(inputs, outputs, grads, wanted);
}

std::vector<Gradient> OfLoop(const OpRecord& record, AttrMap attrs,
                             std::span<const Tensor> given,
                             std::span<const Gradient> dy,
                             std::vector<bool> wanted) {
  const Ref<GraphFunction> condition =
                               Definition(*attrs.Get<FunctionAttr>("cond")),
                           body = Definition(*attrs.Get<FunctionAttr>("body"));
  const Ref<DifferentiableWhile> node =
      ValueOrThrow(DifferentiableWhile::For(*condition, *body, wanted, true));
  TensorVector inputs(given.begin(), given.end());
  for (const DifferentiableWhile::List& list : node->lists()) {
    inputs.push_back(ValueOrThrow(EmptyList(list)));
  }
  SetLoopAttrs(node->forward_condition(), node->forward_body(), {}, &attrs);
  const TensorVector outputs = ValueOrThrow(
      OpBuilder::Current()->Apply(record, inputs, std::move(attrs), {}));
  std::vector<Gradient> grads(dy.begin(), dy.end());
  grads.resize(outputs.size());
  wanted.resize(inputs.size());
  return node->Backward(inputs, outputs, grads, wanted);
}

void Gradients(GradContext& g) {
  TensorVector inputs;
  std::vector<Gradient> dy;
  std::vector<bool> wanted;
  for (int i = 0; i < g.num_inputs(); ++i) {
    inputs.push_back(g.x(i));
    wanted.push_back(g.wants(i));
  }
  std::vector<DataType> given, returned;
  for (const Tensor& x : inputs) given.push_back(x.dtype());
  for (int i = 0; i < g.num_outputs(); ++i) {
    dy.push_back(g.raw_dy(i));
    returned.push_back(g.y(i).dtype());
  }
  ThrowIfError(CheckCallSignature(g.record(), g.attrs(), given, returned));
  const auto compute = [&] {
    return g.attrs().Get<FunctionAttr>("body") != nullptr
               ? OfLoop(g.record(), g.attrs(), inputs, dy, wanted)
               : OfBranches(g.attrs(), inputs, dy, wanted);
  };
  std::vector<Gradient> dx;
  if (OpBuilder::Current()->builds_graph()) {
    dx = compute();
  } else {
    // The backward loop is a graph: build one around it and call that.
    auto graph = MakeRef<FuncGraph>("control_flow_grad");
    TensorVector results;
    {
      FuncGraph::Building building(graph.get());
      dx = compute();
      for (Gradient& d : dx) {
        if (!d.is_none()) results.push_back(Densify(d));
      }
    }
    const Ref<ConcreteFunction> function = [&] {
      FuncGraph::Building building(graph.get());
      return ValueOrThrow(ConcreteFunction::FromFuncGraph(*graph, results));
    }();
    TensorVector values;
    ThrowIfError(function->CallMatched({}, &values));
    size_t next = 0;
    for (Gradient& d : dx) {
      if (!d.is_none()) d = {values[next++], {}, {}};
    }
  }
  for (int i = 0; i < g.num_inputs() && i < int(dx.size()); ++i) {
    g.grads()[i] = std::move(dx[i]);
  }
}

class DifferentiatingRunner final : public PlanRunner {
 public:
  void Differentiate(GradContext& g) override { Gradients(g); }
};

}  // namespace

void InitControlFlow() {
  static std::once_flag once;
  std::call_once(once, [] {
    auto* const runner = new DifferentiatingRunner;
    InitRuntime(runner);
    if (FunctionRunner::Get() != runner) {
      throw Error(Internal("the runtime was started before InitControlFlow"));
    }
    InitEager();
    InitCustomGradients();
    InitHostCalls();
  });
}

}  // namespace gk
