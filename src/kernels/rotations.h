// Rotations of pairs of vectors, many at a time.
//
// R: float, double. Not thread-safe: each object belongs to one computation,
// which itself cuts its work over the threads.
#ifndef GK_KERNELS_ROTATIONS_H_
#define GK_KERNELS_ROTATIONS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/isa.h"

namespace gk {

// One step of a sequence: x, y = c x + s y, c y - s x for vectors i and j.
template <class R>
struct Turn {
  int64_t i, j;
  R c, s;
};

// Such steps for the elements from `begin` to `end` of all vectors.
template <class R>
struct TurnBody {
  GK_INLINE static void Run(R* data, int64_t length, int64_t begin, int64_t end,
                            const Turn<R>* turns, int64_t count) {
    for (int64_t k = 0; k < count; ++k) {
      const Turn<R> t = turns[k];
      R* __restrict const x = data + t.i * length;
      R* __restrict const y = data + t.j * length;
      for (int64_t i = begin; i < end; ++i) {
        const R old = x[i];
        x[i] = t.c * old + t.s * y[i];
        y[i] = t.c * y[i] - t.s * old;
      }
    }
  }
};

// The vectors that rotations go along with, one after the other. Rotations are
// kept until there are many: then each part of the vectors takes them all while
// it is in the cache, and threads share out the parts.
template <class R>
class Columns {
 public:
  Columns(R* data, int64_t length) : data_(data), length_(length) {}
  void Rotate(int64_t i, int64_t j, R c, R s) {
    if (data_ == nullptr) return;
    turns_.push_back({i, j, c, s});
    if (turns_.size() >= 8192) Finish();
  }
  void Finish() {
    if (turns_.empty()) return;
    constexpr int64_t kPart = 64;
    const int64_t parts = (length_ + kPart - 1) / kPart;
    const auto turn =
        Stamp<TurnBody<R>, void(R*, int64_t, int64_t, int64_t, const Turn<R>*,
                                int64_t)>::template Best<Isa::kV3>();
    ThreadPool::Global().ParallelRange(
        parts, 20 * std::ssize(turns_), [&](int64_t begin, int64_t end) {
          for (int64_t p = begin; p < end; ++p) {
            turn(data_, length_, p * kPart, std::min(length_, (p + 1) * kPart),
                 turns_.data(), std::ssize(turns_));
          }
        });
    turns_.clear();
  }
  void Negate(int64_t i) {
    if (data_ == nullptr) return;
    std::transform(data_ + i * length_, data_ + (i + 1) * length_,
                   data_ + i * length_, [](R x) { return -x; });
  }
  void Swap(int64_t i, int64_t j) {
    if (data_ == nullptr) return;
    std::swap_ranges(data_ + i * length_, data_ + (i + 1) * length_,
                     data_ + j * length_);
  }

 private:
  R* const data_;
  const int64_t length_;
  std::vector<Turn<R>> turns_;
};

// c f + s g = r and c g - s f = 0.
template <class R>
struct Rotation {
  Rotation(R f, R g) : r(std::hypot(f, g)) {
    c = r == 0 ? R(1) : f / r;
    s = r == 0 ? R(0) : g / r;
  }
  R r, c, s;
};

// Element j of row i becomes element i of row j.
template <class T>
std::vector<T> Transposed(int64_t rows, int64_t columns, const T* a) {
  std::vector<T> out(rows * columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j)
      out[j * rows + i] = a[i * columns + j];
  }
  return out;
}

}  // namespace gk

#endif  // GK_KERNELS_ROTATIONS_H_
