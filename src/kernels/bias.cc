#include "kernels/bias.h"

#include <algorithm>
#include <complex>
#include <vector>

#include "kernels/elementwise.h"
#include "kernels/isa.h"

namespace gk {
namespace {

template <class T>
struct RowsBody {
  static GK_INLINE void Run(int64_t rows, int64_t channels, const T* x,
                            const T* bias, T* out) {
    using C = ComputeType<T>;
    for (int64_t r = 0; r < rows; ++r) {
      const T* a = x + r * channels;
      T* o = out + r * channels;
#pragma GCC ivdep
      for (int64_t c = 0; c < channels; ++c) {
        o[c] = Convert<T>(C(Convert<C>(a[c]) + Convert<C>(bias[c])));
      }
    }
  }
};

// One bias for each row of `inner` values.
template <class T>
struct PlanesBody {
  static GK_INLINE void Run(int64_t begin, int64_t end, int64_t channels,
                            int64_t inner, const T* x, const T* bias, T* out) {
    using C = ComputeType<T>;
    for (int64_t p = begin; p < end; ++p) {
      const C b = Convert<C>(bias[p % channels]);
      const T* a = x + p * inner;
      T* o = out + p * inner;
#pragma GCC ivdep
      for (int64_t i = 0; i < inner; ++i) {
        o[i] = Convert<T>(C(Convert<C>(a[i]) + b));
      }
    }
  }
};

// So many that sums need not wait for one another.
constexpr int64_t kLanes = 64;

template <class T>
struct SquaresBody {
  static GK_INLINE double Run(int64_t n, const T* x) {
    if constexpr (std::is_same_v<T, float>) {
      const int64_t most = n / kEights * kEights;
      const double sum = most > 0 ? ByEights(most, x) : 0;
      // Squares of floats may overflow, and those that underflow count where
      // all are small.
      if (sum > 0x1p-60 && sum < 0x1p120) {
        return sum + InDouble(n - most, x + most);
      }
    }
    return InDouble(n, x);
  }

 private:
  static constexpr int64_t kEights = 8 * kLanes;

  // Floats are as good as doubles for eight at a time: none is negative, so
  // that errors of roundings stay as small a part of the sum.
  static GK_INLINE double ByEights(int64_t n, const float* x) {
    double lanes[kLanes] = {};
    for (int64_t i = 0; i < n; i += kEights) {
      const float* v = x + i;
      float squares[kLanes];
      for (int64_t k = 0; k < kLanes; ++k) {
        const auto two = [&](int64_t at) __attribute__((always_inline)) {
          const float a = v[at + k], b = v[at + kLanes + k];
          return a * a + b * b;
        };
        squares[k] = (two(0) + two(2 * kLanes)) +
                     (two(4 * kLanes) + two(6 * kLanes));
      }
      for (int64_t k = 0; k < kLanes; ++k) lanes[k] += squares[k];
    }
    double sum = 0;
    for (int64_t k = 0; k < kLanes; ++k) sum += lanes[k];
    return sum;
  }

  static GK_INLINE double InDouble(int64_t n, const T* x) {
    double lanes[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) {
        const double v = Convert<ComputeType<T>>(x[i + k]);
        lanes[k] += v * v;
      }
    }
    double sum = 0;
    for (; i < n; ++i) {
      const double v = Convert<ComputeType<T>>(x[i]);
      sum += v * v;
    }
    for (int64_t k = 0; k < kLanes; ++k) sum += lanes[k];
    return sum;
  }
};

}  // namespace

template <class T>
void BiasAdd(int64_t outer, int64_t channels, int64_t inner, const T* x,
             const T* bias, T* out, ThreadPool& pool) {
  if (outer == 0 || channels == 0 || inner == 0) return;
  if (inner == 1) {
    auto* run = Stamp<RowsBody<T>, void(int64_t, int64_t, const T*, const T*,
                                        T*)>::Best();
    pool.ParallelRange(outer, 1 + channels / 2,
                       [&](int64_t begin, int64_t end) {
                         run(end - begin, channels, x + begin * channels, bias,
                             out + begin * channels);
                       });
    return;
  }
  auto* run = Stamp<PlanesBody<T>, void(int64_t, int64_t, int64_t, int64_t,
                                        const T*, const T*, T*)>::Best();
  pool.ParallelRange(outer * channels, 1 + inner / 2,
                     [&](int64_t begin, int64_t end) {
                       run(begin, end, channels, inner, x, bias, out);
                     });
}

template <class T>
double HalfSumOfSquares(int64_t n, const T* x, ThreadPool& pool) {
  constexpr int64_t kSlice = 1 << 16;
  auto* run = Stamp<SquaresBody<T>, double(int64_t, const T*)>::Best();
  if (n <= kSlice) return run(n, x) / 2;
  std::vector<double> parts((n + kSlice - 1) / kSlice);
  pool.ParallelFor(parts.size(), [&](int64_t s) {
    parts[s] = run(std::min(kSlice, n - s * kSlice), x + s * kSlice);
  });
  double sum = 0;
  for (const double p : parts) sum += p;
  return sum / 2;
}

#define GK_BIAS(T)                                                        \
  template void BiasAdd<T>(int64_t, int64_t, int64_t, const T*, const T*, \
                           T*, ThreadPool&);
GK_BIAS(half)
GK_BIAS(bfloat16)
GK_BIAS(float)
GK_BIAS(double)
GK_BIAS(int8_t)
GK_BIAS(int16_t)
GK_BIAS(int32_t)
GK_BIAS(int64_t)
GK_BIAS(uint8_t)
GK_BIAS(uint16_t)
GK_BIAS(uint32_t)
GK_BIAS(uint64_t)
GK_BIAS(std::complex<float>)
GK_BIAS(std::complex<double>)
#undef GK_BIAS

template double HalfSumOfSquares<half>(int64_t, const half*, ThreadPool&);
template double HalfSumOfSquares<bfloat16>(int64_t, const bfloat16*,
                                           ThreadPool&);
template double HalfSumOfSquares<float>(int64_t, const float*, ThreadPool&);
template double HalfSumOfSquares<double>(int64_t, const double*, ThreadPool&);

}  // namespace gk
