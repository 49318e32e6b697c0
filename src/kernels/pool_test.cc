#include "kernels/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/half.h"

namespace gk {
namespace {

PoolDesc Shape(int64_t batch, std::array<int64_t, 3> in, int64_t channels,
               std::array<int64_t, 3> window, std::array<int64_t, 3> stride,
               bool same) {
  PoolDesc d{.batch = batch, .channels = channels, .in = in};
  d.window = window;
  d.stride = stride;
  for (int i = 0; i < 3; ++i) {
    if (same) {
      d.out[i] = (in[i] + stride[i] - 1) / stride[i];
      d.pad[i] =
          std::max<int64_t>(0, (d.out[i] - 1) * stride[i] + window[i] - in[i]) /
          2;
    } else {
      d.out[i] = std::max<int64_t>(0, (in[i] - window[i]) / stride[i] + 1);
      if (in[i] < window[i]) d.out[i] = 0;
    }
  }
  return d;
}

std::vector<PoolDesc> Shapes() {
  return {Shape(0, {1, 4, 4}, 3, {1, 2, 2}, {1, 2, 2}, true),
          Shape(2, {1, 4, 4}, 0, {1, 2, 2}, {1, 2, 2}, true),
          Shape(1, {1, 1, 1}, 1, {1, 2, 2}, {1, 2, 2}, false),
          Shape(2, {1, 4, 6}, 1, {1, 2, 2}, {1, 2, 2}, false),
          Shape(2, {1, 5, 7}, 3, {1, 2, 3}, {1, 2, 1}, true),
          Shape(3, {1, 9, 8}, 33, {1, 3, 3}, {1, 2, 2}, true),
          Shape(2, {1, 9, 8}, 64, {1, 3, 3}, {1, 1, 1}, true),
          Shape(2, {1, 9, 8}, 97, {1, 2, 2}, {1, 3, 3}, false),
          Shape(2, {1, 11, 7}, 70, {1, 3, 2}, {1, 3, 2}, false),
          Shape(2, {1, 11, 7}, 32, {1, 4, 4}, {1, 4, 4}, true),
          Shape(2, {5, 6, 7}, 5, {2, 3, 2}, {2, 1, 2}, true),
          Shape(2, {1, 6, 9}, 1, {1, 3, 3}, {1, 1, 1}, true),
          Shape(2, {1, 7, 10}, 3, {1, 2, 2}, {1, 2, 2}, true),
          Shape(1, {1, 5, 40}, 3, {1, 3, 5}, {1, 2, 3}, true),
          Shape(1, {1, 3, 3}, 2, {1, 5, 7}, {1, 2, 4}, true),
          Shape(1, {1, 2, 5000}, 1, {1, 2, 4}, {1, 1, 2}, true),
          Shape(1, {1, 3, 700}, 9, {1, 1, 1}, {1, 1, 5}, true),
          Shape(1, {1, 2, 4}, 1500, {1, 2, 3}, {1, 1, 1}, true),
          Shape(1, {3, 2, 10}, 520, {3, 1, 2}, {1, 1, 1}, true),
          Shape(32, {1, 14, 14}, 32, {1, 2, 2}, {1, 2, 2}, true)};
}

// Calls body(output index, [input indices]) for every output element.
template <class F>
void ForWindows(const PoolDesc& d, F body) {
  for (int64_t n = 0; n < d.batch; ++n)
    for (int64_t z = 0; z < d.out[0]; ++z)
      for (int64_t y = 0; y < d.out[1]; ++y)
        for (int64_t x = 0; x < d.out[2]; ++x)
          for (int64_t c = 0; c < d.channels; ++c) {
            std::vector<int64_t> inputs;
            for (int64_t a = 0; a < d.window[0]; ++a)
              for (int64_t b = 0; b < d.window[1]; ++b)
                for (int64_t e = 0; e < d.window[2]; ++e) {
                  const int64_t iz = z * d.stride[0] - d.pad[0] + a;
                  const int64_t iy = y * d.stride[1] - d.pad[1] + b;
                  const int64_t ix = x * d.stride[2] - d.pad[2] + e;
                  if (iz < 0 || iy < 0 || ix < 0 || iz >= d.in[0] ||
                      iy >= d.in[1] || ix >= d.in[2]) {
                    continue;
                  }
                  inputs.push_back(
                      (((n * d.in[0] + iz) * d.in[1] + iy) * d.in[2] + ix) *
                          d.channels +
                      c);
                }
            body((((n * d.out[0] + z) * d.out[1] + y) * d.out[2] + x) *
                         d.channels +
                     c,
                 inputs);
          }
}

int64_t InSize(const PoolDesc& d) {
  return d.batch * d.in[0] * d.in[1] * d.in[2] * d.channels;
}
int64_t OutSize(const PoolDesc& d) {
  return d.batch * d.out[0] * d.out[1] * d.out[2] * d.channels;
}

// Small integers: sums are exact in every type and ties are frequent.
template <class T>
std::vector<T> Values(int64_t count, int seed) {
  std::mt19937 rng(seed);
  std::uniform_int_distribution<int> value(
      std::numeric_limits<T>::is_signed ? -3 : 0, 3);
  std::vector<T> v(count);
  for (T& x : v) x = static_cast<T>(value(rng));
  return v;
}

template <class T>
void CheckMax(ElementType type) {
  for (PoolDesc d : Shapes()) {
    d.type = type;
    SCOPED_TRACE(testing::Message()
                 << int(type) << " " << d.batch << " " << d.in[1] << "x"
                 << d.in[2] << "x" << d.channels);
    const auto x = Values<T>(InSize(d), 1);
    const auto g = Values<T>(OutSize(d), 2);
    std::vector<T> y(OutSize(d), T(9)), dx(InSize(d), T(9)), gg(OutSize(d));
    std::vector<int64_t> at(OutSize(d));
    ASSERT_TRUE(MaxPool(d, x.data(), y.data()).ok());
    ASSERT_TRUE(MaxPoolGrad(d, x.data(), g.data(), dx.data()).ok());
    ASSERT_TRUE(
        MaxPoolGradGrad(d, x.data(), y.data(), x.data(), gg.data()).ok());
    std::vector<T> all(InSize(d), T(9)), want_all(InSize(d), T(0));
    ASSERT_TRUE(
        MaxPoolGradOfEqual(d, x.data(), y.data(), g.data(), all.data()).ok());
    ASSERT_TRUE(MaxPoolArgmax(d, x.data(), true, at.data()).ok());
    std::vector<T> want_dx(InSize(d), T(0));
    ForWindows(d, [&](int64_t out, const std::vector<int64_t>& inputs) {
      int64_t best = inputs.at(0);
      for (int64_t i : inputs) {
        if (x[i] > x[best]) best = i;
      }
      ASSERT_EQ(y[out], x[best]);
      ASSERT_EQ(gg[out], x[best]);
      ASSERT_EQ(at[out], best);
      want_dx[best] = static_cast<T>(static_cast<double>(want_dx[best]) +
                                     static_cast<double>(g[out]));
      for (int64_t i : inputs) {
        if (x[i] != x[best]) continue;
        want_all[i] = static_cast<T>(static_cast<double>(want_all[i]) +
                                     static_cast<double>(g[out]));
      }
    });
    EXPECT_TRUE(dx == want_dx);
    EXPECT_TRUE(all == want_all);
  }
}

template <class T>
void CheckAvg(ElementType type, double tolerance) {
  for (PoolDesc d : Shapes()) {
    d.type = type;
    const auto x = Values<T>(InSize(d), 1);
    const auto g = Values<T>(OutSize(d), 2);
    std::vector<T> y(OutSize(d)), dx(InSize(d), T(9));
    ASSERT_TRUE(AvgPool(d, x.data(), y.data()).ok());
    ASSERT_TRUE(AvgPoolGrad(d, g.data(), dx.data()).ok());
    std::vector<double> want_dx(InSize(d), 0.0);
    ForWindows(d, [&](int64_t out, const std::vector<int64_t>& inputs) {
      double sum = 0;
      for (int64_t i : inputs) {
        sum += static_cast<double>(x[i]);
        want_dx[i] += static_cast<double>(g[out]) / inputs.size();
      }
      ASSERT_NEAR(static_cast<double>(y[out]), sum / inputs.size(), tolerance);
    });
    for (int64_t i = 0; i < InSize(d); ++i) {
      ASSERT_NEAR(static_cast<double>(dx[i]), want_dx[i], 4 * tolerance);
    }
  }
}

TEST(PoolTest, Max) {
  CheckMax<float>(ElementType::kFloat);
  CheckMax<double>(ElementType::kDouble);
  CheckMax<half>(ElementType::kHalf);
  CheckMax<bfloat16>(ElementType::kBFloat16);
  CheckMax<int8_t>(ElementType::kInt8);
  CheckMax<uint8_t>(ElementType::kUInt8);
  CheckMax<int32_t>(ElementType::kInt32);
  CheckMax<uint64_t>(ElementType::kUInt64);
}

TEST(PoolTest, Average) {
  CheckAvg<float>(ElementType::kFloat, 1e-6);
  CheckAvg<double>(ElementType::kDouble, 1e-14);
  CheckAvg<half>(ElementType::kHalf, 2e-3);
  CheckAvg<bfloat16>(ElementType::kBFloat16, 2e-2);
}

TEST(PoolTest, NanAndInfinity) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const PoolDesc d = Shape(1, {1, 1, 6}, 1, {1, 1, 2}, {1, 1, 2}, false);
  const float x[] = {nan, 1, nan, nan, -inf, -inf}, g[] = {1, 2, 3};
  float y[3], dx[6];
  ASSERT_TRUE(MaxPool(d, x, y).ok());
  EXPECT_EQ(y[0], 1.0f);
  EXPECT_EQ(y[1], std::numeric_limits<float>::lowest());
  EXPECT_EQ(y[2], std::numeric_limits<float>::lowest());
  ASSERT_TRUE(MaxPoolGrad(d, x, g, dx).ok());
  const float want[] = {1, 0, 2, 0, 3, 0};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(dx[i], want[i]) << i;
}

// Whatever the way: one or many channels, windows apart or not.
TEST(PoolTest, NanIsIgnoredWhereverItStands) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const PoolDesc& d : Shapes()) {
    std::vector<float> x = Values<float>(InSize(d), 5);
    for (size_t i = 0; i < x.size(); ++i) {
      if (i % 3 != 1) x[i] = nan;
    }
    std::vector<float> y(OutSize(d));
    ASSERT_TRUE(MaxPool(d, x.data(), y.data()).ok());
    ForWindows(d, [&](int64_t out, const std::vector<int64_t>& inputs) {
      float best = std::numeric_limits<float>::lowest();
      for (int64_t i : inputs) {
        if (x[i] > best) best = x[i];
      }
      ASSERT_EQ(y[out], best);
    });
  }
}

TEST(PoolTest, RejectsBadDescriptions) {
  PoolDesc d = Shape(1, {1, 4, 4}, 1, {1, 2, 2}, {1, 2, 2}, false);
  d.stride[1] = 0;
  float unused = 0;
  EXPECT_EQ(MaxPool(d, &unused, &unused).code(), Code::kInvalidArgument);
  d.stride[1] = 1;
  d.pad[2] = 2;
  EXPECT_EQ(AvgPool(d, &unused, &unused).code(), Code::kInvalidArgument);
  d.pad[2] = 0;
  d.type = ElementType::kInt32;
  EXPECT_EQ(AvgPool(d, &unused, &unused).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace gk
