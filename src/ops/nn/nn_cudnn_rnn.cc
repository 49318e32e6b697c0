// Recurrent layers of GPUs. Keras traces one as the other implementation of
// each of its own, so graphs hold them; no kernel runs them here.
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/CudnnRNNBackprop.h"
#include "ops/with_attrs/CudnnRNNBackpropV2.h"
#include "ops/with_attrs/CudnnRNNBackpropV3.h"

namespace gk {
namespace {

Status OfGpus(KernelContext& c) { return c.NoKernel(); }

Status LayersShape(InferenceContext& c) {
  const bool third = c.num_inputs() > 4,
             lstm = c.attr<std::string>("rnn_mode") == "lstm";
  PartialTensorShape input, h, unused;
  GK_RETURN_IF_ERROR(c.WithRank(0, 3, &input));
  GK_RETURN_IF_ERROR(c.WithRank(1, 3, &h));
  if (third && lstm) GK_RETURN_IF_ERROR(c.WithRank(2, 3, &unused));
  GK_RETURN_IF_ERROR(c.WithRank(3, 1, &unused));
  if (third) GK_RETURN_IF_ERROR(c.WithRank(4, 1, &unused));
  int64_t units = h.dim(2);
  if (c.attr<std::string>("direction") == "bidirectional" && units > 0) {
    units *= 2;
  }
  c.set_output(0, {input.dim(0), input.dim(1), units});
  c.set_output(1, c.input(1));
  if (lstm) {
    c.set_output(2, c.input(third ? 2 : 1));
  } else {
    c.set_output(2, TensorShape());
  }
  return OkStatus();
}

Status BackpropShape(InferenceContext& c) {
  for (int i = 0; i < 4; ++i) c.set_output(i, c.input(i));
  return OkStatus();
}

Status SizeShape(InferenceContext& c) {
  for (int i = 0; i < 3; ++i) {
    PartialTensorShape unused;
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &unused));
  }
  c.set_output(0, {1});
  return OkStatus();
}

Status ParamsShape(InferenceContext& c) {
  c.set_output(0, {kUnknownDim});
  return OkStatus();
}

Status CanonicalShape(InferenceContext& c) {
  PartialTensorShape unused;
  GK_RETURN_IF_ERROR(c.WithRank(3, 1, &unused));
  const int64_t* weights = c.attrs().Get<int64_t>("num_params_weights");
  if (weights == nullptr) weights = c.attrs().Get<int64_t>("num_params");
  for (int i = 0; i < c.num_outputs(); ++i) {
    if (i < *weights) {
      c.set_output(i, {kUnknownDim, kUnknownDim});
    } else {
      c.set_output(i, {kUnknownDim});
    }
  }
  return OkStatus();
}

// `op` of the shared attributes.
template <class Op>
void LayersGradient(GradContext& g, Op&& op) {
  if (!g.attr<bool>("is_training")) {
    throw Error(
        ValueError("To use {} in gradients, is_training must be set to "
                   "True.",
                   g.record().name));
  }
  const TensorVector made = op(OpAttrs(
      SharedAttrs(g.attrs(), {"rnn_mode", "input_mode", "direction", "dropout",
                              "seed", "seed2", "num_proj", "time_major"})));
  for (int i = 0; i < 4; ++i) g.Set(i, made[i]);
}

#define RNN_INPUTS "input: T; input_h: T; input_c: T; params: T"
#define RNN_OUTPUTS "output: T; output_h: T; output_c: T"
#define RNN_OUTPUT_GRADS \
  "output_backprop: T; output_h_backprop: T; output_c_backprop: T"
#define RNN_GRADS                                                 \
  "input_backprop: T; input_h_backprop: T; input_c_backprop: T; " \
  "params_backprop: T"
#define RNN_SIZES "num_layers: int32; num_units: int32; input_size: int32"
#define RNN_TYPES "T: type in [bfloat16, half, float, double]; "
#define RNN_KIND                                                              \
  "rnn_mode: string in [rnn_relu, rnn_tanh, lstm, gru] = 'lstm'; input_mode:" \
  " string in [linear_input, skip_input, auto_select] = 'linear_input'; "     \
  "direction: string in [unidirectional, bidirectional] = 'unidirectional'; " \
  "dropout: float = 0.0; seed: int = 0; seed2: int = 0"
#define RNN_LAYERS_DOC "Layers of a recurrent network, on GPUs only."
#define RNN_GRAD_DOC "The gradient of layers of a recurrent network, on GPUs."
#define RNN_PARAMS_DOC \
  "Weights and biases as the one vector that layers on GPUs take."
#define RNN_CANONICAL_DOC \
  "The weights and biases in the vector that layers on GPUs take."

const OpRecord kRecords[] = {
    {.name = "CudnnRNN",
     .inputs = RNN_INPUTS,
     .outputs = RNN_OUTPUTS "; reserve_space: T",
     .attrs = RNN_TYPES RNN_KIND "; is_training: bool = True",
     .traits = kStateful,
     .shape = LayersShape,
     .kernel = {.compute = OfGpus},
     .gradient =
         [](GradContext& g) {
           LayersGradient(g, [&g](OpAttrs attrs) {
             return ops::CudnnRNNBackprop(
                 std::move(attrs), g.x(0), g.x(1), g.x(2), g.x(3), g.y(0),
                 g.y(1), g.y(2), g.dy(0), g.dy(1), g.dy(2), g.y(3));
           });
         },
     .doc = RNN_LAYERS_DOC},

    {.name = "CudnnRNNV2",
     .inputs = RNN_INPUTS,
     .outputs = RNN_OUTPUTS "; reserve_space: T; host_reserved: int8",
     .attrs = RNN_TYPES RNN_KIND "; is_training: bool = True",
     .traits = kStateful,
     .shape = LayersShape,
     .kernel = {.compute = OfGpus},
     .gradient =
         [](GradContext& g) {
           LayersGradient(g, [&g](OpAttrs attrs) {
             return ops::CudnnRNNBackpropV2(
                 std::move(attrs), g.x(0), g.x(1), g.x(2), g.x(3), g.y(0),
                 g.y(1), g.y(2), g.dy(0), g.dy(1), g.dy(2), g.y(3), g.y(4));
           });
         },
     .doc = RNN_LAYERS_DOC},

    {.name = "CudnnRNNV3",
     .inputs = RNN_INPUTS "; sequence_lengths: int32",
     .outputs = RNN_OUTPUTS "; reserve_space: T; host_reserved: int8",
     .attrs = RNN_TYPES RNN_KIND
     "; num_proj: int = 0; is_training: bool = True; time_major: bool = True",
     .traits = kStateful,
     .shape = LayersShape,
     .kernel = {.compute = OfGpus},
     .gradient =
         [](GradContext& g) {
           LayersGradient(g, [&g](OpAttrs attrs) {
             return ops::CudnnRNNBackpropV3(std::move(attrs), g.x(0), g.x(1),
                                            g.x(2), g.x(3), g.x(4), g.y(0),
                                            g.y(1), g.y(2), g.dy(0), g.dy(1),
                                            g.dy(2), g.y(3), g.y(4));
           });
         },
     .doc = RNN_LAYERS_DOC},

    {.name = "CudnnRNNBackprop",
     .inputs =
         RNN_INPUTS "; " RNN_OUTPUTS "; " RNN_OUTPUT_GRADS "; reserve_space: T",
     .outputs = RNN_GRADS,
     .attrs = RNN_TYPES RNN_KIND,
     .traits = kStateful,
     .shape = BackpropShape,
     .kernel = {.compute = OfGpus},
     .doc = RNN_GRAD_DOC},

    {.name = "CudnnRNNBackpropV2",
     .inputs = RNN_INPUTS "; " RNN_OUTPUTS "; " RNN_OUTPUT_GRADS
                          "; reserve_space: T; host_reserved: int8",
     .outputs = RNN_GRADS,
     .attrs = RNN_TYPES RNN_KIND,
     .traits = kStateful,
     .shape = BackpropShape,
     .kernel = {.compute = OfGpus},
     .doc = RNN_GRAD_DOC},

    {.name = "CudnnRNNBackpropV3",
     .inputs = RNN_INPUTS "; sequence_lengths: int32; " RNN_OUTPUTS
                          "; " RNN_OUTPUT_GRADS
                          "; reserve_space: T; host_reserved: int8",
     .outputs = RNN_GRADS,
     .attrs = RNN_TYPES RNN_KIND "; num_proj: int = 0; time_major: bool = True",
     .traits = kStateful,
     .shape = BackpropShape,
     .kernel = {.compute = OfGpus},
     .doc = RNN_GRAD_DOC},

    {.name = "CudnnRNNParamsSize",
     .inputs = RNN_SIZES,
     .outputs = "params_size: S",
     .attrs =
         RNN_TYPES "S: type in [int32, int64]; " RNN_KIND "; num_proj: int = 0",
     .traits = kExpensive,
     .shape = SizeShape,
     .kernel = {.compute = OfGpus},
     .doc = "The number of parameters of layers on GPUs."},

    {.name = "CudnnRNNCanonicalToParams",
     .inputs = RNN_SIZES "; weights: num_params * T; biases: num_params * T",
     .outputs = "params: T",
     .attrs = RNN_TYPES "num_params: int >= 1; " RNN_KIND,
     .traits = kExpensive,
     .shape = ParamsShape,
     .kernel = {.compute = OfGpus},
     .doc = RNN_PARAMS_DOC},

    {.name = "CudnnRNNCanonicalToParamsV2",
     .inputs = RNN_SIZES
     "; weights: num_params_weights * T; biases: num_params_biases * T",
     .outputs = "params: T",
     .attrs = RNN_TYPES
     "num_params_weights: int >= 1; num_params_biases: int >= 1; " RNN_KIND
     "; num_proj: int = 0",
     .traits = kExpensive,
     .shape = ParamsShape,
     .kernel = {.compute = OfGpus},
     .doc = RNN_PARAMS_DOC},

    {.name = "CudnnRNNParamsToCanonical",
     .inputs = RNN_SIZES "; params: T",
     .outputs = "weights: num_params * T; biases: num_params * T",
     .attrs = RNN_TYPES "num_params: int >= 1; " RNN_KIND,
     .traits = kExpensive,
     .shape = CanonicalShape,
     .kernel = {.compute = OfGpus},
     .doc = RNN_CANONICAL_DOC},

    {.name = "CudnnRNNParamsToCanonicalV2",
     .inputs = RNN_SIZES "; params: T",
     .outputs =
         "weights: num_params_weights * T; biases: num_params_biases * T",
     .attrs = RNN_TYPES
     "num_params_weights: int >= 1; num_params_biases: int >= 1; " RNN_KIND
     "; num_proj: int = 0",
     .traits = kExpensive,
     .shape = CanonicalShape,
     .kernel = {.compute = OfGpus},
     .doc = RNN_CANONICAL_DOC},
};

}  // namespace

GK_REGISTER_OPS(nn_cudnn_rnn)

}  // namespace gk
