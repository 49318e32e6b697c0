#include "function/differentiable_node.h"

#include <algorithm>

#include "eager/gradient_tape.h"
#include "framework/op_builder.h"
#include "function/func_graph.h"
#include "ops/fn/Fill.h"
#include "ops/fn/VariableShape.h"
#include "ops/fn/ZerosLike.h"

namespace gk {
namespace {

Tensor Constant(const Tensor& value) {
  return ValueOrThrow(OpBuilder::Current()->Constant(value, "zeros"));
}

}  // namespace

bool MayHaveGradient(const Output& o) {
  const Node::OutputInfo& info = o.node->output(o.index);
  return MayHaveGradient(info.dtype, info.handle_data);
}

Tensor ZeroGradient(const Tensor& x) {
  if (x.dtype() != DataType::kResource) return ops::ZerosLike(x);
  const HandleData data = HandleDataOf(x);
  if (data.size() != 1) {
    throw Error(Internal("nothing is known of the variable of a handle"));
  }
  const Tensor zero =
      Constant(ValueOrThrow(Tensor::Zeros(data[0].dtype, TensorShape())));
  const Tensor shape = ops::VariableShape(x, DataType::kInt32);
  return ops::Fill(shape, zero);
}

bool ObserversWant(std::span<const Tensor> tensors) {
  if (!CurrentObservers().active()) return false;
  for (const OpObserver* o : CurrentObservers().observers) {
    if (o->WantsAny(tensors)) return true;
  }
  return false;
}

bool MayDifferentiateTwice() {
  const std::vector<OpObserver*>& observers = CurrentObservers().observers;
  if (observers.size() > 1) return true;
  return std::any_of(
      observers.begin(), observers.end(), [](const OpObserver* o) {
        const auto* tape = dynamic_cast<const GradientTape::Listing*>(o);
        return tape == nullptr || tape->persistent();
      });
}

void RecordNode(Ref<DifferentiableNode> node, std::span<const Tensor> inputs,
                std::span<const Tensor> outputs) {
  const TensorVector in(inputs.begin(), inputs.end());
  const TensorVector out(outputs.begin(), outputs.end());
  BackwardFn backward = [node, in, out](std::span<const Gradient> grads,
                                        const std::vector<bool>& wanted) {
    return node->Backward(in, out, grads, wanted);
  };
  const std::vector<OpObserver*> observers = CurrentObservers().observers;
  for (OpObserver* o : observers) o->OnCall(in, out, backward);
}

}  // namespace gk
