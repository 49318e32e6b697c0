// Functions whose variables became constants.
#include <tuple>
#include <vector>

#include "api/same_gradient_for_test.h"

namespace {

using gk::Tensor;
using gk_test::ErrorOf;
using gk_test::ExpectHas;

const gk::TensorSpec kScalar{.shape = {}, .dtype = gk::DataType::kDouble};

TEST(FreezeTest, KeepsTheValuesOfThatMoment) {
  gk::Variable w(0.5);
  auto f = gk::function([&](Tensor x) {
    auto [i, y] = gk::while_loop(
        [](const Tensor& i, const Tensor&) { return i < 3; },
        [&](const Tensor& i, const Tensor& y) {
          const Tensor z = gk::cond(
              y > 1.0, [&] { return y * w; }, [&] { return y + w; });
          return std::tuple(i + 1, z);
        },
        std::tuple(Tensor(0), x));
    return y;
  });
  const gk::ConcreteFunction traced = f.get_concrete_function(kScalar);
  const gk::ConcreteFunction frozen = traced.Freeze();
  EXPECT_GT(traced.num_captures(), 0);
  EXPECT_EQ(frozen.num_captures(), 0);
  EXPECT_EQ(frozen.inputs()[0].name, traced.inputs()[0].name);
  const double then = traced(Tensor(0.25))[0].item<double>();
  w.assign(7.0);
  EXPECT_EQ(frozen(Tensor(0.25))[0].item<double>(), then);
  EXPECT_NE(traced(Tensor(0.25))[0].item<double>(), then);
}

TEST(FreezeTest, RefusesWhatWrites) {
  gk::Variable count(0.0, {.name = "count"});
  auto f = gk::function([&](Tensor x) {
    count.assign_add(x);
    return x;
  });
  const gk::ConcreteFunction traced = f.get_concrete_function(kScalar);
  const gk::Error e = ErrorOf([&] { traced.Freeze(); });
  EXPECT_EQ(e.code(), gk::ErrorCode::kValueError);
  ExpectHas(e.what(), "'count");
  ExpectHas(e.what(), "does more than read it");
}

}  // namespace
