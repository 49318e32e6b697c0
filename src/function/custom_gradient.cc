#include "function/custom_gradient.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "eager/recorders.h"
#include "framework/grad_context.h"
#include "function/derivatives.h"
#include "function/func_graph.h"
#include "function/function_gradient.h"
#include "function/held_gradient.h"
#include "function/run_order.h"
#include "ops/fn/Identity.h"
#include "ops/fn/IdentityN.h"
#include "ops/fn/PartitionedCall.h"
#include "ops/fn/ReadVariableOp.h"
#include "ops/fn/StatefulPartitionedCall.h"
#include "ops/fn/ZerosLike.h"

namespace gk {

Tensor OwnedHere(const Tensor& t) {
  const FuncGraph* here = FuncGraph::Current();
  if (here == nullptr || !t.is_symbolic() ||
      SymbolicTensor::Of(t)->source() == here->graph().get()) {
    return t;
  }
  return ops::Identity(t);
}

TensorVector VariablesReadBy(const std::function<void()>& function,
                             bool forget) {
  TapeReferences tapes;
  if (CurrentObservers().paused == 0 && (!forget || !ForwardTapes().empty())) {
    tapes = RecordingTapes();
  }
  ReadVariables read;
  const RecordOnly only(tapes, &read);
  function();
  return read.handles();
}

std::string NewGradientName() {
  static std::atomic<int> next{0};
  return Format("CustomGradient-{}", next++);
}

namespace {

// Gradients for variables go through what is read of them, as in TensorFlow's
// graphs: no gradient arrives at a handle that is handed on.
Tensor ValueBehind(const Tensor& t) {
  if (t.dtype() != DataType::kResource) return t;
  const HandleData held = HandleDataOf(t);
  if (held.empty()) return t;
  return ops::ReadVariableOp(OpName("IdentityN/ReadVariableOp"), t,
                             held.front().dtype);
}

}  // namespace

TensorVector WithOwnGradient(std::span<const Tensor> results,
                             std::span<const Tensor> inputs,
                             const BackwardFn& backward,
                             const std::string& name, size_t num_held) {
  TensorVector outputs;
  {
    const RecordOnly forward(ForwardTapes());
    for (const Tensor& y : results) outputs.push_back(ops::Identity(y));
    if (OpBuilder::Current()->builds_graph()) {
      // TensorFlow's graphs have those, unused.
      TensorVector all(results.begin(), results.end());
      const size_t n = inputs.size() - num_held;
      for (const Tensor& x : inputs.first(n)) all.push_back(ValueBehind(x));
      for (const Tensor& x : inputs.subspan(n)) all.push_back(x);
      outputs = ops::IdentityN(all);
      Graph::OutputOf(outputs[0])
          .node->mutable_attrs()
          .Set(kGradientOpType, name);
      outputs.resize(results.size());
    }
  }
  RecordOwnGradient(
      inputs, outputs,
      [outputs, backward](std::span<const Gradient> dy,
                          const std::vector<bool>& wanted) {
        std::vector<Gradient> given(dy.begin(), dy.end());
        for (size_t i = 0; i < given.size(); ++i) {
          if (given[i].is_none()) given[i].dense = ops::ZerosLike(outputs[i]);
        }
        return backward(given, wanted);
      },
      /*forward_too=*/false);
  return outputs;
}

namespace {

std::vector<Gradient> CallGradient(const FunctionAttr& f,
                                   const TensorVector& arguments,
                                   const std::vector<int64_t>& positions,
                                   size_t count) {
  const GraphFunction& function = *f.definition;
  const auto call = function.is_stateful() ? [](const TensorVector& args,
                                                const FunctionAttr& f) {
    return ops::StatefulPartitionedCall(args, f.definition->output_types(), f);
  } : [](const TensorVector& args, const FunctionAttr& f) {
    return ops::PartitionedCall(args, f.definition->output_types(), f);
  };
  std::vector<Gradient> gradients(count);
  if (positions.empty()) return gradients;
  const TensorVector found = call(arguments, f);
  for (size_t i = 0; i < positions.size(); ++i) {
    gradients[positions[i]].dense = found[i];
  }
  return gradients;
}

// The gradient of an output: that of a variable's handle, which no gradient
// arrives for, is what the function takes in its place.
Tensor GradientOf(GradContext& c, int i, const Node::OutputInfo& taken) {
  if (i < c.num_outputs() && c.y(i).dtype() == taken.dtype) return c.dy(i);
  TensorShape shape;
  for (int d = 0; d < std::max(taken.shape.rank(), 0); ++d) {
    shape.AddDim(std::max<int64_t>(taken.shape.dim(d), 1));
  }
  return ValueOrThrow(Tensor::Zeros(taken.dtype, shape));
}

void NodeGradient(GradContext& c) {
  const auto held = HeldGradientOf(c.attrs(), c.num_inputs());
  if (!held) {
    throw Error(InvalidArgument("{} lacks the function of its gradient",
                                c.record().name));
  }
  const std::vector<Node*>& taken = held->function.definition->arguments();
  TensorVector arguments;
  for (int i = 0; i < held->num_gradients; ++i) {
    arguments.push_back(GradientOf(c, i, taken[i]->output(0)));
  }
  for (int i = c.num_inputs() - held->num_captured; i < c.num_inputs(); ++i) {
    arguments.push_back(c.x(i));
  }
  c.grads() =
      CallGradient(held->function, arguments, held->positions, c.num_inputs());
}

Tensor DenseOf(const Gradient& g) {
  return g.is_slices() ? Densify(g) : g.dense;
}

}  // namespace

TensorVector CallWithOwnGradient(
    std::span<const Tensor> inputs,
    const std::function<OwnGradient(const TensorVector&)>& function,
    bool forget) {
  TensorVector all;
  for (const Tensor& t : inputs) {
    all.push_back(t.dtype() == DataType::kResource ? t : OwnedHere(t));
  }
  OwnGradient made;
  const TensorVector read =
      VariablesReadBy([&] { made = function(all); }, forget);
  TensorVector variables;
  for (const Tensor& handle : read) {
    const void* const key = ResourceKey(handle);
    const bool given =
        std::any_of(all.begin(), all.end(),
                    [&](const Tensor& t) { return ResourceKey(t) == key; });
    if (!given) variables.push_back(handle);
  }
  all.insert(all.end(), variables.begin(), variables.end());
  const auto backward = [own = made.backward, variables, n = all.size()](
                            std::span<const Gradient> dy,
                            const std::vector<bool>&) {
    std::vector<Gradient> found = own(dy, variables);
    if (found.size() != n) {
      throw Error(ValueError(
          "custom_gradient function expected to return {} gradients, but "
          "returned {} instead.",
          n - variables.size(), found.size() - variables.size()));
    }
    return found;
  };
  if (!OpBuilder::Current()->builds_graph()) {
    return WithOwnGradient(made.results, all, backward, "");
  }
  std::vector<DataType> types;
  std::vector<PartialTensorShape> shapes;
  for (const Tensor& y : made.results) {
    types.push_back(y.dtype());
    shapes.push_back(y.partial_shape());
  }
  std::vector<int64_t> positions;
  TensorVector captures;
  const FunctionAttr f = [&] {
    const Ref<GraphFunction> definition =
        ValueOrThrow(FuncGraph::Current()->BuildFunction(
            "gradient", types, shapes,
            [&](std::span<const Tensor> arguments) {
              std::vector<Gradient> dy;
              for (const Tensor& t : arguments) dy.push_back({.dense = t});
              TensorVector results;
              const std::vector<Gradient> found = backward(dy, {});
              for (size_t i = 0; i < found.size(); ++i) {
                if (found[i].is_none()) continue;
                positions.push_back(static_cast<int64_t>(i));
                results.push_back(DenseOf(found[i]));
              }
              return results;
            },
            &captures));
    return FunctionAttr{definition->name(), definition, nullptr};
  }();
  all.insert(all.end(), captures.begin(), captures.end());
  TensorVector outputs = WithOwnGradient(
      made.results, all,
      [f, positions, captures, count = all.size()](std::span<const Gradient> dy,
                                                   const std::vector<bool>&) {
        TensorVector arguments;
        for (const Gradient& g : dy) arguments.push_back(DenseOf(g));
        arguments.insert(arguments.end(), captures.begin(), captures.end());
        return CallGradient(f, arguments, positions, count);
      },
      kOwnGradientType, captures.size());
  const auto n = static_cast<int64_t>(made.results.size());
  for (int64_t& p : positions) p += n;
  AttrMap& attrs = Graph::OutputOf(outputs[0]).node->mutable_attrs();
  attrs.Set(kOwnGradientFunction, f);
  attrs.Set(kOwnGradientCount, n);
  attrs.Set(kOwnGradientPositions, positions);
  return outputs;
}

std::vector<Gradient> GradientsOfRerun(
    const std::function<TensorVector(const TensorVector&)>& function,
    std::span<const Tensor> inputs, std::span<const Tensor> variables,
    std::span<const Gradient> upstream) {
  UserTape tape;
  tape.Push();
  TensorVector again, sources;
  std::vector<size_t> positions;
  const auto watch = [&](const Tensor& t, size_t position) {
    const DataType type = WatchableOf(t).dtype;
    if (!IsFloating(type) && !IsComplex(type)) return;
    tape.Watch(t);
    sources.push_back(t);
    positions.push_back(position);
  };
  for (const Tensor& t : inputs) {
    again.push_back(t.dtype() == DataType::kResource ? t : ops::Identity(t));
    watch(again.back(), again.size() - 1);
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    watch(variables[i], inputs.size() + i);
  }
  TensorVector results;
  {
    // Not before its turn: else all would be kept after all.
    FuncGraph* graph = FuncGraph::Current();
    std::vector<Node*> before;
    for (const Gradient& g : upstream) {
      Node* maker = graph != nullptr && !g.is_none()
                        ? MakerOf(g.dense, graph->graph().get())
                        : nullptr;
      if (maker != nullptr) before.push_back(maker);
    }
    const RunsAfter order(graph, before);
    results = function(again);
  }
  tape.Pop();
  const std::vector<Gradient> found =
      tape.Gradients(results, sources, upstream, UnconnectedGradients::kNone);
  std::vector<Gradient> all(inputs.size() + variables.size());
  for (size_t i = 0; i < found.size(); ++i) all[positions[i]] = found[i];
  return all;
}

void InitCustomGradients() {
  SetGradientOverride(kOwnGradientType, NodeGradient);
}

}  // namespace gk
