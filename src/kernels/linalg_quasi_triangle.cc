// Eigenvalues, eigenvectors and square roots of real matrices, by their Schur
// forms.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/block_product.h"
#include "kernels/householder.h"
#include "kernels/isa.h"
#include "kernels/schur.h"

namespace gk {
namespace {

using C = std::complex<double>;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Those of the blocks on the diagonal. False: one is no number.
bool EigenvaluesOf(const RealSchur& s, C* e) {
  const auto at = [&](int64_t i, int64_t j) { return s.t[i * s.n + j]; };
  for (int64_t i = 0; i < s.n; ++i) {
    if (i + 1 == s.n || at(i + 1, i) == 0) {
      e[i] = at(i, i);
    } else {
      // Scaled, so that nothing overflows.
      const double p = 0.5 * (at(i, i) - at(i + 1, i + 1)), x = at(i + 1, i),
                   y = at(i, i + 1);
      const double most = std::max({std::abs(p), std::abs(x), std::abs(y)});
      const double q = p / most;
      const double root =
          most * std::sqrt(std::abs(q * q + x / most * (y / most)));
      e[i] = {at(i + 1, i + 1) + p, root};
      e[i + 1] = std::conj(e[i]);
      ++i;
    }
    if (!std::isfinite(e[i].real()) || !std::isfinite(e[i].imag())) {
      return false;
    }
  }
  return true;
}

// The eigenvectors of the quasi-triangle t, each a row of x: a complex one's
// parts are two rows, and one of each pair is found.
struct TriangleVectors {
  int64_t n;
  const double* t;
  const C* e;
  double* x;
  double norm;

  GK_INLINE double T(int64_t i, int64_t j) const { return t[i * n + j]; }

  // The sum of t[i, l ... k] x[l ... k].
  template <class S>
  GK_INLINE S RowTimes(int64_t i, int64_t l, int64_t k, const double* re,
                       const double* im) const {
    const double* const row = t + i * n + l;
    const double sum = DotOf(row, re + l, k - l + 1);
    if constexpr (std::is_same_v<S, double>) {
      return sum;
    } else {
      return {sum, DotOf(row, im + l, k - l + 1)};
    }
  }

  // What stands above row `last` of the vector of the eigenvalue `own`, of
  // which the elements `last` to `k` are known. S: double or complex.
  template <class S>
  GK_INLINE void Substitute(int64_t last, int64_t k, S own, double* re,
                            double* im) const {
    const auto value = [&](int64_t i) -> S {
      if constexpr (std::is_same_v<S, double>) {
        return re[i];
      } else {
        return {re[i], im[i]};
      }
    };
    const auto set = [&](int64_t i, S y) {
      re[i] = std::real(y);
      if constexpr (!std::is_same_v<S, double>) im[i] = std::imag(y);
    };
    int64_t l = last;
    for (int64_t i = last - 1; i >= 0; --i) {
      const S r = RowTimes<S>(i, l, k, re, im);
      const S w = T(i, i) - own;
      if (e[i].imag() == 0) {
        set(i, -r / (w == S(0) ? S(kEpsilon * norm) : w));
      } else {
        // Two equations, of the rows i - 1 and i.
        const int64_t h = i - 1;
        const S above = RowTimes<S>(h, l, k, re, im);
        const S a = T(h, h) - own;
        const double b = T(h, i), c = T(i, h);
        S det;
        if constexpr (std::is_same_v<S, double>) {
          const double p = e[h].real() - own, q = e[h].imag();
          det = p * p + q * q;
        } else {
          const double p = e[h].real() - own.real(), q = e[h].imag();
          det = S(p * p + q * q - own.imag() * own.imag(), -2 * p * own.imag());
          if (det == S(0)) {
            det = kEpsilon * norm *
                  (std::abs(a.real()) + std::abs(own.imag()) + std::abs(b) +
                   std::abs(c) + std::abs(w.real()));
          }
        }
        const S found = (b * r - w * above) / det;
        set(h, found);
        set(i, std::abs(b) > std::abs(w) ? (-above - a * found) / b
                                         : (-r - c * found) / w);
        --i;
      }
      l = i;
      // Before anything overflows.
      const double most = std::max(std::abs(std::real(value(i))),
                                   std::abs(std::imag(value(i))));
      if (kEpsilon * most * most > 1) {
        for (int64_t j = i; j <= k; ++j) set(j, value(j) / most);
      }
    }
  }

  GK_INLINE static void Run(const TriangleVectors& v) {
    const int64_t n = v.n;
    for (int64_t k = n - 1; k >= 0; --k) {
      double* const row = v.x + k * n;
      if (v.e[k].imag() == 0) {
        row[k] = 1;
        v.Substitute<double>(k, k, v.e[k].real(), row, nullptr);
        continue;
      }
      const int64_t h = k - 1;
      double *const re = row - n, *const im = row;
      const C own = v.e[h];
      im[k] = 1;
      C second;
      if (std::abs(v.T(k, h)) > std::abs(v.T(h, k))) {
        second = -C(0, 1) * (v.T(k, k) - own) / v.T(k, h);
      } else {
        second = C(0, -v.T(h, k)) / (v.T(h, h) - own);
      }
      re[h] = second.real();
      im[h] = second.imag();
      v.Substitute<C>(h, k, own, re, im);
      --k;
    }
  }
};

void Normalize(int64_t n, C* x) {
  double most = 0;
  for (int64_t i = 0; i < n; ++i) {
    most = std::max({most, std::abs(x[i].real()), std::abs(x[i].imag())});
  }
  if (!(most > 0)) return;
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::norm(x[i] / most);
  const double length = most * std::sqrt(sum);
  for (int64_t i = 0; i < n; ++i) x[i] /= length;
}

// ---- Square roots ----

// A block of at most 2 x 2.
using Small = std::array<std::array<double, 2>, 2>;

// The root of a block with two complex eigenvalues. False: it has none.
bool RootOfBlock(const Small& a, Small* root) {
  const double real = (a[0][0] + a[1][1]) / 2, p = (a[0][0] - a[1][1]) / 2;
  const double square = -(p * p + a[0][1] * a[1][0]);
  if (!(square > 0)) return false;
  const double imag = std::sqrt(square), size = std::hypot(real, imag);
  const double s = real >= 0 ? std::sqrt((size + real) / 2)
                             : imag / (2 * std::sqrt((size - real) / 2));
  *root = {{{s + p / (2 * s), a[0][1] / (2 * s)},
            {a[1][0] / (2 * s), s - p / (2 * s)}}};
  return true;
}

// The x of a x + x b = r, of p x q.
Small SolveSylvester(int p, int q, const Small& a, const Small& b,
                     const Small& r) {
  if (p == 1 && q == 1) return {{{r[0][0] / (a[0][0] + b[0][0])}}};
  const int n = p * q;
  double m[4][5] = {};
  for (int i = 0; i < p; ++i) {
    for (int j = 0; j < q; ++j) {
      double* const row = m[i * q + j];
      for (int k = 0; k < p; ++k) row[k * q + j] += a[i][k];
      for (int k = 0; k < q; ++k) row[i * q + k] += b[k][j];
      row[n] = r[i][j];
    }
  }
  for (int k = 0; k < n; ++k) {
    int most = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(m[i][k]) > std::abs(m[most][k])) most = i;
    }
    for (int j = k; j <= n; ++j) std::swap(m[k][j], m[most][j]);
    for (int i = k + 1; i < n; ++i) {
      const double factor = m[i][k] / m[k][k];
      for (int j = k; j <= n; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) m[k][n] -= m[k][j] * m[j][n];
    m[k][n] /= m[k][k];
  }
  Small x{};
  for (int i = 0; i < n; ++i) x[i / q][i % q] = m[i][n];
  return x;
}

// row[j] -= factor * other[j].
void Subtract(int64_t n, double factor, const double* other, double* row) {
  for (int64_t j = 0; j < n; ++j) row[j] -= factor * other[j];
}

// In place. False: an eigenvalue is not far from the negative real axis.
bool RootOfQuasiTriangle(int64_t n, double* t) {
  // Where blocks begin, and their sizes.
  std::vector<int64_t> starts;
  std::vector<int> sizes;
  double most = 0;
  for (int64_t i = 0; i < n; ++i) {
    starts.push_back(i);
    const bool two = i + 1 < n && t[(i + 1) * n + i] != 0;
    sizes.push_back(two ? 2 : 1);
    most = std::max(most, std::abs(t[i * n + i]));
    i += two ? 1 : 0;
  }
  const auto block = [&](int64_t i, int64_t j) {
    Small s{};
    for (int k = 0; k < sizes[i]; ++k) {
      for (int l = 0; l < sizes[j]; ++l) {
        s[k][l] = t[(starts[i] + k) * n + starts[j] + l];
      }
    }
    return s;
  };
  const auto set = [&](int64_t i, int64_t j, const Small& s) {
    for (int k = 0; k < sizes[i]; ++k) {
      for (int l = 0; l < sizes[j]; ++l) {
        t[(starts[i] + k) * n + starts[j] + l] = s[k][l];
      }
    }
  };
  const int64_t count = starts.size();
  for (int64_t i = 0; i < count; ++i) {
    Small s = block(i, i);
    if (sizes[i] == 1) {
      if (!(s[0][0] > most * n * kEpsilon)) return false;
      s[0][0] = std::sqrt(s[0][0]);
    } else if (!RootOfBlock(block(i, i), &s)) {
      return false;
    }
    set(i, i, s);
  }
  // From the last row up: what is found of a row is taken from what is right
  // of it.
  for (int64_t i = count - 2; i >= 0; --i) {
    const Small own = block(i, i);
    for (int64_t j = i + 1; j < count; ++j) {
      const Small x =
          SolveSylvester(sizes[i], sizes[j], own, block(j, j), block(i, j));
      set(i, j, x);
      const int64_t right = starts[j] + sizes[j];
      for (int k = 0; k < sizes[i]; ++k) {
        for (int l = 0; l < sizes[j]; ++l) {
          Subtract(n - right, x[k][l], t + (starts[j] + l) * n + right,
                   t + (starts[i] + k) * n + right);
        }
      }
    }
  }
  return true;
}

// c -= a b of n x n, a's columns being one after the other if `turned`.
void SubtractSquare(int64_t n, const double* a, bool turned, const double* b,
                    double* c) {
  SubtractProductInParts(BlockProduct<double>{a, turned ? 1 : n, turned ? n : 1,
                                              false, b, n, c, n, n, n, n});
}

}  // namespace

bool RealMatrixEigen(int64_t n, const double* a, C* e, C* v) {
  RealSchur s;
  if (!FindRealSchur(n, a, v != nullptr, &s)) return false;
  if (!EigenvaluesOf(s, e)) return false;
  if (v == nullptr) return true;
  double norm = 0;
  for (const double x : s.t) norm += std::abs(x);
  // Minus the vectors of the triangle, and those of the matrix: rows, both.
  std::vector<double> x(n * n), found(n * n);
  Stamp<TriangleVectors, void(const TriangleVectors&)>::Best<Isa::kV3>()(
      TriangleVectors{n, s.t.data(), e, x.data(), norm});
  for (double& y : x) y = -y;
  SubtractSquare(n, x.data(), false, s.turned_z.data(), found.data());
  std::vector<C> column(n);
  for (int64_t k = 0; k < n; ++k) {
    const double* const row = found.data() + k * n;
    const bool pair = e[k].imag() != 0;
    for (int64_t i = 0; i < n; ++i) column[i] = {row[i], pair ? row[n + i] : 0};
    Normalize(n, column.data());
    for (int64_t i = 0; i < n; ++i) {
      v[i * n + k] = column[i];
      if (pair) v[i * n + k + 1] = std::conj(column[i]);
    }
    k += pair ? 1 : 0;
  }
  return true;
}

bool RealMatrixRoot(int64_t n, const double* a, double* root) {
  RealSchur s;
  if (!FindRealSchur(n, a, true, &s)) return false;
  if (!RootOfQuasiTriangle(n, s.t.data())) return false;
  // Minus the product of z and the root of t.
  std::vector<double> left(n * n);
  SubtractSquare(n, s.turned_z.data(), true, s.t.data(), left.data());
  std::fill_n(root, n * n, 0.0);
  SubtractSquare(n, left.data(), false, s.turned_z.data(), root);
  return true;
}

}  // namespace gk
