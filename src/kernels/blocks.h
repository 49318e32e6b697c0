// Blocks of space taken apart, the places within a block to the front, and put
// together again.
//
// Raw memory and sizes; T is the element or bytes of its size. Outputs are
// written whole.
#ifndef GK_KERNELS_BLOCKS_H_
#define GK_KERNELS_BLOCKS_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/runs.h"

namespace gk {

// The side of space is [batch, extents..., inner], that of the blocks
// [places of all axes..., batch, steps..., inner].
struct BlockMoves {
  struct Axis {
    int64_t size;    // of a block
    int64_t before;  // what its first block has before the space
    int64_t extent, steps;
  };
  int64_t batch = 0, inner = 1;
  std::vector<Axis> axes;  // at least one

  // Zeros (or empty elements) where a block reaches beyond the space.
  template <class T>
  void ToBlocks(const T* space, T* blocks, ThreadPool& pool) const {
    Rows<T, true>(pool, [&](int64_t row, int64_t place, int64_t to) {
      const Axis& last = axes.back();
      for (int64_t a = 0; a < last.size; ++a) {
        T* at = blocks + ((place * last.size + a) * BatchRows() + to) *
                             last.steps * inner;
        const auto [first, end] = Steps(a);
        if (row < 0 || first == end) {
          FillRun(at, last.steps * inner, T());
          continue;
        }
        at = FillRun(at, first * inner, T());
        const int64_t x = first * last.size + a - last.before;
        CopyPieces(space + (row * last.extent + x) * inner, last.size * inner,
                   at, inner, inner, end - first);
        FillRun(at + (end - first) * inner, (last.steps - end) * inner, T());
      }
    });
  }

  template <class T>
  void ToSpace(const T* blocks, T* space, ThreadPool& pool) const {
    Rows<T, false>(pool, [&](int64_t row, int64_t place, int64_t from) {
      const Axis& last = axes.back();
      for (int64_t a = 0; a < last.size; ++a) {
        const T* const at =
            blocks +
            ((place * last.size + a) * BatchRows() + from) * last.steps * inner;
        const auto [first, end] = Steps(a);
        const int64_t x = first * last.size + a - last.before;
        CopyPieces(at + first * inner, inner,
                   space + (row * last.extent + x) * inner, last.size * inner,
                   inner, end - first);
      }
    });
  }

 private:
  // Rows of a place on the side of the blocks.
  int64_t BatchRows() const {
    int64_t rows = batch;
    for (size_t i = 0; i + 1 < axes.size(); ++i) rows *= axes[i].steps;
    return rows;
  }
  // The steps along the last axis at which its place `a` lies in the space.
  std::pair<int64_t, int64_t> Steps(int64_t a) const {
    const Axis& axis = axes.back();
    const int64_t lead = axis.before - a;
    const int64_t first = lead > 0 ? (lead + axis.size - 1) / axis.size : 0;
    const int64_t reach = lead + axis.extent;
    const int64_t end =
        reach > 0 ? std::min(axis.steps, (reach + axis.size - 1) / axis.size)
                  : 0;
    return {std::min(first, std::max(end, int64_t{0})), end};
  }

  // Calls fn(row of space, place, row of that place) for all rows of space;
  // kAll: for those of blocks beyond it too, with row -1.
  template <class T, bool kAll, class Fn>
  void Rows(ThreadPool& pool, Fn&& fn) const {
    const auto count = [](const Axis& axis) {
      return kAll ? axis.steps * axis.size : axis.extent;
    };
    int64_t rows = batch;
    for (size_t i = 0; i + 1 < axes.size(); ++i) rows *= count(axes[i]);
    constexpr int64_t kCost = std::is_trivially_copyable_v<T> ? 1 : 20;
    const int64_t width = count(axes.back()) * inner;
    pool.ParallelRange(
        rows, width * kCost / 2 + 8, [&](int64_t r, int64_t end) {
          for (; r < end; ++r) {
            int64_t rest = r, row = 0, stride = 1, place = 0, places = 1;
            int64_t to = 0, to_stride = 1;
            bool inside = true;
            for (int64_t i = static_cast<int64_t>(axes.size()) - 2; i >= 0;
                 --i) {
              const Axis& axis = axes[i];
              int64_t at = rest % count(axis);
              rest /= count(axis);
              if (!kAll) at += axis.before;
              inside &= at >= axis.before && at < axis.before + axis.extent;
              row += (at - axis.before) * stride;
              stride *= axis.extent;
              place += at % axis.size * places;
              places *= axis.size;
              to += at / axis.size * to_stride;
              to_stride *= axis.steps;
            }
            fn(inside ? rest * stride + row : -1, place, rest * to_stride + to);
          }
        });
  }
};

}  // namespace gk

#endif  // GK_KERNELS_BLOCKS_H_
