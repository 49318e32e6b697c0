// Numbers rounded to what an integer of few bits would keep of them.
#include "ops/fn/quantize_fake.h"

#include <vector>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/fake_quantize.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Less.h"
#include "ops/fn/Mul.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sub.h"
#include "ops/fn/ZerosLike.h"
#include "ops/scalar_constant.h"
#include "ops/with_attrs/FakeQuantWithMinMaxArgsGradient.h"
#include "ops/with_attrs/FakeQuantWithMinMaxVarsGradient.h"
#include "ops/with_attrs/FakeQuantWithMinMaxVarsPerChannelGradient.h"

namespace gk {
namespace {

struct Levels {
  int min, max;
};

StatusOr<Levels> LevelsOf(const AttrMap& attrs) {
  const int64_t* bits = attrs.Get<int64_t>("num_bits");
  const bool* narrow = attrs.Get<bool>("narrow_range");
  const int64_t n = bits ? *bits : 8;
  if (n < 2 || n > 16) {
    return InvalidArgument("num_bits must be between 2 and 16, inclusive");
  }
  return Levels{narrow && *narrow ? 1 : 0, (1 << n) - 1};
}

// Ranges of the channels, the last dimension, or one of all.
struct Ranges {
  std::vector<QuantRange> of;
  std::vector<bool> empty;  // min and max are both zero

  void Add(float min, float max, const Levels& levels) {
    of.push_back(QuantRange::Nudged(min, max, levels.min, levels.max));
    empty.push_back(min == 0 && max == 0);
  }
};

StatusOr<Ranges> RangeOfAttrs(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Levels levels, LevelsOf(c.attrs()));
  const float min = c.attr<float>("min"), max = c.attr<float>("max");
  if (!(min < max)) {
    return InvalidArgument("min has to be smaller than max, was: {} >= {}", min,
                           max);
  }
  Ranges ranges;
  ranges.Add(min, max, levels);
  return ranges;
}

StatusOr<Ranges> RangesOfInputs(KernelContext& c, const Tensor& x, int first,
                                bool channels) {
  GK_ASSIGN_OR_RETURN(const Levels levels, LevelsOf(c.attrs()));
  const char* const names[] = {"min", "max"};
  if (channels && x.rank() < 1) {
    return InvalidArgument("inputs must have at least 1 dimension");
  }
  for (int i = 0; i < 2; ++i) {
    const Tensor& limit = c.input(first + i);
    if (limit.rank() != (channels ? 1 : 0)) {
      return InvalidArgument("`{}` must be rank {} but is rank {}", names[i],
                             channels ? 1 : 0, limit.rank());
    }
    if (channels && limit.dim(0) != x.dim(x.rank() - 1)) {
      return InvalidArgument("{} has incorrect size, expected {} was {}",
                             names[i], x.dim(x.rank() - 1), limit.dim(0));
    }
  }
  Ranges ranges;
  const auto min = c.input(first).flat<float>(),
             max = c.input(first + 1).flat<float>();
  for (size_t i = 0; i < min.size(); ++i) ranges.Add(min[i], max[i], levels);
  return ranges;
}

constexpr int64_t kBlock = 1 << 13;

Status Rounded(KernelContext& c, const Tensor& x, const Ranges& ranges) {
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, x.shape(), &y));
  const int64_t n = x.num_elements();
  if (n == 0) return OkStatus();
  const float* in = x.data<float>();
  float* out = y->data<float>();
  const auto channels = static_cast<int64_t>(ranges.of.size());
  if (channels == 1) {
    ThreadPool::Global().ParallelRange(
        (n + kBlock - 1) / kBlock, kBlock, [&](int64_t begin, int64_t end) {
          const int64_t from = begin * kBlock, to = std::min(n, end * kBlock);
          if (ranges.empty[0]) {
            std::fill(out + from, out + to, 0.0f);
          } else {
            FakeQuantize(ranges.of[0], in + from, out + from, to - from);
          }
        });
    return OkStatus();
  }
  std::vector<float> facts(6 * channels);  // of empty ranges all are 0
  float* const fact = facts.data();
  for (int64_t k = 0; k < channels; ++k) {
    if (ranges.empty[k]) continue;
    const QuantRange& r = ranges.of[k];
    fact[k] = r.low;
    fact[channels + k] = r.high;
    fact[2 * channels + k] = r.scale;
    fact[3 * channels + k] = r.inverse();
    fact[4 * channels + k] = r.zero();
    fact[5 * channels + k] = 1;
  }
  const ChannelRanges of{fact,
                         fact + channels,
                         fact + 2 * channels,
                         fact + 3 * channels,
                         fact + 4 * channels,
                         fact + 5 * channels};
  ThreadPool::Global().ParallelRange(
      n / channels, channels, [&](int64_t begin, int64_t end) {
        FakeQuantizeRows(of, in + begin * channels, out + begin * channels,
                         end - begin, channels);
      });
  return OkStatus();
}

// Gradients (0) of inputs (1), and of the limits where there are outputs.
Status RoundedGrad(KernelContext& c, const Ranges& ranges) {
  const Tensor &dy = c.input(0), &x = c.input(1);
  if (dy.shape() != x.shape()) {
    return InvalidArgument(
        "Inputs to operation {} of type {} must have the same size and shape. "
        " Input 0: {} != input 1: {}",
        c.record().name, c.record().name, dy.shape().DebugString(),
        x.shape().DebugString());
  }
  Tensor* dx;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, x.shape(), &dx));
  Tensor *dmin = nullptr, *dmax = nullptr;
  if (c.num_outputs() > 1) {
    const TensorShape shape = c.input(2).shape();
    GK_RETURN_IF_ERROR(c.Allocate(1, DataType::kFloat, shape, &dmin));
    GK_RETURN_IF_ERROR(c.Allocate(2, DataType::kFloat, shape, &dmax));
  }
  const auto channels = static_cast<int64_t>(ranges.of.size());
  if (channels == 0) return OkStatus();
  const int64_t n = x.num_elements() / channels;
  const int64_t blocks =
      channels > 1 ? 1 : std::max<int64_t>(1, (n + kBlock - 1) / kBlock);
  std::vector<double> below(channels * blocks), above(channels * blocks);
  ThreadPool::Global().ParallelRange(
      channels * blocks, 2 * std::min(n, kBlock),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t k = i / blocks, from = i % blocks * kBlock;
          const int64_t count = blocks > 1 ? std::min(kBlock, n - from) : n;
          const int64_t at = k + from * channels;
          if (ranges.empty[k]) {
            for (int64_t r = 0; r < count; ++r) {
              dx->data<float>()[at + r * channels] =
                  dy.data<float>()[at + r * channels];
            }
            continue;
          }
          FakeQuantizeGrad(ranges.of[k], dy.data<float>() + at,
                           x.data<float>() + at, dx->data<float>() + at, count,
                           channels, dmin ? &below[i] : nullptr,
                           dmin ? &above[i] : nullptr);
        }
      });
  if (dmin == nullptr) return OkStatus();
  for (int64_t k = 0; k < channels; ++k) {
    double under = 0, over = 0;
    for (int64_t b = 0; b < blocks; ++b) {
      under += below[k * blocks + b];
      over += above[k * blocks + b];
    }
    dmin->data<float>()[k] = static_cast<float>(under);
    dmax->data<float>()[k] = static_cast<float>(over);
  }
  return OkStatus();
}

Status ComputeArgs(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ranges ranges, RangeOfAttrs(c));
  return Rounded(c, c.input(0), ranges);
}
Status ComputeArgsGrad(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ranges ranges, RangeOfAttrs(c));
  return RoundedGrad(c, ranges);
}
template <bool kChannels>
Status ComputeVars(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ranges ranges,
                      RangesOfInputs(c, c.input(0), 1, kChannels));
  return Rounded(c, c.input(0), ranges);
}
template <bool kChannels>
Status ComputeVarsGrad(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ranges ranges,
                      RangesOfInputs(c, c.input(1), 2, kChannels));
  return RoundedGrad(c, ranges);
}

// Limits begin at input `kFirst`.
template <int kFirst, bool kChannels>
Status VarsShape(InferenceContext& c) {
  PartialTensorShape x = c.input(0), min, max;
  const int rank = kChannels ? 1 : 0;
  if (kFirst == 2) {
    GK_ASSIGN_OR_RETURN(x, x.MergeWith(c.input(1)));
  }
  GK_RETURN_IF_ERROR(c.WithRank(kFirst, rank, &min));
  GK_RETURN_IF_ERROR(c.WithRank(kFirst + 1, rank, &max));
  if (kChannels) {
    if (!x.unknown_rank() && x.rank() < 1) {
      return InvalidArgument("Shape must be at least rank 1 but is rank 0");
    }
    int64_t n = x.unknown_rank() ? kUnknownDim : x.dim(x.rank() - 1);
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(n, min.dim(0), &n));
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(n, max.dim(0), &n));
    if (!x.unknown_rank()) x.SetDim(x.rank() - 1, n);
    min = PartialTensorShape{n};
  }
  c.set_output(0, x);
  if (kFirst == 2) {
    c.set_output(1, min);
    c.set_output(2, min);
  }
  return OkStatus();
}

Status ArgsGradShape(InferenceContext& c) {
  GK_ASSIGN_OR_RETURN(PartialTensorShape x, c.input(0).MergeWith(c.input(1)));
  c.set_output(0, std::move(x));
  return OkStatus();
}

template <bool kChannels>
TensorVector LimitsGrad(const AttrMap& attrs, const Tensor& dy, const Tensor& x,
                        const Tensor& min, const Tensor& max) {
  if (kChannels) {
    return ops::FakeQuantWithMinMaxVarsPerChannelGradient(OpAttrs(attrs), dy, x,
                                                          min, max);
  }
  return ops::FakeQuantWithMinMaxVarsGradient(OpAttrs(attrs), dy, x, min, max);
}

template <bool kChannels>
void VarsGradient(GradContext& g) {
  const TensorVector found =
      LimitsGrad<kChannels>(g.attrs(), g.dy(0), g.x(0), g.x(1), g.x(2));
  for (int i = 0; i < 3; ++i) g.Set(i, found[i]);
}

// It is linear in the gradients that it takes: inside the range they go to
// the inputs, outside to the limit that is nearer.
template <bool kChannels>
void VarsGradGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor &x = g.x(1), &min = g.x(2), &max = g.x(3);
  Tensor sum = LimitsGrad<kChannels>(g.attrs(), g.dy(0), x, min, max)[0];
  if (g.has_dy(1) || g.has_dy(2)) {
    const Tensor ones = ops::OnesLike(x);
    const Tensor outside =
        ops::Sub(ones, LimitsGrad<kChannels>(g.attrs(), ones, x, min, max)[0]);
    const Tensor middle = ops::Mul(ops::AddV2(min, max), ScalarLike(min, 0.5));
    const Tensor nearer = ops::SelectV2(ops::Less(x, middle), g.dy(1), g.dy(2));
    sum = ops::AddV2(sum, ops::Mul(outside, nearer));
  }
  g.Set(0, sum);
}

#define ARGS_ATTRS                                                         \
  "min: float = -6.0; max: float = 6.0; num_bits: int = 8; narrow_range: " \
  "bool = false"
#define VARS_ATTRS "num_bits: int = 8; narrow_range: bool = false"

const OpRecord kRecords[] = {
    {.name = "FakeQuantWithMinMaxArgs",
     .inputs = "inputs: float",
     .outputs = "outputs: float",
     .attrs = ARGS_ATTRS,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeArgs},
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::FakeQuantWithMinMaxArgsGradient(OpAttrs(g.attrs()),
                                                         g.dy(0), g.x(0)));
         },
     .python = {.names = "quantization.fake_quant_with_min_max_args"},
     .doc = "The inputs, rounded to one of 2^num_bits levels between min and "
            "max; one fewer if the range is narrow. The range is moved a "
            "little so that zero is a level.",
     .example = ">>> tf.quantization.fake_quant_with_min_max_args([-1., 0.3, "
                "9.], 0., 3.,\n...     num_bits=2).numpy().tolist()\n"
                "[0.0, 0.0, 3.0]"},
    {.name = "FakeQuantWithMinMaxArgsGradient",
     .inputs = "gradients: float; inputs: float",
     .outputs = "backprops: float",
     .attrs = ARGS_ATTRS,
     .shape = ArgsGradShape,
     .kernel = {.compute = ComputeArgsGrad},
     .gradient =
         [](GradContext& g) {
           if (!g.wants(0)) return;
           g.Set(0, ops::FakeQuantWithMinMaxArgsGradient(OpAttrs(g.attrs()),
                                                         g.dy(0), g.x(1)));
         },
     .python = {.names = "quantization.fake_quant_with_min_max_args_gradient"},
     .doc = "Gradients of FakeQuantWithMinMaxArgs: those of inputs in the "
            "range.",
     .example = ">>> tf.quantization.fake_quant_with_min_max_args_gradient("
                "[1., 1.],\n...     [0., 9.]).numpy().tolist()\n[1.0, 0.0]"},
    {.name = "FakeQuantWithMinMaxVars",
     .inputs = "inputs: float; min: float; max: float",
     .outputs = "outputs: float",
     .attrs = VARS_ATTRS,
     .shape = VarsShape<1, false>,
     .kernel = {.compute = ComputeVars<false>},
     .gradient = VarsGradient<false>,
     .python = {.names = "quantization.fake_quant_with_min_max_vars"},
     .doc = "As FakeQuantWithMinMaxArgs, with limits that are tensors, to be "
            "trained.",
     .example = ">>> tf.quantization.fake_quant_with_min_max_vars([-7., 0., "
                "0.2], -1., 0.,\n...     num_bits=2).numpy().tolist()\n"
                "[-1.0, 0.0, 0.0]"},
    {.name = "FakeQuantWithMinMaxVarsGradient",
     .inputs = "gradients: float; inputs: float; min: float; max: float",
     .outputs = "backprops_wrt_input: float; backprop_wrt_min: float; "
                "backprop_wrt_max: float",
     .attrs = VARS_ATTRS,
     .shape = VarsShape<2, false>,
     .kernel = {.compute = ComputeVarsGrad<false>},
     .gradient = VarsGradGradient<false>,
     .python = {.names = "quantization.fake_quant_with_min_max_vars_gradient"},
     .doc = "Gradients of FakeQuantWithMinMaxVars: inputs outside the range "
            "count for the limit that they pass.",
     .example = ">>> dx, dmin, dmax = tf.quantization."
                "fake_quant_with_min_max_vars_gradient(\n...     [1., 2.], "
                "[0., 9.], -1., 1.)\n>>> dx.numpy().tolist(), "
                "dmax.numpy().item()\n([1.0, 0.0], 2.0)"},
    {.name = "FakeQuantWithMinMaxVarsPerChannel",
     .inputs = "inputs: float; min: float; max: float",
     .outputs = "outputs: float",
     .attrs = VARS_ATTRS,
     .shape = VarsShape<1, true>,
     .kernel = {.compute = ComputeVars<true>},
     .gradient = VarsGradient<true>,
     .python = {.names =
                    "quantization.fake_quant_with_min_max_vars_per_channel"},
     .doc = "As FakeQuantWithMinMaxVars, with limits for each index of the "
            "last dimension.",
     .example = ">>> tf.quantization.fake_quant_with_min_max_vars_per_channel("
                "\n...     [[-7., -7.]], [-1., -2.], [0., 0.], num_bits=2)"
                ".numpy().tolist()\n[[-1.0, -2.0]]"},
    {.name = "FakeQuantWithMinMaxVarsPerChannelGradient",
     .inputs = "gradients: float; inputs: float; min: float; max: float",
     .outputs = "backprops_wrt_input: float; backprop_wrt_min: float; "
                "backprop_wrt_max: float",
     .attrs = VARS_ATTRS,
     .shape = VarsShape<2, true>,
     .kernel = {.compute = ComputeVarsGrad<true>},
     .gradient = VarsGradGradient<true>,
     .python = {.names =
                    "quantization.fake_quant_with_min_max_vars_per_channel_"
                    "gradient"},
     .doc = "Gradients of FakeQuantWithMinMaxVarsPerChannel.",
     .example = ">>> dx, dmin, dmax = tf.quantization.\\\n...     "
                "fake_quant_with_min_max_vars_per_channel_gradient(\n...     "
                "[[1., 2.]], [[0., 9.]], [-1., -1.], [1., 1.])\n"
                ">>> dmax.numpy().tolist()\n[0.0, 2.0]"},
};

}  // namespace

GK_REGISTER_OPS(quantize_fake)

}  // namespace gk
