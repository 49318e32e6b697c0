#include "kernels/fft_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "kernels/fft_pass.h"
#include "kernels/lane_transpose.h"
#include "kernels/recent_cache.h"

namespace gk {
namespace {

// Lines of fewer elements stay lines.
constexpr int64_t kShortestMatrix = 512;
// Longer ones are worked on one at a time: together they leave the cache.
constexpr int64_t kLongestTogether = 1 << 13;
// Plans of longer lines are made again, not kept.
constexpr int64_t kLongestKept = 1 << 20;

// Powers of two first: the other radices gain most from many numbers side by
// side.
std::vector<int64_t> FactorsOf(int64_t n) {
  std::vector<int64_t> factors;
  // Eight and two make four and four.
  if (std::countr_zero(uint64_t(n)) % 3 == 1 && n % 16 == 0) {
    factors = {4, 4};
    n /= 16;
  }
  for (int64_t f : {8, 4, 2, 3, 5}) {
    for (; n % f == 0; n /= f) factors.push_back(f);
  }
  for (int64_t f = 7; f * f <= n; f += 2) {
    for (; n % f == 0; n /= f) factors.push_back(f);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

// The largest first.
std::vector<int64_t> PrimeFactorsOf(int64_t n) {
  std::vector<int64_t> factors;
  for (int64_t f : FactorsOf(n)) {
    for (; f % 2 == 0; f /= 2) factors.push_back(2);
    if (f > 1) factors.push_back(f);
  }
  std::sort(factors.rbegin(), factors.rend());
  return factors;
}

// The next length that only 2, 3 and 5 divide.
int64_t SmoothLength(int64_t n) {
  int64_t best = 1;
  while (best < n) best *= 2;
  for (int64_t five = 1; five < best; five *= 5) {
    for (int64_t three = five; three < best; three *= 3) {
      int64_t x = three;
      while (x < n) x *= 2;
      best = std::min(best, x);
    }
  }
  return best;
}

template <class T>
using PassFn = void (*)(const FftPassArgs<T>&);

template <class T, int kRadix>
PassFn<T> BestPass(bool last) {
  constexpr Isa kMax = kRadix == 0 ? Isa::kV3 : Isa::kV4;
  using Signature = void(const FftPassArgs<T>&);
  return last && kRadix > 0 ? Stamp<FftPass<T, kRadix, kRadix == 0>,
                                    Signature>::template Best<kMax>()
                            : Stamp<FftPass<T, kRadix, true>,
                                    Signature>::template Best<kMax>();
}

template <class T>
PassFn<T> PassOf(int64_t radix, bool last) {
  switch (radix) {
    case 2:
      return BestPass<T, 2>(last);
    case 3:
      return BestPass<T, 3>(last);
    case 4:
      return BestPass<T, 4>(last);
    case 5:
      return BestPass<T, 5>(last);
    case 8:
      return BestPass<T, 8>(last);
    default:
      return BestPass<T, 0>(last);
  }
}

// y[j * lanes + l] = x[j * lanes + l] * f[j].
template <class T>
struct ScaleRows {
  static GK_INLINE void Run(SplitPointers<const T> x, SplitPointers<const T> f,
                            SplitPointers<T> y, int64_t n, int64_t lanes) {
    for (int64_t j = 0; j < n; ++j) {
      const Cx<T> factor{f.re[j], f.im[j]};
#pragma GCC ivdep
      for (int64_t l = 0; l < lanes; ++l) {
        const int64_t i = j * lanes + l;
        const Cx<T> v = Cx<T>{x.re[i], x.im[i]} * factor;
        y.re[i] = v.r;
        y.im[i] = v.i;
      }
    }
  }
};

template <class T>
void Scale(SplitPointers<T> x, const SplitVector<T>& f, SplitPointers<T> y,
           int64_t n, int64_t lanes) {
  Stamp<ScaleRows<T>,
        void(SplitPointers<const T>, SplitPointers<const T>, SplitPointers<T>,
             int64_t, int64_t)>::template Best<Isa::kV3>()({x.re, x.im},
                                                           {f.re.data(),
                                                            f.im.data()},
                                                           y, n, lanes);
}

// A block of columns times what lies between columns and rows.
template <class T>
struct TurnColumns {
  static GK_INLINE void Run(SplitPointers<const T> x, SplitPointers<const T> w,
                            SplitPointers<const T> first, SplitPointers<T> y,
                            int64_t rows, int64_t lanes, int64_t width) {
    constexpr int64_t kLanes = FftPlan<T>::kLanes;
    for (int64_t k = 0; k < rows; ++k) {
      const Cx<T> factor{first.re[k], first.im[k]};
#pragma GCC ivdep
      for (int64_t l = 0; l < lanes; ++l) {
        const Cx<T> turn =
            Cx<T>{w.re[k * kLanes + l], w.im[k * kLanes + l]} * factor;
        const Cx<T> v = Cx<T>{x.re[k * lanes + l], x.im[k * lanes + l]} * turn;
        y.re[k * width + l] = v.r;
        y.im[k * width + l] = v.i;
      }
    }
  }
};

// Of one column of lines times what lies between columns and rows.
template <class T>
struct TurnColumn {
  static GK_INLINE void Run(SplitPointers<const T> x, SplitPointers<const T> w,
                            SplitPointers<T> y, int64_t rows, int64_t lanes,
                            int64_t step) {
    for (int64_t k = 0; k < rows; ++k) {
      const Cx<T> turn{w.re[k], w.im[k]};
#pragma GCC ivdep
      for (int64_t l = 0; l < lanes; ++l) {
        const Cx<T> v = Cx<T>{x.re[k * lanes + l], x.im[k * lanes + l]} * turn;
        y.re[k * step + l] = v.r;
        y.im[k * step + l] = v.i;
      }
    }
  }
};

// Rows of lanes, moved further apart.
template <class T>
struct SpreadRows {
  static GK_INLINE void Run(SplitPointers<const T> x, SplitPointers<T> y,
                            int64_t rows, int64_t lanes, int64_t step) {
    for (int64_t k = 0; k < rows; ++k) {
#pragma GCC ivdep
      for (int64_t l = 0; l < lanes; ++l) {
        y.re[k * step + l] = x.re[k * lanes + l];
        y.im[k * step + l] = x.im[k * lanes + l];
      }
    }
  }
};

// y[j * lanes + l] = x[l * step + j].
template <class T>
struct RowsToLanes {
  static GK_INLINE void Run(const T* x, int64_t step, T* y, int64_t n,
                            int64_t lanes) {
    constexpr int64_t kWidth = LaneBlock<T>::kWidth;
    int64_t l = 0;
    for (; l + kWidth <= lanes; l += kWidth) {
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
    for (; l < lanes; ++l) {
      for (int64_t j = 0; j < n; ++j) y[j * lanes + l] = x[l * step + j];
    }
  }
};

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// About what one number of a line costs.
constexpr int64_t kNsPerNumber = 6;

}  // namespace

template <class T>
void RootOfUnity(int64_t j, int64_t n, T* re, T* im) {
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  // The eighth of the circle that is nearest to the real axis is the most
  // exact one.
  j %= n;
  const bool below = 2 * j > n;  // sin has the other sign
  if (below) j = n - j;
  const bool left = 4 * j > n;
  // In parts of 4 n: left of the imaginary axis, mirror.
  int64_t quarter = left ? 2 * n - 4 * j : 4 * j;
  const bool steep = 2 * quarter > n;
  if (steep) quarter = n - quarter;
  const Wide angle = std::numbers::pi_v<Wide> / 2 * quarter / n;
  Wide c = std::cos(angle), s = std::sin(angle);
  if (steep) std::swap(c, s);
  *re = static_cast<T>(left ? -c : c);
  *im = static_cast<T>(below ? s : -s);
}

template <class T>
FftPlan<T>::FftPlan(int64_t n, bool whole) : n_(n) {
  const std::vector<int64_t> factors = FactorsOf(n);
  if (!factors.empty() &&
      *std::max_element(factors.begin(), factors.end()) > kLargestRadix) {
    MakeConvolution();
    return;
  }
  work_ = 4 * n;
  if (!whole || n < kShortestMatrix) {
    MakePasses(factors);
    return;
  }
  // As many rows as the square root, or less.
  int64_t rows = 1;
  for (int64_t f : PrimeFactorsOf(n)) {
    if (rows * f * rows * f <= n) rows *= f;
  }
  if (rows >= kLanes) {
    MakeMatrix(rows);
  } else {
    MakePasses(factors);
  }
}

template <class T>
std::shared_ptr<const FftPlan<T>> FftPlan<T>::Of(int64_t n) {
  if (n > kLongestKept) return std::make_shared<const FftPlan>(n);
  static auto* const cache =
      new RecentCache<const FftPlan, int64_t, std::hash<int64_t>>;
  return *cache->Get(
      n, [](int64_t length) -> StatusOr<std::shared_ptr<const FftPlan>> {
        return std::make_shared<const FftPlan>(length);
      });
}

template <class T>
void FftPlan<T>::MakePasses(std::vector<int64_t> factors) {
  int64_t n = n_;
  for (int64_t radix : factors) {
    const int64_t m = n / radix;
    Pass pass{radix, m, SplitVector<T>((radix - 1) * m), SplitVector<T>(0)};
    for (int64_t k = 1; k < radix; ++k) {
      for (int64_t p = 0; p < m; ++p) {
        pass.twiddles.SetRoot((k - 1) * m + p, p * k, n);
      }
    }
    if (radix > 5 && radix != 8) {
      pass.roots = SplitVector<T>(radix);
      for (int64_t k = 0; k < radix; ++k) pass.roots.SetRoot(k, k, radix);
    }
    passes_.push_back(std::move(pass));
    n = m;
  }
}

template <class T>
void FftPlan<T>::MakeMatrix(int64_t rows) {
  const int64_t width = n_ / rows, blocks = CeilDiv(width, kLanes);
  columns_ = std::make_unique<FftPlan>(rows, false);
  rows_ = std::make_unique<FftPlan>(width, false);
  lane_turns_ = SplitVector<T>(rows * kLanes);
  block_turns_ = SplitVector<T>(blocks * rows);
  for (int64_t k = 0; k < rows; ++k) {
    for (int64_t l = 0; l < kLanes; ++l) {
      lane_turns_.SetRoot(k * kLanes + l, k * l, n_);
    }
    for (int64_t b = 0; b < blocks; ++b) {
      block_turns_.SetRoot(b * rows + k, k * b * kLanes, n_);
    }
  }
  if (n_ > kLongestTogether) return;
  turns_ = SplitVector<T>(n_);
  for (int64_t j = 0; j < width; ++j) {
    for (int64_t k = 0; k < rows; ++k) turns_.SetRoot(j * rows + k, j * k, n_);
  }
}

template <class T>
void FftPlan<T>::MakeConvolution() {
  const int64_t size = SmoothLength(2 * n_ - 1);
  convolution_ = std::make_unique<FftPlan>(size);
  work_ = 2 * size + convolution_->work();
  chirp_ = SplitVector<T>(n_);
  chirp_transform_ = SplitVector<T>(size);
  // j^2 modulo 2 n, without j^2.
  int64_t square = 0;
  for (int64_t j = 0; j < n_; ++j) {
    chirp_.SetRoot(j, square, 2 * n_);
    square = (square + 2 * j + 1) % (2 * n_);
    for (int64_t at : {j, j == 0 ? 0 : size - j}) {
      chirp_transform_.re[at] = chirp_.re[j] / static_cast<T>(size);
      chirp_transform_.im[at] = -chirp_.im[j] / static_cast<T>(size);
    }
  }
  SplitPointers<T> data{chirp_transform_.re.data(), chirp_transform_.im.data()};
  std::vector<T> work(convolution_->work());
  const SplitPointers<T> found =
      convolution_->Run(data, work.data(), 1, ThreadPool::Global());
  if (found.re != data.re) {
    std::copy_n(found.re, size, data.re);
    std::copy_n(found.im, size, data.im);
  }
}

template <class T>
SplitPointers<T> FftPlan<T>::Run(SplitPointers<T> data, T* work, int64_t lanes,
                                 ThreadPool& pool) const {
  if (convolution_) return RunConvolution(data, work, lanes, pool);
  if (columns_) {
    return lanes > 1 ? RunMatrices(data, work, lanes)
                     : RunMatrix(data, work, pool);
  }
  const SplitPointers<const T> found =
      RunPasses({data.re, data.im}, lanes, work, lanes);
  return {const_cast<T*>(found.re), const_cast<T*>(found.im)};
}

template <class T>
int64_t FftPlan<T>::LanesOf(int64_t lines, bool adjacent) const {
  if (convolution_) return convolution_->LanesOf(lines, adjacent);
  // Lines that are matrices are best taken one by one where they stand.
  if (columns_ && (!adjacent || lines < kLanes / 2 || turns_.re.empty())) {
    return 1;
  }
  return std::min(lines, kLanes);
}

template <class T>
SplitPointers<const T> FftPlan<T>::RunPasses(SplitPointers<const T> data,
                                             int64_t step, T* work,
                                             int64_t lanes) const {
  int64_t s = lanes;
  T* to = work;
  for (const Pass& pass : passes_) {
    PassOf<T>(pass.radix, pass.m == 1)(
        {pass.radix, pass.m, s, step, data.re, data.im, to, to + n_ * lanes,
         pass.twiddles.re.data(), pass.twiddles.im.data(), pass.roots.re.data(),
         pass.roots.im.data()});
    data = {to, to + n_ * lanes};
    to = to == work ? work + 2 * n_ * lanes : work;
    s *= pass.radix;
    step = s;
  }
  return data;
}

template <class T>
SplitPointers<T> FftPlan<T>::RunMatrix(SplitPointers<T> data, T* work,
                                       ThreadPool& pool) const {
  const int64_t rows = columns_->n_, width = rows_->n_;
  const SplitPointers<T> between{work, work + n_};
  const auto turn =
      Stamp<TurnColumns<T>,
            void(SplitPointers<const T>, SplitPointers<const T>,
                 SplitPointers<const T>, SplitPointers<T>, int64_t, int64_t,
                 int64_t)>::template Best<Isa::kV4>();
  const auto spread =
      Stamp<SpreadRows<T>,
            void(SplitPointers<const T>, SplitPointers<T>, int64_t, int64_t,
                 int64_t)>::template Best<Isa::kV3>();
  const auto lanes_of =
      Stamp<RowsToLanes<T>, void(const T*, int64_t, T*, int64_t,
                                 int64_t)>::template Best<Isa::kV3>();
  pool.ParallelRange(
      CeilDiv(width, kLanes), kNsPerNumber * kLanes * rows,
      [&](int64_t begin, int64_t end) {
        const auto memory =
            std::make_unique_for_overwrite<T[]>(4 * rows * kLanes);
        for (int64_t block = begin; block < end; ++block) {
          const int64_t first = block * kLanes,
                        lanes = std::min(kLanes, width - first);
          const SplitPointers<const T> found = columns_->RunPasses(
              {data.re + first, data.im + first}, width, memory.get(), lanes);
          turn(found, {lane_turns_.re.data(), lane_turns_.im.data()},
               {block_turns_.re.data() + block * rows,
                block_turns_.im.data() + block * rows},
               {between.re + first, between.im + first}, rows, lanes, width);
        }
      });
  pool.ParallelRange(
      CeilDiv(rows, kLanes), kNsPerNumber * kLanes * width,
      [&](int64_t begin, int64_t end) {
        const auto memory =
            std::make_unique_for_overwrite<T[]>(6 * width * kLanes);
        for (int64_t block = begin; block < end; ++block) {
          const int64_t first = block * kLanes,
                        lanes = std::min(kLanes, rows - first);
          const SplitPointers<T> part{memory.get(),
                                      memory.get() + width * kLanes};
          lanes_of(between.re + first * width, width, part.re, width, lanes);
          lanes_of(between.im + first * width, width, part.im, width, lanes);
          const SplitPointers<const T> found =
              rows_->RunPasses({part.re, part.im}, lanes,
                               memory.get() + 2 * width * kLanes, lanes);
          spread(found, {data.re + first, data.im + first}, width, lanes, rows);
        }
      });
  return data;
}

template <class T>
SplitPointers<T> FftPlan<T>::RunMatrices(SplitPointers<T> data, T* work,
                                         int64_t lanes) const {
  const int64_t rows = columns_->n_, width = rows_->n_;
  const SplitPointers<T> between{work, work + n_ * lanes};
  T* const room = work + 2 * n_ * lanes;
  const auto turn =
      Stamp<TurnColumn<T>, void(SplitPointers<const T>, SplitPointers<const T>,
                                SplitPointers<T>, int64_t, int64_t,
                                int64_t)>::template Best<Isa::kV4>();
  const auto spread =
      Stamp<SpreadRows<T>,
            void(SplitPointers<const T>, SplitPointers<T>, int64_t, int64_t,
                 int64_t)>::template Best<Isa::kV3>();
  for (int64_t j = 0; j < width; ++j) {
    const SplitPointers<const T> found = columns_->RunPasses(
        {data.re + j * lanes, data.im + j * lanes}, width * lanes, room, lanes);
    turn(found, {turns_.re.data() + j * rows, turns_.im.data() + j * rows},
         {between.re + j * lanes, between.im + j * lanes}, rows, lanes,
         width * lanes);
  }
  for (int64_t k = 0; k < rows; ++k) {
    const int64_t row = k * width * lanes;
    const SplitPointers<const T> found = rows_->RunPasses(
        {between.re + row, between.im + row}, lanes, room, lanes);
    spread(found, {data.re + k * lanes, data.im + k * lanes}, width, lanes,
           rows * lanes);
  }
  return data;
}

template <class T>
SplitPointers<T> FftPlan<T>::RunConvolution(SplitPointers<T> data, T* work,
                                            int64_t lanes,
                                            ThreadPool& pool) const {
  const int64_t size = convolution_->n_;
  const SplitPointers<T> padded{work, work + size * lanes};
  T* const inner = work + 2 * size * lanes;
  Scale<T>(data, chirp_, padded, n_, lanes);
  std::fill(padded.re + n_ * lanes, padded.re + size * lanes, T(0));
  std::fill(padded.im + n_ * lanes, padded.im + size * lanes, T(0));
  const SplitPointers<T> there = convolution_->Run(padded, inner, lanes, pool);
  Scale<T>(there, chirp_transform_, padded, size, lanes);
  // The inverse transform is the forward one with the parts swapped.
  const SplitPointers<T> swapped =
      convolution_->Run({padded.im, padded.re}, inner, lanes, pool);
  Scale<T>({swapped.im, swapped.re}, chirp_, data, n_, lanes);
  return data;
}

template void RootOfUnity(int64_t, int64_t, float*, float*);
template void RootOfUnity(int64_t, int64_t, double*, double*);
template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace gk
