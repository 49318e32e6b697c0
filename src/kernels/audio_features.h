// What is heard in sound: spectra of overlapping windows, and their cepstra on
// the mel scale, as TensorFlow computes them. Pure functions.
#ifndef GK_KERNELS_AUDIO_FEATURES_H_
#define GK_KERNELS_AUDIO_FEATURES_H_

#include <cstdint>
#include <vector>

namespace gk {

// Windows of `window` samples, `stride` apart, padded to `length`, a power of
// two.
struct SpectrogramWindows {
  int64_t window, stride, length;
  int64_t frames(int64_t samples) const {
    return samples < window ? 0 : 1 + (samples - window) / stride;
  }
  int64_t frequencies() const { return length / 2 + 1; }
  static SpectrogramWindows Of(int64_t window, int64_t stride);
};
// Of one channel, whose samples are `step` apart: out[frames][frequencies],
// magnitudes or their squares. Samples weigh as a Hann window has it.
void Spectrogram(const SpectrogramWindows& windows, const float* samples,
                 int64_t count, int64_t step, bool squared, float* out);

struct MfccSizes {
  int64_t frequencies, sample_rate, channels, coefficients;
  double lower, upper;  // limits of frequencies
};
// The cepstrum of spectra of squared magnitudes.
class Mfcc {
 public:
  // `valid()` tells whether there is one of these sizes.
  explicit Mfcc(const MfccSizes& sizes);
  bool valid() const { return valid_; }
  // One spectrum; the coefficients. Both without step.
  void Compute(const float* spectrum, float* out) const;

 private:
  MfccSizes sizes_;
  bool valid_ = false;
  int64_t first_ = 0, last_ = -1;  // frequencies that count
  std::vector<int64_t> channel_;   // -1: below the first
  std::vector<double> weight_, cosines_;
};

}  // namespace gk

#endif  // GK_KERNELS_AUDIO_FEATURES_H_
