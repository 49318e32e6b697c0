#include "kernels/audio_features.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numbers>

#include "kernels/fft.h"
#include "kernels/recent_cache.h"

namespace gk {
namespace {

// The weights of a Hann window of so many samples. Most of a short sound's
// time would go into their cosines, so the last windows are kept.
class HannWindow {
 public:
  static std::shared_ptr<const HannWindow> Of(int64_t size) {
    // Longer ones cost little beside their transforms.
    constexpr int64_t kLongestKept = 1 << 12;
    const auto make = [](int64_t n) -> StatusOr<std::shared_ptr<HannWindow>> {
      return std::make_shared<HannWindow>(n);
    };
    if (size > kLongestKept) return *make(size);
    static auto& windows =
        *new RecentCache<HannWindow, int64_t, std::hash<int64_t>>;
    return *windows.Get(size, make);
  }

  explicit HannWindow(int64_t size) : weights_(size) {
    for (int64_t i = 0; i < size; ++i) {
      weights_[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * i / size);
    }
  }
  int64_t desc() const { return std::ssize(weights_); }
  const double* weights() const { return weights_.data(); }

 private:
  std::vector<double> weights_;
};

}  // namespace

SpectrogramWindows SpectrogramWindows::Of(int64_t window, int64_t stride) {
  return {window, stride,
          static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(window)))};
}

void Spectrogram(const SpectrogramWindows& windows, const float* samples,
                 int64_t count, int64_t step, bool squared, float* out) {
  const int64_t frames = windows.frames(count), n = windows.length,
                bins = windows.frequencies();
  const auto hann = HannWindow::Of(windows.window);
  const double* const weights = hann->weights();
  // Some frames at a time: all could need a multiple of the sound's memory.
  const int64_t most = std::min(frames, std::max<int64_t>(1, (1 << 16) / n));
  std::vector<double> in(most * n);
  std::vector<std::complex<double>> spectra(most * bins);
  for (int64_t first = 0; first < frames; first += most) {
    const int64_t some = std::min(most, frames - first);
    for (int64_t f = 0; f < some; ++f) {
      const float* from = samples + (first + f) * windows.stride * step;
      for (int64_t i = 0; i < windows.window; ++i) {
        in[f * n + i] = static_cast<double>(from[i * step]) * weights[i];
      }
    }
    RealFft<double>({some, n, 1}, in.data(), spectra.data());
    for (int64_t i = 0; i < some * bins; ++i) {
      const double re = spectra[i].real(), im = spectra[i].imag();
      const float square = static_cast<float>(re * re + im * im);
      *out++ = squared ? square : std::sqrt(square);
    }
  }
}

namespace {

double Mel(double frequency) { return 1127.0 * std::log1p(frequency / 700.0); }

}  // namespace

Mfcc::Mfcc(const MfccSizes& sizes) : sizes_(sizes) {
  const int64_t bins = sizes.frequencies, channels = sizes.channels;
  valid_ = channels >= 1 && sizes.sample_rate > 0 && bins >= 2 &&
           sizes.lower >= 0 && sizes.upper > sizes.lower &&
           sizes.coefficients >= 1 && sizes.coefficients <= channels;
  if (!valid_) return;
  // The channels' triangles stand evenly on the mel scale.
  const double low = Mel(sizes.lower);
  const double spacing =
      (Mel(sizes.upper) - low) / static_cast<double>(channels + 1);
  const auto center = [&](int64_t channel) {
    return low + spacing * static_cast<double>(channel + 1);
  };
  // The constant part never counts.
  const double hertz = 0.5 * static_cast<double>(sizes.sample_rate) /
                       static_cast<double>(bins - 1);
  const auto whole = [](double v) {
    return static_cast<int64_t>(std::min(v, 0x1p62));
  };
  first_ = whole(1.5 + sizes.lower / hertz);
  last_ = whole(sizes.upper / hertz);
  channel_.resize(bins);
  weight_.resize(bins);
  int64_t channel = 0;
  for (int64_t i = first_; i <= std::min(last_, bins - 1); ++i) {
    const double mel = Mel(static_cast<double>(i) * hertz);
    while (channel < channels && center(channel) < mel) ++channel;
    // Each frequency is on the falling side of a channel's triangle and on the
    // rising one of the next.
    channel_[i] = channel - 1;
    weight_[i] = (center(channel) - mel) / spacing;
    if (channel == 0) weight_[i] = (center(0) - mel) / (center(0) - low);
  }
  cosines_.resize(sizes.coefficients * channels);
  const double norm = std::sqrt(2.0 / static_cast<double>(channels));
  const double angle = std::numbers::pi / static_cast<double>(channels);
  for (int64_t i = 0; i < sizes.coefficients; ++i) {
    for (int64_t j = 0; j < channels; ++j) {
      cosines_[i * channels + j] =
          norm * std::cos(static_cast<double>(i) * angle *
                          (static_cast<double>(j) + 0.5));
    }
  }
}

void Mfcc::Compute(const float* spectrum, float* out) const {
  const int64_t channels = sizes_.channels;
  // Nothing is known of frequencies above the spectrum's.
  if (last_ >= sizes_.frequencies) {
    std::fill(out, out + sizes_.coefficients, 0.0f);
    return;
  }
  std::vector<double> energy(channels);
  for (int64_t i = first_; i <= last_; ++i) {
    const double value = std::sqrt(static_cast<double>(spectrum[i]));
    const double falling = value * weight_[i];
    const int64_t channel = channel_[i];
    if (channel >= 0) energy[channel] += falling;
    if (channel + 1 < channels) energy[channel + 1] += value - falling;
  }
  for (double& e : energy) e = std::log(e < 1e-12 ? 1e-12 : e);
  for (int64_t i = 0; i < sizes_.coefficients; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < channels; ++j) {
      sum += cosines_[i * channels + j] * energy[j];
    }
    out[i] = static_cast<float>(sum);
  }
}

}  // namespace gk
