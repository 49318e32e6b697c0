// Eigenvalues of Hermitian matrices: reflections make the matrix tridiagonal
// and real, implicit QR steps then make it diagonal.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/complex_product.h"
#include "kernels/householder.h"
#include "kernels/isa.h"
#include "kernels/linalg.h"
#include "kernels/rotations.h"

namespace gk {
namespace {

// h = a v and a -= v h^H + h v^H of the lower half of a Hermitian matrix, its
// rows `stride` apart, h being what makes that the matrix between two
// reflections I - tau v v^H.
template <class T, class R>
struct ReflectBothSides {
  // The first `i` elements of two rows: their products with v, to `sums`, and
  // what they give to h.
  GK_INLINE static void MultiplyTwo(int64_t i, const T* row, const T* next,
                                    const T* v, T* h, T (&sums)[2]) {
    typedef T V __attribute__((vector_size(32), aligned(sizeof(T)), may_alias));
    constexpr int64_t kLanes = 32 / sizeof(T);
    const T factors[] = {v[i], v[i + 1]};
    V both[2][2] = {};
    int64_t j = 0;
    for (; j + 2 * kLanes <= i; j += 2 * kLanes) {
#pragma GCC unroll 2
      for (int64_t k = 0; k < 2; ++k) {
        const int64_t at = j + k * kLanes;
        const V a = *reinterpret_cast<const V*>(row + at);
        const V b = *reinterpret_cast<const V*>(next + at);
        const V x = *reinterpret_cast<const V*>(v + at);
        both[0][k] += a * x;
        both[1][k] += b * x;
        *reinterpret_cast<V*>(h + at) += a * factors[0] + b * factors[1];
      }
    }
    for (int r = 0; r < 2; ++r) {
      const V lanes = both[r][0] + both[r][1];
      T sum(0);
      for (int64_t l = 0; l < kLanes; ++l) sum += lanes[l];
      sums[r] = sum;
    }
    for (; j < i; ++j) {
      sums[0] += row[j] * v[j];
      sums[1] += next[j] * v[j];
      h[j] += row[j] * factors[0] + next[j] * factors[1];
    }
  }

  GK_INLINE static void Run(int64_t n, const T* v, T tau, T* a, int64_t stride,
                            T* h) {
    int64_t begin = 0;
    if constexpr (std::is_floating_point_v<T>) {
      for (; begin + 2 <= n; begin += 2) {
        const T *const row = a + begin * stride, *const next = row + stride;
        T sums[2];
        MultiplyTwo(begin, row, next, v, h, sums);
        const T x = v[begin], y = v[begin + 1], beside = next[begin];
        h[begin] = sums[0] + row[begin] * x + beside * y;
        h[begin + 1] = sums[1] + beside * x + next[begin + 1] * y;
      }
    }
    for (int64_t i = begin; i < n; ++i) {
      const T* const row = a + i * stride;
      const T factor = v[i];
      T sum(0);
      for (int64_t j = 0; j < i; ++j) sum += Times(row[j], v[j]);
#pragma GCC ivdep
      for (int64_t j = 0; j < i; ++j) h[j] += Times(Conj(row[j]), factor);
      h[i] = sum + std::real(row[i]) * factor;
    }
    for (int64_t i = 0; i < n; ++i) h[i] = Times(tau, h[i]);
    const T shift = Times(tau * R(-0.5), DotOf(h, v, n));
    for (int64_t i = 0; i < n; ++i) h[i] += Times(shift, v[i]);
    for (int64_t i = 0; i < begin; i += 2) {
      if constexpr (std::is_floating_point_v<T>) {
        T *const row = a + i * stride, *const next = row + stride;
        const T x = v[i], y = h[i], u = v[i + 1], w = h[i + 1];
#pragma GCC ivdep
        for (int64_t j = 0; j <= i; ++j) {
          row[j] -= x * h[j] + y * v[j];
          next[j] -= u * h[j] + w * v[j];
        }
        next[i + 1] -= 2 * u * w;
      }
    }
    for (int64_t i = begin; i < n; ++i) {
      T* const row = a + i * stride;
      const T x = v[i], y = h[i];
#pragma GCC ivdep
      for (int64_t j = 0; j <= i; ++j) {
        row[j] -= Times(x, Conj(h[j])) + Times(y, Conj(v[j]));
      }
    }
  }
};

// A tridiagonal matrix: d on the diagonal, e beside; and what goes along.
template <class R>
struct Tridiagonal {
  std::vector<R> d, e;
  Columns<R> v;

  // One QR step on first ... last, with the shift of Wilkinson. Elements are at
  // most 1, so that nothing overflows.
  void Step(int64_t first, int64_t last) {
    const R half = (d[last - 1] - d[last]) / 2, beside = e[last - 1];
    R shift = d[last];
    if (half == 0) {
      shift -= std::abs(beside);
    } else if (beside != 0) {
      const R root = std::hypot(half, beside);
      const R far = half + (half > 0 ? root : -root);
      const R square = beside * beside;
      shift -= square == 0 ? beside / (far / beside) : square / far;
    }
    // What the next rotation changes again stays in registers.
    R x = d[first] - shift, z = e[first], on = d[first], under = e[first];
    int64_t k = first;
    for (; k < last && z != 0; ++k) {
      R c, s;
      Turned(x, z, &c, &s);
      const R other = d[k + 1];
      const R left = s * on + c * under, right = s * under + c * other;
      d[k] = c * (c * on - s * under) - s * (c * under - s * other);
      if (k > first) e[k - 1] = c * e[k - 1] - s * z;
      on = s * left + c * right;
      x = e[k] = c * left - s * right;
      if (k + 1 < last) {
        z = -s * e[k + 1];
        under = c * e[k + 1];
      }
      v.Rotate(k, k + 1, c, -s);
    }
    d[k] = on;
    if (k < last) e[k] = under;
  }

  // c x - s z = r and s x + c z = 0; z is not zero.
  static void Turned(R x, R z, R* c, R* s) {
    const R square = x * x + z * z;
    // Where squares lose no digits.
    const R length = square > std::numeric_limits<R>::min() * 1e10f
                         ? std::sqrt(square)
                         : std::hypot(x, z);
    *c = x / length;
    *s = -z / length;
  }

  bool Diagonalize() {
    const int64_t n = d.size();
    constexpr R kSmallest = std::numeric_limits<R>::min();
    constexpr R kOver = 1 / std::numeric_limits<R>::epsilon();
    int64_t last = n - 1, first = 0;
    for (int64_t steps = 30 * n; last > 0; --steps) {
      for (int64_t i = first; i < last; ++i) {
        const R far = kOver * e[i];
        const bool none = (std::abs(e[i]) < kSmallest) |
                          (far * far <= std::abs(d[i]) + std::abs(d[i + 1]));
        e[i] = none ? R(0) : e[i];
      }
      while (last > 0 && e[last - 1] == 0) --last;
      if (last == 0) break;
      if (steps == 0) return false;
      first = last - 1;
      while (first > 0 && e[first - 1] != 0) --first;
      Step(first, last);
    }
    v.Finish();
    for (int64_t i = 0; i < n; ++i) {
      const int64_t least =
          std::min_element(d.begin() + i, d.end()) - d.begin();
      if (least == i) continue;
      std::swap(d[i], d[least]);
      v.Swap(i, least);
    }
    return true;
  }
};

// `a` is used up: its lower half is what counts.
template <class T, class R, class To>
bool FindEigen(int64_t n, std::vector<T>& a, R* e, To* v) {
  R scale = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const R size = std::abs(a[i * n + j]);
      // Of what is no number too.
      if (!(size <= std::numeric_limits<R>::max())) return false;
      scale = std::max(scale, size);
    }
  }
  if (scale == 0) scale = 1;
  for (T& x : a) x /= scale;
  std::vector<T> vectors(n * n), taus(n), h(n);
  std::vector<R> d(n), beside(n);
  const auto reflect =
      Stamp<ReflectBothSides<T, R>, void(int64_t, const T*, T, T*, int64_t,
                                         T*)>::template Best<Isa::kV3>();
  const auto turn =
      Stamp<ReflectBeside<T, R>, T(int64_t, T*, R*, T*, int64_t, int64_t,
                                   T*)>::template Best<Isa::kV3>();
  for (int64_t k = 0; k + 1 < n; ++k) {
    const int64_t rest = n - k - 1;
    T* const w = vectors.data() + k * n + k + 1;
    T* const below = a.data() + (k + 1) * n + k;
    d[k] = std::real(a[k * (n + 1)]);
    for (int64_t i = 0; i < rest; ++i) w[i] = below[i * n];
    taus[k] = turn(rest, w, &beside[k], nullptr, 0, 0, h.data());
    if (taus[k] != T(0)) reflect(rest, w, taus[k], below + 1, n, h.data());
  }
  d[n - 1] = std::real(a[n * n - 1]);
  constexpr int64_t kParts = sizeof(T) / sizeof(R);
  if (v != nullptr) {
    TransposeTo(
        n, n,
        ProductOfReflections(vectors.data(), taus.data(), n - 1, 1, n, n)
            .data(),
        a.data());
  }
  // A rotation by real numbers turns both parts of complex ones alike.
  Tridiagonal<R> t{std::move(d),
                   std::move(beside),
                   {v ? reinterpret_cast<R*>(a.data()) : nullptr, n * kParts}};
  if (!t.Diagonalize()) return false;
  for (int64_t i = 0; i < n; ++i) e[i] = t.d[i] * scale;
  if (v != nullptr) TransposeTo(n, n, a.data(), v);
  return true;
}

}  // namespace

template <class T>
bool SelfAdjointEigen(int64_t n, const T* a, typename RealOf<T>::type* e,
                      T* v) {
  using Real = typename RealOf<T>::type;
  // Complex matrices are factored as double ones: each type takes the compiler
  // its time.
  using C =
      std::conditional_t<std::is_same_v<T, Real>, T, std::complex<double>>;
  if (n == 1) {
    e[0] = std::real(a[0]);
    if (v != nullptr) v[0] = T(1);
    return true;
  }
  std::vector<C> copy(a, a + n * n);
  std::vector<typename RealOf<C>::type> values(n);
  if (!FindEigen(n, copy, values.data(), v)) return false;
  std::transform(values.begin(), values.end(), e,
                 [](auto x) { return static_cast<Real>(x); });
  return true;
}

#define GK_INSTANTIATE(T)                                                      \
  template bool SelfAdjointEigen(int64_t, const T*, typename RealOf<T>::type*, \
                                 T*);
GK_INSTANTIATE(float)
GK_INSTANTIATE(double)
GK_INSTANTIATE(std::complex<float>)
GK_INSTANTIATE(std::complex<double>)
#undef GK_INSTANTIATE

}  // namespace gk
