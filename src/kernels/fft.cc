#include "kernels/fft.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/fft_pass.h"
#include "kernels/fft_plan.h"
#include "kernels/isa.h"
#include "kernels/lane_transpose.h"

namespace gk {
namespace {

constexpr int64_t kNsPerNumber = 6;

struct Block {
  int64_t first = 0, lanes = 0;  // of its lines
};

// Where lines begin.
struct LineStarts {
  int64_t n, inner;  // of the array that the lines are in
  int64_t operator()(int64_t line) const {
    return line / inner * n * inner + line % inner;
  }
  // Do they begin side by side?
  bool Adjacent(const Block& block) const {
    return block.lanes == 1 || (*this)(block.first + block.lanes - 1) ==
                                   (*this)(block.first) + block.lanes - 1;
  }
};

// part[j * lanes + l] = element j of line l, for `count` elements. Complex
// elements have `kParts` numbers, real ones have one and no imaginary part.
template <class T, int kParts>
struct LoadLines {
  static GK_INLINE void Run(const T* x, const LineStarts& starts,
                            const Block& block, int64_t count,
                            SplitPointers<T> part) {
    const int64_t step = starts.inner * kParts, lanes = block.lanes;
    if (starts.Adjacent(block)) {
      const T* from = x + starts(block.first) * kParts;
      if (lanes == 1 && step == kParts) {
        Row(from, count, part.re, part.im);
        return;
      }
      for (int64_t j = 0; j < count; ++j) {
        Row(from + j * step, lanes, part.re + j * lanes, part.im + j * lanes);
      }
      return;
    }
    constexpr int64_t kWidth = LaneBlock<T>::kWidth;
    for (int64_t l = 0; l < lanes;) {
      const bool whole =
          starts.inner == 1 && kParts == 2 && l + kWidth <= lanes;
      const int64_t end = whole ? l + kWidth : l + 1;
      int64_t j = 0;
      if (whole) {
        const T* from = x + starts(block.first + l) * kParts;
        const int64_t line = starts.n * kParts;
        for (; j + kWidth / 2 <= count; j += kWidth / 2) {
          LaneBlock<T>::Transpose(
              [&](int64_t r) { return from + r * line + 2 * j; },
              [&](int64_t c) {
                return (c % 2 == 0 ? part.re : part.im) + (j + c / 2) * lanes +
                       l;
              });
        }
      }
      for (; l < end; ++l) {
        const T* from = x + starts(block.first + l) * kParts;
        for (int64_t i = j; i < count; ++i) {
          part.re[i * lanes + l] = from[i * step];
          part.im[i * lanes + l] = kParts == 2 ? from[i * step + 1] : T(0);
        }
      }
    }
  }
  static GK_INLINE void Row(const T* from, int64_t n, T* re, T* im) {
#pragma GCC ivdep
    for (int64_t l = 0; l < n; ++l) {
      re[l] = from[kParts * l];
      im[l] = kParts == 2 ? from[kParts * l + 1] : T(0);
    }
  }
};

// The other way round, times a factor.
template <class T, int kParts>
struct StoreLines {
  static GK_INLINE void Run(SplitPointers<T> part, const LineStarts& starts,
                            const Block& block, int64_t count, T scale, T* y) {
    const int64_t step = starts.inner * kParts, lanes = block.lanes;
    if (starts.Adjacent(block)) {
      T* to = y + starts(block.first) * kParts;
      if (lanes == 1 && step == kParts) {
        Row(part.re, part.im, count, scale, to);
        return;
      }
      for (int64_t j = 0; j < count; ++j) {
        Row(part.re + j * lanes, part.im + j * lanes, lanes, scale,
            to + j * step);
      }
      return;
    }
    constexpr int64_t kWidth = LaneBlock<T>::kWidth;
    using Vector = typename LaneBlock<T>::Vector;
    for (int64_t l = 0; l < lanes;) {
      const bool whole =
          starts.inner == 1 && kParts == 2 && l + kWidth <= lanes;
      const int64_t end = whole ? l + kWidth : l + 1;
      int64_t j = 0;
      if (whole) {
        T* to = y + starts(block.first + l) * kParts;
        const int64_t line = starts.n * kParts;
        for (; j + kWidth / 2 <= count; j += kWidth / 2) {
          Vector rows[kWidth];
#pragma GCC unroll 8
          for (int64_t r = 0; r < kWidth; ++r) {
            std::memcpy(
                &rows[r],
                (r % 2 == 0 ? part.re : part.im) + (j + r / 2) * lanes + l,
                sizeof(Vector));
            rows[r] *= scale;
          }
          LaneBlock<T>::Transpose(
              [&](int64_t r) { return &rows[r]; },
              [&](int64_t c) { return to + c * line + 2 * j; });
        }
      }
      for (; l < end; ++l) {
        T* to = y + starts(block.first + l) * kParts;
        for (int64_t i = j; i < count; ++i) {
          to[i * step] = part.re[i * lanes + l] * scale;
          if (kParts == 2) to[i * step + 1] = part.im[i * lanes + l] * scale;
        }
      }
    }
  }
  static GK_INLINE void Row(const T* re, const T* im, int64_t n, T scale,
                            T* to) {
#pragma GCC ivdep
    for (int64_t l = 0; l < n; ++l) {
      to[kParts * l] = re[l] * scale;
      if (kParts == 2) to[kParts * l + 1] = im[l] * scale;
    }
  }
};

template <class T, int kParts>
void Load(const T* x, const LineStarts& starts, const Block& block,
          int64_t count, SplitPointers<T> part) {
  Stamp<LoadLines<T, kParts>,
        void(const T*, const LineStarts&, const Block&, int64_t,
             SplitPointers<T>)>::template Best<Isa::kV3>()(x, starts, block,
                                                           count, part);
}

template <class T, int kParts>
void Store(SplitPointers<T> part, const LineStarts& starts, const Block& block,
           int64_t count, T scale, T* y) {
  Stamp<StoreLines<T, kParts>,
        void(SplitPointers<T>, const LineStarts&, const Block&, int64_t, T,
             T*)>::template Best<Isa::kV3>()(part, starts, block, count, scale,
                                             y);
}

// Runs body(block, room for numbers of the block, work for the plan) for all
// lines; each block has room for 2 * numbers * lanes.
template <class T, class Body>
void ForBlocks(const FftPlan<T>& plan, const FftLines& array, int64_t numbers,
               ThreadPool& pool, Body&& body) {
  const int64_t lines = array.outer * array.inner;
  const int64_t lanes = plan.LanesOf(lines, array.inner > 1);
  const int64_t blocks = (lines + lanes - 1) / lanes;
  pool.ParallelRange(
      blocks, kNsPerNumber * lanes * numbers, [&](int64_t begin, int64_t end) {
        const auto memory = std::make_unique_for_overwrite<T[]>(
            (2 * numbers + plan.work()) * lanes);
        for (int64_t b = begin; b < end; ++b) {
          const Block block{b * lanes, std::min(lanes, lines - b * lanes)};
          const SplitPointers<T> part{memory.get(),
                                      memory.get() + numbers * block.lanes};
          body(block, part, memory.get() + 2 * numbers * block.lanes);
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

// The roots by which even and odd elements of a real line come together.
template <class T>
SplitVector<T> HalfRoots(int64_t n) {
  SplitVector<T> roots(n / 2 + 1);
  for (int64_t k = 0; k <= n / 2; ++k) roots.SetRoot(k, k, n);
  return roots;
}

// Of the transform z of even + i odd elements, in place; the block has half +
// 1 rows. Rows k and half - k are one another's partners.
template <class T>
struct JoinHalves {
  static GK_INLINE void Run(SplitPointers<T> z, SplitPointers<const T> roots,
                            int64_t half, int64_t lanes) {
    std::copy_n(z.re, lanes, z.re + half * lanes);
    std::copy_n(z.im, lanes, z.im + half * lanes);
    for (int64_t k = 0; k <= half - k; ++k) {
      const Cx<T> w{roots.re[k], roots.im[k]};
      T *ar = z.re + k * lanes, *ai = z.im + k * lanes;
      T *br = z.re + (half - k) * lanes, *bi = z.im + (half - k) * lanes;
#pragma GCC ivdep
      for (int64_t l = 0; l < lanes; ++l) {
        const Cx<T> a{ar[l], ai[l]}, b{br[l], -bi[l]};
        const Cx<T> even = T(0.5) * (a + b), odd = T(0.5) * (a - b).MinusI();
        const Cx<T> turned = odd * w;
        const Cx<T> low = even + turned, high = even - turned;
        ar[l] = low.r;
        ai[l] = low.i;
        br[l] = high.r;
        bi[l] = -high.i;
      }
    }
    // The ends are real.
    std::fill_n(z.im, lanes, T(0));
    std::fill_n(z.im + half * lanes, lanes, T(0));
  }
};

// The inverse, but for a factor of 2.
template <class T>
struct PartHalves {
  static GK_INLINE void Run(SplitPointers<T> x, SplitPointers<const T> roots,
                            int64_t half, int64_t lanes) {
    for (int64_t k = 0; k <= half - k; ++k) {
      const Cx<T> w{roots.re[k], -roots.im[k]};
      T *ar = x.re + k * lanes, *ai = x.im + k * lanes;
      T *br = x.re + (half - k) * lanes, *bi = x.im + (half - k) * lanes;
#pragma GCC ivdep
      for (int64_t l = 0; l < lanes; ++l) {
        const Cx<T> a{ar[l], ai[l]}, b{br[l], -bi[l]};
        const Cx<T> even = a + b, odd = (a - b) * w;
        ar[l] = even.r - odd.i;
        ai[l] = even.i + odd.r;
        br[l] = even.r + odd.i;
        bi[l] = odd.r - even.i;
      }
    }
  }
};

template <class T, template <class> class Body>
void Halves(SplitPointers<T> z, const SplitVector<T>& roots, int64_t half,
            int64_t lanes) {
  Stamp<Body<T>, void(SplitPointers<T>, SplitPointers<const T>, int64_t,
                      int64_t)>::template Best<Isa::kV3>()(z,
                                                           {roots.re.data(),
                                                            roots.im.data()},
                                                           half, lanes);
}

}  // namespace

template <class T>
void Fft(const FftLines& lines, bool inverse, T scale, const std::complex<T>* x,
         std::complex<T>* y, ThreadPool& pool) {
  const auto plan = FftPlan<T>::Of(lines.n);
  const LineStarts starts{lines.n, lines.inner};
  ForBlocks(*plan, lines, lines.n, pool,
            [&](const Block& block, SplitPointers<T> part, T* work) {
              // The inverse transform is the forward one with the parts
              // swapped.
              SplitPointers<T> to = part;
              if (inverse) std::swap(to.re, to.im);
              Load<T, 2>(Parts(x), starts, block, lines.n, to);
              SplitPointers<T> found = plan->Run(part, work, block.lanes, pool);
              if (inverse) std::swap(found.re, found.im);
              Store<T, 2>(found, starts, block, lines.n, scale, Parts(y));
            });
}

template <class T>
void RealFft(const FftLines& lines, const T* x, std::complex<T>* y,
             ThreadPool& pool) {
  const int64_t n = lines.n, half = n / 2;
  const LineStarts to{half + 1, lines.inner};
  if (n % 2 != 0) {
    const auto plan = FftPlan<T>::Of(n);
    ForBlocks(*plan, lines, n, pool,
              [&](const Block& block, SplitPointers<T> part, T* work) {
                Load<T, 1>(x, {n, lines.inner}, block, n, part);
                const SplitPointers<T> found =
                    plan->Run(part, work, block.lanes, pool);
                Store<T, 2>(found, to, block, half + 1, T(1), Parts(y));
              });
    return;
  }
  const auto plan = FftPlan<T>::Of(half);
  const SplitVector<T> roots = HalfRoots<T>(n);
  ForBlocks(
      *plan, lines, half + 1, pool,
      [&](const Block& block, SplitPointers<T> part, T* work) {
        const int64_t lanes = block.lanes;
        if (lines.inner == 1) {
          // Even and odd elements are pairs as they stand.
          Load<T, 2>(x, {half, 1}, block, half, part);
        } else {
          for (int64_t l = 0; l < lanes; ++l) {
            const T* from = x + LineStarts{n, lines.inner}(block.first + l);
            for (int64_t j = 0; j < half; ++j) {
              part.re[j * lanes + l] = from[2 * j * lines.inner];
              part.im[j * lanes + l] = from[(2 * j + 1) * lines.inner];
            }
          }
        }
        SplitPointers<T> found = plan->Run(part, work, lanes, pool);
        if (found.re != part.re) {
          std::copy_n(found.re, half * lanes, part.re);
          std::copy_n(found.im, half * lanes, part.im);
        }
        Halves<T, JoinHalves>(part, roots, half, lanes);
        Store<T, 2>(part, to, block, half + 1, T(1), Parts(y));
      });
}

template <class T>
void InverseRealFft(const FftLines& lines, T scale, const std::complex<T>* x,
                    T* y, ThreadPool& pool) {
  const int64_t n = lines.n, half = n / 2;
  const LineStarts from{half + 1, lines.inner};
  const bool odd = n % 2 != 0;
  const auto plan = FftPlan<T>::Of(odd ? n : half);
  const SplitVector<T> roots = odd ? SplitVector<T>() : HalfRoots<T>(n);
  ForBlocks(*plan, lines, odd ? n : half + 1, pool,
            [&](const Block& block, SplitPointers<T> part, T* work) {
              const int64_t lanes = block.lanes;
              Load<T, 2>(Parts(x), from, block, half + 1, part);
              std::fill_n(part.im, lanes, T(0));
              if (odd) {
                for (int64_t k = 1; k <= half; ++k) {
                  for (int64_t l = 0; l < lanes; ++l) {
                    part.re[(n - k) * lanes + l] = part.re[k * lanes + l];
                    part.im[(n - k) * lanes + l] = -part.im[k * lanes + l];
                  }
                }
              } else {
                std::fill_n(part.im + half * lanes, lanes, T(0));
                Halves<T, PartHalves>(part, roots, half, lanes);
              }
              SplitPointers<T> found =
                  plan->Run({part.im, part.re}, work, lanes, pool);
              std::swap(found.re, found.im);
              if (odd) {
                Store<T, 1>(found, {n, lines.inner}, block, n, scale, y);
              } else if (lines.inner == 1) {
                Store<T, 2>(found, {half, 1}, block, half, scale, y);
              } else {
                for (int64_t l = 0; l < lanes; ++l) {
                  T* to = y + LineStarts{n, lines.inner}(block.first + l);
                  for (int64_t j = 0; j < half; ++j) {
                    to[2 * j * lines.inner] = found.re[j * lanes + l] * scale;
                    to[(2 * j + 1) * lines.inner] =
                        found.im[j * lanes + l] * scale;
                  }
                }
              }
            });
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
