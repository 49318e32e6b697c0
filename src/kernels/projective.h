// Pictures seen through a projective map of places. Raw memory.
#ifndef GK_KERNELS_PROJECTIVE_H_
#define GK_KERNELS_PROJECTIVE_H_

#include <cmath>

#include "kernels/resize.h"

namespace gk {

enum class FillMode { kConstant, kReflect, kWrap, kNearest };

// A place on a line of n pixels for one that may be outside; NaN and places
// too far to count stay as they are and are outside.
inline float PlaceInside(FillMode mode, float at, int64_t n) {
  if (mode == FillMode::kConstant || !(std::abs(at) < 1e18f)) return at;
  const float last = static_cast<float>(n - 1);
  const float length = static_cast<float>(n);
  const bool below = at<0, above = at> last;
  if ((below || above) && mode != FillMode::kNearest) {
    if (n <= 1) {
      at = 0;
    } else if (mode == FillMode::kReflect) {
      const float twice = 2 * length;
      if (below) {
        at += twice * static_cast<float>(static_cast<int64_t>(-at / twice));
        at = at < -length ? at + twice : -at - 1;
      } else {
        at -= twice * static_cast<float>(static_cast<int64_t>(at / twice));
        if (at >= length) at = twice - at - 1;
      }
    } else if (below) {
      at += length * static_cast<float>(static_cast<int64_t>(-at / last) + 1);
    } else {
      at -= length * static_cast<float>(static_cast<int64_t>(at / last));
    }
  }
  return std::min(std::max(at, 0.0f), last);
}

template <class T>
struct Projection {
  const T* image;
  PictureSizes s;
  const float* transforms;  // of 8 numbers
  bool one_transform;       // for all pictures
  FillMode mode;
  bool bilinear;
  T fill;
};

// The pictures `out` are of height x width.
template <class T>
void ProjectPictures(const Projection<T>& p, int64_t height, int64_t width,
                     T* out, ThreadPool& pool) {
  const PictureSizes& s = p.s;
  const int64_t channels = s.channels;
  pool.ParallelRange(
      s.batch * height, width * channels * 8, [&](int64_t begin, int64_t end) {
        const std::vector<T> outside(channels, p.fill);
        for (int64_t row = begin; row < end; ++row) {
          const int64_t b = row / height;
          const float* t = p.transforms + (p.one_transform ? 0 : b * 8);
          const T* from = p.image + b * s.height * s.line();
          T* to = out + row * width * channels;
          const auto pixel = [&](float y, float x) {
            const bool inside = y >= 0 && y < static_cast<float>(s.height) &&
                                x >= 0 && x < static_cast<float>(s.width);
            return inside ? from + static_cast<int64_t>(y) * s.line() +
                                static_cast<int64_t>(x) * channels
                          : outside.data();
          };
          const float y_out = static_cast<float>(row % height);
          for (int64_t i = 0; i < width; ++i, to += channels) {
            const float x_out = static_cast<float>(i);
            const float depth = t[6] * x_out + t[7] * y_out + 1;
            if (depth == 0) {
              std::fill_n(to, channels, p.fill);
              continue;
            }
            const float x = PlaceInside(
                p.mode, (t[0] * x_out + t[1] * y_out + t[2]) / depth, s.width);
            const float y = PlaceInside(
                p.mode, (t[3] * x_out + t[4] * y_out + t[5]) / depth, s.height);
            if (!p.bilinear) {
              std::copy_n(pixel(std::round(y), std::round(x)), channels, to);
              continue;
            }
            const float top = std::floor(y), left = std::floor(x);
            const float bottom = top + 1, right = left + 1;
            const T *tl = pixel(top, left), *tr = pixel(top, right),
                    *bl = pixel(bottom, left), *br = pixel(bottom, right);
            for (int64_t c = 0; c < channels; ++c) {
              const float above = (right - x) * Convert<float>(tl[c]) +
                                  (x - left) * Convert<float>(tr[c]);
              const float below = (right - x) * Convert<float>(bl[c]) +
                                  (x - left) * Convert<float>(br[c]);
              to[c] = Convert<T>((bottom - y) * above + (y - top) * below);
            }
          }
        }
      });
}

}  // namespace gk

#endif  // GK_KERNELS_PROJECTIVE_H_
