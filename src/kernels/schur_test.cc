#include "kernels/schur.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <type_traits>
#include <vector>

#include "kernels/linalg.h"

namespace gk {
namespace {

using C = std::complex<double>;

enum class Kind { kAny, kWhole, kSkew, kSymmetric, kCycle, kHuge, kTriangle };

std::vector<double> MatrixOf(Kind kind, int64_t n, std::mt19937* rng) {
  std::normal_distribution<double> normal;
  std::vector<double> a(n * n);
  for (double& x : a) x = normal(*rng);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double& x = a[i * n + j];
      if (kind == Kind::kWhole) x = std::round(x);
      if (kind == Kind::kHuge) x *= 1e150;
      if (kind == Kind::kTriangle && j < i) x = 0;
      if (kind == Kind::kSymmetric && j < i) x = a[j * n + i];
      if (kind == Kind::kSkew) x = j < i ? -a[j * n + i] : j == i ? 0 : x;
      if (kind == Kind::kCycle) x = (i + 1) % n == j;
    }
  }
  return a;
}

double SizeOf(const std::vector<double>& a) {
  double most = 0;
  for (double x : a) most = std::max(most, std::abs(x));
  double sum = 0;
  for (double x : a) sum += most == 0 ? 0 : x / most * (x / most);
  return most * std::sqrt(sum);
}

// The largest element of a v - v e, beside a's size, and of |column| - 1.
double ErrorOf(int64_t n, const std::vector<double>& a, const C* e,
               const C* v) {
  const double size = SizeOf(a);
  double worst = 0;
  for (int64_t k = 0; k < n; ++k) {
    double length = 0;
    for (int64_t i = 0; i < n; ++i) {
      C sum = -e[k] * v[i * n + k];
      for (int64_t j = 0; j < n; ++j) sum += a[i * n + j] * v[j * n + k];
      if (size > 0) worst = std::max(worst, std::abs(sum) / size);
      length += std::norm(v[i * n + k]);
    }
    worst = std::max(worst, std::abs(length - 1));
  }
  return worst;
}

// Sizes with and without lines that go several at once.
constexpr int64_t kSizes[] = {1, 2, 3, 4, 7, 16, 18, 33, 50};

TEST(SchurTest, EigenvectorsAreThose) {
  std::mt19937 rng(1);
  for (Kind kind : {Kind::kAny, Kind::kWhole, Kind::kSkew, Kind::kSymmetric,
                    Kind::kCycle, Kind::kHuge, Kind::kTriangle}) {
    for (int64_t n : kSizes) {
      const std::vector<double> a = MatrixOf(kind, n, &rng);
      std::vector<C> e(n), v(n * n), alone(n);
      ASSERT_TRUE(RealMatrixEigen(n, a.data(), e.data(), v.data()));
      EXPECT_LT(ErrorOf(n, a, e.data(), v.data()), 1e-13 * n)
          << static_cast<int>(kind) << " " << n;
      ASSERT_TRUE(RealMatrixEigen(n, a.data(), alone.data(), nullptr));
      EXPECT_EQ(e, alone);
    }
  }
}

TEST(SchurTest, RootsAreThose) {
  std::mt19937 rng(2);
  for (int64_t n : kSizes) {
    std::vector<double> a = MatrixOf(Kind::kAny, n, &rng), root(n * n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        a[i * n + j] = a[i * n + j] / std::sqrt(double(n)) + (i == j ? 4 : 0);
      }
    }
    ASSERT_TRUE(RealMatrixRoot(n, a.data(), root.data()));
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < n; ++k)
          sum += root[i * n + k] * root[k * n + j];
        EXPECT_NEAR(sum, a[i * n + j], 1e-12);
      }
    }
  }
}

TEST(SchurTest, NoRootOfNegativeEigenvalues) {
  const double a[] = {-1, 0, 0, 4}, singular[] = {1, 0, 0, 0};
  double root[4];
  EXPECT_FALSE(RealMatrixRoot(2, a, root));
  EXPECT_FALSE(RealMatrixRoot(2, singular, root));
}

template <class T>
void CheckSelfAdjoint(double bound) {
  using Real = typename RealOf<T>::type;
  std::mt19937 rng(3);
  for (int64_t n : kSizes) {
    const std::vector<double> re = MatrixOf(Kind::kSymmetric, n, &rng),
                              im = MatrixOf(Kind::kSkew, n, &rng);
    std::vector<T> a(n * n), v(n * n);
    for (int64_t i = 0; i < n * n; ++i) {
      if constexpr (std::is_same_v<T, Real>) {
        a[i] = static_cast<T>(re[i]);
      } else {
        a[i] = T(C(re[i], im[i]));
      }
    }
    std::vector<Real> e(n), alone(n);
    ASSERT_TRUE(SelfAdjointEigen(n, a.data(), e.data(), v.data()));
    ASSERT_TRUE(
        SelfAdjointEigen(n, a.data(), alone.data(), static_cast<T*>(nullptr)));
    EXPECT_EQ(e, alone);
    EXPECT_TRUE(std::is_sorted(e.begin(), e.end()));
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t i = 0; i < n; ++i) {
        C sum = -C(e[k]) * C(v[i * n + k]), product = 0;
        for (int64_t j = 0; j < n; ++j) {
          sum += C(a[i * n + j]) * C(v[j * n + k]);
          product += std::conj(C(v[j * n + i])) * C(v[j * n + k]);
        }
        EXPECT_LT(std::abs(sum), bound * n);
        EXPECT_LT(std::abs(product - (i == k ? 1.0 : 0.0)), bound * n);
      }
    }
  }
}

TEST(SchurTest, VectorsOfHermitianMatricesAreOrthogonal) {
  CheckSelfAdjoint<float>(1e-6);
  CheckSelfAdjoint<double>(1e-14);
  CheckSelfAdjoint<std::complex<float>>(1e-6);
  CheckSelfAdjoint<C>(1e-14);
}

TEST(SchurTest, WhatIsNoNumberHasNoEigenvalues) {
  const double a[] = {1, std::nan(""), std::nan(""), 2};
  double e[2], v[4];
  EXPECT_FALSE(SelfAdjointEigen(2, a, e, v));
}

}  // namespace
}  // namespace gk
