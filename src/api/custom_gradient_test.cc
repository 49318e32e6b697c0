// Functions with gradients of their own, eagerly and in graphs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
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

// Functions and their gradients use what is around them: in the program, and
// where they are loaded.
class CapturingGradientTest : public ::testing::Test {
 protected:
  CapturingGradientTest() {
    char name[] = "/tmp/gk-own-gradient-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~CapturingGradientTest() override { std::filesystem::remove_all(folder_); }

  // sin(x), with `factor()` in the place of cos(x).
  static gk::TensorFunction Sine(std::function<Tensor()> factor) {
    return gk::custom_gradient([factor](const Tensors& in) {
      return gk::OwnGradient{
          {gk::math::sin(in[0])},
          [factor](const Tensors& up) { return Tensors{up[0] * factor()}; }};
    });
  }
  // The gradient of body(x, 2) for x = 0.5, here and in a loaded model.
  template <class Body>
  void Expect(float expected, Body body) {
    const auto f = gk::function(body, {.argument_names = {"x", "c"}});
    const auto gradient = [](const auto& call) {
      const Tensor x = 0.5f;
      gk::GradientTape tape;
      tape.watch(x);
      const Tensor y = call(x, Tensor(2.0f));
      return tape.gradient(y, x).template item<float>();
    };
    EXPECT_FLOAT_EQ(gradient(f), expected);
    f.get_concrete_function(gk::TensorSpec{gk::Shape()},
                            gk::TensorSpec{gk::Shape()});
    gk::saved_model::save(model_, folder_, {.functions = {{"f", f}}});
    const auto loaded = gk::saved_model::load(folder_).function("f");
    EXPECT_FLOAT_EQ(gradient([&](const Tensor& x, const Tensor& c) {
                      return loaded(x, c).tensor();
                    }),
                    expected);
  }

  gk::Module model_;
  const gk::Variable v_ = model_.track("v", gk::Variable(3.0f));
  std::string folder_;
};

TEST_F(CapturingGradientTest, OfTheFunctionAround) {
  const gk::Variable v = v_;
  const Tensor eager = 7.0f;
  Expect(4, [](const Tensor& x, const Tensor& c) {
    const Tensor k = c * 2.0f;
    return Sine([=] { return k; })({x})[0];
  });
  Expect(21, [=](const Tensor& x, const Tensor&) {
    return Sine([=] { return v.value() * eager; })({x})[0];
  });
  const auto made_before = Sine([=] { return v.value() * 2.0f; });
  Expect(6,
         [=](const Tensor& x, const Tensor&) { return made_before({x})[0]; });
}

TEST_F(CapturingGradientTest, OfTheFunctionAroundLoopsBranchesAndCalls) {
  const gk::Variable v = v_;
  const auto three_times = [](const Tensor& x, gk::TensorFunction f) {
    Tensor i = 0, z = x;
    gk::carry(i, z).while_([&] { return i < 3; },
                           [&] {
                             i = i + 1;
                             z = f({z})[0];
                           });
    return z;
  };
  Expect(64, [=](const Tensor& x, const Tensor& c) {
    const Tensor k = c * 2.0f;
    return three_times(x, Sine([=] { return k; }));
  });
  Expect(27, [=](const Tensor& x, const Tensor&) {
    return three_times(x, Sine([=] { return v.value(); }));
  });
  Expect(4, [](const Tensor& x, const Tensor& c) {
    const Tensor k = c * 2.0f;
    return gk::cond(
        x > 0.0f, [=] { return Sine([=] { return k; })({x})[0]; },
        [=] { return x; });
  });
  Expect(4, [](const Tensor& x, const Tensor& c) {
    const Tensor k = c * 2.0f;
    const auto inner = gk::function(
        [=](const Tensor& y) { return Sine([=] { return k; })({y})[0]; });
    return inner(x);
  });
  Expect(16, [](const Tensor& x, const Tensor& c) {
    const Tensor k = c * 2.0f;
    const auto scaled = gk::custom_gradient([=](const Tensors& in) {
      return gk::OwnGradient{{in[0] * k}, [=](const Tensors& up) {
                               return Tensors{up[0] * k * k};
                             }};
    });
    return scaled({x})[0];
  });
}

TEST_F(CapturingGradientTest, VariablesReadHaveGradients) {
  const gk::Variable v = v_, w = model_.track("w", gk::Variable(5.0f));
  const Tensor half = 0.5f;
  const auto scaled = gk::custom_gradient([=](const Tensors& in) {
    const auto gradient = [=](const Tensors& up,
                              const std::vector<gk::Variable>& variables) {
      EXPECT_EQ(variables.size(), 2u);
      return gk::OwnGradients{{up[0] * 10.0f * variables[0].value() * half},
                              {up[0] * 100.0f, up[0] * 1000.0f * in[0]}};
    };
    const Tensor first = in[0] * w.value();
    return gk::OwnGradient{{first * v.value()}, {}, gradient};
  });
  const Tensor x = 2.0f;
  const auto expect = [&](const auto& call, const gk::Variable& first,
                          const gk::Variable& second) {
    gk::GradientTape tape({.persistent = true});
    tape.watch(x);
    const Tensor y = call(x);
    EXPECT_EQ(y.template item<float>(), 30);
    EXPECT_EQ(tape.gradient(y, x).item<float>(), 25);
    EXPECT_EQ(tape.gradient(y, first).item<float>(), 100);
    EXPECT_EQ(tape.gradient(y, second).item<float>(), 2000);
  };
  expect([&](const Tensor& t) { return scaled({t})[0]; }, w, v);
  const auto f = gk::function([=](const Tensor& t) { return scaled({t})[0]; },
                              {.argument_names = {"x"}});
  expect(f, w, v);
  gk::saved_model::save(model_, folder_, {.functions = {{"f", f}}});
  const auto model = gk::saved_model::load(folder_);
  expect([&](const Tensor& t) { return model.function("f")(t).tensor(); },
         model.variable("w"), model.variable("v"));

  const auto too_few = gk::custom_gradient([=](const Tensors& in) {
    return gk::OwnGradient{
        {in[0] * v.value()}, {}, [](const Tensors& up, auto&) {
          return gk::OwnGradients{up, {}};
        }};
  });
  gk::GradientTape tape;
  tape.watch(x);
  const Tensor y = too_few({x})[0];
  try {
    tape.gradient(y, x);
    ADD_FAILURE();
  } catch (const gk::Error& e) {
    EXPECT_EQ(e.code(), gk::ErrorCode::kValueError);
  }
}

}  // namespace
