// Functions with gradients of their own, eagerly and in graphs.
#include <gtest/gtest.h>

#include <vector>

#include "graphkiln/graphkiln.h"

namespace {

using gk::Tensor;
using Tensors = std::vector<Tensor>;

gk::TensorFunction Steep() {
  return gk::custom_gradient([](const Tensors& x) {
    return gk::OwnGradient{{x[0] * x[0]}, [x](const Tensors& upstream) {
                             return Tensors{upstream[0] * 4.0f * x[0]};
                           }};
  });
}

TEST(CustomGradientTest, IsUsedByTapes) {
  const Tensor x = 3.0f;
  gk::GradientTape tape;
  tape.watch(x);
  const Tensor y = Steep()({x})[0];
  EXPECT_EQ(y.item<float>(), 9);
  EXPECT_EQ(tape.gradient(y, x).item<float>(), 12);
}

TEST(CustomGradientTest, IsUsedInFunctionsAndThroughTheirCalls) {
  auto f = gk::function([](const Tensor& x) { return Steep()({x})[0]; });
  auto inside = gk::function([](const Tensor& x) {
    gk::GradientTape tape;
    tape.watch(x);
    const Tensor y = Steep()({x * 1.0f})[0];
    return Tensors{tape.gradient(y, x), gk::gradients({y}, {x})[0]};
  });
  const Tensor x = 3.0f;
  for (const Tensor& g : inside(x)) EXPECT_EQ(g.item<float>(), 12);
  gk::GradientTape outer;
  outer.watch(x);
  gk::GradientTape tape;
  tape.watch(x);
  const Tensor g = tape.gradient(f(x), x);
  EXPECT_EQ(g.item<float>(), 12);
  EXPECT_EQ(outer.gradient(g, x).item<float>(), 4);
}

TEST(CustomGradientTest, RefusesWhatCannotBe) {
  const gk::Variable v(2.0f);
  const Tensor x = 3.0f;
  const auto reads = gk::custom_gradient([&](const Tensors& in) {
    return gk::OwnGradient{{in[0] * v.value()},
                           [](const Tensors& up) { return up; }};
  });
  gk::GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = reads({x})[0];
  EXPECT_THROW(tape.gradient(y, x), gk::Error);
  const auto too_many = gk::custom_gradient([](const Tensors& in) {
    return gk::OwnGradient{{in[0] + 1.0f}, [](const Tensors& up) {
                             return Tensors{up[0], up[0]};
                           }};
  });
  const Tensor z = too_many({x})[0];
  EXPECT_THROW(tape.gradient(z, x), gk::Error);
}

TEST(CustomGradientTest, RecomputesAndPassesThrough) {
  const gk::Variable v(5.0f);
  int runs = 0;
  const auto cube = gk::recompute_grad([&](const Tensors& in) {
    ++runs;
    return Tensors{in[0] * in[0] * in[0] * v.value()};
  });
  const auto round = gk::grad_pass_through(
      [](const Tensors& in) { return Tensors{gk::round(in[0])}; });
  const Tensor x = 2.0f;
  {
    gk::GradientTape tape({.persistent = true});
    tape.watch(x);
    const Tensor y = cube({x})[0];
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(tape.gradient(y, x).item<float>(), 60);
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(tape.gradient(y, v).item<float>(), 8);
    const Tensor z = round({x * 1.3f})[0];
    EXPECT_EQ(z.item<float>(), 3);
    EXPECT_FLOAT_EQ(tape.gradient(z, x).item<float>(), 1.3f);
  }
  auto f = gk::function([&](const Tensor& t) { return cube({t})[0]; });
  gk::GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = f(x);
  EXPECT_EQ(tape.gradient(y, x).item<float>(), 60);
  EXPECT_EQ(tape.gradient(y, v).item<float>(), 8);
}

}  // namespace
