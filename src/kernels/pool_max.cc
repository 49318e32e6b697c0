#include <bit>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/half.h"
#include "kernels/isa.h"
#include "kernels/pool.h"
#include "kernels/pool_axes.h"
#include "kernels/pool_rows.h"

namespace gk {
namespace pool_internal {

Status CheckPool(const PoolDesc& d) {
  constexpr int64_t kLimit = int64_t{1} << 31;
  int64_t in = 16, out = 16;
  bool fits = true;
  const auto multiply = [&](int64_t& product, int64_t factor) {
    if (factor < 0 || factor >= kLimit) fits = false;
    if (__builtin_mul_overflow(product, factor, &product)) fits = false;
  };
  for (int64_t factor : {d.batch, d.channels}) {
    multiply(in, factor);
    multiply(out, factor);
  }
  for (int i = 0; i < 3; ++i) {
    multiply(in, d.in[i]);
    multiply(out, d.out[i]);
    if (d.window[i] < 1 || d.stride[i] < 1 || d.window[i] >= kLimit ||
        d.stride[i] >= kLimit) {
      return InvalidArgument("pooling window and stride must be positive");
    }
    if (d.pad[i] < 0 || d.pad[i] >= d.window[i]) {
      return InvalidArgument("pooling padding {} must be below the window {}",
                             d.pad[i], d.window[i]);
    }
  }
  if (!fits) return InvalidArgument("pooling sizes are out of range");
  return OkStatus();
}

}  // namespace pool_internal

namespace {

using namespace pool_internal;  // NOLINT: this file is its implementation.

// 16-bit floats are compared as the floats they stand for.
template <class T>
using Wide = std::conditional_t<kIsNarrowFloat<T>, float, T>;

// Floats are what is pooled, 16-bit ones at times; doubles come of tests of
// gradients, integers of quantized models. Unrolling for them all took longer
// to compile than any other file.
template <class T>
constexpr bool kIsUsual = std::is_same_v<T, float>;
// kSpeed: the level of a body for floats.
template <class T, Isa kSpeed>
constexpr Isa kMaxIsa = kIsUsual<T>         ? kSpeed
                        : kIsNarrowFloat<T> ? std::min(kSpeed, Isa::kV3)
                                            : Isa::kV2;

template <class T>
Wide<T> Lowest() {
  if constexpr (std::is_same_v<T, bfloat16>) {
    return -std::numeric_limits<float>::infinity();
  }
  return static_cast<Wide<T>>(std::numeric_limits<T>::lowest());
}

// Channels are worked on in strips whose running maxima stay in registers or
// the first cache level.
constexpr int64_t kStrip = 64;

struct MaxArgs {
  const void* input;
  const void* grad;
  void* result;
  bool with_batch = false;
  const void* maxima = nullptr;
};

template <class T>
GK_INLINE void MaxOf(const PoolDesc& d, const T* image, int64_t z, int64_t y,
                     int64_t x, int64_t channel, int64_t count, T* out) {
  Wide<T> best[kStrip];
  const Wide<T> lowest = Lowest<T>();
#pragma GCC unroll 1
  for (int64_t c = 0; c < count; ++c) best[c] = lowest;
  ForWindow(
      d, z, y, x, [&](int64_t pixel) __attribute__((always_inline)) {
        const T* in = image + pixel * d.channels + channel;
#pragma GCC unroll 1
        for (int64_t c = 0; c < count; ++c) {
          const Wide<T> v = static_cast<Wide<T>>(in[c]);
          best[c] = v > best[c] ? v : best[c];
        }
      });
#pragma GCC unroll 1
  for (int64_t c = 0; c < count; ++c) out[c] = static_cast<T>(best[c]);
}

struct GreaterOf {
  GK_INLINE static float Start() { return Lowest<float>(); }
  GK_INLINE static float With(float best, float v) {
    return v > best ? v : best;
  }
};

// Row `row` of the output, counted over batch, depth and height.
template <class T>
struct MaxRow {
  GK_INLINE static void Run(const PoolDesc& d, const MaxArgs& args,
                            int64_t row) {
    const int64_t y = row % d.out[1], z = row / d.out[1] % d.out[0];
    const T* image = static_cast<const T*>(args.input) +
                     row / d.out[1] / d.out[0] * InPixels(d) * d.channels;
    T* out = static_cast<T*>(args.result) + row * d.out[2] * d.channels;
    if constexpr (kIsUsual<T>) {
      if (PoolsByAxes(d)) {
        return PoolAxes<GreaterOf>::Run(d, image, z, y, out);
      }
    }
    for (int64_t x = 0; x < d.out[2]; ++x, out += d.channels) {
      ForStrips<kIsUsual<T>>(
          d.channels, [&](int64_t c, auto count)
                          __attribute__((always_inline)) {
                            MaxOf(d, image, z, y, x, c, count, out + c);
                          });
    }
  }
};

// An integer as wide as T, so that selecting it vectorises with T.
template <class T>
using IndexFor = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;

// The window's first greatest inputs as offsets in pixels within the image,
// which the caller has checked to fit.
template <class T>
GK_INLINE void ArgmaxOf(const PoolDesc& d, const T* image, int64_t z, int64_t y,
                        int64_t x, int64_t channel, int64_t count,
                        IndexFor<T>* at) {
  Wide<T> best[kStrip];
#pragma GCC unroll 1
  for (int64_t c = 0; c < count; ++c) best[c] = 0;
  bool first = true;
  ForWindow(
      d, z, y, x, [&](int64_t pixel) __attribute__((always_inline)) {
        const T* in = image + pixel * d.channels + channel;
        const IndexFor<T> here = static_cast<IndexFor<T>>(pixel);
        if (first) {
#pragma GCC unroll 1
          for (int64_t c = 0; c < count; ++c) {
            best[c] = static_cast<Wide<T>>(in[c]);
            at[c] = here;
          }
          first = false;
          return;
        }
#pragma GCC unroll 1
        for (int64_t c = 0; c < count; ++c) {
          const Wide<T> v = static_cast<Wide<T>>(in[c]);
          // By a mask: a choice keeps the loop from being vectorised.
          const Wide<T> before = best[c];
          const IndexFor<T> greater = -static_cast<IndexFor<T>>(v > before);
          best[c] = v > before ? v : before;
          at[c] = (greater & here) | (~greater & at[c]);
        }
      });
}

// Calls body(output offset, channel, count, positions) for each strip of
// each output pixel of `image`, skipping windows of padding alone.
template <class T, class F>
GK_INLINE void ForArgmax(const PoolDesc& d, const T* image, int64_t row_first,
                         int64_t row_last, F body) {
  IndexFor<T> at[kStrip];
  for (int64_t row = row_first; row < row_last; ++row) {
    const int64_t y = row % d.out[1], z = row / d.out[1];
    if (Inputs(d, 0, z).size() * Inputs(d, 1, y).size() == 0) continue;
    for (int64_t x = 0; x < d.out[2]; ++x) {
      if (Inputs(d, 2, x).size() == 0) continue;
      const int64_t out = (row * d.out[2] + x) * d.channels;
      ForStrips<kIsUsual<T>>(
          d.channels, [&](int64_t c, auto count)
                          __attribute__((always_inline)) {
                            ArgmaxOf(d, image, z, y, x, c, count, at);
                            body(out + c, c, count, at);
                          });
    }
  }
}

// A whole image: windows may overlap, so its rows are not independent.
template <class T>
struct MaxGradImage {
  GK_INLINE static void Run(const PoolDesc& d, const MaxArgs& args, int64_t n) {
    const int64_t size = InPixels(d) * d.channels;
    const T* image = static_cast<const T*>(args.input) + n * size;
    const T* grad =
        static_cast<const T*>(args.grad) + n * OutPixels(d) * d.channels;
    T* result = static_cast<T*>(args.result) + n * size;
    std::fill(result, result + size, static_cast<T>(0));
    ForArgmax(
        d, image, 0, d.out[0] * d.out[1],
        [&](int64_t out, int64_t channel, int64_t count, const IndexFor<T>* at)
            __attribute__((always_inline)) {
              for (int64_t c = 0; c < count; ++c) {
                T& to = result[at[c] * d.channels + channel + c];
                to = static_cast<T>(static_cast<Wide<T>>(to) +
                                    static_cast<Wide<T>>(grad[out + c]));
              }
            });
  }
};

// The same where windows do not overlap: each pixel is written once, the
// gradient or zero, by whole vectors.
template <class T>
struct MaxGradApart {
  // The usual window, 2x2 and whole, in one loop.
  GK_INLINE static void Four(const PoolDesc& d, int64_t pixel, const T* image,
                             const T* grad, T* result) {
    const int64_t next = d.channels, below = d.in[2] * d.channels;
    const T* in = image + pixel * d.channels;
    T* to = result + pixel * d.channels;
#pragma GCC ivdep
    for (int64_t c = 0; c < d.channels; ++c) {
      Wide<T> best = static_cast<Wide<T>>(in[c]);
      // Whether it is greater than all before it, as a mask: choices between
      // positions keep the loop from being vectorised well.
      const auto look = [&](const T* p) __attribute__((always_inline)) {
        const Wide<T> v = static_cast<Wide<T>>(*p), before = best;
        best = v > before ? v : before;
        return -static_cast<IndexFor<T>>(v > before);
      };
      const IndexFor<T> right = look(in + next + c);
      const IndexFor<T> under = look(in + below + c);
      const IndexFor<T> last = look(in + below + next + c);
      const Wide<T> g = Wide<T>(0) + static_cast<Wide<T>>(grad[c]);
      to[c] = Chosen(g, ~(right | under | last));
      to[next + c] = Chosen(g, right & ~(under | last));
      to[below + c] = Chosen(g, under & ~last);
      to[below + next + c] = Chosen(g, last);
    }
  }
  // The value where the mask is set, else 0.
  GK_INLINE static T Chosen(Wide<T> value, IndexFor<T> mask) {
    if constexpr (std::is_same_v<Wide<T>, float>) {
      return static_cast<T>(
          std::bit_cast<float>(std::bit_cast<int32_t>(value) & mask));
    }
    return static_cast<T>(mask != 0 ? value : Wide<T>(0));
  }
  GK_INLINE static void Strip(const PoolDesc& d, Range rows, Range columns,
                              int64_t channel, int64_t count,
                              const IndexFor<T>* at, const T* grad, T* result) {
    for (int64_t y = rows.first; y < rows.last; ++y) {
      for (int64_t x = columns.first; x < columns.last; ++x) {
        const int64_t pixel = y * d.in[2] + x;
        const IndexFor<T> here = static_cast<IndexFor<T>>(pixel);
        T* to = result + pixel * d.channels + channel;
#pragma GCC ivdep
        for (int64_t c = 0; c < count; ++c) {
          const Wide<T> v = at[c] == here ? static_cast<Wide<T>>(grad[c])
                                          : static_cast<Wide<T>>(0);
          to[c] = static_cast<T>(static_cast<Wide<T>>(0) + v);
        }
      }
    }
  }
  GK_INLINE static void Run(const PoolDesc& d, const MaxArgs& args, int64_t n) {
    const int64_t size = InPixels(d) * d.channels;
    const T* image = static_cast<const T*>(args.input) + n * size;
    const T* grad =
        static_cast<const T*>(args.grad) + n * OutPixels(d) * d.channels;
    T* result = static_cast<T*>(args.result) + n * size;
    IndexFor<T> at[kStrip];
    for (int64_t y = 0; y < d.out[1]; ++y) {
      const Range rows = Inputs(d, 1, y);
      for (int64_t x = 0; x < d.out[2]; ++x, grad += d.channels) {
        const Range columns = Inputs(d, 2, x);
        if (d.window[1] == 2 && d.window[2] == 2 &&
            rows.size() * columns.size() == 4) {
          Four(d, rows.first * d.in[2] + columns.first, image, grad, result);
          continue;
        }
        for (int64_t c = 0; c < d.channels; c += kStrip) {
          const int64_t count = std::min(kStrip, d.channels - c);
          if constexpr (!kIsUsual<T>) {
            ArgmaxOf(d, image, 0, y, x, c, count, at);
            Strip(d, rows, columns, c, count, at, grad + c, result);
          } else if (count == kStrip) {
            ArgmaxOf(d, image, 0, y, x, c, kStrip, at);
            Strip(d, rows, columns, c, kStrip, at, grad + c, result);
          } else if (count == kStrip / 2) {
            ArgmaxOf(d, image, 0, y, x, c, kStrip / 2, at);
            Strip(d, rows, columns, c, kStrip / 2, at, grad + c, result);
          } else {
            ArgmaxOf(d, image, 0, y, x, c, count, at);
            Strip(d, rows, columns, c, count, at, grad + c, result);
          }
        }
      }
    }
    // What lies behind the last window.
    const int64_t rows = Covered(d, 1), columns = Covered(d, 2);
    for (int64_t y = 0; y < d.in[1]; ++y) {
      const int64_t from = y < rows ? columns : 0;
      T* row = result + y * d.in[2] * d.channels;
      std::fill(row + from * d.channels, row + d.in[2] * d.channels,
                static_cast<T>(0));
    }
  }
  static GK_INLINE int64_t Covered(const PoolDesc& d, int dim) {
    return std::min(d.in[dim], d.out[dim] * d.stride[dim] - d.pad[dim]);
  }
};

bool WindowsAreApart(const PoolDesc& d) {
  return d.in[0] == 1 && d.out[0] == 1 && d.window[0] == 1 &&
         d.stride[1] == d.window[1] && d.stride[2] == d.window[2] &&
         d.out[1] > 0 && d.out[2] > 0;
}

// Calls body(offset of an input pixel, offset of an output pixel) for all that
// each window holds, in row-major order.
template <class F>
GK_INLINE void ForPairs(const PoolDesc& d, F body) {
  int64_t out = 0;
  for (int64_t z = 0; z < d.out[0]; ++z) {
    for (int64_t y = 0; y < d.out[1]; ++y) {
      for (int64_t x = 0; x < d.out[2]; ++x, out += d.channels) {
        ForWindow(
            d, z, y, x, [&](int64_t pixel) __attribute__((always_inline)) {
              body(pixel * d.channels, out);
            });
      }
    }
  }
}

template <class T>
struct MaxGradEqualImage {
  GK_INLINE static void Run(const PoolDesc& d, const MaxArgs& args, int64_t n) {
    const int64_t size = InPixels(d) * d.channels;
    const int64_t out_size = OutPixels(d) * d.channels;
    const T* image = static_cast<const T*>(args.input) + n * size;
    const T* maxima = static_cast<const T*>(args.maxima) + n * out_size;
    const T* grad = static_cast<const T*>(args.grad) + n * out_size;
    T* result = static_cast<T*>(args.result) + n * size;
    std::fill(result, result + size, static_cast<T>(0));
    ForPairs(
        d, [&](int64_t in, int64_t out) __attribute__((always_inline)) {
          for (int64_t c = 0; c < d.channels; ++c) {
            const bool equal = static_cast<Wide<T>>(image[in + c]) ==
                               static_cast<Wide<T>>(maxima[out + c]);
            T& to = result[in + c];
            to = static_cast<T>(static_cast<Wide<T>>(to) +
                                (equal ? static_cast<Wide<T>>(grad[out + c])
                                       : static_cast<Wide<T>>(0)));
          }
        });
  }
};

template <class T>
struct MaxGradGradImage {
  GK_INLINE static void Run(const PoolDesc& d, const MaxArgs& args, int64_t n) {
    const int64_t size = InPixels(d) * d.channels;
    const int64_t out_size = OutPixels(d) * d.channels;
    const T* image = static_cast<const T*>(args.input) + n * size;
    const T* maxima = static_cast<const T*>(args.maxima) + n * out_size;
    const T* grad = static_cast<const T*>(args.grad) + n * size;
    T* result = static_cast<T*>(args.result) + n * out_size;
    std::fill(result, result + out_size, static_cast<T>(0));
    std::vector<char> found(out_size, 0);
    ForPairs(
        d, [&](int64_t in, int64_t out) __attribute__((always_inline)) {
          for (int64_t c = 0; c < d.channels; ++c) {
            const bool equal = static_cast<Wide<T>>(image[in + c]) ==
                               static_cast<Wide<T>>(maxima[out + c]);
            if (!equal || found[out + c]) continue;
            found[out + c] = 1;
            result[out + c] = grad[in + c];
          }
        });
  }
};

template <class T>
struct ArgmaxImage {
  GK_INLINE static void Run(const PoolDesc& d, const MaxArgs& args, int64_t n) {
    const int64_t size = InPixels(d) * d.channels;
    const int64_t out_size = OutPixels(d) * d.channels;
    const int64_t base = args.with_batch ? n * size : 0;
    int64_t* result = static_cast<int64_t*>(args.result) + n * out_size;
    std::fill(result, result + out_size, base);
    ForArgmax(
        d, static_cast<const T*>(args.input) + n * size, 0, d.out[0] * d.out[1],
        [&](int64_t out, int64_t channel, int64_t count, const IndexFor<T>* at)
            __attribute__((always_inline)) {
              for (int64_t c = 0; c < count; ++c) {
                result[out + c] = base + at[c] * d.channels + channel + c;
              }
            });
  }
};

template <template <class> class Body, Isa kSpeed>
Status Spread(const PoolDesc& d, const MaxArgs& args, int64_t slices,
              Parallel parallel, const PartDone* done = nullptr) {
  using Fn = void(const PoolDesc&, const MaxArgs&, int64_t);
  Fn* body = nullptr;
  switch (d.type) {
#define GK_CASE(Name, Type)                                               \
  case ElementType::k##Name:                                              \
    body = Stamp<Body<Type>, Fn>::template Best<kMaxIsa<Type, kSpeed>>(); \
    break;
    GK_CASE(Float, float)
    GK_CASE(Double, double)
    GK_CASE(Half, half)
    GK_CASE(BFloat16, bfloat16)
    GK_CASE(Int8, int8_t)
    GK_CASE(Int16, int16_t)
    GK_CASE(Int32, int32_t)
    GK_CASE(Int64, int64_t)
    GK_CASE(UInt8, uint8_t)
    GK_CASE(UInt16, uint16_t)
    GK_CASE(UInt32, uint32_t)
    GK_CASE(UInt64, uint64_t)
#undef GK_CASE
    default:
      return InvalidArgument("max pooling of complex numbers");
  }
  if (slices == 0 || d.channels == 0) return OkStatus();
  // Several rows a slice where rows are short.
  const int64_t total = d.batch * (InPixels(d) + OutPixels(d)) * d.channels;
  constexpr int64_t kSliceWork = 1 << 15;
  const int64_t step =
      std::max<int64_t>(1, kSliceWork / std::max<int64_t>(1, total / slices));
  parallel.For((slices + step - 1) / step, [&](int64_t slice) {
    const int64_t end = std::min(slices, (slice + 1) * step);
    for (int64_t i = slice * step; i < end; ++i) body(d, args, i);
    if (done == nullptr) return;
    const int64_t size = InPixels(d) * d.channels;  // slices are images
    (*done)(slice * step * size, (end - slice * step) * size);
  });
  return OkStatus();
}

Status CheckArgmax(const PoolDesc& d) {
  GK_RETURN_IF_ERROR(CheckPool(d));
  if (InPixels(d) > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("pooled image of {} pixels is too large",
                           InPixels(d));
  }
  return OkStatus();
}

}  // namespace

Status MaxPool(const PoolDesc& d, const void* input, void* output,
               Parallel parallel) {
  GK_RETURN_IF_ERROR(CheckPool(d));
  return Spread<MaxRow, Isa::kV4>(d, {input, nullptr, output, false},
                                  d.batch * d.out[0] * d.out[1], parallel);
}

Status MaxPoolGrad(const PoolDesc& d, const void* input,
                   const void* output_grad, void* input_grad, Parallel parallel,
                   const PartDone* done) {
  GK_RETURN_IF_ERROR(CheckArgmax(d));
  const MaxArgs args{input, output_grad, input_grad, false};
  if (WindowsAreApart(d)) {
    return Spread<MaxGradApart, Isa::kV4>(d, args, d.batch, parallel, done);
  }
  return Spread<MaxGradImage, Isa::kV4>(d, args, d.batch, parallel, done);
}

Status MaxPoolGradOfEqual(const PoolDesc& d, const void* input,
                          const void* maxima, const void* output_grad,
                          void* input_grad, Parallel parallel) {
  GK_RETURN_IF_ERROR(CheckPool(d));
  return Spread<MaxGradEqualImage, Isa::kV3>(d,
                                             {.input = input,
                                              .grad = output_grad,
                                              .result = input_grad,
                                              .maxima = maxima},
                                             d.batch, parallel);
}

Status MaxPoolGradGrad(const PoolDesc& d, const void* input, const void* maxima,
                       const void* grad, void* output, Parallel parallel) {
  GK_RETURN_IF_ERROR(CheckPool(d));
  return Spread<MaxGradGradImage, Isa::kV2>(
      d, {.input = input, .grad = grad, .result = output, .maxima = maxima},
      d.batch, parallel);
}

Status MaxPoolArgmax(const PoolDesc& d, const void* input, bool with_batch,
                     int64_t* positions, Parallel parallel) {
  GK_RETURN_IF_ERROR(CheckArgmax(d));
  return Spread<ArgmaxImage, Isa::kV3>(
      d, {input, nullptr, positions, with_batch}, d.batch, parallel);
}

}  // namespace gk
