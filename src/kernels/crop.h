// Boxes cut out of pictures and brought to one size, and the gradients.
//
// Raw memory; callers have checked that boxes are finite and belong to a
// picture. Sums are made in an order that sizes alone decide.
#ifndef GK_KERNELS_CROP_H_
#define GK_KERNELS_CROP_H_

#include <cmath>

#include "kernels/resize.h"

namespace gk {

// n boxes y1, x1, y2, x2 in parts of height - 1 and width - 1.
struct CropBoxes {
  const float* corners;
  const int32_t* picture;
  int64_t n;
};

// Where line i of a crop of `size` lines lies in a picture of `length`.
struct CropLine {
  bool inside = false;
  float place = 0;
  Between at;

  CropLine(float begin, float end, int64_t length, int64_t size, int64_t i) {
    const float last = static_cast<float>(length - 1);
    if (size > 1) {
      const float step = (end - begin) * last / static_cast<float>(size - 1);
      place = begin * last + static_cast<float>(i) * step;
    } else {
      place = 0.5 * (begin + end) * last;
    }
    inside = place >= 0 && place <= last;
    if (!inside) return;
    const float low = std::floor(place);
    end_ = length - 1;
    at = {Pixel(low), Pixel(std::ceil(place)), place - low};
  }
  int64_t nearest() const { return Pixel(std::round(place)); }

 private:
  // Floats do not tell the pixels of very long lines apart.
  int64_t Pixel(float p) const {
    return std::min(static_cast<int64_t>(p), end_);
  }
  int64_t end_ = 0;
};

// The columns of one crop after another.
class CropColumns {
 public:
  CropColumns(int64_t length, int64_t size) : length_(length), size_(size) {}
  // Those of box n.
  const std::vector<CropLine>& Of(const CropBoxes& boxes, int64_t n) {
    if (n == held_) return columns_;
    held_ = n;
    columns_.clear();
    const float* box = boxes.corners + n * 4;
    for (int64_t i = 0; i < size_; ++i) {
      columns_.emplace_back(box[1], box[3], length_, size_, i);
    }
    return columns_;
  }

 private:
  int64_t length_, size_, held_ = -1;
  std::vector<CropLine> columns_;
};

template <class T>
void CropPictures(const T* image, const PictureSizes& s, const CropBoxes& boxes,
                  int64_t height, int64_t width, bool nearest, float outside,
                  float* out, ThreadPool& pool) {
  const int64_t channels = s.channels, wide = width * channels;
  pool.ParallelRange(
      boxes.n * height, wide * 4 + 8, [&](int64_t begin, int64_t end) {
        CropColumns columns(s.width, width);
        for (int64_t row = begin; row < end; ++row) {
          const float* box = boxes.corners + row / height * 4;
          const CropLine y(box[0], box[2], s.height, height, row % height);
          float* to = out + row * wide;
          if (!y.inside) {
            std::fill_n(to, wide, outside);
            continue;
          }
          const int64_t picture = boxes.picture[row / height];
          const T* from = image + picture * s.height * s.line();
          // The last pixels of all have no four numbers behind them.
          const int64_t there = (s.batch - picture) * s.height * s.line();
          const int64_t whole = (channels + kQuad - 1) / kQuad * kQuad;
          const std::vector<CropLine>& xs = columns.Of(boxes, row / height);
          for (int64_t i = 0; i < width; ++i, to += channels) {
            const CropLine& x = xs[i];
            if (!x.inside) {
              std::fill_n(to, channels, outside);
              continue;
            }
            if (nearest) {
              const T* pixel =
                  from + y.nearest() * s.line() + x.nearest() * channels;
              for (int64_t c = 0; c < channels; ++c) {
                to[c] = Convert<float>(pixel[c]);
              }
              continue;
            }
            const T* top = from + y.at.low * s.line();
            const T* bottom = from + y.at.high * s.line();
            const int64_t left = x.at.low * channels,
                          right = x.at.high * channels;
            // Quads reach into the next pixel, which comes later.
            if (y.at.high * s.line() + right + whole <= there &&
                i * channels + whole <= wide) {
              for (int64_t c = 0; c < channels; c += kQuad) {
                const Quad<float> tl = LoadQuad<float>(top + left + c),
                                  tr = LoadQuad<float>(top + right + c),
                                  bl = LoadQuad<float>(bottom + left + c),
                                  br = LoadQuad<float>(bottom + right + c);
                const Quad<float> t = tl + (tr - tl) * x.at.part;
                const Quad<float> b = bl + (br - bl) * x.at.part;
                StoreQuad<float>(t + (b - t) * y.at.part, to + c);
              }
              continue;
            }
            for (int64_t c = 0; c < channels; ++c) {
              const float tl = Convert<float>(top[left + c]),
                          tr = Convert<float>(top[right + c]),
                          bl = Convert<float>(bottom[left + c]),
                          br = Convert<float>(bottom[right + c]);
              const float t = tl + (tr - tl) * x.at.part;
              const float b = bl + (br - bl) * x.at.part;
              to[c] = t + (b - t) * y.at.part;
            }
          }
        }
      });
}

// What crops `grads` give to the pictures they were cut from, whose sizes are
// `s`; each picture by one thread.
template <class T>
void AddCropped(const float* grads, const PictureSizes& s,
                const CropBoxes& boxes, int64_t height, int64_t width,
                bool nearest, T* out, ThreadPool& pool) {
  const int64_t channels = s.channels, size = s.height * s.line();
  const int64_t cost = size + boxes.n * height * width * channels * 4 / s.batch;
  pool.ParallelRange(s.batch, cost, [&](int64_t begin, int64_t end) {
    std::vector<float> sums(size);
    CropColumns columns(s.width, width);
    for (int64_t b = begin; b < end; ++b) {
      std::fill(sums.begin(), sums.end(), 0.0f);
      const auto add = [&](int64_t y, int64_t x, float part,
                           const float* from) {
        float* to = sums.data() + y * s.line() + x * channels;
        for (int64_t c = 0; c < channels; ++c) to[c] += part * from[c];
      };
      for (int64_t n = 0; n < boxes.n; ++n) {
        if (boxes.picture[n] != b) continue;
        const float* box = boxes.corners + n * 4;
        const std::vector<CropLine>& xs = columns.Of(boxes, n);
        for (int64_t i = 0; i < height; ++i) {
          const CropLine y(box[0], box[2], s.height, height, i);
          if (!y.inside) continue;
          const float* from = grads + (n * height + i) * width * channels;
          for (int64_t j = 0; j < width; ++j, from += channels) {
            const CropLine& x = xs[j];
            if (!x.inside) continue;
            if (nearest) {
              add(y.nearest(), x.nearest(), 1, from);
              continue;
            }
            const float down = y.at.part, up = 1 - down;
            const float right = x.at.part, left = 1 - right;
            add(y.at.low, x.at.low, up * left, from);
            add(y.at.low, x.at.high, up * right, from);
            add(y.at.high, x.at.low, down * left, from);
            add(y.at.high, x.at.high, down * right, from);
          }
        }
      }
      T* to = out + b * size;
      for (int64_t i = 0; i < size; ++i) to[i] = Convert<T>(sums[i]);
    }
  });
}

// What crops give to the corners of their boxes.
template <class T>
void CropBoxGradients(const float* grads, const T* image, const PictureSizes& s,
                      const CropBoxes& boxes, int64_t height, int64_t width,
                      float* out, ThreadPool& pool) {
  const int64_t channels = s.channels;
  const auto ratio = [](int64_t length, int64_t size) {
    return size > 1
               ? static_cast<float>(length - 1) / static_cast<float>(size - 1)
               : 0.0f;
  };
  const float row_step = ratio(s.height, height),
              column_step = ratio(s.width, width);
  pool.ParallelRange(
      boxes.n, height * width * channels * 4, [&](int64_t begin, int64_t end) {
        CropColumns columns(s.width, width);
        for (int64_t n = begin; n < end; ++n) {
          const std::vector<CropLine>& xs = columns.Of(boxes, n);
          const float* box = boxes.corners + n * 4;
          float* to = out + n * 4;
          std::fill_n(to, 4, 0.0f);
          const T* from = image + boxes.picture[n] * s.height * s.line();
          for (int64_t i = 0; i < height; ++i) {
            const CropLine y(box[0], box[2], s.height, height, i);
            if (!y.inside) continue;
            const T* top = from + y.at.low * s.line();
            const T* bottom = from + y.at.high * s.line();
            for (int64_t j = 0; j < width; ++j) {
              const CropLine& x = xs[j];
              if (!x.inside) continue;
              const int64_t left = x.at.low * channels,
                            right = x.at.high * channels;
              const float* d =
                  grads + ((n * height + i) * width + j) * channels;
              float along_y = 0, along_x = 0;
              for (int64_t c = 0; c < channels; ++c) {
                const float tl = Convert<float>(top[left + c]),
                            tr = Convert<float>(top[right + c]),
                            bl = Convert<float>(bottom[left + c]),
                            br = Convert<float>(bottom[right + c]);
                along_y += d[c] * ((1 - x.at.part) * (bl - tl) +
                                   x.at.part * (br - tr));
                along_x += d[c] * ((1 - y.at.part) * (tr - tl) +
                                   y.at.part * (br - bl));
              }
              const float last_y = static_cast<float>(s.height - 1),
                          last_x = static_cast<float>(s.width - 1);
              if (height > 1) {
                to[0] += along_y * (last_y - i * row_step);
                to[2] += along_y * (i * row_step);
              } else {
                to[0] += along_y * 0.5f * last_y;
                to[2] += along_y * 0.5f * last_y;
              }
              if (width > 1) {
                to[1] += along_x * (last_x - j * column_step);
                to[3] += along_x * (j * column_step);
              } else {
                to[1] += along_x * 0.5f * last_x;
                to[3] += along_x * 0.5f * last_x;
              }
            }
          }
        }
      });
}

}  // namespace gk

#endif  // GK_KERNELS_CROP_H_
