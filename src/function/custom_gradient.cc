#include "function/custom_gradient.h"

#include <atomic>
#include <utility>

#include "eager/recorders.h"
#include "function/derivatives.h"
#include "function/func_graph.h"
#include "function/run_order.h"
#include "ops/fn/Identity.h"
#include "ops/fn/IdentityN.h"
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

TensorVector WithOwnGradient(std::span<const Tensor> results,
                             std::span<const Tensor> inputs,
                             const BackwardFn& backward,
                             const std::string& name) {
  TensorVector outputs;
  {
    const RecordOnly forward(ForwardTapes());
    for (const Tensor& y : results) outputs.push_back(ops::Identity(y));
    if (OpBuilder::Current()->builds_graph()) {
      // TensorFlow's graphs have those, unused.
      TensorVector all(results.begin(), results.end());
      all.insert(all.end(), inputs.begin(), inputs.end());
      outputs = ops::IdentityN(all);
      Graph::OutputOf(outputs[0])
          .node->mutable_attrs()
          .Set("_gradient_op_type", name);
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

}  // namespace gk
