#include "function/custom_gradient.h"

#include <atomic>
#include <utility>

#include "eager/recorders.h"
#include "function/func_graph.h"
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

}  // namespace gk
