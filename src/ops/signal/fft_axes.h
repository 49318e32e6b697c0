// Fourier transforms of a tensor over some of its axes.
#ifndef GK_OPS_SIGNAL_FFT_AXES_H_
#define GK_OPS_SIGNAL_FFT_AXES_H_

#include <cstdint>
#include <vector>

#include "framework/kernel_context.h"

namespace gk {

// What is transformed: complex numbers, real ones to the half of the result
// that says all, or back from that.
enum class FftKind { kComplex, kReal, kToReal };

// Axes in order, and how many elements of each count; of the last one, as many
// as the real numbers have.
struct FftAxes {
  std::vector<int> axes;
  std::vector<int64_t> lengths;
};

// How many elements say all of the transform of so many real numbers.
inline int64_t HalfBins(int64_t length) {
  return length == 0 ? 0 : length / 2 + 1;
}

// Output 0 is the transform of input 0. Lengths are not negative.
Status FftOver(KernelContext& c, FftKind kind, bool inverse, const FftAxes& a);

}  // namespace gk

#endif  // GK_OPS_SIGNAL_FFT_AXES_H_
