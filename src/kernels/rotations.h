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
  int32_t i, j;
  R c, s;
};

// Such steps for the elements from `begin` to `end` of all vectors.
template <class R>
struct TurnBody {
  static constexpr int kVectors = 4, kLanes = 32 / sizeof(R);
  // Elements of some hundred vectors that stay in the first-level cache.
  static constexpr int64_t kPart = kVectors * kLanes;

  // The vector that the next step turns too stays in registers.
  GK_INLINE static void Strip(R* data, int64_t length, const Turn<R>* turns,
                              int64_t count) {
    typedef R V __attribute__((vector_size(32), aligned(sizeof(R)), may_alias));
    V y[kVectors];
    for (int64_t k = 0; k < count; ++k) {
      const Turn<R> t = turns[k];
      V* const first = reinterpret_cast<V*>(data + t.i * length);
      V* const second = reinterpret_cast<V*>(data + t.j * length);
      if (k == 0 || turns[k - 1].j != t.i) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) y[v] = first[v];
      }
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const V x = y[v], other = second[v];
        first[v] = t.c * x + t.s * other;
        y[v] = t.c * other - t.s * x;
      }
      if (k + 1 == count || turns[k + 1].i != t.j) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) second[v] = y[v];
      }
    }
  }

  GK_INLINE static void Run(R* data, int64_t length, int64_t begin, int64_t end,
                            const Turn<R>* turns, int64_t count) {
    if (end - begin == kPart) return Strip(data + begin, length, turns, count);
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
// it is in the cache, in a place of its own (rows that are a power of two apart
// would share its lines), and threads share out the parts.
template <class R>
class Columns {
 public:
  Columns(R* data, int64_t length) : data_(data), length_(length) {}
  void Rotate(int64_t i, int64_t j, R c, R s) {
    if (data_ == nullptr) return;
    turns_.push_back({static_cast<int32_t>(i), static_cast<int32_t>(j), c, s});
    if (turns_.size() >= 8192) Finish();
  }
  void Finish() {
    if (turns_.empty()) return;
    constexpr int64_t kPart = TurnBody<R>::kPart;
    const int64_t parts = (length_ + kPart - 1) / kPart;
    int64_t rows = 0;
    for (const Turn<R>& t : turns_) {
      rows = std::max<int64_t>(rows, std::max(t.i, t.j) + 1);
    }
    const auto turn =
        Stamp<TurnBody<R>, void(R*, int64_t, int64_t, int64_t, const Turn<R>*,
                                int64_t)>::template Best<Isa::kV3>();
    ThreadPool::Global().ParallelRange(
        parts, 10 * std::ssize(turns_), [&](int64_t begin, int64_t end) {
          std::vector<R> room(rows * kPart);
          for (int64_t p = begin; p < end; ++p) {
            const int64_t first = p * kPart;
            if (first + kPart > length_) {
              turn(data_, length_, first, length_, turns_.data(),
                   std::ssize(turns_));
              continue;
            }
            for (int64_t i = 0; i < rows; ++i) {
              std::copy_n(data_ + i * length_ + first, kPart,
                          room.data() + i * kPart);
            }
            turn(room.data(), kPart, 0, kPart, turns_.data(),
                 std::ssize(turns_));
            for (int64_t i = 0; i < rows; ++i) {
              std::copy_n(room.data() + i * kPart, kPart,
                          data_ + i * length_ + first);
            }
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

}  // namespace gk

#endif  // GK_KERNELS_ROTATIONS_H_
