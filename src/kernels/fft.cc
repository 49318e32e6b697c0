#include "kernels/fft.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "kernels/fft_plan.h"
#include "kernels/isa.h"
#include "kernels/lane_transpose.h"
#include "kernels/recent_cache.h"

namespace gk {
namespace {

constexpr int64_t kNsPerNumber = 4;
// Lines of columns are read and written so many at a time: each of their rows
// is on a page of its own. Together they stay in the second-level cache.
constexpr int64_t kColumns = 64, kLeastColumns = 16, kBlockBytes = 1 << 18;
// Plans of longer lines are made again, not kept.
constexpr int64_t kLongestKept = 1 << 18;

// What elements of a line stand for: complex numbers, real ones, or the half of
// a transform of real ones that says all.
enum class Side { kComplex, kReal, kHalf };

// An array of lines, n as in FftLines whatever the side.
struct Lines {
  Side side;
  int64_t n, inner;

  int64_t elements() const { return side == Side::kHalf ? n / 2 + 1 : n; }
  int64_t parts() const { return side == Side::kReal ? 1 : 2; }
  // Numbers of a line.
  int64_t numbers() const { return elements() * parts(); }
  // Where a line begins.
  int64_t operator()(int64_t line) const {
    return (line / inner * elements() * inner + line % inner) * parts();
  }
};

// Lines `first` and on, `count` of them, and where plans have them: in groups
// of `lanes` lines, number j of line l of a group at [j * lanes + l].
template <class T>
struct Bundle {
  int64_t first, count, lanes;
  T* groups[kColumns];

  T* At(int64_t line, int64_t j) const {
    return groups[line / lanes] + j * lanes + line % lanes;
  }
};

template <class T>
struct AlignedDelete {
  void operator()(T* p) const { ::operator delete (p, std::align_val_t{64}); }
};
template <class T>
using Numbers = std::unique_ptr<T[], AlignedDelete<T>>;

// Numbers up to the next that is aligned.
template <class T>
int64_t RoundUp(int64_t n) {
  constexpr int64_t kStep = 64 / sizeof(T);
  return (n + kStep - 1) / kStep * kStep;
}

template <class T>
Numbers<T> AllocateNumbers(int64_t n) {
  return Numbers<T>(static_cast<T*>(
      ::operator new (RoundUp<T>(n) * sizeof(T), std::align_val_t{64})));
}

// Memory for some numbers, on the stack if they are few: of short lines,
// allocations would cost more than the transforms.
template <class T>
class ScratchNumbers {
 public:
  explicit ScratchNumbers(int64_t n) {
    if (n > kFew) owned_ = AllocateNumbers<T>(n);
  }
  T* get() { return owned_ ? owned_.get() : few_; }

 private:
  static constexpr int64_t kFew = 4096 / sizeof(T);
  Numbers<T> owned_;
  alignas(64) T few_[kFew];
};

// y[j * lanes + l] = x[l * step + j] for `n` numbers of `count` lines.
template <class T>
struct LinesToLanes {
  static GK_INLINE void Run(const T* x, int64_t step, int64_t n, int64_t count,
                            int64_t lanes, T* y) {
    constexpr int64_t kWidth = LaneBlock<T>::kWidth;
    int64_t l = 0;
    for (; l + kWidth <= count; l += kWidth) {
      int64_t j = 0;
      for (; j + kWidth <= n; j += kWidth) {
        LaneBlock<T>::Transpose(
            [&](int64_t r) { return x + (l + r) * step + j; },
            [&](int64_t c) { return y + (j + c) * lanes + l; });
      }
      for (; j < n; ++j) {
        for (int64_t r = l; r < l + kWidth; ++r) {
          y[j * lanes + r] = x[r * step + j];
        }
      }
    }
    for (; l < count; ++l) {
      for (int64_t j = 0; j < n; ++j) y[j * lanes + l] = x[l * step + j];
    }
  }
};

// y[l * step + j] = x[j * lanes + l].
template <class T>
struct LanesToLines {
  static GK_INLINE void Run(const T* x, int64_t step, int64_t n, int64_t count,
                            int64_t lanes, T* y) {
    constexpr int64_t kWidth = LaneBlock<T>::kWidth;
    int64_t l = 0;
    for (; l + kWidth <= count; l += kWidth) {
      int64_t j = 0;
      for (; j + kWidth <= n; j += kWidth) {
        LaneBlock<T>::Transpose(
            [&](int64_t r) { return x + (j + r) * lanes + l; },
            [&](int64_t c) { return y + (l + c) * step + j; });
      }
      for (; j < n; ++j) {
        for (int64_t r = l; r < l + kWidth; ++r) {
          y[r * step + j] = x[j * lanes + r];
        }
      }
    }
    for (; l < count; ++l) {
      for (int64_t j = 0; j < n; ++j) y[l * step + j] = x[j * lanes + l];
    }
  }
};

// The parts of adjacent complex numbers.
template <class T>
struct PartRow {
  static GK_INLINE void Run(const T* from, int64_t n, T* re, T* im) {
#pragma GCC ivdep
    for (int64_t l = 0; l < n; ++l) {
      re[l] = from[2 * l];
      im[l] = from[2 * l + 1];
    }
  }
};
template <class T>
struct JoinRow {
  static GK_INLINE void Run(const T* re, const T* im, int64_t n, T* to) {
#pragma GCC ivdep
    for (int64_t l = 0; l < n; ++l) {
      to[2 * l] = re[l];
      to[2 * l + 1] = im[l];
    }
  }
};

// Lines side by side, kWidth of them in each group, as complex numbers `step`
// numbers from row to row: their parts, line by line, and back.
template <class T>
struct ColumnGroups {
  static constexpr int kWidth = LaneBlock<T>::kWidth;
  using Vector = typename LaneBlock<T>::Vector;
  using Mask = typename LaneBlock<T>::Mask;

  using Index = typename LaneBlock<T>::Index;

  static constexpr auto kMasks =
      []<int... l>(std::integer_sequence<int, l...>) {
    struct All {
      Mask re, im, low, high;
    };
    constexpr int kHalf = kWidth / 2;
    return All{Mask{Index(2 * l)...}, Mask{Index(2 * l + 1)...},
               Mask{Index(l / 2 + l % 2 * kWidth)...},
               Mask{Index(kHalf + l / 2 + l % 2 * kWidth)...}};
  }
  (std::make_integer_sequence<int, kWidth>());
};

template <class T>
struct ColumnsToLanes : ColumnGroups<T> {
  static GK_INLINE void Run(const T* x, int64_t step, int64_t n, int64_t groups,
                            T* const* to) {
    using G = ColumnGroups<T>;
    constexpr auto kMasks = G::kMasks;
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t g = 0; g < groups; ++g) {
        const T* const from = x + k * step + 2 * g * G::kWidth;
        T* const at = to[g] + 2 * k * G::kWidth;
        typename G::Vector a, b;
        std::memcpy(&a, from, 32);
        std::memcpy(&b, from + G::kWidth, 32);
        const typename G::Vector re = __builtin_shuffle(a, b, kMasks.re),
                                 im = __builtin_shuffle(a, b, kMasks.im);
        std::memcpy(at, &re, 32);
        std::memcpy(at + G::kWidth, &im, 32);
      }
    }
  }
};

template <class T>
struct LanesToColumns : ColumnGroups<T> {
  static GK_INLINE void Run(T* const* from, int64_t step, int64_t n,
                            int64_t groups, T* y) {
    using G = ColumnGroups<T>;
    constexpr auto kMasks = G::kMasks;
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t g = 0; g < groups; ++g) {
        const T* const at = from[g] + 2 * k * G::kWidth;
        T* const to = y + k * step + 2 * g * G::kWidth;
        typename G::Vector re, im;
        std::memcpy(&re, at, 32);
        std::memcpy(&im, at + G::kWidth, 32);
        const typename G::Vector low = __builtin_shuffle(re, im, kMasks.low),
                                 high = __builtin_shuffle(re, im, kMasks.high);
        std::memcpy(to, &low, 32);
        std::memcpy(to + G::kWidth, &high, 32);
      }
    }
  }
};

template <class T, template <class> class Body>
auto LinesMover() {
  return Stamp<Body<T>, void(const T*, int64_t, int64_t, int64_t, int64_t,
                             T*)>::template Best<Isa::kV3>();
}

// Calls body(place of element k in its line, numbers of its parts in a plan's;
// an imaginary part that is none is -1).
template <class Body>
void ForElements(const Lines& lines, Body&& body) {
  const int64_t step = lines.inner * lines.parts();
  for (int64_t k = 0; k < lines.elements(); ++k) {
    switch (lines.side) {
      case Side::kComplex:
        body(k * step, 2 * k, 2 * k + 1);
        break;
      case Side::kReal:
        body(k * step, k, int64_t{-1});
        break;
      case Side::kHalf:
        body(k * step, k == 0 ? 0 : 2 * k - 1,
             k == 0 || 2 * k == lines.n ? int64_t{-1} : 2 * k);
    }
  }
}

// Lines whose elements are adjacent; one group of them.
template <class T>
void LoadLines(const T* x, const Lines& lines, const Bundle<T>& b) {
  const int64_t step = lines.numbers();
  const T* from = x + b.first * step;
  // The imaginary part of a half's first number counts for nothing.
  const int64_t done = lines.side == Side::kHalf ? 1 : 0;
  const int64_t rest = lines.side == Side::kHalf ? lines.n - 1 : step;
  T* const data = b.groups[0];
  for (int64_t l = 0; l < done * b.count; ++l) data[l] = from[l * step];
  if (b.lanes == 1) {
    std::copy_n(from + 2 * done, rest, data + done);
    return;
  }
  LinesMover<T, LinesToLanes>()(from + 2 * done, step, rest, b.count, b.lanes,
                                data + done * b.lanes);
}

template <class T>
void StoreLines(const Lines& lines, const Bundle<T>& b, T* y) {
  const int64_t step = lines.numbers();
  T* const to = y + b.first * step;
  const int64_t done = lines.side == Side::kHalf ? 1 : 0;
  const int64_t rest = lines.side == Side::kHalf ? lines.n - 1 : step;
  const T* const data = b.groups[0];
  for (int64_t l = 0; l < done * b.count; ++l) {
    to[l * step] = data[l];
    to[l * step + 1] = T(0);
    to[l * step + step - 1] = T(0);
  }
  if (b.lanes == 1) {
    std::copy_n(data + done, rest, to + 2 * done);
    return;
  }
  LinesMover<T, LanesToLines>()(data + done * b.lanes, step, rest, b.count,
                                b.lanes, to + 2 * done);
}

// Are a bundle's lines side by side, group by group?
template <class T>
bool Adjacent(const Lines& lines, const Bundle<T>& b) {
  return b.lanes > 1 && lines(b.first + b.count - 1) ==
                            lines(b.first) + (b.count - 1) * lines.parts();
}

// Calls body(first line, how many) for the groups of a bundle, or its lines.
template <class T, class Body>
void ForGroups(const Bundle<T>& b, bool adjacent, Body&& body) {
  const int64_t width = adjacent ? b.lanes : 1;
  for (int64_t l = 0; l < b.count; l += width) {
    body(l, std::min(width, b.count - l));
  }
}

// Calls run(first line, groups) for full groups of lines that are side by side
// and one(line) for each of the others.
template <class T, class Run, class One>
void ForRuns(const Lines& lines, const Bundle<T>& b, Run&& run, One&& one) {
  for (int64_t l = 0; l < b.count;) {
    const int64_t beside = lines.inner - (b.first + l) % lines.inner;
    const int64_t groups = std::min(beside, b.count - l) / b.lanes;
    if (groups > 0) run(l, groups);
    l += groups * b.lanes;
    if (groups > 0) continue;
    const int64_t end = std::min(l + b.lanes, b.count);
    for (; l < end; ++l) one(l);
  }
}

// Complex lines, as many at once as LaneBlock has.
template <class T>
void LoadColumns(const T* x, const Lines& lines, const Bundle<T>& b) {
  const auto load =
      Stamp<ColumnsToLanes<T>, void(const T*, int64_t, int64_t, int64_t,
                                    T* const*)>::template Best<Isa::kV3>();
  const int64_t step = 2 * lines.inner;
  ForRuns(
      lines, b,
      [&](int64_t l, int64_t groups) {
        load(x + lines(b.first + l), step, lines.n, groups,
             b.groups + l / b.lanes);
      },
      [&](int64_t l) {
        const T* const from = x + lines(b.first + l);
        T* const to = b.At(l, 0);
        for (int64_t k = 0; k < lines.n; ++k) {
          to[2 * k * b.lanes] = from[k * step];
          to[(2 * k + 1) * b.lanes] = from[k * step + 1];
        }
      });
}

template <class T>
void StoreColumns(const Lines& lines, const Bundle<T>& b, T* y) {
  const auto store =
      Stamp<LanesToColumns<T>, void(T* const*, int64_t, int64_t, int64_t,
                                    T*)>::template Best<Isa::kV3>();
  const int64_t step = 2 * lines.inner;
  ForRuns(
      lines, b,
      [&](int64_t l, int64_t groups) {
        store(b.groups + l / b.lanes, step, lines.n, groups,
              y + lines(b.first + l));
      },
      [&](int64_t l) {
        const T* const from = b.At(l, 0);
        T* const to = y + lines(b.first + l);
        for (int64_t k = 0; k < lines.n; ++k) {
          to[k * step] = from[2 * k * b.lanes];
          to[k * step + 1] = from[(2 * k + 1) * b.lanes];
        }
      });
}

template <class T>
bool AreColumns(const Lines& lines, const Bundle<T>& b) {
  return lines.side == Side::kComplex && b.lanes == LaneBlock<T>::kWidth;
}

template <class T>
void Load(const T* x, const Lines& lines, const Bundle<T>& b) {
  if (lines.inner == 1) return LoadLines(x, lines, b);
  if (AreColumns(lines, b)) return LoadColumns(x, lines, b);
  const auto part = Stamp<PartRow<T>, void(const T*, int64_t, T*,
                                           T*)>::template Best<Isa::kV3>();
  const bool adjacent = Adjacent(lines, b);
  ForElements(lines, [&](int64_t place, int64_t re, int64_t im) {
    ForGroups(b, adjacent, [&](int64_t l, int64_t count) {
      const T* from = x + lines(b.first + l) + place;
      if (lines.side == Side::kReal) {
        std::copy_n(from, count, b.At(l, re));
      } else if (im >= 0 && count > 1) {
        part(from, count, b.At(l, re), b.At(l, im));
      } else {
        for (int64_t k = 0; k < count; ++k) {
          b.At(l, re)[k] = from[2 * k];
          if (im >= 0) b.At(l, im)[k] = from[2 * k + 1];
        }
      }
    });
  });
}

template <class T>
void Store(const Lines& lines, const Bundle<T>& b, T* y) {
  if (lines.inner == 1) return StoreLines(lines, b, y);
  if (AreColumns(lines, b)) return StoreColumns(lines, b, y);
  const auto join = Stamp<JoinRow<T>, void(const T*, const T*, int64_t,
                                           T*)>::template Best<Isa::kV3>();
  const bool adjacent = Adjacent(lines, b);
  ForElements(lines, [&](int64_t place, int64_t re, int64_t im) {
    ForGroups(b, adjacent, [&](int64_t l, int64_t count) {
      T* const to = y + lines(b.first + l) + place;
      if (lines.side == Side::kReal) {
        std::copy_n(b.At(l, re), count, to);
      } else if (im >= 0 && count > 1) {
        join(b.At(l, re), b.At(l, im), count, to);
      } else {
        for (int64_t k = 0; k < count; ++k) {
          to[2 * k] = b.At(l, re)[k];
          to[2 * k + 1] = im >= 0 ? b.At(l, im)[k] : T(0);
        }
      }
    });
  });
}

// Transforms a bundle; `work` is the plan's. If it `fits` a group, it takes the
// place of one whose result is there.
template <class T>
void Run(const FftPlan<T>& plan, T scale, bool inverse, T* work, bool fits,
         Bundle<T>* b) {
  const int64_t numbers = plan.numbers(), lanes = b->lanes;
  for (int64_t l = 0; l < b->count; l += lanes) {
    T* const group = b->At(l, 0);
    const int64_t count = std::min(lanes, b->count - l);
    for (int64_t j = 0; count < lanes && j < numbers; ++j) {
      std::fill_n(group + j * lanes + count, lanes - count, T(0));
    }
    T* const found = plan.Run(group, work, lanes, scale, inverse);
    if (b->count <= lanes || (fits && found == work)) {
      b->groups[l / lanes] = found;
      work = group;
    } else if (found != group) {
      std::copy_n(found, numbers * lanes, group);
    }
  }
}

// Of lines that stand in memory as the plan wants them: no copies.
template <class T>
void TransformInPlace(const FftPlan<T>& plan, int64_t count, bool inverse,
                      T scale, const T* x, T* y, ThreadPool& pool) {
  const int64_t numbers = plan.numbers();
  pool.ParallelRange(
      count, kNsPerNumber * numbers, [&](int64_t begin, int64_t end) {
        ScratchNumbers<T> work(plan.work(1));
        for (int64_t i = begin; i < end; ++i) {
          T* const line = y + i * numbers;
          if (x != y) std::copy_n(x + i * numbers, numbers, line);
          const T* found = plan.Run(line, work.get(), 1, scale, inverse);
          if (found != line) std::copy_n(found, numbers, line);
        }
      });
}

// Lines of x, as the sides are, to those of y.
template <class T>
void Transform(const FftLines& array, Side from, Side to, bool inverse, T scale,
               const T* x, T* y, ThreadPool& pool) {
  const Lines ins{from, array.n, array.inner}, outs{to, array.n, array.inner};
  const auto plan =
      FftPlan<T>::Of({array.n, from != Side::kComplex || to != from});
  const int64_t count = array.outer * array.inner;
  // A line by itself would waste the other lanes.
  const int64_t lanes = count > 1 ? plan->lanes() : 1;
  if (lanes == 1 && array.inner == 1 && from == to) {
    return TransformInPlace(*plan, count, inverse, scale, x, y, pool);
  }
  // Lines of one block. Columns are read and written several groups at a time.
  const int64_t columns =
      std::clamp(kBlockBytes / int64_t{sizeof(T)} / plan->numbers(),
                 kLeastColumns, kColumns);
  const int64_t together =
      array.inner == 1
          ? lanes
          : std::max(lanes, std::min(array.inner, columns / lanes * lanes));
  // Away from a multiple of the cache's size.
  const int64_t stride = RoundUp<T>(plan->numbers() * lanes) + 64 / sizeof(T);
  const int64_t groups = (together + lanes - 1) / lanes, room = groups * stride;
  const bool fits = plan->work(lanes) <= stride;
  pool.ParallelRange(
      (count + together - 1) / together,
      kNsPerNumber * together * plan->numbers(),
      [&](int64_t begin, int64_t end) {
        ScratchNumbers<T> memory(room + plan->work(lanes));
        for (int64_t block = begin; block < end; ++block) {
          const int64_t first = block * together;
          Bundle<T> b{first, std::min(together, count - first), lanes, {}};
          for (int64_t g = 0; g < groups; ++g) {
            b.groups[g] = memory.get() + g * stride;
          }
          Load(x, ins, b);
          Run(*plan, scale, inverse, memory.get() + room, fits, &b);
          Store(outs, b, y);
        }
      });
}

template <class T>
const T* Parts(const std::complex<T>* x) {
  return reinterpret_cast<const T*>(x);
}
template <class T>
T* Parts(std::complex<T>* x) {
  return reinterpret_cast<T*>(x);
}

struct DescHash {
  size_t operator()(const FftDesc& d) const {
    return std::hash<int64_t>()(2 * d.n + d.real);
  }
};

}  // namespace

template <class T>
std::shared_ptr<const FftPlan<T>> FftPlan<T>::Of(const FftDesc& desc) {
  const auto make =
      [](const FftDesc& d) -> StatusOr<std::shared_ptr<FftPlan<T>>> {
    if constexpr (kStampsV2) {
      if (!kStampsV3 || CurrentIsa() < Isa::kV3) return MakeFftPlanV2<T>(d);
    }
    if constexpr (kStampsV3 || !kStampsV2) return MakeFftPlanV3<T>(d);
  };
  if (desc.n > kLongestKept) return *make(desc);
  static auto& plans = *new RecentCache<FftPlan<T>, FftDesc, DescHash>;
  return *plans.Get(desc, make);
}

template <class T>
void Fft(const FftLines& lines, bool inverse, T scale, const std::complex<T>* x,
         std::complex<T>* y, ThreadPool& pool) {
  Transform<T>(lines, Side::kComplex, Side::kComplex, inverse, scale, Parts(x),
               Parts(y), pool);
}

template <class T>
void RealFft(const FftLines& lines, const T* x, std::complex<T>* y,
             ThreadPool& pool) {
  Transform<T>(lines, Side::kReal, Side::kHalf, false, T(1), x, Parts(y), pool);
}

template <class T>
void InverseRealFft(const FftLines& lines, T scale, const std::complex<T>* x,
                    T* y, ThreadPool& pool) {
  Transform<T>(lines, Side::kHalf, Side::kReal, true, scale, Parts(x), y, pool);
}

template void Fft(const FftLines&, bool, float, const std::complex<float>*,
                  std::complex<float>*, ThreadPool&);
template void Fft(const FftLines&, bool, double, const std::complex<double>*,
                  std::complex<double>*, ThreadPool&);
template void RealFft(const FftLines&, const float*, std::complex<float>*,
                      ThreadPool&);
template void RealFft(const FftLines&, const double*, std::complex<double>*,
                      ThreadPool&);
template void InverseRealFft(const FftLines&, float, const std::complex<float>*,
                             float*, ThreadPool&);
template void InverseRealFft(const FftLines&, double,
                             const std::complex<double>*, double*, ThreadPool&);

}  // namespace gk
