// Calls that a tape wants the gradients of: they run the forward variant.
// Apart from concrete_function.cc, for gradients call functions in turn.
#include "eager/gradient_tape.h"
#include "function/concrete_function.h"
#include "function/function_gradient.h"
#include "graph/out_of_scope.h"
#include "runtime/executor.h"

namespace gk {

Status ConcreteFunction::CallRecorded(
    TensorVector inputs, TensorVector* outputs,
    const CancellationToken* cancellation) const {
  std::vector<bool> wanted(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    wanted[i] = MayHaveGradient(inputs[i]) && ObserversWant({&inputs[i], 1});
  }
  GK_ASSIGN_OR_RETURN(
      Ref<DifferentiableCall> call,
      DifferentiableCall::For(*function_, wanted, MayDifferentiateTwice()));
  TensorVector all;
  OpBuilder* builder = OpBuilder::Current();
  const bool in_graph = builder != nullptr && builder->builds_graph();
  if (in_graph) {
    GK_RETURN_IF_ERROR(CallInGraph(builder, *call->forward(), inputs, &all));
  } else {
    GK_RETURN_IF_ERROR(ExplainedRun(
        RunFunction(*call->forward(), inputs, &all, cancellation), inputs));
    // A result may be an argument, a constant or another result: tapes tell
    // tensors apart by identity.
    for (Tensor& t : all) t = t.Alias();
  }
  outputs->assign(all.begin(), all.begin() + num_outputs());
  RecordNode(call, inputs, all);
  return OkStatus();
}

}  // namespace gk
