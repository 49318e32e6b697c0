// Spectra of sound, and their cepstra.
#include "ops/fn/audio_features.h"

#include <array>
#include <limits>

#include "base/thread_pool.h"
#include "framework/op_registry.h"
#include "kernels/audio_features.h"

namespace gk {
namespace {

Status SpectrogramShape(InferenceContext& c) {
  PartialTensorShape x;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &x));
  const int64_t window = c.attr<int64_t>("window_size"),
                stride = c.attr<int64_t>("stride");
  if (window <= 1) {
    return InvalidArgument("window size must be > 1, got {}", window);
  }
  if (stride <= 0) return InvalidArgument("stride must be > 0, got {}", stride);
  const auto windows = SpectrogramWindows::Of(window, stride);
  c.set_output(0,
               {x.dim(1), x.dim(0) < 0 ? kUnknownDim : windows.frames(x.dim(0)),
                windows.frequencies()});
  return OkStatus();
}

Status ComputeSpectrogram(KernelContext& c) {
  const Tensor& x = c.input(0);
  const int64_t window = c.attr<int64_t>("window_size"),
                stride = c.attr<int64_t>("stride");
  if (x.rank() != 2) {
    return InvalidArgument("input must be 2-dimensional{}",
                           x.shape().DebugString());
  }
  if (window < 2 || stride < 1 ||
      window > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument(
        "Spectrogram initialization failed for window size {} and stride {}",
        window, stride);
  }
  const auto windows = SpectrogramWindows::Of(window, stride);
  const int64_t samples = x.dim(0), channels = x.dim(1),
                frames = windows.frames(samples);
  GK_ASSIGN_OR_RETURN(
      const TensorShape shape,
      TensorShape::Make(std::array{channels, frames, windows.frequencies()}));
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, shape, &y));
  if (shape.num_elements() == 0) return OkStatus();
  const bool squared = c.attr<bool>("magnitude_squared");
  for (int64_t k = 0; k < channels; ++k) {
    Spectrogram(windows, x.data<float>() + k, samples, channels, squared,
                y->data<float>() + k * frames * windows.frequencies());
  }
  return OkStatus();
}

Status MfccShape(InferenceContext& c) {
  PartialTensorShape x, rate;
  GK_RETURN_IF_ERROR(c.WithRank(0, 3, &x));
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &rate));
  c.set_output(0,
               {x.dim(0), x.dim(1), c.attr<int64_t>("dct_coefficient_count")});
  return OkStatus();
}

Status ComputeMfcc(KernelContext& c) {
  const Tensor &x = c.input(0), &rate = c.input(1);
  if (x.rank() != 3) {
    return InvalidArgument("spectrogram must be 3-dimensional{}",
                           x.shape().DebugString());
  }
  if (!rate.shape().IsScalar()) {
    return InvalidArgument(
        "Input sample_rate should be a scalar tensor, got {} instead.",
        rate.shape().DebugString());
  }
  const MfccSizes sizes{x.dim(2),
                        rate.scalar<int32_t>(),
                        c.attr<int64_t>("filterbank_channel_count"),
                        c.attr<int64_t>("dct_coefficient_count"),
                        c.attr<float>("lower_frequency_limit"),
                        c.attr<float>("upper_frequency_limit")};
  // More channels than a spectrum could have frequencies are a mistake, and
  // their table of cosines has no end.
  constexpr int64_t kMostChannels = 1 << 16;
  const bool absurd =
      sizes.channels > kMostChannels ||
      (sizes.coefficients > 0 && sizes.channels > 0 &&
       sizes.coefficients > (int64_t{1} << 28) / sizes.channels);
  if (!absurd) {
    if (const Mfcc mfcc(sizes); mfcc.valid()) {
      const int64_t n = sizes.coefficients;
      GK_ASSIGN_OR_RETURN(const TensorShape shape,
                          TensorShape::Make(std::array{x.dim(0), x.dim(1), n}));
      Tensor* y;
      GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, shape, &y));
      ThreadPool::Global().ParallelRange(
          x.dim(0) * x.dim(1), 2 * sizes.frequencies + n * sizes.channels,
          [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              mfcc.Compute(x.data<float>() + i * sizes.frequencies,
                           y->data<float>() + i * n);
            }
          });
      return OkStatus();
    }
  }
  return InvalidArgument(
      "Mfcc initialization failed for channel count {}, sample rate {} and "
      "filterbank_channel_count {}; dct_coefficient_count is {}, "
      "lower_frequency_limit {} and upper_frequency_limit {}",
      sizes.frequencies, sizes.sample_rate, sizes.channels, sizes.coefficients,
      sizes.lower, sizes.upper);
}

const OpRecord kRecords[] = {
    {.name = "AudioSpectrogram",
     .inputs = "input: float",
     .outputs = "spectrogram: float",
     .attrs = "window_size: int; stride: int; magnitude_squared: bool = false",
     .traits = kNoGradient,
     .shape = SpectrogramShape,
     .kernel = {.compute = ComputeSpectrogram},
     .doc = "The spectra [channels, windows, frequencies] of sound [samples, "
            "channels]: magnitudes, or their squares."},
    {.name = "Mfcc",
     .inputs = "spectrogram: float; sample_rate: int32",
     .outputs = "output: float",
     .attrs = "upper_frequency_limit: float = 4000.0; lower_frequency_limit: "
              "float = 20.0; filterbank_channel_count: int = 40; "
              "dct_coefficient_count: int = 13",
     .traits = kNoGradient,
     .shape = MfccShape,
     .kernel = {.compute = ComputeMfcc},
     .doc = "The cepstra, on the mel scale, of spectra of squared "
            "magnitudes."},
};

}  // namespace

GK_REGISTER_OPS(audio_features)

}  // namespace gk
