// Branches and loops within one another, in functions, under tapes and threads.
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "api/same_gradient_for_test.h"

namespace {

using gk::ErrorCode;
using gk::Tensor;
using gk_test::ErrorOf;
using gk_test::ExpectHas;
using gk_test::ExpectSameWithGradient;
using gk_test::TracingError;

TEST(NestingTest, BranchesInLoopsInBranches) {
  gk::Variable w(0.5);
  auto f = [&](const Tensor& x) {
    return gk::cond(
        x > -10,
        [&] {
          auto [i, y] = gk::while_loop(
              [](const Tensor& i, const Tensor&) { return i < 4; },
              [&](const Tensor& i, const Tensor& y) {
                const Tensor z = gk::cond(
                    gk::equal(i % 2, 0), [&] { return y * x; },
                    [&] {
                      return gk::while_loop(
                          [](const Tensor& z) { return gk::abs(z) < 5; },
                          [&](const Tensor& z) { return z * (w + 1.0) * 1.5; },
                          y);
                    });
                return std::tuple(i + 1, z);
              },
              std::tuple(0, x));
          return y;
        },
        [&] { return x; });
  };
  ExpectSameWithGradient(f, 1.3);
  gk::GradientTape tape;
  auto staged = gk::function(f);
  const Tensor dw = tape.gradient(staged(Tensor(1.3)), w);
  gk::GradientTape again;
  EXPECT_DOUBLE_EQ(again.gradient(f(Tensor(1.3)), w).item<double>(),
                   dw.item<double>());
}

TEST(NestingTest, FunctionsInsideParts) {
  auto twice = gk::function([](const Tensor& x) { return x * x; });
  auto f = [&](const Tensor& x) {
    return gk::while_loop([](const Tensor& y) { return y < 100; },
                          [&](const Tensor& y) { return twice(y) + x; }, x);
  };
  ExpectSameWithGradient(f, 1.7);
}

TEST(NestingTest, VariablesAreUpdatedInOrder) {
  gk::Variable v(0.0f);
  auto f = gk::function([&](const Tensor& n) {
    gk::while_loop([&](const Tensor& i) { return i < n; },
                   [&](const Tensor& i) {
                     v.assign(v.value() * 2 + 1);
                     gk::cond(v.value() > 10, [&] { v.assign_sub(8.0f); });
                     return i + 1;
                   },
                   0);
    return v.value();
  });
  float want = 0;
  for (int i = 0; i < 6; ++i) {
    want = want * 2 + 1;
    if (want > 10) want -= 8;
  }
  EXPECT_EQ(f(Tensor(6)).item<float>(), want);
  EXPECT_EQ(v.value().item<float>(), want);
}

TEST(NestingTest, TapesInsideOfParts) {
  // Newton's steps towards a root of y^3 = x, their slopes by a tape.
  auto f = [](const Tensor& x) {
    return gk::while_loop(
        [&](const Tensor& y) { return gk::abs(y * y * y - x) > 1e-9; },
        [&](const Tensor& y) {
          gk::GradientTape tape;
          tape.watch(y);
          const Tensor error = y * y * y - x;
          return y - error / tape.gradient(error, y);
        },
        x);
  };
  EXPECT_NEAR(gk::function(f)(Tensor(8.0)).item<double>(), 2, 1e-9);
  ExpectSameWithGradient(f, 8.0, /*second_order=*/false);
}

TEST(NestingTest, VariablesAreMadeOnceInBranches) {
  std::optional<gk::Variable> v;
  auto f = gk::function([&](const Tensor& x) {
    return gk::cond(
        x > 0,
        [&] {
          if (!v) v.emplace(3.0);
          v->assign_add(x);
          return v->value();
        },
        [&] { return x; });
  });
  EXPECT_EQ(f(Tensor(1.0)).item<double>(), 4);
  EXPECT_EQ(f(Tensor(1.0)).item<double>(), 5);
  EXPECT_EQ(f(Tensor(-1.0)).item<double>(), -1);
}

TEST(NestingTest, RecursionInABranchIsAnError) {
  std::function<Tensor(const Tensor&)> factorial = [&](const Tensor& n) {
    return gk::cond(
        n < 2, [&] { return n; }, [&] { return n * factorial(n - 1); });
  };
  EXPECT_EQ(factorial(Tensor(5)).item<int>(), 120);
  const gk::Error e = TracingError([&](const Tensor& n) {
    return factorial(n);
  });
  EXPECT_EQ(e.code(), ErrorCode::kRuntimeError);
  ExpectHas(e.what(), "maximum recursion depth exceeded");
  auto after = gk::function([](const Tensor& x) {
    return gk::cond(x > 0, [&] { return x; }, [&] { return -x; });
  });
  EXPECT_EQ(after(Tensor(-2)).item<int>(), 2);
}

TEST(NestingTest, ATensorOfAPartIsNoOneElses) {
  Tensor leaked;
  const gk::Error e = TracingError([&](const Tensor& x) {
    gk::cond(x > 0, [&] { leaked = x * 2; });
    return leaked + 1;
  });
  EXPECT_EQ(e.code(), ErrorCode::kTypeError);
  ExpectHas(e.what(), "is out of scope");
}

TEST(NestingTest, ManyThreadsTraceAndRun) {
  auto f = gk::function([](const Tensor& x) {
    auto [i, y] = gk::while_loop(
        [](const Tensor& i, const Tensor&) { return i < 10; },
        [](const Tensor& i, const Tensor& y) {
          return std::tuple(i + 1, gk::cond(gk::reduce_sum(y) > 50,
                                            [&] { return y - 40; },
                                            [&] { return y + y; }));
        },
        std::tuple(0, x));
    return gk::reduce_sum(y);
  });
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int n = 1; n < 6; ++n) {
        const Tensor x = gk::ones({n}) * (t + 1);
        gk::GradientTape tape;
        tape.watch(x);
        const Tensor y = f(x);
        const Tensor dx = tape.gradient(y, x);
        float want = static_cast<float>(t + 1);
        float slope = 1;
        for (int i = 0; i < 10; ++i) {
          if (want * n > 50) {
            want -= 40;
          } else {
            want += want;
            slope *= 2;
          }
        }
        wrong += y.item<float>() != want * n;
        wrong += dx.to_vector<float>() != std::vector<float>(n, slope);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(f.tracing_count(), 5);
}

}  // namespace
