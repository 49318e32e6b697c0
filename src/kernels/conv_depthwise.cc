// Depthwise convolutions: one input channel a group, sums in registers.
//
// Of several filters a channel, rows of the input are spread first, so that
// each number of one row meets its own number of the other.
#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/conv_impl.h"
#include "kernels/isa.h"

namespace gk::conv_internal {
namespace {

// Column `source` of what is read and column `filter` of the filter, as
// distances in numbers.
struct Tap {
  int64_t source, filter;
};

// Result columns column, column + step, ... that are made alike: each reads
// what the one before reads, so and so much further on.
struct Run {
  int64_t column, count;
  std::vector<Tap> taps;
};

struct Depthwise {
  Conv2DDesc d;
  int64_t many = 1;   // filters of each channel
  int64_t group = 1;  // rows of each slice
  int64_t slices = 0;
  // Forward and to the input.
  std::vector<Run> runs;
  int64_t out_step = 1, in_step = 1;  // columns between those of a run
  int64_t wide = 0;                   // numbers of each tap
  bool forward() const { return d.pass == ConvPass::kForward; }
  int64_t rows() const {
    return d.pass == ConvPass::kBackwardInput ? d.in_h : d.out_h;
  }
  // The filters of channels that are next to one another, again and again.
  bool repeats() const { return wide > d.out_c; }
  // Columns of rows so joined are one row of numbers.
  bool joins() const { return in_step == 1 && out_step == 1; }
};

template <class T, int kBytes>
struct Lanes {
  typedef T Type
      __attribute__((vector_size(kBytes), aligned(sizeof(T)), may_alias));
  static constexpr int kCount = kBytes / static_cast<int>(sizeof(T));
};
template <class T, int kBytes>
GK_INLINE auto& At(T* p) {
  using V = typename Lanes<std::remove_const_t<T>, kBytes>::Type;
  if constexpr (std::is_const_v<T>) {
    return *reinterpret_cast<const V*>(p);
  } else {
    return *reinterpret_cast<V*>(p);
  }
}

// The next narrower registers, for what remains of a row.
template <class T>
constexpr int Narrower(int bytes) {
  return bytes > 16 ? 16 : static_cast<int>(sizeof(T));
}

// What a row of the result reads.
template <class T>
struct Rows {
  std::vector<const T*> in, filter;
};

// kRepeat times n numbers; in and out lie in_step and out_step apart, the
// filter is the same.
template <class T, int kBytes, int kVectors, int kRepeat>
GK_INLINE void Numbers(const Rows<T>& rows, const std::vector<Tap>& taps,
                       int64_t& at, int64_t n, int64_t in, int64_t in_step,
                       T* out, int64_t out_step) {
  using V = typename Lanes<T, kBytes>::Type;
  constexpr int kLanes = Lanes<T, kBytes>::kCount;
  const size_t count = rows.in.size();
  for (; at + kVectors * kLanes <= n; at += kVectors * kLanes) {
    V acc[kRepeat][kVectors] = {};
    for (size_t r = 0; r < count; ++r) {
      const T* const row = rows.in[r] + in + at;
      const T* const filter = rows.filter[r] + at;
      for (const Tap& tap : taps) {
        const T* const x = row + tap.source;
        const T* const y = filter + tap.filter;
        V f[kVectors];
#pragma GCC unroll 2
        for (int j = 0; j < kVectors; ++j) {
          f[j] = At<const T, kBytes>(y + j * kLanes);
        }
#pragma GCC unroll 4
        for (int i = 0; i < kRepeat; ++i) {
#pragma GCC unroll 2
          for (int j = 0; j < kVectors; ++j) {
            acc[i][j] +=
                At<const T, kBytes>(x + i * in_step + j * kLanes) * f[j];
          }
        }
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < kRepeat; ++i) {
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; ++j) {
        At<T, kBytes>(out + i * out_step + at + j * kLanes) = acc[i][j];
      }
    }
  }
  if constexpr (kVectors > 1) {
    Numbers<T, kBytes, 1, kRepeat>(rows, taps, at, n, in, in_step, out,
                                   out_step);
  } else if constexpr (kBytes > static_cast<int>(sizeof(T))) {
    Numbers<T, Narrower<T>(kBytes), 1, kRepeat>(rows, taps, at, n, in, in_step,
                                                out, out_step);
  }
}

template <class T, int kBytes>
GK_INLINE void Units(const Rows<T>& rows, const std::vector<Tap>& taps,
                     int64_t n, int64_t count, int64_t in_step, T* out,
                     int64_t out_step) {
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    int64_t at = 0;
    Numbers<T, kBytes, 2, 4>(rows, taps, at, n, i * in_step, in_step,
                             out + i * out_step, out_step);
  }
  for (; i < count; ++i) {
    int64_t at = 0;
    Numbers<T, kBytes, 2, 1>(rows, taps, at, n, i * in_step, in_step,
                             out + i * out_step, out_step);
  }
}

// out[c * many + m] = in[c]
template <class T>
GK_INLINE void Spread(const T* in, int64_t channels, int64_t many, T* out) {
  if (many == 2) {
    for (int64_t c = 0; c < channels; ++c) {
      out[2 * c] = in[c];
      out[2 * c + 1] = in[c];
    }
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t m = 0; m < many; ++m) out[c * many + m] = in[c];
  }
}
// out[c] = the sum of in[c * many + m]
template <class T>
GK_INLINE void Fold(const T* in, int64_t channels, int64_t many, T* out) {
  if (many == 2) {
    for (int64_t c = 0; c < channels; ++c) out[c] = in[2 * c] + in[2 * c + 1];
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    T sum = in[c * many];
    for (int64_t m = 1; m < many; ++m) sum += in[c * many + m];
    out[c] = sum;
  }
}

// Rows of the input of one image, spread where there are several filters.
template <class T>
class SpreadRows {
 public:
  // Those that output rows [begin, end) read.
  GK_INLINE SpreadRows(const Depthwise& w, const T* input, int64_t image,
                       int64_t begin, int64_t end, std::vector<T>& memory) {
    const Conv2DDesc& d = w.d;
    const int64_t row = d.in_w * d.out_c;
    from_ = input + image * d.in_h * d.in_w * d.in_c;
    row_ = d.in_w * d.in_c;
    if (w.many == 1) return;
    first_ = std::max<int64_t>(0, begin * d.stride_h - d.pad_top);
    const int64_t last =
        std::min(d.in_h, (end - 1) * d.stride_h - d.pad_top +
                             (d.filter_h - 1) * d.dilation_h + 1);
    if (last <= first_) return;
    memory.resize((last - first_) * row);
    for (int64_t y = first_; y < last; ++y) {
      Spread(from_ + y * row_, row_, w.many,
             memory.data() + (y - first_) * row);
    }
    from_ = memory.data();
    row_ = row;
  }
  const T* Row(int64_t y) const { return from_ + (y - first_) * row_; }

 private:
  const T* from_;
  int64_t row_, first_ = 0;
};

// A group of rows of the result.
template <class T, int kBytes>
struct MakeRows {
  GK_INLINE static void Run(const Depthwise& w, const void* x, const void* y,
                            void* result, int64_t slice) {
    const Conv2DDesc& d = w.d;
    const int64_t groups = (w.rows() + w.group - 1) / w.group;
    const int64_t image = slice / groups, begin = slice % groups * w.group;
    const int64_t end = std::min(begin + w.group, w.rows());
    const T* const from = static_cast<const T*>(x);
    const T* const filter = static_cast<const T*>(y);
    T* const out = static_cast<T*>(result);
    const int64_t filter_row = d.filter_w * w.wide;
    std::vector<T> memory;
    Rows<T> rows;
    if (w.forward()) {
      const SpreadRows<T> in(w, from, image, begin, end, memory);
      for (int64_t oy = begin; oy < end; ++oy) {
        rows.in.clear(), rows.filter.clear();
        for (int64_t fy = 0; fy < d.filter_h; ++fy) {
          const int64_t iy = oy * d.stride_h - d.pad_top + fy * d.dilation_h;
          if (iy < 0 || iy >= d.in_h) continue;
          rows.in.push_back(in.Row(iy));
          rows.filter.push_back(filter + fy * filter_row);
        }
        Row(w, rows, out + (image * d.out_h + oy) * d.out_w * d.out_c);
      }
      return;
    }
    if (w.many > 1) memory.resize(d.in_w * d.out_c);
    for (int64_t iy = begin; iy < end; ++iy) {
      rows.in.clear(), rows.filter.clear();
      for (int64_t fy = 0; fy < d.filter_h; ++fy) {
        const int64_t oy = iy + d.pad_top - fy * d.dilation_h;
        if (oy < 0 || oy % d.stride_h != 0 || oy / d.stride_h >= d.out_h) {
          continue;
        }
        rows.in.push_back(from + (image * d.out_h + oy / d.stride_h) * d.out_w *
                                     d.out_c);
        rows.filter.push_back(filter + fy * filter_row);
      }
      T* const to = out + (image * d.in_h + iy) * d.in_w * d.in_c;
      Row(w, rows, w.many > 1 ? memory.data() : to);
      if (w.many > 1) Fold(memory.data(), d.in_w * d.in_c, w.many, to);
    }
  }

  GK_INLINE static void Row(const Depthwise& w, const Rows<T>& rows, T* out) {
    const int64_t channels = w.d.out_c;
    for (const conv_internal::Run& run : w.runs) {
      T* const to = out + run.column * channels;
      if (!w.joins()) {
        Units<T, kBytes>(rows, run.taps, channels, run.count,
                         w.in_step * channels, to, w.out_step * channels);
        continue;
      }
      const int64_t n = run.count * channels, units = n / w.wide;
      Units<T, kBytes>(rows, run.taps, w.wide, units, w.wide, to, w.wide);
      int64_t at = 0;
      Numbers<T, kBytes, 2, 1>(rows, run.taps, at, n % w.wide, units * w.wide,
                               0, to + units * w.wide, 0);
    }
  }
};

// kTaps sums of n products: of `in`, each tap tap_step further on, and of
// `gradient`.
template <class T, int kBytes, int kVectors, int kTaps>
GK_INLINE void Products(const T* in, int64_t in_step, int64_t tap_step,
                        const T* gradient, int64_t step, int64_t n, T* out,
                        int64_t out_step) {
  constexpr int kLanes = Lanes<T, kBytes>::kCount;
  typename Lanes<T, kBytes>::Type acc[kTaps][kVectors] = {};
  for (int64_t i = 0; i < n; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      const auto g = At<const T, kBytes>(gradient + j * kLanes);
#pragma GCC unroll 4
      for (int t = 0; t < kTaps; ++t) {
        acc[t][j] += At<const T, kBytes>(in + t * tap_step + j * kLanes) * g;
      }
    }
    in += in_step;
    gradient += step;
  }
#pragma GCC unroll 4
  for (int t = 0; t < kTaps; ++t) {
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      At<T, kBytes>(out + t * out_step + j * kLanes) += acc[t][j];
    }
  }
}

// What a group of rows of the output adds to the filter's gradient, whose taps
// are `wide` numbers: each sums what lies that far apart.
template <class T, int kBytes>
struct AddRows {
  GK_INLINE static void Run(const Depthwise& w, const void* x, const void* y,
                            void* result, int64_t slice) {
    const Conv2DDesc& d = w.d;
    const T* const input = static_cast<const T*>(x);
    const T* const gradient = static_cast<const T*>(y);
    const int64_t size = d.filter_h * d.filter_w * w.wide;
    T* const out = static_cast<T*>(result) + slice * size;
    std::fill_n(out, size, T(0));
    std::vector<T> memory;
    const int64_t last = std::min((slice + 1) * w.group, d.batch * d.out_h);
    for (int64_t row = slice * w.group; row < last;) {
      const int64_t image = row / d.out_h, begin = row % d.out_h;
      const int64_t end =
          std::min({begin + last - row, d.out_h, begin + kSpread});
      const SpreadRows<T> in(w, input, image, begin, end, memory);
      for (int64_t oy = begin; oy < end; ++oy, ++row) {
        for (int64_t fy = 0; fy < d.filter_h; ++fy) {
          const int64_t iy = oy * d.stride_h - d.pad_top + fy * d.dilation_h;
          if (iy < 0 || iy >= d.in_h) continue;
          const T* const from = in.Row(iy);
          const T* const with = gradient + row * d.out_w * d.out_c;
          T* const to = out + fy * d.filter_w * w.wide;
          int64_t fx = 0;
          for (; fx + 3 <= d.filter_w; fx += 3) {
            Taps<3>(w, from, with, to, fx);
          }
          for (; fx < d.filter_w; ++fx) Taps<1>(w, from, with, to, fx);
        }
      }
    }
  }

  // Rows spread at a time.
  static constexpr int64_t kSpread = 8;

 private:
  // Of the columns that all of kTaps taps see together, of the others each.
  template <int kTaps>
  GK_INLINE static void Taps(const Depthwise& w, const T* in, const T* gradient,
                             T* out, int64_t fx) {
    const Conv2DDesc& d = w.d;
    int64_t first[kTaps], last[kTaps];
    for (int t = 0; t < kTaps; ++t) {
      const int64_t shift = (fx + t) * d.dilation_w - d.pad_left;
      first[t] = shift >= 0 ? 0 : (-shift + d.stride_w - 1) / d.stride_w;
      const int64_t room = d.in_w - 1 - shift;
      last[t] = room < 0 ? 0 : std::min(d.out_w, room / d.stride_w + 1);
    }
    const int64_t begin = *std::max_element(first, first + kTaps);
    const int64_t end = *std::min_element(last, last + kTaps);
    Columns<kTaps>(w, in, gradient, out, fx, begin, end);
    if constexpr (kTaps > 1) {
      const int64_t middle = std::max(begin, end);
      for (int t = 0; t < kTaps; ++t) {
        Columns<1>(w, in, gradient, out, fx + t, first[t],
                   std::min(begin, last[t]));
        Columns<1>(w, in, gradient, out, fx + t, std::max(middle, first[t]),
                   last[t]);
      }
    }
  }

  template <int kTaps>
  GK_INLINE static void Columns(const Depthwise& w, const T* in,
                                const T* gradient, T* out, int64_t fx,
                                int64_t begin, int64_t end) {
    if (begin >= end) return;
    const Conv2DDesc& d = w.d;
    in += (begin * d.stride_w + fx * d.dilation_w - d.pad_left) * d.out_c;
    gradient += begin * d.out_c;
    out += fx * w.wide;
    int64_t at = 0;
    if (!w.joins()) {
      Strips<kBytes, 2, kTaps>(w, d.out_c, in, gradient, end - begin, out, at);
      return;
    }
    const int64_t n = (end - begin) * d.out_c, units = n / w.wide;
    if (units > 0) {
      Strips<kBytes, 2, kTaps>(w, w.wide, in, gradient, units, out, at);
    }
    at = 0;
    Strips<kBytes, 2, kTaps>(w, n % w.wide, in + units * w.wide,
                             gradient + units * w.wide, 1, out, at);
  }

  // The first `most` numbers of each tap.
  template <int kWide, int kVectors, int kTaps>
  GK_INLINE static void Strips(const Depthwise& w, int64_t most, const T* in,
                               const T* gradient, int64_t n, T* out,
                               int64_t& at) {
    constexpr int kStrip = kVectors * Lanes<T, kWide>::kCount;
    const Conv2DDesc& d = w.d;
    for (; at + kStrip <= most; at += kStrip) {
      Products<T, kWide, kVectors, kTaps>(in + at, d.stride_w * w.wide,
                                          d.dilation_w * d.out_c, gradient + at,
                                          w.wide, n, out + at, w.wide);
    }
    if constexpr (kVectors > 1) {
      Strips<kWide, 1, kTaps>(w, most, in, gradient, n, out, at);
    } else if constexpr (kWide > static_cast<int>(sizeof(T))) {
      Strips<Narrower<T>(kWide), 1, kTaps>(w, most, in, gradient, n, out, at);
    }
  }
};

// How the columns of the result come about.
std::vector<Run> Runs(const Depthwise& w) {
  const Conv2DDesc& d = w.d;
  const int64_t columns = w.forward() ? d.out_w : d.in_w;
  const int64_t limit = w.forward() ? d.in_w : d.out_w;
  const auto taps = [&](int64_t column) {
    std::vector<Tap> taps;
    for (int64_t fx = 0; fx < d.filter_w; ++fx) {
      int64_t source;
      if (w.forward()) {
        source = column * d.stride_w + fx * d.dilation_w - d.pad_left;
      } else {
        source = column + d.pad_left - fx * d.dilation_w;
        if (source % d.stride_w != 0) continue;
        source /= d.stride_w;
      }
      if (source < 0 || source >= limit) continue;
      taps.push_back({source * d.out_c, fx * w.wide});
    }
    return taps;
  };
  std::vector<Run> runs;
  for (int64_t start = 0; start < std::min(w.out_step, columns); ++start) {
    size_t current = runs.size();
    for (int64_t c = start; c < columns; c += w.out_step) {
      std::vector<Tap> next = taps(c);
      if (current < runs.size()) {
        Run& run = runs[current];
        const int64_t further = run.count * w.in_step * d.out_c;
        if (std::equal(next.begin(), next.end(), run.taps.begin(),
                       run.taps.end(), [&](const Tap& a, const Tap& b) {
                         return a.filter == b.filter &&
                                a.source == b.source + further;
                       })) {
          ++run.count;
          continue;
        }
        ++current;
      }
      runs.push_back({c, 1, std::move(next)});
    }
  }
  return runs;
}

// Numbers of each tap: as many as the loops take at once where rows are
// joined, so that they need not end within pixels; those of a row of so many
// columns are enough.
int64_t Width(const Depthwise& w, int64_t at_once, int64_t most,
              int64_t columns) {
  if (!w.joins()) return w.d.out_c;
  const int64_t wide =
      std::min(std::lcm(w.d.out_c, at_once), columns * w.d.out_c);
  return wide <= most ? wide : w.d.out_c;
}

Depthwise Prepare(const Conv2DDesc& d) {
  Depthwise w{.d = d, .many = d.group_out()};
  if (d.pass == ConvPass::kBackwardFilter) {
    // Sums of sums: as many slices for any number of threads.
    constexpr int64_t kSlices = 16;
    const int64_t rows = d.batch * d.out_h;
    w.group = (rows + kSlices - 1) / kSlices;
    w.slices = (rows + w.group - 1) / w.group;
    w.in_step = d.stride_w;
    w.wide = Width(w, 16, 128, d.out_w);
    return w;
  }
  const int64_t columns = w.forward() ? d.out_w : d.in_w;
  // Multiply-adds in a slice: enough to bury the cost of handing it out.
  constexpr int64_t kSliceWork = 1 << 15;
  const int64_t row = columns * d.out_c * d.filter_h * d.filter_w;
  w.group = std::clamp<int64_t>(kSliceWork / row,
                                w.many > 1 && w.forward() ? 8 : 1, 64);
  w.slices = d.batch * ((w.rows() + w.group - 1) / w.group);
  (w.forward() ? w.in_step : w.out_step) = d.stride_w;
  w.wide = Width(w, 32, 512, columns);
  w.runs = Runs(w);
  return w;
}

using SliceFn = void(const Depthwise&, const void*, const void*, void*,
                     int64_t);

template <template <class, int> class Body, class T>
SliceFn* Made() {
  const Isa isa = CurrentIsa();
  if (isa >= Isa::kV4) {
    return Stamp<Body<T, 64>, SliceFn>::template Only<Isa::kV4>();
  }
  if (isa >= Isa::kV3) {
    return Stamp<Body<T, 32>, SliceFn>::template Only<Isa::kV3>();
  }
  return Stamp<Body<T, 16>, SliceFn>::template Only<Isa::kV2>();
}

template <class T>
class DepthwiseConv : public Conv2D {
 public:
  explicit DepthwiseConv(const Conv2DDesc& d)
      : Conv2D(d),
        made_(Prepare(d)),
        slice_(d.pass == ConvPass::kBackwardFilter ? Made<AddRows, T>()
                                                   : Made<MakeRows, T>()) {}

 private:
  Status DoRun(const void* x, const void* y, void* result,
               Parallel parallel) override {
    std::vector<T> memory;
    if (desc_.pass != ConvPass::kBackwardFilter) {
      if (made_.repeats()) {
        Repeat(static_cast<const T*>(y), memory);
        y = memory.data();
      }
      Slices(x, y, result, parallel);
      return OkStatus();
    }
    if (made_.slices == 1 && !made_.repeats()) {
      Slices(x, y, result, parallel);
      return OkStatus();
    }
    const int64_t taps = desc_.filter_h * desc_.filter_w;
    const int64_t size = taps * made_.wide;
    memory.resize(size * made_.slices);
    Slices(x, y, memory.data(), parallel);
    for (int64_t s = 1; s < made_.slices; ++s) {
      const T* const part = memory.data() + s * size;
      for (int64_t i = 0; i < size; ++i) memory[i] += part[i];
    }
    Gather(memory.data(), static_cast<T*>(result));
    return OkStatus();
  }

  void Slices(const void* x, const void* y, void* result, Parallel parallel) {
    parallel.For(made_.slices,
                 [&](int64_t i) { slice_(made_, x, y, result, i); });
  }

  void Repeat(const T* filter, std::vector<T>& all) const {
    const int64_t channels = desc_.out_c;
    const int64_t taps = desc_.filter_h * desc_.filter_w;
    all.resize(taps * made_.wide);
    T* to = all.data();
    for (int64_t t = 0; t < taps; ++t, filter += channels) {
      T* const first = to;
      to = std::copy_n(filter, channels, to);
      // What is there already is copied, twice as much each time.
      while (to < first + made_.wide) {
        to = std::copy_n(first, std::min(to - first, first + made_.wide - to),
                         to);
      }
    }
  }

  // The other way: the sums of what repeats.
  void Gather(const T* all, T* filter) const {
    const int64_t channels = desc_.out_c;
    for (int64_t t = 0; t < desc_.filter_h * desc_.filter_w; ++t) {
      std::copy_n(all, channels, filter);
      for (int64_t i = channels; i < made_.wide; i += channels) {
        for (int64_t c = 0; c < channels; ++c) filter[c] += all[i + c];
      }
      all += made_.wide;
      filter += channels;
    }
  }

  const Depthwise made_;
  SliceFn* const slice_;
};

}  // namespace

Created CreateDepthwise(const Conv2DDesc& desc) {
  if (desc.type == ElementType::kFloat) {
    return std::shared_ptr<Conv2D>(
        std::make_shared<DepthwiseConv<float>>(desc));
  }
  return std::shared_ptr<Conv2D>(std::make_shared<DepthwiseConv<double>>(desc));
}

}  // namespace gk::conv_internal
