// Const, Placeholder, Identity, NoOp: what every graph is made of.
#include "ops/fn/core_basic.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"

namespace gk {
namespace {

// Whoever reads the constant goes by the attribute.
Status CheckConst(const Tensor& value, DataType dtype) {
  if (!value || value.is_symbolic()) {
    return InvalidArgument("Const: attribute 'value' holds no value");
  }
  if (value.dtype() != dtype) {
    return InvalidArgument("Type mismatch between value ({}) and dtype ({})",
                           DataTypeString(value.dtype()),
                           DataTypeString(dtype));
  }
  return OkStatus();
}

Status ConstShape(InferenceContext& c) {
  const Tensor value = c.attr<Tensor>("value");
  GK_RETURN_IF_ERROR(CheckConst(value, c.attr<DataType>("dtype")));
  c.set_output(0, value.shape());
  return OkStatus();
}

Status ComputeConst(KernelContext& c) {
  const auto& value = c.attr<Tensor>("value");
  GK_RETURN_IF_ERROR(CheckConst(value, c.attr<DataType>("dtype")));
  c.set_output(0, value);
  return OkStatus();
}

Status PlaceholderShape(InferenceContext& c) {
  c.set_output(0, c.attr<PartialTensorShape>("shape"));
  return OkStatus();
}

Status ComputePlaceholder(KernelContext& c) {
  return InvalidArgument(
      "You must feed a value for placeholder tensor with dtype {}",
      DataTypeString(c.attr<DataType>("dtype")));
}

Status Share(KernelContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(i));
  return OkStatus();
}

Status ComputeIdentity(KernelContext& c) {
  c.set_output(0, c.input(0).Alias());
  return OkStatus();
}

Status IdentityNShape(InferenceContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, c.input(i));
    if (const HandleData* h = c.input_handle(i)) c.set_output_handle(i, *h);
  }
  return OkStatus();
}

Status ComputeNoOp(KernelContext&) { return OkStatus(); }

const OpRecord kRecords[] = {
    {.name = "Const",
     .inputs = "",
     .outputs = "output: dtype",
     .attrs = "value: tensor; dtype: type",
     .traits = kSourceOp | kConstant,
     .shape = ConstShape,
     .kernel = {.compute = ComputeConst},
     .doc = "A constant tensor."},

    {.name = "Placeholder",
     .inputs = "",
     .outputs = "output: dtype",
     .attrs = "dtype: type; shape: shape = <unknown>",
     .traits = kSourceOp | kPlaceholder,
     .shape = PlaceholderShape,
     .kernel = {.compute = ComputePlaceholder},
     .doc = "A value that is fed: an argument of a graph function."},

    {.name = "Identity",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .traits = kView | kIdentity | kPassesValues,
     .shape = shape_fn::SameAsInput,
     .shape_value = shape_fn::ElementsOfInput,
     .kernel = {.compute = ComputeIdentity},
     .gradient = [](GradContext& g) { g.grads()[0] = g.raw_dy(0); },
     .python = {.names = "identity", .ragged = RaggedForm::kEach},
     .doc = "A tensor with the same contents as the input.",
     .example = ">>> tf.identity([1, 2]).numpy().tolist()\n[1, 2]",
     .test = {.reference = "input"}},

    {.name = "IdentityN",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: list(type) >= 1",
     .traits = kView | kPassesValues,
     .shape = IdentityNShape,
     .kernel = {.compute = Share},
     .gradient =
         [](GradContext& g) {
           for (int i = 0; i < g.num_inputs(); ++i) g.Set(i, g.dy(i));
         },
     .python = {.names = "identity_n"},
     .doc = "Tensors with the same contents as the inputs.",
     .example = ">>> [t.numpy().tolist() for t in tf.identity_n([[1, 2], "
                "3.])]\n[[1, 2], 3.0]"},

    {.name = "StopGradient",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .traits = kView | kNoGradient | kCheap | kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeIdentity},
     .python = {.names = "stop_gradient", .slices = 1},
     .doc = "The input, held to be a constant by gradients.",
     .example = ">>> tf.stop_gradient([1., 2.]).numpy().tolist()\n[1.0, 2.0]",
     .test = {.reference = "input"}},

    {.name = "PreventGradient",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; message: string = ''",
     .traits = kView,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeIdentity},
     .gradient =
         [](GradContext& g) {
           throw Error(LookupError("Gradient explicitly disabled. Reason: {}",
                                   g.attr<std::string>("message")));
         },
     .doc = "The input; asking for a gradient through it is an error."},

    {.name = "NoOp",
     .inputs = "",
     .outputs = "",
     .attrs = "",
     .traits = kSourceOp | kOnlyOrders,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeNoOp},
     .python = {.names = "no_op"},
     .doc = "Does nothing; holds control edges together.",
     .example = ">>> tf.no_op() is None\nTrue"},

    {.name = "ControlTrigger",
     .inputs = "",
     .outputs = "",
     .attrs = "",
     .traits = kSourceOp,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeNoOp},
     .doc = "Does nothing when all its control inputs have run."},
};

}  // namespace

GK_REGISTER_OPS(core_basic)

}  // namespace gk
