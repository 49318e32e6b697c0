// Values of graphs that whoever runs them may replace.
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/types.h"

namespace gk {
namespace {

Status PlaceholderWithDefaultShape(InferenceContext& c) {
  const auto& shape = c.attr<PartialTensorShape>("shape");
  if (!shape.IsCompatibleWith(c.input(0))) {
    return InvalidArgument("Shapes {} and {} are not compatible",
                           c.input(0).DebugString(), shape.DebugString());
  }
  // What is fed may be of any shape that the attribute allows.
  c.set_output(0, shape);
  return OkStatus();
}

Status ShareInput(KernelContext& c) {
  c.set_output(0, c.input(0).Alias());
  return OkStatus();
}

Status NeedsCuda(KernelContext&) {
  return FailedPrecondition(
      "to check pinnedness, must be built with `--config=cuda`");
}

const OpRecord kRecords[] = {
    {.name = "PlaceholderWithDefault",
     .inputs = "input: dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type; shape: shape",
     .traits = kView | kPassesValues | kMayBeFed,
     .shape = PlaceholderWithDefaultShape,
     .kernel = {.compute = ShareInput},
     .gradient = [](GradContext& g) { g.grads()[0] = g.raw_dy(0); },
     .python = {.names = "compat.v1.placeholder_with_default"},
     .doc = "Gives the input unless a session feeds another value.",
     .example = ">>> x = tf.compat.v1.placeholder_with_default(2.0, [])\n"
                ">>> x.numpy().item()\n"
                "2.0",
     .test = {.reference = "input"}},

    {.name = "CheckPinned",
     .inputs = "tensor: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = NeedsCuda},
     .python = {.names = "check_pinned"},
     .doc = "FailedPreconditionError: no GPU could read the input's memory."},
};

}  // namespace

GK_REGISTER_OPS(core_fed)

}  // namespace gk
