// For tests of what works eagerly and staged: the same values, the same
// gradients, those of differences.
#ifndef GK_API_SAME_GRADIENT_FOR_TEST_H_
#define GK_API_SAME_GRADIENT_FOR_TEST_H_

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "graphkiln/graphkiln.h"

namespace gk_test {

// The error that `body` throws, or a failure.
template <class F>
gk::Error ErrorOf(F&& body) {
  try {
    body();
  } catch (const gk::Error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was thrown";
  return gk::Error(gk::ErrorCode::kUnknown, "");
}

// The error of tracing `f` with a float64 scalar.
template <class F>
gk::Error TracingError(F f) {
  auto staged = gk::function(f);
  return ErrorOf([&] { staged(gk::Tensor(1.0)); });
}

inline void ExpectHas(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
}

using ScalarFn = std::function<gk::Tensor(const gk::Tensor&)>;

inline gk::Tensor GradientAt(const ScalarFn& f, const gk::Tensor& x) {
  gk::GradientTape tape;
  tape.watch(x);
  const gk::Tensor dx = tape.gradient(f(x), x);
  return dx.defined() ? dx : x * 0;
}

// f(x) and d f(x) / dx for a scalar x of dtype float64: eagerly, traced, with
// the tape outside and inside of the traced function, and a second time.
inline void ExpectSameWithGradient(const ScalarFn& f, double x,
                                   bool second_order = true) {
  auto staged = gk::function([&](const gk::Tensor& t) { return f(t); });
  const ScalarFn call = [&](const gk::Tensor& t) { return staged(t); };
  auto inside =
      gk::function([&](const gk::Tensor& t) { return GradientAt(f, t); });
  const gk::Tensor at(x);
  EXPECT_DOUBLE_EQ(staged(at).item<double>(), f(at).item<double>());

  const double h = 1e-5 * (1 + std::abs(x));
  const gk::Tensor up(x + h), down(x - h);
  const double first =
      (f(up).item<double>() - f(down).item<double>()) / (2 * h);
  const double eager = GradientAt(f, at).item<double>();
  EXPECT_NEAR(eager, first, 1e-6 * (1 + std::abs(first)));
  EXPECT_DOUBLE_EQ(GradientAt(call, at).item<double>(), eager);
  EXPECT_DOUBLE_EQ(inside(at).item<double>(), eager);
  if (!second_order) return;

  const ScalarFn derivative = [&](const gk::Tensor& t) {
    return GradientAt(f, t);
  };
  const double second = (derivative(up).item<double>() -
                         derivative(down).item<double>()) /
                        (2 * h);
  const double near = 1e-5 * (1 + std::abs(second));
  EXPECT_NEAR(GradientAt(derivative, at).item<double>(), second, near);
  auto twice = gk::function(
      [&](const gk::Tensor& t) { return GradientAt(derivative, t); });
  EXPECT_NEAR(twice(at).item<double>(), second, near);
  EXPECT_NEAR(GradientAt([&](const gk::Tensor& t) { return inside(t); }, at)
                  .item<double>(),
              second, near);
}

}  // namespace gk_test

#endif  // GK_API_SAME_GRADIENT_FOR_TEST_H_
