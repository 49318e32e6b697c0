// Discrete Fourier transforms of any length along one axis of an array.
//
// An array is [outer, n, inner], contiguous; its lines are those along the
// middle axis. Forward transforms have exp(-2 pi i j k / n), inverse ones the
// conjugate; results are multiplied by `scale`. Lines are worked on several at
// a time, one in each lane of a register, or, long ones, by themselves. Tables
// are kept from call to call. Results do not depend on the number of threads.
// Thread-safe.
#ifndef GK_KERNELS_FFT_H_
#define GK_KERNELS_FFT_H_

#include <complex>
#include <cstdint>

#include "base/thread_pool.h"

namespace gk {

struct FftLines {
  int64_t outer = 1, n = 0, inner = 1;
};

// `y` may be `x`. T: float, double; n is positive.
template <class T>
void Fft(const FftLines& lines, bool inverse, T scale, const std::complex<T>* x,
         std::complex<T>* y, ThreadPool& pool = ThreadPool::Global());

// y is [outer, n / 2 + 1, inner]: the rest is its mirror image.
template <class T>
void RealFft(const FftLines& lines, const T* x, std::complex<T>* y,
             ThreadPool& pool = ThreadPool::Global());
// x is [outer, n / 2 + 1, inner]; n is that of y. Imaginary parts that the
// transform of real numbers could not have do not count.
template <class T>
void InverseRealFft(const FftLines& lines, T scale, const std::complex<T>* x,
                    T* y, ThreadPool& pool = ThreadPool::Global());

}  // namespace gk

#endif  // GK_KERNELS_FFT_H_
