// Jacobians, and derivatives along directions.
#include <gtest/gtest.h>

#include <vector>

#include "graphkiln/graphkiln.h"

namespace {

using gk::Tensor;
using Floats = std::vector<float>;

TEST(DerivativesTest, JacobiansOfTensorsAndVariables) {
  const Tensor x = {1.0f, 2.0f, 3.0f};
  const gk::Variable w(Tensor({2.0f, 5.0f}));
  gk::GradientTape tape;
  tape.watch(x);
  const Tensor y = gk::concat({x * x, w.value() * w.value()}, 0);
  const std::vector<Tensor> j =
      tape.jacobian(y, std::vector<gk::TensorOrVariable>{x, w, Tensor(1.0f)});
  EXPECT_EQ(j[0].shape(), gk::Shape({5, 3}));
  EXPECT_EQ(j[0].to_vector<float>(),
            (Floats{2, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(j[1].to_vector<float>(), (Floats{0, 0, 0, 0, 0, 0, 4, 0, 0, 10}));
  EXPECT_FALSE(j[2].defined());
  EXPECT_THROW(tape.jacobian(y, x), gk::Error);
}

TEST(DerivativesTest, JacobiansInFunctionsAreLoops) {
  auto f = gk::function([](const Tensor& x) {
    gk::GradientTape tape;
    tape.watch(x);
    return tape.jacobian(gk::sin(x), x);
  });
  const Tensor x = gk::linspace(0.0f, 1.0f, 20);
  EXPECT_EQ(gk::linalg::trace(f(x)).item<float>(),
            gk::reduce_sum(gk::cos(x)).item<float>());
}

TEST(DerivativesTest, HessianIsTheJacobianOfAGradient) {
  const Tensor x = {1.0f, 2.0f};
  gk::GradientTape outer;
  outer.watch(x);
  gk::GradientTape inner;
  inner.watch(x);
  const Tensor y = gk::reduce_sum(x * x * x);
  const Tensor g = inner.gradient(y, x);
  EXPECT_EQ(outer.jacobian(g, x).to_vector<float>(), (Floats{6, 0, 0, 12}));
}

TEST(DerivativesTest, BatchJacobian) {
  const Tensor x = {{1.0f, 2.0f}, {3.0f, 4.0f}};
  gk::GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = x * x;
  const Tensor j = tape.batch_jacobian(y, x);
  EXPECT_EQ(j.shape(), gk::Shape({2, 2, 2}));
  EXPECT_EQ(j.to_vector<float>(), (Floats{2, 0, 0, 4, 6, 0, 0, 8}));
  EXPECT_THROW(tape.batch_jacobian(y, Tensor({1.0f})), gk::Error);
  EXPECT_THROW(tape.batch_jacobian(y, Tensor({{1.0f}})), gk::Error);
}

TEST(DerivativesTest, Jvp) {
  const Tensor x = {1.0f, 2.0f}, y = {3.0f, 5.0f};
  const auto product = [](const std::vector<Tensor>& in) {
    return in[0] * in[0] * in[1];
  };
  const gk::ForwardResult both =
      gk::jvp(product, {x, y}, {Tensor({1.0f, 0.0f}), Tensor({0.0f, 1.0f})});
  EXPECT_EQ(both.value.to_vector<float>(), (Floats{3, 20}));
  EXPECT_EQ(both.derivative.to_vector<float>(), (Floats{6, 4}));
  EXPECT_EQ(gk::jvp(product, {x, y}, {Tensor(), Tensor()})
                .derivative.to_vector<float>(),
            (Floats{0, 0}));
  EXPECT_THROW(gk::jvp(product, {x, y}, {x}), gk::Error);
  auto traced = gk::function([&](const Tensor& a, const Tensor& b) {
    return gk::jvp(product, {a, b}, {gk::ones_like(a), Tensor()}).derivative;
  });
  EXPECT_EQ(traced(x, y).to_vector<float>(), (Floats{6, 20}));
}

TEST(DerivativesTest, JacobianOfAFunction) {
  const Tensor x = {1.0f, 2.0f}, y = {3.0f, 5.0f, 7.0f};
  const auto square = [](const Tensor& t) { return t * t; };
  EXPECT_EQ(gk::jacobian(square, x).to_vector<float>(), (Floats{2, 0, 0, 4}));
  const auto outer = [](const std::vector<Tensor>& in) {
    return gk::expand_dims(in[0], 1) * in[1];
  };
  const std::vector<Tensor> both = gk::jacobian(outer, {x, y});
  EXPECT_EQ(both[0].shape(), gk::Shape({2, 3, 2}));
  EXPECT_EQ(both[0].to_vector<float>(),
            (Floats{3, 0, 5, 0, 7, 0, 0, 3, 0, 5, 0, 7}));
  EXPECT_EQ(both[1].shape(), gk::Shape({2, 3, 3}));
  // One tensor as both arguments, each by itself.
  const auto first = [](const std::vector<Tensor>& in) {
    return in[0] * gk::reduce_sum(in[1]);
  };
  const std::vector<Tensor> own = gk::jacobian(first, {x, x});
  EXPECT_EQ(own[0].to_vector<float>(), (Floats{3, 0, 0, 3}));
  EXPECT_EQ(own[1].to_vector<float>(), (Floats{1, 1, 2, 2}));
  // What nothing depends on.
  const Tensor none = gk::jacobian([](const Tensor&) { return 2.0f; }, x);
  EXPECT_EQ(none.to_vector<float>(), (Floats{0, 0}));
  // Of second order, traced.
  auto traced = gk::function([&](const Tensor& t) {
    return gk::jacobian(
        [&](const Tensor& s) { return gk::jacobian(square, s); }, t);
  });
  EXPECT_EQ(traced(x).to_vector<float>(), (Floats{2, 0, 0, 0, 0, 0, 0, 2}));
  const Tensor rows = {{1.0f, 2.0f}, {3.0f, 4.0f}};
  EXPECT_EQ(gk::batch_jacobian(square, rows).to_vector<float>(),
            (Floats{2, 0, 0, 4, 6, 0, 0, 8}));
}

TEST(DerivativesTest, ZerosForWhatIsNotConnected) {
  const Tensor x = {1.0f, 2.0f};
  const gk::Variable w(Tensor({2.0f, 5.0f}));
  constexpr auto kZero = gk::UnconnectedGradients::kZero;
  gk::GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = x * x;
  EXPECT_FALSE(tape.gradient(y, w).defined());
  EXPECT_EQ(tape.gradient(y, w, kZero).to_vector<float>(), (Floats{0, 0}));
  EXPECT_EQ(tape.jacobian(y, w, kZero).to_vector<float>(),
            (Floats{0, 0, 0, 0}));
  tape.Stop();
  EXPECT_THROW(tape.Stop(), gk::Error);
  EXPECT_THROW(tape.Reset(), gk::Error);
  tape.Resume();
  EXPECT_THROW(tape.Resume(), gk::Error);
}

TEST(DerivativesTest, OfAGraph) {
  const gk::Variable w(Tensor({2.0f, 5.0f}));
  auto f = gk::function([&](const Tensor& x) {
    const Tensor y = x * x * w.value();
    const std::vector<Tensor> g = gk::gradients({y}, {x, w});
    EXPECT_FALSE(gk::gradients({y}, {Tensor(1.0f)})[0].defined());
    const Tensor half = x * 0.5f;
    const Tensor stopped = gk::gradients(
        {half * x}, {x}, {.grad_ys = {x}, .stop_gradients = {half}})[0];
    EXPECT_THROW(gk::gradients({y}, {x}, {.grad_ys = {x, x}}), gk::Error);
    EXPECT_THROW(gk::gradients({y}, {x}, {.grad_ys = {gk::zeros({3})}}),
                 gk::Error);
    const Tensor h = gk::hessians({gk::reduce_sum(x * x * x)}, {x})[0];
    EXPECT_EQ(h.shape(), gk::Shape({2, 2}));
    return std::vector<Tensor>{g[0], g[1], stopped, h};
  });
  const std::vector<Tensor> found = f(Tensor({1.0f, 2.0f}));
  EXPECT_EQ(found[0].to_vector<float>(), (Floats{4, 20}));
  EXPECT_EQ(found[1].to_vector<float>(), (Floats{1, 4}));
  EXPECT_EQ(found[2].to_vector<float>(), (Floats{0.5, 2}));
  EXPECT_EQ(found[3].to_vector<float>(), (Floats{6, 0, 0, 12}));
  EXPECT_THROW(gk::gradients({found[0]}, {found[1]}), gk::Error);
  EXPECT_THROW(gk::hessians({found[0]}, {found[1]}), gk::Error);
}

TEST(ForwardModeTest, OneTensorAsSeveralArguments) {
  const Tensor x = {2.0f};
  const gk::ForwardResult both = gk::jvp(
      [](const std::vector<Tensor>& in) { return in[0] * in[0] * in[1]; },
      {x, x}, {Tensor({1.0f}), Tensor({10.0f})});
  EXPECT_EQ(both.derivative.to_vector<float>(), (Floats{48}));  // 8 + 4 * 10
}

TEST(ForwardModeTest, AccumulatorsNest) {
  const Tensor x = {2.0f}, one = {1.0f};
  gk::ForwardAccumulator outer({x}, {one});
  gk::ForwardAccumulator inner({x}, {one});
  const Tensor y = x * x * x;
  const Tensor first = inner.jvp(y);
  EXPECT_EQ(first.to_vector<float>(), (Floats{12}));
  EXPECT_EQ(outer.jvp(first).to_vector<float>(), (Floats{12}));
  // The inner one does not follow its own products.
  EXPECT_FALSE(inner.jvp(first).defined());
  EXPECT_FALSE(inner.jvp(one * one).defined());
  inner.Stop();
  EXPECT_THROW(inner.Stop(), gk::Error);
  EXPECT_FALSE(inner.jvp(x * y).defined());
  EXPECT_EQ(outer.jvp(x * y).to_vector<float>(), (Floats{32}));
}

TEST(ForwardModeTest, ForwardOverBackwardAndBackwardOverForward) {
  const gk::Variable v(Tensor({1.0f, 2.0f}));
  gk::GradientTape around({.persistent = true});
  gk::ForwardAccumulator forward({v}, {Tensor({1.0f, 0.5f})});
  Tensor gradient;
  {
    gk::GradientTape tape;
    const Tensor y = v.value() * v.value() * v.value();
    gradient = tape.gradient(y, v);
  }
  const Tensor product = forward.jvp(gradient);
  EXPECT_EQ(product.to_vector<float>(), (Floats{6, 6}));
  // 6 v t, by v: the tape outside saw what was computed when it was asked for.
  EXPECT_EQ(around.gradient(product, v).to_vector<float>(), (Floats{6, 3}));
}

TEST(ForwardModeTest, FunctionsThatAreTracedUnderIt) {
  const Tensor x = {2.0f};
  gk::ForwardAccumulator forward({x}, {Tensor({1.0f})});
  auto f = gk::function([&](const Tensor& t) {
    EXPECT_FALSE(forward.jvp(t).defined());  // an argument
    return forward.jvp(t * x * x);
  });
  EXPECT_EQ(f(Tensor({5.0f})).to_vector<float>(), (Floats{20}));
}

TEST(ForwardModeTest, BadTangents) {
  const Tensor x = {2.0f}, y = {1.0f, 2.0f};
  EXPECT_THROW(gk::ForwardAccumulator({x}, {}), gk::Error);
  EXPECT_THROW(gk::ForwardAccumulator({x}, {y}), gk::Error);
  EXPECT_THROW(gk::ForwardAccumulator({x, x}, {x, x}), gk::Error);
}

TEST(EinsumTest, ProductsOfSeveral) {
  const Tensor a = {{1.0f, 2.0f}, {3.0f, 4.0f}};
  EXPECT_EQ(gk::einsum("ij,jk->ik", {a, a}).to_vector<float>(),
            (Floats{7, 10, 15, 22}));
  EXPECT_EQ(gk::einsum("ij,jk,kl->", {a, a, a}, "optimal").item<float>(), 290);
  EXPECT_THROW(gk::einsum("ij,jk->ik", {a}), gk::Error);
}

}  // namespace
