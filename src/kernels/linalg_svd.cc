// Singular values by Golub and Kahan: Householder reflections make the matrix
// bidiagonal and real, implicit QR steps then make it diagonal.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/block_product.h"
#include "kernels/complex_product.h"
#include "kernels/householder.h"
#include "kernels/isa.h"
#include "kernels/linalg.h"
#include "kernels/matrix_tiles.h"
#include "kernels/rotations.h"

namespace gk {
namespace {

// What a bidiagonal matrix is made of: d on the diagonal, e above.
template <class R>
struct Bidiagonal {
  std::vector<R> d, e;
  Columns<R> u, v;

  // d[i] is zero: so becomes e[i].
  void ClearRow(int64_t i, int64_t last) {
    R f = std::exchange(e[i], R(0));
    for (int64_t j = i + 1; j <= last && f != 0; ++j) {
      const Rotation<R> t(d[j], f);
      d[j] = t.r;
      u.Rotate(j, i, t.c, t.s);
      if (j == last) break;
      f = -t.s * e[j];
      e[j] *= t.c;
    }
  }
  // d[last] is zero: so becomes the element above it.
  void ClearColumn(int64_t first, int64_t last) {
    R f = std::exchange(e[last - 1], R(0));
    for (int64_t j = last - 1; j >= first && f != 0; --j) {
      const Rotation<R> t(d[j], f);
      d[j] = t.r;
      v.Rotate(j, last, t.c, t.s);
      if (j == first) break;
      f = -t.s * e[j - 1];
      e[j - 1] *= t.c;
    }
  }
  // One QR step on first ... last, with the shift of Wilkinson.
  void Step(int64_t first, int64_t last) {
    const R low = d[last - 1], end = d[last], over = e[last - 1];
    const R above = last - 1 > first ? e[last - 2] : R(0);
    // The trailing block of the square; scaled, so that nothing overflows.
    const R scale =
        std::max({std::abs(low), std::abs(end), std::abs(over), std::abs(above),
                  std::abs(d[first]), std::abs(e[first])});
    const R p = low / scale, q = end / scale, o = over / scale,
            a = above / scale;
    const R t11 = p * p + a * a, t12 = p * o, t22 = q * q + o * o;
    const R half = (t11 - t22) / 2;
    const R root = std::hypot(half, t12);
    const R under = half + (half < 0 ? -root : root);
    const R shift = under == 0 ? t22 : t22 - t12 * t12 / under;
    const R df = d[first] / scale;
    R y = df * df - shift, z = df * (e[first] / scale);
    for (int64_t k = first; k < last; ++k) {
      const Rotation<R> right(y, z);
      if (k > first) e[k - 1] = right.r;
      y = right.c * d[k] + right.s * e[k];
      e[k] = right.c * e[k] - right.s * d[k];
      z = right.s * d[k + 1];
      d[k + 1] *= right.c;
      v.Rotate(k, k + 1, right.c, right.s);
      const Rotation<R> left(y, z);
      d[k] = left.r;
      const R next = left.c * e[k] + left.s * d[k + 1];
      d[k + 1] = left.c * d[k + 1] - left.s * e[k];
      e[k] = next;
      u.Rotate(k, k + 1, left.c, left.s);
      if (k == last - 1) break;
      y = next;
      z = left.s * e[k + 1];
      e[k + 1] *= left.c;
    }
  }

  bool Diagonalize() {
    const int64_t n = d.size();
    const R epsilon = std::numeric_limits<R>::epsilon();
    R norm = 0;
    for (R x : d) norm = std::max(norm, std::abs(x));
    for (R x : e) norm = std::max(norm, std::abs(x));
    const R tiny = std::max(epsilon * norm, std::numeric_limits<R>::min());
    int64_t last = n - 1;
    for (int64_t steps = 60 * n; last > 0; --steps) {
      if (steps == 0) return false;
      for (int64_t i = 0; i < last; ++i) {
        if (std::abs(e[i]) <= epsilon * (std::abs(d[i]) + std::abs(d[i + 1])) ||
            std::abs(e[i]) <= epsilon * tiny) {
          e[i] = 0;
        }
      }
      while (last > 0 && e[last - 1] == 0) --last;
      if (last == 0) break;
      int64_t first = last - 1;
      while (first > 0 && e[first - 1] != 0) --first;
      int64_t zero = first;
      while (zero <= last && std::abs(d[zero]) > epsilon * tiny) ++zero;
      if (zero < last) {
        d[zero] = 0;
        ClearRow(zero, last);
      } else if (zero == last) {
        d[last] = 0;
        ClearColumn(first, last);
      } else {
        Step(first, last);
      }
    }
    u.Finish();
    v.Finish();
    for (int64_t i = 0; i < n; ++i) {
      if (!std::signbit(d[i])) continue;
      d[i] = -d[i];
      v.Negate(i);
    }
    for (int64_t i = 0; i < n; ++i) {
      const int64_t most = std::max_element(d.begin() + i, d.end()) - d.begin();
      if (most == i) continue;
      std::swap(d[i], d[most]);
      u.Swap(i, most);
      v.Swap(i, most);
    }
    return true;
  }
};

template <class T>
std::vector<T> Transposed(int64_t rows, int64_t columns, const T* a) {
  std::vector<T> out(rows * columns);
  TransposeTo(rows, columns, a, out.data());
  return out;
}

// Of m >= n; `a` is used up.
template <class T, class R>
bool TallSvd(int64_t m, int64_t n, std::vector<T>& a, bool full, R* s, T* u,
             T* v) {
  std::vector<T> lefts(n * m), rights(n * n), left_taus(n), right_taus(n),
      sums(n);
  std::vector<R> d(n), e(std::max<int64_t>(n - 1, 0));
  const auto beside =
      Stamp<ReflectBeside<T, R>, T(int64_t, T*, R*, T*, int64_t, int64_t,
                                   T*)>::template Best<Isa::kV3>();
  const auto below =
      Stamp<ReflectBelow<T, R>, T(int64_t, T*, R*, T*, int64_t,
                                  int64_t)>::template Best<Isa::kV3>();
  for (int64_t k = 0; k < n; ++k) {
    T* const w = lefts.data() + k * m + k;
    for (int64_t i = k; i < m; ++i) w[i - k] = a[i * n + k];
    const int64_t rest = n - k - 1;
    left_taus[k] =
        beside(m - k, w, &d[k], a.data() + k * n + k + 1, n, rest, sums.data());
    if (rest == 0) continue;
    T* const h = rights.data() + k * n + k + 1;
    for (int64_t j = 0; j < rest; ++j) h[j] = Conj(a[k * n + k + 1 + j]);
    right_taus[k] =
        below(rest, h, &e[k], a.data() + (k + 1) * n + k + 1, n, m - k - 1);
  }
  constexpr int64_t kParts = sizeof(T) / sizeof(R);
  const int64_t p = full ? m : n;
  std::vector<T> us, vs;
  if (u != nullptr) {
    us = Transposed(
        m, p,
        ProductOfReflections(lefts.data(), left_taus.data(), n, 0, m, p)
            .data());
    vs = Transposed(
        n, n,
        ProductOfReflections(rights.data(), right_taus.data(), n - 1, 1, n, n)
            .data());
  }
  // A rotation by real numbers turns both parts of complex ones alike.
  Bidiagonal<R> b{std::move(d),
                  std::move(e),
                  {u ? reinterpret_cast<R*>(us.data()) : nullptr, m * kParts},
                  {u ? reinterpret_cast<R*>(vs.data()) : nullptr, n * kParts}};
  if (!b.Diagonalize()) return false;
  std::copy(b.d.begin(), b.d.end(), s);
  if (u == nullptr) return true;
  TransposeTo(p, m, us.data(), u);
  TransposeTo(n, n, vs.data(), v);
  return true;
}

// Of far more rows than columns: by the triangle of its own QR factors.
template <class T, class R>
bool ThinSvd(int64_t m, int64_t n, std::vector<T>& a, bool full, R* s, T* u,
             T* v) {
  const int64_t p = full ? m : n;
  std::vector<T> triangle(p * n), inner;
  if (u != nullptr) inner.resize(n * n);
  QrFactor(m, n, a.data(), full, u, triangle.data());
  triangle.resize(n * n);
  if (!TallSvd(n, n, triangle, false, s, u != nullptr ? inner.data() : nullptr,
               v)) {
    return false;
  }
  if (u == nullptr) return true;
  // The first columns of q times those of the triangle.
  std::vector<T> minus(m * n);
  SubtractProductInParts(BlockProduct<T>{u, p, 1, false, inner.data(), n,
                                         minus.data(), n, m, n, n});
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) u[i * p + j] = -minus[i * n + j];
  }
  return true;
}

template <class T>
bool IsFinite(const T& x) {
  return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
}

}  // namespace

template <class T>
bool SingularValues(int64_t m, int64_t n, const T* a, bool full,
                    typename RealOf<T>::type* s, T* u, T* v) {
  if (!std::all_of(a, a + m * n, IsFinite<T>)) return false;
  if (m >= n) {
    std::vector<T> copy(a, a + m * n);
    return 2 * m > 3 * n ? ThinSvd(m, n, copy, full, s, u, v)
                         : TallSvd(m, n, copy, full, s, u, v);
  }
  std::vector<T> turned(m * n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) turned[j * m + i] = Conj(a[i * n + j]);
  }
  return 2 * n > 3 * m ? ThinSvd(n, m, turned, full, s, v, u)
                       : TallSvd(n, m, turned, full, s, v, u);
}

#define GK_INSTANTIATE(T)                                        \
  template bool SingularValues(int64_t, int64_t, const T*, bool, \
                               typename RealOf<T>::type*, T*, T*);
GK_INSTANTIATE(float)
GK_INSTANTIATE(double)
GK_INSTANTIATE(std::complex<float>)
GK_INSTANTIATE(std::complex<double>)
#undef GK_INSTANTIATE

}  // namespace gk
