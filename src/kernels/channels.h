// Loops over arrays with channels, [outer, channels, inner]: sums for each
// channel and functions of an element and its channel.
//
// Inner is 1 where the channels come last. Slices depend on sizes alone, so
// sums do not depend on the number of threads. Stateless and thread-safe.
#ifndef GK_KERNELS_CHANNELS_H_
#define GK_KERNELS_CHANNELS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

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

// fn(slice, i, c) for each element i of channel c.
template <class Fn>
void ForEachChannelSlice(const Channels& n, const Parallel& parallel, Fn&& fn) {
  parallel.For(n.slices(), [&](int64_t s) {
    const int64_t end = std::min(n.outer, (s + 1) * n.slice());
    int64_t i = s * n.slice() * n.channels * n.inner;
    for (int64_t o = s * n.slice(); o < end; ++o) {
      if (n.inner == 1) {
        for (int64_t c = 0; c < n.channels; ++c) fn(s, i + c, c);
        i += n.channels;
        continue;
      }
      for (int64_t c = 0; c < n.channels; ++c) {
        for (int64_t k = 0; k < n.inner; ++k) fn(s, i++, c);
      }
    }
  });
}

template <class Fn>
void ForEachChannel(const Channels& n, const Parallel& parallel, Fn&& fn) {
  ForEachChannelSlice(n, parallel,
                      [&](int64_t, int64_t i, int64_t c) { fn(i, c); });
}

// Adds to a[c] and b[c] for each element: fn(i, c, &a[c], &b[c]).
template <class Fn>
void SumChannels(const Channels& n, const Parallel& parallel, double* a,
                 double* b, Fn&& fn) {
  std::fill_n(a, n.channels, 0.0);
  std::fill_n(b, n.channels, 0.0);
  const int64_t slices = n.slices();
  std::vector<double> parts(2 * slices * n.channels, 0.0);
  ForEachChannelSlice(n, parallel, [&](int64_t s, int64_t i, int64_t c) {
    double* part = &parts[2 * s * n.channels];
    fn(i, c, &part[c], &part[n.channels + c]);
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
