#include "kernels/softmax.h"

#include <limits>
#include <type_traits>

#include "base/half.h"
#include "kernels/isa.h"
#include "kernels/math.h"

namespace gk {
namespace {

template <class T>
using Compute = std::conditional_t<kIsNarrowFloat<T>, float, T>;

// Other types than float are rare.
template <class Body, class T, class Signature>
auto BestLoop() {
  constexpr Isa kMax = std::is_same_v<T, float> ? Isa::kV4 : Isa::kV3;
  return Stamp<Body, Signature>::template Best<kMax>();
}

constexpr int kLanes = 64;

// Folds f(0) ... f(n - 1) through fixed lanes: vectorises, and rounds alike
// at every vector width.
template <class C, class Op, class F>
GK_INLINE C FoldLanes(int64_t n, C start, Op op, F f) {
  C total = start;
  int64_t i = 0;
  if (n >= kLanes) {
    C lanes[kLanes];
    for (int l = 0; l < kLanes; ++l) lanes[l] = start;
    for (; i + kLanes <= n; i += kLanes) {
      for (int l = 0; l < kLanes; ++l) lanes[l] = op(lanes[l], f(i + l));
    }
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) lanes[l] = op(lanes[l], lanes[l + half]);
    }
    total = lanes[0];
  }
  for (; i < n; ++i) total = op(total, f(i));
  return total;
}

template <class C, class F>
GK_INLINE C SumOf(int64_t n, F f) {
  return FoldLanes(
      n, C(0), [](C a, C b) { return a + b; }, f);
}

template <class C, class T>
GK_INLINE C MaxOf(const T* x, int64_t n) {
  return FoldLanes(
      n, -std::numeric_limits<C>::infinity(),
      [](C a, C b) { return b > a ? b : a; },
      [=](int64_t i) { return static_cast<C>(x[i]); });
}

template <class T, bool kLog>
struct SoftmaxRows {
  using C = Compute<T>;
  static GK_INLINE void Run(const T* x, T* y, int64_t rows, int64_t cols) {
    for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
      const C max = MaxOf<C>(x, cols);
      if constexpr (kLog || sizeof(T) < 4) {
        const C sum = SumOf<C>(cols, [=](int64_t i) {
          return math::Exp(static_cast<C>(x[i]) - max);
        });
        const C shift = kLog ? math::Log(sum) : C(1) / sum;
#pragma GCC ivdep
        for (int64_t i = 0; i < cols; ++i) {
          const C v = static_cast<C>(x[i]) - max;
          y[i] = static_cast<T>(kLog ? v - shift : math::Exp(v) * shift);
        }
      } else {
#pragma GCC ivdep
        for (int64_t i = 0; i < cols; ++i) y[i] = math::Exp(x[i] - max);
        const C scale = C(1) / SumOf<C>(cols, [=](int64_t i) { return y[i]; });
        for (int64_t i = 0; i < cols; ++i) y[i] *= scale;
      }
    }
  }
};

template <class T, bool kLog>
struct GradRows {
  using C = Compute<T>;
  static GK_INLINE void Run(const T* y, const T* dy, T* dx, int64_t rows,
                            int64_t cols) {
    for (int64_t r = 0; r < rows; ++r, y += cols, dy += cols, dx += cols) {
      const C sum = SumOf<C>(cols, [=](int64_t i) {
        const C d = static_cast<C>(dy[i]);
        return kLog ? d : d * static_cast<C>(y[i]);
      });
#pragma GCC ivdep
      for (int64_t i = 0; i < cols; ++i) {
        const C d = static_cast<C>(dy[i]), v = static_cast<C>(y[i]);
        dx[i] = static_cast<T>(kLog ? d - math::Exp(v) * sum : v * (d - sum));
      }
    }
  }
};

template <class T>
struct DenseRows {
  using C = Compute<T>;
  static GK_INLINE void Run(const T* x, const T* labels, T* loss, T* backprop,
                            int64_t rows, int64_t cols) {
    for (int64_t r = 0; r < rows;
         ++r, x += cols, labels += cols, backprop += cols) {
      const C max = MaxOf<C>(x, cols);
      const C sum = SumOf<C>(cols, [=](int64_t i) {
        return math::Exp(static_cast<C>(x[i]) - max);
      });
      const C log_sum = math::Log(sum), scale = C(1) / sum;
      loss[r] = static_cast<T>(SumOf<C>(cols, [=](int64_t i) {
        const C v = log_sum - (static_cast<C>(x[i]) - max);
        return static_cast<C>(labels[i]) * v;
      }));
#pragma GCC ivdep
      for (int64_t i = 0; i < cols; ++i) {
        backprop[i] =
            static_cast<T>(math::Exp(static_cast<C>(x[i]) - max) * scale -
                           static_cast<C>(labels[i]));
      }
    }
  }
};

template <class T>
struct SparseRow {
  using C = Compute<T>;
  static GK_INLINE void Run(const T* x, int64_t label, T* loss, T* backprop,
                            int64_t cols) {
    const C max = MaxOf<C>(x, cols);
    const C sum = SumOf<C>(
        cols, [=](int64_t i) { return math::Exp(static_cast<C>(x[i]) - max); });
    const C scale = C(1) / sum;
    const C at_label = static_cast<C>(x[label]) - max;
    *loss = static_cast<T>(math::Log(sum) - at_label);
#pragma GCC ivdep
    for (int64_t i = 0; i < cols; ++i) {
      backprop[i] =
          static_cast<T>(math::Exp(static_cast<C>(x[i]) - max) * scale);
    }
    backprop[label] = static_cast<T>(math::Exp(at_label) * scale - C(1));
  }
};

// Calls fn(first_row, count) for slices of rows; one element costs about
// half a nanosecond.
template <class F>
void ForRows(ThreadPool& pool, int64_t rows, int64_t cols, F fn) {
  pool.ParallelRange(rows, cols / 2 + 5, [&](int64_t begin, int64_t end) {
    fn(begin, end - begin);
  });
}

}  // namespace

template <class T>
void Softmax(int64_t rows, int64_t cols, const T* x, T* y, ThreadPool& pool) {
  const auto run = BestLoop<SoftmaxRows<T, false>, T,
                            void(const T*, T*, int64_t, int64_t)>();
  ForRows(pool, rows, cols, [&](int64_t r, int64_t n) {
    run(x + r * cols, y + r * cols, n, cols);
  });
}

template <class T>
void LogSoftmax(int64_t rows, int64_t cols, const T* x, T* y,
                ThreadPool& pool) {
  const auto run =
      BestLoop<SoftmaxRows<T, true>, T, void(const T*, T*, int64_t, int64_t)>();
  ForRows(pool, rows, cols, [&](int64_t r, int64_t n) {
    run(x + r * cols, y + r * cols, n, cols);
  });
}

template <class T>
void SoftmaxGrad(int64_t rows, int64_t cols, const T* y, const T* dy, T* dx,
                 ThreadPool& pool) {
  const auto run = BestLoop<GradRows<T, false>, T,
                            void(const T*, const T*, T*, int64_t, int64_t)>();
  ForRows(pool, rows, cols, [&](int64_t r, int64_t n) {
    const int64_t at = r * cols;
    run(y + at, dy + at, dx + at, n, cols);
  });
}

template <class T>
void LogSoftmaxGrad(int64_t rows, int64_t cols, const T* y, const T* dy, T* dx,
                    ThreadPool& pool) {
  const auto run = BestLoop<GradRows<T, true>, T,
                            void(const T*, const T*, T*, int64_t, int64_t)>();
  ForRows(pool, rows, cols, [&](int64_t r, int64_t n) {
    const int64_t at = r * cols;
    run(y + at, dy + at, dx + at, n, cols);
  });
}

template <class T>
void SoftmaxCrossEntropy(int64_t rows, int64_t cols, const T* logits,
                         const T* labels, T* loss, T* backprop,
                         ThreadPool& pool) {
  const auto run =
      BestLoop<DenseRows<T>, T,
               void(const T*, const T*, T*, T*, int64_t, int64_t)>();
  ForRows(pool, rows, cols, [&](int64_t r, int64_t n) {
    const int64_t at = r * cols;
    run(logits + at, labels + at, loss + r, backprop + at, n, cols);
  });
}

template <class T, class Label>
int64_t SparseSoftmaxCrossEntropy(int64_t rows, int64_t cols, const T* logits,
                                  const Label* labels, T* loss, T* backprop,
                                  ThreadPool& pool) {
  for (int64_t r = 0; r < rows; ++r) {
    if (labels[r] < 0 || labels[r] >= cols) return r;
  }
  const auto run =
      BestLoop<SparseRow<T>, T, void(const T*, int64_t, T*, T*, int64_t)>();
  ForRows(pool, rows, cols, [&](int64_t first, int64_t n) {
    for (int64_t r = first; r < first + n; ++r) {
      run(logits + r * cols, labels[r], loss + r, backprop + r * cols, cols);
    }
  });
  return -1;
}

#define GK_SOFTMAX(T)                                                        \
  template void Softmax<T>(int64_t, int64_t, const T*, T*, ThreadPool&);     \
  template void LogSoftmax<T>(int64_t, int64_t, const T*, T*, ThreadPool&);  \
  template void SoftmaxGrad<T>(int64_t, int64_t, const T*, const T*, T*,     \
                               ThreadPool&);                                 \
  template void LogSoftmaxGrad<T>(int64_t, int64_t, const T*, const T*, T*,  \
                                  ThreadPool&);                              \
  template void SoftmaxCrossEntropy<T>(int64_t, int64_t, const T*, const T*, \
                                       T*, T*, ThreadPool&);                 \
  template int64_t SparseSoftmaxCrossEntropy<T, int32_t>(                    \
      int64_t, int64_t, const T*, const int32_t*, T*, T*, ThreadPool&);      \
  template int64_t SparseSoftmaxCrossEntropy<T, int64_t>(                    \
      int64_t, int64_t, const T*, const int64_t*, T*, T*, ThreadPool&)
GK_SOFTMAX(float);
GK_SOFTMAX(double);
GK_SOFTMAX(half);
GK_SOFTMAX(bfloat16);

}  // namespace gk
