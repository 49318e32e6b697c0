// Loops over arrays with channels, [outer, channels, inner]: sums for each
// channel and functions of an element and its channel.
//
// Inner is 1 where the channels come last. Slices depend on sizes alone, so
// sums do not depend on the number of threads. Stateless and thread-safe.
#ifndef GK_KERNELS_CHANNELS_H_
#define GK_KERNELS_CHANNELS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/isa.h"
#include "kernels/parallel.h"

namespace gk {

struct Channels {
  int64_t outer = 0, channels = 0, inner = 1;

  int64_t size() const { return outer * channels * inner; }
  int64_t per_channel() const { return outer * inner; }
  // Of the outer dimension.
  int64_t slice() const {
    const int64_t row = std::max<int64_t>(1, channels * inner);
    return std::max({int64_t{1}, (outer + 63) / 64, 16384 / row});
  }
  int64_t slices() const { return (outer + slice() - 1) / slice(); }
};

namespace channels_internal {

// Rows whose sums are made in float before they are added in double.
inline constexpr int64_t kRows = 32, kLanes = 16;

template <class Fn>
struct MapRows {
  static GK_INLINE void Run(const Fn& fn, int64_t first, int64_t rows,
                            int64_t channels) {
    for (int64_t r = 0; r < rows; ++r, first += channels) {
#pragma GCC ivdep
      for (int64_t c = 0; c < channels; ++c) fn(first + c, c);
    }
  }
};

// The channel's elements [first, first + n) are one after the other.
template <class Fn>
struct MapRun {
  static GK_INLINE void Run(const Fn& fn, int64_t first, int64_t n, int64_t c) {
#pragma GCC ivdep
    for (int64_t k = 0; k < n; ++k) fn(first + k, c);
  }
};

// What the second sum gets: nothing, where there is one sum only.
template <class Terms>
GK_INLINE void AddSecond(const Terms& terms, float* b) {
  if constexpr (requires { terms.b; }) *b += terms.b;
}

// Some rows at a time, so that sums are read and written less often.
template <class Fn>
struct SumRows {
  static GK_INLINE void Run(const Fn& fn, int64_t first, int64_t rows,
                            int64_t channels, float* __restrict a,
                            float* __restrict b) {
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4, first += 4 * channels) {
      Together<4>(fn, first, channels, a, b);
    }
    for (; r < rows; ++r, first += channels) {
      Together<1>(fn, first, channels, a, b);
    }
  }

 private:
  template <int kRowsAtOnce>
  static GK_INLINE void Together(const Fn& fn, int64_t first, int64_t channels,
                                 float* __restrict a, float* __restrict b) {
    for (int64_t c = 0; c < channels; ++c) {
      float sum = a[c];
      [[maybe_unused]] float second = b[c];
#pragma GCC unroll 4
      for (int r = 0; r < kRowsAtOnce; ++r) {
        const auto terms = fn(first + r * channels + c, c);
        sum += terms.a;
        AddSecond(terms, &second);
      }
      a[c] = sum;
      b[c] = second;
    }
  }
};

template <class Fn>
struct SumRun {
  static GK_INLINE void Run(const Fn& fn, int64_t first, int64_t n, int64_t c,
                            float* __restrict a, float* __restrict b) {
    int64_t k = 0;
    for (; k + kLanes <= n; k += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        const auto terms = fn(first + k + lane, c);
        a[lane] += terms.a;
        AddSecond(terms, &b[lane]);
      }
    }
    for (; k < n; ++k) {
      const auto terms = fn(first + k, c);
      a[0] += terms.a;
      AddSecond(terms, &b[0]);
    }
  }
};

// Adds the floats to *sum and clears them.
inline void Flush(std::span<float> floats, double* sum) {
  for (float& f : floats) {
    *sum += f;
    f = 0;
  }
}

}  // namespace channels_internal

// fn(i, c) for each element i of channel c.
template <class Fn>
void ForEachChannel(const Channels& n, const Parallel& parallel, Fn&& fn) {
  using F = std::remove_cvref_t<Fn>;
  using Body = void(const F&, int64_t, int64_t, int64_t);
  const auto rows =
      Stamp<channels_internal::MapRows<F>, Body>::template Best<Isa::kV3>();
  const auto run =
      Stamp<channels_internal::MapRun<F>, Body>::template Best<Isa::kV3>();
  parallel.For(n.slices(), [&](int64_t s) {
    const int64_t begin = s * n.slice();
    const int64_t end = std::min(n.outer, begin + n.slice());
    if (n.inner == 1) {
      rows(fn, begin * n.channels, end - begin, n.channels);
      return;
    }
    for (int64_t at = begin * n.channels; at < end * n.channels; ++at) {
      run(fn, at * n.inner, n.inner, at % n.channels);
    }
  });
}

// What an element adds to the two sums of its channel.
struct TwoTerms {
  float a, b;
};
// The same where one sum is wanted; the other is 0.
struct OneTerm {
  float a;
};

// a[c] and b[c] become the sums of fn(i, c) over the channel's elements.
template <class Fn>
void SumChannels(const Channels& n, const Parallel& parallel, double* a,
                 double* b, Fn&& fn) {
  using namespace channels_internal;
  using F = std::remove_cvref_t<Fn>;
  using Body = void(const F&, int64_t, int64_t, int64_t, float*, float*);
  const auto rows = Stamp<SumRows<F>, Body>::template Best<Isa::kV3>();
  const auto run = Stamp<SumRun<F>, Body>::template Best<Isa::kV3>();
  std::fill_n(a, n.channels, 0.0);
  std::fill_n(b, n.channels, 0.0);
  const int64_t slices = n.slices();
  std::vector<double> parts(2 * slices * n.channels, 0.0);
  parallel.For(slices, [&](int64_t s) {
    double* part = &parts[2 * s * n.channels];
    const int64_t begin = s * n.slice();
    const int64_t end = std::min(n.outer, begin + n.slice());
    const int64_t wide = n.inner == 1 ? n.channels : kLanes;
    std::vector<float> floats(2 * wide, 0.0f);
    const std::span<float> of_a = std::span(floats).first(wide);
    const std::span<float> of_b = std::span(floats).last(wide);
    if (n.inner == 1) {
      for (int64_t o = begin; o < end; o += kRows) {
        rows(fn, o * n.channels, std::min(kRows, end - o), n.channels,
             of_a.data(), of_b.data());
        for (int64_t c = 0; c < n.channels; ++c) {
          part[c] += of_a[c];
          part[n.channels + c] += of_b[c];
          of_a[c] = of_b[c] = 0;
        }
      }
      return;
    }
    for (int64_t at = begin * n.channels; at < end * n.channels; ++at) {
      const int64_t c = at % n.channels;
      for (int64_t k = 0; k < n.inner; k += kRows * kLanes) {
        run(fn, at * n.inner + k, std::min(kRows * kLanes, n.inner - k), c,
            of_a.data(), of_b.data());
        Flush(of_a, &part[c]);
        Flush(of_b, &part[n.channels + c]);
      }
    }
  });
  for (int64_t s = 0; s < slices; ++s) {
    const double* part = &parts[2 * s * n.channels];
    for (int64_t c = 0; c < n.channels; ++c) {
      a[c] += part[c];
      b[c] += part[n.channels + c];
    }
  }
}

}  // namespace gk

#endif  // GK_KERNELS_CHANNELS_H_
