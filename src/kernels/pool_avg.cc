#include <type_traits>

#include "base/half.h"
#include "kernels/isa.h"
#include "kernels/pool.h"
#include "kernels/pool_axes.h"
#include "kernels/pool_rows.h"

namespace gk {
namespace {

using namespace pool_internal;  // NOLINT: this file is its implementation.

template <class T>
using Wide = std::conditional_t<kIsNarrowFloat<T>, float, T>;

constexpr int64_t kStrip = 64;

struct SumOf {
  GK_INLINE static float Start() { return 0; }
  GK_INLINE static float With(float sum, float v) { return sum + v; }
};

// One row of the output: the mean over each clipped window.
template <class T>
struct AvgRow {
  GK_INLINE static void Run(const PoolDesc& d, const void* input, void* output,
                            int64_t row) {
    const int64_t y = row % d.out[1], z = row / d.out[1] % d.out[0];
    const T* image = static_cast<const T*>(input) +
                     row / d.out[1] / d.out[0] * InPixels(d) * d.channels;
    T* out = static_cast<T*>(output) + row * d.out[2] * d.channels;
    const int64_t rows = Inputs(d, 0, z).size() * Inputs(d, 1, y).size();
    if constexpr (std::is_same_v<T, float>) {
      if (PoolsByAxes(d)) {
        PoolAxes<SumOf>::Run(d, image, z, y, out);
        return Divide(d, rows, out);
      }
    }
    Wide<T> sum[kStrip];
    for (int64_t x = 0; x < d.out[2]; ++x, out += d.channels) {
      const int64_t count = rows * Inputs(d, 2, x).size();
      const auto average = [&](int64_t first, auto constant)
          __attribute__((always_inline)) {
        const int64_t strip = constant;
#pragma GCC unroll 1
        for (int64_t c = 0; c < strip; ++c) sum[c] = 0;
        ForWindow(
            d, z, y, x, [&](int64_t pixel) __attribute__((always_inline)) {
              const T* in = image + pixel * d.channels + first;
#pragma GCC unroll 1
              for (int64_t c = 0; c < strip; ++c) {
                sum[c] += static_cast<Wide<T>>(in[c]);
              }
            });
        const Wide<T> divisor = static_cast<Wide<T>>(count > 0 ? count : 1);
#pragma GCC unroll 1
        for (int64_t c = 0; c < strip; ++c) {
          out[first + c] = static_cast<T>(sum[c] / divisor);
        }
      };
      ForStrips<std::is_same_v<T, float>>(d.channels, average);
    }
  }

 private:
  // Sums by how many numbers they are of, neighbours of as many at once.
  GK_INLINE static void Divide(const PoolDesc& d, int64_t rows, T* sums) {
    for (int64_t x = 0; x < d.out[2];) {
      const int64_t size = Inputs(d, 2, x).size();
      int64_t end = x + 1;
      while (end < d.out[2] && Inputs(d, 2, end).size() == size) ++end;
      const T divisor = static_cast<T>(std::max<int64_t>(1, rows * size));
      for (int64_t i = x * d.channels; i < end * d.channels; ++i) {
        sums[i] /= divisor;
      }
      x = end;
    }
  }
};

// One row of the input gradient, gathered from the windows that hold it.
template <class T>
struct AvgGradRow {
  GK_INLINE static void Run(const PoolDesc& d, const void* grad, void* result,
                            int64_t row) {
    const int64_t y = row % d.in[1], z = row / d.in[1] % d.in[0];
    const T* image = static_cast<const T*>(grad) +
                     row / d.in[1] / d.in[0] * OutPixels(d) * d.channels;
    T* out = static_cast<T*>(result) + row * d.in[2] * d.channels;
    const Range rz = Outputs(d, 0, z), ry = Outputs(d, 1, y);
    if (d.stride[2] == d.window[2] && rz.size() == 1 && ry.size() == 1) {
      return Apart(d, image, rz.first, ry.first, out);
    }
    Wide<T> sum[kStrip];
    for (int64_t x = 0; x < d.in[2]; ++x, out += d.channels) {
      const Range rx = Outputs(d, 2, x);
      const auto gather = [&](int64_t first, auto constant)
          __attribute__((always_inline)) {
        const int64_t strip = constant;
#pragma GCC unroll 1
        for (int64_t c = 0; c < strip; ++c) sum[c] = 0;
        for (int64_t oz = rz.first; oz < rz.last; ++oz) {
          for (int64_t oy = ry.first; oy < ry.last; ++oy) {
            for (int64_t ox = rx.first; ox < rx.last; ++ox) {
              const Wide<T> divisor = static_cast<Wide<T>>(
                  Inputs(d, 0, oz).size() * Inputs(d, 1, oy).size() *
                  Inputs(d, 2, ox).size());
              const T* in =
                  image + ((oz * d.out[1] + oy) * d.out[2] + ox) * d.channels +
                  first;
#pragma GCC unroll 1
              for (int64_t c = 0; c < strip; ++c) {
                sum[c] += static_cast<Wide<T>>(in[c]) / divisor;
              }
            }
          }
        }
#pragma GCC unroll 1
        for (int64_t c = 0; c < strip; ++c) {
          out[first + c] = static_cast<T>(sum[c]);
        }
      };
      ForStrips<std::is_same_v<T, float>>(d.channels, gather);
    }
  }

 private:
  // The row where no two windows (z, y, _) hold the same pixel.
  GK_INLINE static void Apart(const PoolDesc& d, const T* image, int64_t z,
                              int64_t y, T* out) {
    const int64_t rows = Inputs(d, 0, z).size() * Inputs(d, 1, y).size();
    const T* in = image + (z * d.out[1] + y) * d.out[2] * d.channels;
    int64_t covered = 0;
    for (int64_t x = 0; x < d.out[2]; ++x, in += d.channels) {
      const Range columns = Inputs(d, 2, x);
      const Wide<T> divisor = static_cast<Wide<T>>(rows * columns.size());
      for (; covered < columns.last; ++covered, out += d.channels) {
#pragma GCC ivdep
        for (int64_t c = 0; c < d.channels; ++c) {
          out[c] = static_cast<T>(Wide<T>(0) +
                                  static_cast<Wide<T>>(in[c]) / divisor);
        }
      }
    }
    std::fill_n(out, (d.in[2] - covered) * d.channels, static_cast<T>(0));
  }
};

template <template <class> class Body>
Status Spread(const PoolDesc& d, const void* from, void* to, int64_t rows,
              Parallel parallel) {
  using Fn = void(const PoolDesc&, const void*, void*, int64_t);
  Fn* body = nullptr;
  switch (d.type) {
    case ElementType::kFloat:
      body = Stamp<Body<float>, Fn>::Best();
      break;
    case ElementType::kDouble:
      body = Stamp<Body<double>, Fn>::Best();
      break;
    case ElementType::kHalf:
      body = Stamp<Body<half>, Fn>::Best();
      break;
    case ElementType::kBFloat16:
      body = Stamp<Body<bfloat16>, Fn>::Best();
      break;
    default:
      return InvalidArgument("average pooling needs a floating-point type");
  }
  if (rows == 0 || d.channels == 0) return OkStatus();
  const int64_t total = d.batch * (InPixels(d) + OutPixels(d)) * d.channels;
  constexpr int64_t kSliceWork = 1 << 15;
  const int64_t step =
      std::max<int64_t>(1, kSliceWork / std::max<int64_t>(1, total / rows));
  parallel.For((rows + step - 1) / step, [&](int64_t slice) {
    const int64_t end = std::min(rows, (slice + 1) * step);
    for (int64_t i = slice * step; i < end; ++i) body(d, from, to, i);
  });
  return OkStatus();
}

}  // namespace

Status AvgPool(const PoolDesc& d, const void* input, void* output,
               Parallel parallel) {
  GK_RETURN_IF_ERROR(CheckPool(d));
  return Spread<AvgRow>(d, input, output, d.batch * d.out[0] * d.out[1],
                        parallel);
}

Status AvgPoolGrad(const PoolDesc& d, const void* output_grad, void* input_grad,
                   Parallel parallel) {
  GK_RETURN_IF_ERROR(CheckPool(d));
  return Spread<AvgGradRow>(d, output_grad, input_grad,
                            d.batch * d.in[0] * d.in[1], parallel);
}

}  // namespace gk
