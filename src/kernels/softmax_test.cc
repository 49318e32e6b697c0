#include "kernels/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/half.h"

namespace gk {
namespace {

std::vector<double> ReferenceLog(const double* x, int64_t n) {
  double max = -INFINITY, sum = 0;
  for (int64_t i = 0; i < n; ++i) max = std::max(max, x[i]);
  for (int64_t i = 0; i < n; ++i) sum += std::exp(x[i] - max);
  std::vector<double> y(n);
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] - max - std::log(sum);
  return y;
}

template <class T>
class SoftmaxTest : public testing::Test {
 public:
  static double Tolerance() {
    return sizeof(T) == 8 ? 1e-13
           : sizeof(T) == 4
               ? 4e-6
               : 3 * static_cast<double>(std::numeric_limits<T>::epsilon());
  }
  static std::vector<T> Random(int64_t n, double scale) {
    std::mt19937 gen(5);
    std::vector<T> v(n);
    for (T& x : v) x = T((gen() * 0x1p-32 - 0.5) * scale);
    return v;
  }
};
using FloatTypes = testing::Types<float, double, half, bfloat16>;
TYPED_TEST_SUITE(SoftmaxTest, FloatTypes);

TYPED_TEST(SoftmaxTest, MatchesReferenceWithGradientsAndLosses) {
  using T = TypeParam;
  const double tol = this->Tolerance();
  for (int64_t cols : {1, 3, 64, 130, 1000}) {
    const int64_t rows = 37, n = rows * cols;
    const std::vector<T> x = this->Random(n, 8), dy = this->Random(n, 2);
    std::vector<T> y(n), log_y(n), dx(n), log_dx(n), loss(rows), back(n),
        sparse_loss(rows), sparse_back(n), in_place = x;
    Softmax(rows, cols, x.data(), y.data());
    Softmax(rows, cols, in_place.data(), in_place.data());
    EXPECT_EQ(y, in_place);
    LogSoftmax(rows, cols, x.data(), log_y.data());
    SoftmaxGrad(rows, cols, y.data(), dy.data(), dx.data());
    LogSoftmaxGrad(rows, cols, log_y.data(), dy.data(), log_dx.data());
    SoftmaxCrossEntropy(rows, cols, x.data(), dy.data(), loss.data(),
                        back.data());
    std::vector<int64_t> labels(rows);
    for (int64_t r = 0; r < rows; ++r) labels[r] = r * 7 % cols;
    EXPECT_EQ(SparseSoftmaxCrossEntropy(rows, cols, x.data(), labels.data(),
                                        sparse_loss.data(),
                                        sparse_back.data()),
              -1);
    for (int64_t r = 0; r < rows; ++r) {
      std::vector<double> wide(cols);
      for (int64_t i = 0; i < cols; ++i) {
        wide[i] = static_cast<double>(x[r * cols + i]);
      }
      const auto want = ReferenceLog(wide.data(), cols);
      double dot = 0, dy_sum = 0, want_loss = 0, size = 1;
      for (int64_t i = 0; i < cols; ++i) {
        const double d = static_cast<double>(dy[r * cols + i]);
        dot += d * static_cast<double>(y[r * cols + i]);
        dy_sum += d;
        want_loss -= d * want[i];
        size += std::abs(d * want[i]);
      }
      EXPECT_NEAR(static_cast<double>(loss[r]), want_loss, tol * size);
      EXPECT_NEAR(static_cast<double>(sparse_loss[r]), -want[labels[r]],
                  tol * 16);
      for (int64_t i = 0; i < cols; ++i) {
        const int64_t at = r * cols + i;
        const auto value = [at](const std::vector<T>& v) {
          return static_cast<double>(v[at]);
        };
        const double p = std::exp(want[i]);
        ASSERT_NEAR(value(y), p, tol);
        ASSERT_NEAR(value(log_y), want[i], tol * 16);
        ASSERT_NEAR(value(dx), value(y) * (value(dy) - dot), tol);
        ASSERT_NEAR(value(log_dx),
                    value(dy) - std::exp(value(log_y)) * dy_sum,
                    tol * (2 + std::abs(dy_sum)));
        ASSERT_NEAR(value(back), p - value(dy), tol * 2);
        ASSERT_NEAR(value(sparse_back), p - (i == labels[r]), tol);
      }
    }
  }
}

TEST(Softmax, SpecialValuesAndEmptySizes) {
  const float x[] = {1000, 0, -INFINITY, 1, NAN, 1};
  float y[6];
  Softmax<float>(3, 2, x, y);
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], 0);
  EXPECT_EQ(y[3], 1);
  EXPECT_TRUE(std::isnan(y[4]) && std::isnan(y[5]));
  LogSoftmax<float>(1, 2, x, y);
  EXPECT_EQ(y[1], -1000);
  Softmax<float>(0, 2, nullptr, nullptr);
  Softmax<float>(2, 0, nullptr, nullptr);
  float loss[2] = {5, 5};
  SoftmaxCrossEntropy<float>(2, 0, nullptr, nullptr, loss, nullptr);
  EXPECT_EQ(loss[1], 0);
}

TEST(Softmax, LabelsOutOfRangeAreReported) {
  const float x[6] = {};
  float loss[2] = {9, 9}, back[6];
  for (int32_t bad : {-1, 3, INT32_MAX, INT32_MIN}) {
    const int32_t labels[] = {0, bad};
    EXPECT_EQ(SparseSoftmaxCrossEntropy(2, 3, x, labels, loss, back), 1);
  }
  const int64_t wide[] = {int64_t{1} << 32, 0};
  EXPECT_EQ(SparseSoftmaxCrossEntropy(2, 3, x, wide, loss, back), 0);
  EXPECT_EQ(loss[0], 9);
}

TEST(Softmax, ThreadsDoNotChangeResults) {
  const int64_t rows = 200, cols = 300;
  const auto x = SoftmaxTest<float>::Random(rows * cols, 20);
  std::vector<float> a(x.size()), b(x.size());
  ThreadPool one(1), four(4);
  Softmax(rows, cols, x.data(), a.data(), one);
  Softmax(rows, cols, x.data(), b.data(), four);
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace gk
