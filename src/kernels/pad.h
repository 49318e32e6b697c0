// Arrays continued beyond their edges, by a value or by what lies inside, and
// such edges folded back.
//
// Raw memory and sizes; T is the element or bytes of its size.
#ifndef GK_KERNELS_PAD_H_
#define GK_KERNELS_PAD_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/elementwise.h"
#include "kernels/runs.h"

namespace gk {

class Padding {
 public:
  // sizes: of the array inside; pairs of what stands before and after it.
  Padding(std::span<const int64_t> sizes, std::span<const int64_t> pairs) {
    const auto plain = [](const Axis& axis) {
      return axis.padded() == axis.size;
    };
    // Axes without edges that follow one another are one, the last of them a
    // part of the elements of the one before.
    for (size_t i = 0; i < sizes.size(); ++i) {
      const Axis axis{sizes[i], pairs[2 * i], pairs[2 * i + 1]};
      if (!axes_.empty() && plain(axis) && plain(axes_.back())) {
        axes_.back().size *= axis.size;
      } else {
        axes_.push_back(axis);
      }
    }
    if (axes_.size() > 1 && plain(axes_.back())) {
      const int64_t unit = axes_.back().size;
      axes_.pop_back();
      const Axis& last = axes_.back();
      axes_.back() = {last.size * unit, last.before * unit, last.after * unit,
                      unit};
    }
    if (axes_.empty()) axes_.push_back({1, 0, 0});
    outer_ = static_cast<int>(axes_.size()) - 1;
    for (int d = 0; d < outer_; ++d) rows_ *= axes_[d].padded();
    for (int d = 0; d < outer_; ++d) rows_inside_ *= axes_[d].size;
  }

  // Edges of one value.
  template <class T>
  void Fill(const T* x, const T& value, T* out, ThreadPool& pool) const {
    const Axis& row = axes_[outer_];
    const auto maps = Maps([](const Axis& axis, int64_t i) {
      const int64_t at = i - axis.before;
      return at < 0 || at >= axis.size ? int64_t{-1} : at;
    });
    ForRows<T>(rows_, row.padded(), pool, [&](int64_t r, int64_t last) {
      for (T* to = out + r * row.padded(); r < last; ++r) {
        const int64_t from = Inside(maps, r);
        if (from < 0) {
          to = FillRun(to, row.padded(), value);
          continue;
        }
        to = FillRun(to, row.before, value);
        to = std::copy_n(x + from * row.size, row.size, to);
        to = FillRun(to, row.after, value);
      }
    });
  }

  // Edges that mirror what is inside; `reflect`: without the border itself.
  template <class T>
  void Mirror(const T* x, bool reflect, T* out, ThreadPool& pool) const {
    const Axis& row = axes_[outer_];
    const auto maps = Maps(
        [=](const Axis& axis, int64_t i) { return axis.Mirrored(i, reflect); });
    const int64_t skip = reflect ? row.unit : 0, unit = row.unit;
    ForRows<T>(rows_, row.padded(), pool, [&](int64_t r, int64_t last) {
      for (T* to = out + r * row.padded(); r < last; ++r) {
        const T* const from = x + Inside(maps, r) * row.size;
        for (int64_t i = row.before; i > 0; i -= unit) {
          to = std::copy_n(from + skip + i - unit, unit, to);
        }
        to = std::copy_n(from, row.size, to);
        const T* const end = from + row.size - skip;
        for (int64_t i = unit; i <= row.after; i += unit) {
          to = std::copy_n(end - i, unit, to);
        }
      }
    });
  }

  // What Mirror() made of each element, summed.
  template <class T>
  void FoldMirror(const T* dy, bool reflect, T* out, ThreadPool& pool) const {
    const Axis& row = axes_[outer_];
    const int64_t skip = reflect ? row.unit : 0, unit = row.unit;
    ForRows<T>(rows_inside_, row.padded(), pool, [&](int64_t r, int64_t last) {
      std::vector<int64_t> rows, next;
      for (T* to = out + r * row.size; r < last; ++r, to += row.size) {
        rows.assign(1, 0);
        for (int64_t d = 0, rest = r, size = rows_inside_; d < outer_; ++d) {
          size /= axes_[d].size;
          next.clear();
          for (const int64_t start : rows) {
            axes_[d].ForShown(rest / size, reflect, [&](int64_t i) {
              next.push_back(start * axes_[d].padded() + i);
            });
          }
          rest %= size;
          rows.swap(next);
        }
        for (size_t k = 0; k < rows.size(); ++k) {
          const T* const from = dy + rows[k] * row.padded();
          const T* const inside = from + row.before;
          if (k == 0) {
            std::copy_n(inside, row.size, to);
          } else {
            AddRun(inside, row.size, to);
          }
          for (int64_t i = unit; i <= row.before; i += unit) {
            AddRun(inside - i, unit, to + skip + i - unit);
          }
          for (int64_t i = unit; i <= row.after; i += unit) {
            AddRun(inside + row.size + i - unit, unit,
                   to + row.size - skip - i);
          }
        }
      }
    });
  }

 private:
  // Sizes of the last one are in elements, of which `unit` stay together.
  struct Axis {
    int64_t size, before, after, unit = 1;
    int64_t padded() const { return size + before + after; }
    // Which element stands at place i; of axes whose unit is 1.
    int64_t Mirrored(int64_t i, bool reflect) const {
      const int64_t skip = reflect ? 1 : 0, at = i - before;
      if (at < 0) return skip - 1 - at;
      return at < size ? at : 2 * size - 1 - skip - at;
    }
    // Calls fn(i) for those places at which element `at` stands, in order.
    template <class Fn>
    void ForShown(int64_t at, bool reflect, Fn&& fn) const {
      const int64_t skip = reflect ? 1 : 0;
      const int64_t left = before + skip - 1 - at;
      const int64_t right = before + 2 * size - 1 - skip - at;
      if (left >= 0 && left < before) fn(left);
      fn(before + at);
      if (right >= before + size && right < padded()) fn(right);
    }
  };

  template <class T, class Fn>
  static void ForRows(int64_t rows, int64_t width, ThreadPool& pool, Fn fn) {
    constexpr int64_t kCost = std::is_trivially_copyable_v<T> ? 1 : 20;
    pool.ParallelRange(rows, width * kCost / 2 + 8, fn);
  }

  template <class Fn>
  std::vector<std::vector<int64_t>> Maps(Fn&& fn) const {
    std::vector<std::vector<int64_t>> maps(outer_);
    for (int d = 0; d < outer_; ++d) {
      maps[d].resize(axes_[d].padded());
      for (size_t i = 0; i < maps[d].size(); ++i) maps[d][i] = fn(axes_[d], i);
    }
    return maps;
  }
  // The row inside that stands at row r; -1 if none does.
  int64_t Inside(const std::vector<std::vector<int64_t>>& maps,
                 int64_t r) const {
    int64_t row = 0, stride = 1;
    for (int d = outer_ - 1; d >= 0; --d) {
      const int64_t padded = axes_[d].padded(), at = maps[d][r % padded];
      if (at < 0) return -1;
      row += at * stride;
      stride *= axes_[d].size;
      r /= padded;
    }
    return row;
  }

  template <class T>
  static void AddRun(const T* from, int64_t n, T* to) {
    using C = ComputeType<T>;
    for (int64_t i = 0; i < n; ++i) {
      to[i] = Convert<T>(C(Convert<C>(to[i]) + Convert<C>(from[i])));
    }
  }

  std::vector<Axis> axes_;
  int outer_ = 0;
  int64_t rows_ = 1, rows_inside_ = 1;
};

}  // namespace gk

#endif  // GK_KERNELS_PAD_H_
