// The Schur form of a real matrix by reflections to a Hessenberg one and the
// implicit steps of Francis with two shifts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/householder.h"
#include "kernels/isa.h"
#include "kernels/lane_transpose.h"
#include "kernels/schur.h"

namespace gk {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kSmallest = std::numeric_limits<double>::min();

// I - tau v v^T of v = (1, v1, v2).
struct Reflection {
  double v1, v2, tau;
};

// Makes (x, y, z) a multiple, beta, of the first unit vector.
GK_INLINE Reflection ReflectionOf(double x, double y, double z, double* beta) {
  const double tail = y * y + z * z;
  if (tail <= kSmallest) {
    *beta = x;
    return {0, 0, 0};
  }
  const double length = std::sqrt(x * x + tail);
  *beta = x >= 0 ? -length : length;
  const double over = 1 / (x - *beta);
  return {y * over, z * over, (*beta - x) / *beta};
}

// All of `rows` takes the reflection whose vector is v from the right.
struct ReflectRows {
  GK_INLINE static void Run(int64_t rows, int64_t n, const double* v,
                            double tau, double* a, int64_t stride) {
    for (int64_t i = 0; i < rows; ++i) {
      double* const row = a + i * stride;
      const double dot = tau * DotOf(v, row, n);
      for (int64_t j = 0; j < n; ++j) row[j] -= dot * v[j];
    }
  }
};

// Sixteen lines side by side: element c of line l is at [c * stride + l].
struct Lanes {
  static constexpr int kVectors = 4, kWidth = 16;
  typedef double V
      __attribute__((vector_size(32), aligned(sizeof(double)), may_alias));
};

// Reflection r is of the elements r, r + 1 and r + 2, but for the last, which
// is of two. Elements stay in registers while three reflections need them.
GK_INLINE void ReflectLanes(const Reflection* all, int64_t begin, int64_t last,
                            double* x, int64_t stride) {
  using V = Lanes::V;
  constexpr int kVectors = Lanes::kVectors;
  // Types that are deduced forget that these need no alignment.
  const V* const first = reinterpret_cast<const V*>(x + begin * stride);
  const V* const second = reinterpret_cast<const V*>(x + (begin + 1) * stride);
  V a[kVectors], b[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    a[v] = first[v];
    b[v] = second[v];
  }
  for (int64_t r = begin; r < last; ++r) {
    const Reflection& h = all[r];
    V* const done = reinterpret_cast<V*>(x + r * stride);
    const V* const next = reinterpret_cast<const V*>(x + (r + 2) * stride);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      V c = next[v];
      const V p = h.tau * (a[v] + h.v1 * b[v] + h.v2 * c);
      done[v] = a[v] - p;
      a[v] = b[v] - h.v1 * p;
      b[v] = c - h.v2 * p;
    }
  }
  const Reflection& h = all[last];
  V* const done = reinterpret_cast<V*>(x + last * stride);
  V* const end = reinterpret_cast<V*>(x + (last + 1) * stride);
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    const V p = h.tau * (a[v] + h.v1 * b[v]);
    done[v] = a[v] - p;
    end[v] = b[v] - h.v1 * p;
  }
}

// The same of one line whose elements are adjacent, up to reflection `end`.
GK_INLINE void ReflectLine(const Reflection* all, int64_t begin, int64_t end,
                           int64_t last, double* x, int64_t step = 1) {
  for (int64_t r = begin; r < end; ++r) {
    const Reflection& h = all[r];
    double *const a = x + r * step, *const b = a + step, *const c = b + step;
    const double third = r < last ? *c : 0;
    const double p = h.tau * (*a + h.v1 * *b + h.v2 * third);
    *a -= p;
    *b -= h.v1 * p;
    if (r < last) *c -= h.v2 * p;
  }
}

// The steps that turn a Hessenberg matrix into the Schur form.
struct FrancisSteps {
  int64_t n;
  double* t;
  double* z;  // its columns one after the other, or null
  Reflection* reflections;
  double* room;  // [n, kWidth]
  double shifted = 0;

  GK_INLINE double& T(int64_t i, int64_t j) const { return t[i * n + j]; }

  // The first row of the block that ends with row `last`.
  GK_INLINE int64_t FirstOfBlock(int64_t last, double zero) const {
    int64_t i = last;
    for (; i > 0; --i) {
      const double beside =
          kEpsilon * (std::abs(T(i - 1, i - 1)) + std::abs(T(i, i)));
      if (std::abs(T(i, i - 1)) <= std::max(beside, zero)) break;
    }
    return i;
  }

  // Two rows of a triangle turn: both sides, and z.
  GK_INLINE void Turn(int64_t i, double c, double s) const {
    const auto turn = [&](double& x, double& y) {
      const double old = x;
      x = c * old - s * y;
      y = s * old + c * y;
    };
    for (int64_t j = i; j < n; ++j) turn(T(i, j), T(i + 1, j));
    for (int64_t j = 0; j <= i + 1; ++j) turn(T(j, i), T(j, i + 1));
    if (z == nullptr) return;
    for (int64_t j = 0; j < n; ++j) turn(z[i * n + j], z[(i + 1) * n + j]);
  }

  // Rows last - 1 and last are a block of their own: made a triangle if its
  // eigenvalues are real.
  GK_INLINE void SplitOffTwo(int64_t last) const {
    const int64_t i = last - 1;
    const double p = 0.5 * (T(i, i) - T(last, last));
    const double q = p * p + T(last, i) * T(i, last);
    T(last, last) += shifted;
    T(i, i) += shifted;
    if (q >= 0) {
      const double root = std::sqrt(q);
      const double x = p >= 0 ? p + root : p - root, y = T(last, i);
      double c, s;
      if (y == 0) {
        c = x < 0 ? -1 : 1;
        s = 0;
      } else if (x == 0) {
        c = 0;
        s = y < 0 ? 1 : -1;
      } else if (std::abs(x) > std::abs(y)) {
        const double ratio = y / x;
        c = (x < 0 ? -1 : 1) / std::sqrt(1 + ratio * ratio);
        s = -ratio * c;
      } else {
        const double ratio = x / y;
        s = (y < 0 ? 1 : -1) / std::sqrt(1 + ratio * ratio);
        c = -ratio * s;
      }
      Turn(i, c, s);
      T(last, i) = 0;
    }
    if (i > 0) T(i, i - 1) = 0;
  }

  struct Shift {
    double x, y, product;
  };
  GK_INLINE Shift NextShift(int64_t last, int64_t tries) {
    Shift s{T(last, last), T(last - 1, last - 1),
            T(last, last - 1) * T(last - 1, last)};
    const auto subtract = [&](double x) {
      shifted += x;
      for (int64_t i = 0; i <= last; ++i) T(i, i) -= x;
    };
    // Where steps go round in circles: the shifts of Wilkinson and of MATLAB.
    if (tries == 10) {
      subtract(s.x);
      const double size =
          std::abs(T(last, last - 1)) + std::abs(T(last - 1, last - 2));
      s = {0.75 * size, 0.75 * size, -0.4375 * size * size};
    }
    if (tries == 30) {
      const double half = (s.y - s.x) / 2;
      double root = half * half + s.product;
      if (root > 0) {
        root = std::sqrt(root);
        if (s.y < s.x) root = -root;
        subtract(s.x - s.product / (root + half));
        s = {0.964, 0.964, 0.964};
      }
    }
    return s;
  }

  // Where the step may begin: two small elements below the diagonal let it
  // leave out the rows above. Gives the column that its first reflection is of.
  GK_INLINE int64_t Begin(int64_t first, int64_t last, const Shift& shift,
                          double (&v)[3]) const {
    int64_t k = last - 2;
    for (;; --k) {
      const double on = T(k, k), r = shift.x - on, s = shift.y - on;
      v[0] = (r * s - shift.product) / T(k + 1, k) + T(k, k + 1);
      v[1] = T(k + 1, k + 1) - on - r - s;
      v[2] = T(k + 2, k + 1);
      if (k == first) return k;
      const double left = T(k, k - 1) * (std::abs(v[1]) + std::abs(v[2]));
      const double right = v[0] * (std::abs(T(k - 1, k - 1)) + std::abs(on) +
                                   std::abs(T(k + 1, k + 1)));
      if (std::abs(left) < kEpsilon * std::abs(right)) return k;
    }
  }

  // From the left, to three rows, or two.
  GK_INLINE void ReflectRowsFrom(int64_t k, bool three,
                                 const Reflection& h) const {
    double* __restrict const a = t + k * n, * __restrict const b = a + n, * __restrict const c = b + (three ? n : 0);
    if (!three) {
      for (int64_t j = k; j < n; ++j) {
        const double p = h.tau * (a[j] + h.v1 * b[j]);
        a[j] -= p;
        b[j] -= h.v1 * p;
      }
      return;
    }
    for (int64_t j = k; j < n; ++j) {
      const double p = h.tau * (a[j] + h.v1 * b[j] + h.v2 * c[j]);
      a[j] -= p;
      b[j] -= h.v1 * p;
      c[j] -= h.v2 * p;
    }
  }

  // What rows above those of the step's own reflections still miss from the
  // right.
  GK_INLINE void FinishRows(int64_t begin, int64_t last) const {
    constexpr int64_t kWidth = Lanes::kWidth;
    const int64_t end = last - 1;  // the last reflection
    int64_t i = 0;
    for (; i + kWidth <= end; i += kWidth) {
      const int64_t from = std::max(begin, i + kWidth - 1);
      for (int64_t l = i; l < i + kWidth; ++l) {
        ReflectLine(reflections, std::max(begin, l), from, end, t + l * n);
      }
      double* const rows = t + i * n;
      const auto move = [&](bool back) {
        constexpr int64_t kBlock = LaneBlock<double>::kWidth;
        for (int64_t l = 0; l < kWidth; l += kBlock) {
          int64_t c = from;
          for (; c + kBlock <= last + 1; c += kBlock) {
            const auto row = [&](int64_t k) { return rows + (l + k) * n + c; };
            const auto lane = [&](int64_t k) {
              return room + (c + k) * kWidth + l;
            };
            if (back) {
              LaneBlock<double>::Transpose(lane, row);
            } else {
              LaneBlock<double>::Transpose(row, lane);
            }
          }
          for (; c <= last; ++c) {
            for (int64_t k = l; k < l + kBlock; ++k) {
              if (back) {
                rows[k * n + c] = room[c * kWidth + k];
              } else {
                room[c * kWidth + k] = rows[k * n + c];
              }
            }
          }
        }
      };
      move(false);
      ReflectLanes(reflections, from, end, room, kWidth);
      move(true);
    }
    for (; i <= end; ++i) {
      ReflectLine(reflections, std::max(begin, i), end + 1, end, t + i * n);
    }
  }

  GK_INLINE void Step(int64_t first, int64_t begin, int64_t last,
                      const double (&v)[3]) const {
    for (int64_t k = begin; k < last; ++k) {
      const bool three = k + 1 < last;
      double beta;
      Reflection& h = reflections[k];
      h = k == begin ? ReflectionOf(v[0], v[1], v[2], &beta)
                     : ReflectionOf(T(k, k - 1), T(k + 1, k - 1),
                                    three ? T(k + 2, k - 1) : 0, &beta);
      if (beta == 0) {
        h.tau = 0;
        continue;
      }
      if (k > begin) {
        T(k, k - 1) = beta;
      } else if (k > first) {
        T(k, k - 1) = -T(k, k - 1);
      }
      ReflectRowsFrom(k, three, h);
      // Of the rows that later reflections are of; the others come at the end.
      for (int64_t i = k + 1; i <= std::min(last, k + 3); ++i) {
        ReflectLine(reflections, k, k + 1, last - 1, t + i * n);
      }
    }
    FinishRows(begin, last);
    if (z != nullptr) {
      int64_t l = 0;
      for (; l + Lanes::kWidth <= n; l += Lanes::kWidth) {
        ReflectLanes(reflections, begin, last - 1, z + l, n);
      }
      for (; l < n; ++l) {
        ReflectLine(reflections, begin, last, last - 1, z + l, n);
      }
    }
    for (int64_t i = begin + 2; i <= last; ++i) {
      T(i, i - 2) = 0;
      if (i > begin + 2) T(i, i - 3) = 0;
    }
  }

  GK_INLINE static bool Run(FrancisSteps s) {
    double norm = 0;
    for (int64_t i = 0; i < s.n; ++i) {
      for (int64_t j = std::max<int64_t>(i - 1, 0); j < s.n; ++j) {
        norm += std::abs(s.T(i, j));
      }
    }
    if (norm == 0) return true;
    const double zero = std::max(norm * kEpsilon * kEpsilon, kSmallest);
    int64_t last = s.n - 1, tries = 0, left = 40 * s.n;
    while (last >= 0) {
      const int64_t first = s.FirstOfBlock(last, zero);
      if (first == last) {
        s.T(last, last) += s.shifted;
        if (last > 0) s.T(last, last - 1) = 0;
        --last;
        tries = 0;
      } else if (first == last - 1) {
        s.SplitOffTwo(last);
        last -= 2;
        tries = 0;
      } else {
        const Shift shift = s.NextShift(last, tries++);
        if (left-- == 0) return false;
        double v[3];
        const int64_t begin = s.Begin(first, last, shift, v);
        s.Step(first, begin, last, v);
      }
    }
    return true;
  }
};

std::vector<double> Transposed(int64_t n, const std::vector<double>& a) {
  std::vector<double> out(n * n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) out[j * n + i] = a[i * n + j];
  }
  return out;
}

}  // namespace

bool FindRealSchur(int64_t n, const double* a, bool with_z, RealSchur* found) {
  found->n = n;
  std::vector<double>& t = found->t;
  t.assign(a, a + n * n);
  found->turned_z.assign(with_z ? n * n : 0, 0);
  for (int64_t i = 0; with_z && i < n; ++i) found->turned_z[i * (n + 1)] = 1;
  double scale = 0;
  for (const double x : t) scale = std::max(scale, std::abs(x));
  if (scale < kSmallest) {
    std::fill(t.begin(), t.end(), 0);
    return true;
  }
  for (double& x : t) x /= scale;
  // Vector k of the reflections is row k, from its element k + 1 on.
  std::vector<double> vectors(n * n), taus(n), sums(n);
  const auto beside = Stamp<ReflectBeside<double, double>,
                            double(int64_t, double*, double*, double*, int64_t,
                                   int64_t, double*)>::Best<Isa::kV3>();
  const auto right =
      Stamp<ReflectRows, void(int64_t, int64_t, const double*, double, double*,
                              int64_t)>::Best<Isa::kV3>();
  for (int64_t k = 0; k + 2 < n; ++k) {
    const int64_t rest = n - k - 1;
    double* const v = vectors.data() + k * n + k + 1;
    double* const below = t.data() + (k + 1) * n + k;
    for (int64_t i = 0; i < rest; ++i) v[i] = below[i * n];
    double beta;
    taus[k] = beside(rest, v, &beta, below + 1, n, rest, sums.data());
    below[0] = beta;
    for (int64_t i = 1; i < rest; ++i) below[i * n] = 0;
    right(n, rest, v, taus[k], t.data() + k + 1, n);
  }
  if (with_z && n > 2) {
    found->turned_z = Transposed(
        n, ProductOfReflections(vectors.data(), taus.data(), n - 2, 1, n, n));
  }
  std::vector<Reflection> reflections(n);
  std::vector<double> room(n * Lanes::kWidth);
  const FrancisSteps steps{n, t.data(),
                           with_z ? found->turned_z.data() : nullptr,
                           reflections.data(), room.data()};
  const bool done =
      Stamp<FrancisSteps, bool(FrancisSteps)>::Best<Isa::kV3>()(steps);
  for (double& x : t) x *= scale;
  return done;
}

}  // namespace gk
