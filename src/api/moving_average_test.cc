#include <gtest/gtest.h>

#include "api/same_gradient_for_test.h"
#include "graphkiln/graphkiln.h"

namespace {

float Of(const gk::Variable& v) { return v.value().item<float>(); }

TEST(ExponentialMovingAverage, MovesTowardsTheVariable) {
  const gk::Variable v(gk::Tensor(1.0f), {.name = "v"});
  const gk::ExponentialMovingAverage ema(gk::Tensor(0.75f));
  EXPECT_FALSE(ema.average(v));
  EXPECT_EQ(ema.average_name(v), "v/ExponentialMovingAverage");
  ema.apply({v});
  EXPECT_EQ(Of(*ema.average(v)), 1);
  v.assign(5.0f);
  ema.apply({v});
  EXPECT_EQ(Of(*ema.average(v)), 2);
  EXPECT_FALSE(ema.average(v)->trainable());
  EXPECT_EQ(ema.average(v)->name(), "v/ExponentialMovingAverage");
}

TEST(ExponentialMovingAverage, MovesFasterInTheBeginning) {
  const gk::Variable v(gk::Tensor(0.0f)), n(gk::Tensor(2));
  const gk::ExponentialMovingAverage ema(
      gk::Tensor(0.75f), {.num_updates = n.value(), .name = "slow"});
  ema.apply({v});
  v.assign(8.0f);
  ema.apply({v});
  EXPECT_EQ(Of(*ema.average(v)), 6);  // a decay of 3 / 12
  EXPECT_EQ(ema.name(), "slow");
}

TEST(ExponentialMovingAverage, InFunctions) {
  const gk::Variable v(gk::Tensor(0.0f));
  const gk::ExponentialMovingAverage ema(gk::Tensor(0.5f));
  auto step = gk::function([&](const gk::Tensor& x) {
    v.assign(x);
    ema.apply({v});
    return ema.average(v)->value();
  });
  EXPECT_EQ(step(gk::Tensor(4.0f)).item<float>(), 2);
  EXPECT_EQ(step(gk::Tensor(4.0f)).item<float>(), 3);
  EXPECT_EQ(Of(*ema.average(v)), 3);
}

TEST(ExponentialMovingAverage, OfIntegersThereAreNone) {
  const gk::Variable v(gk::Tensor(1.0f)), n(gk::Tensor(2), {.name = "n"});
  const gk::ExponentialMovingAverage ema(gk::Tensor(0.5f));
  const gk::Error error = gk_test::ErrorOf([&] { ema.apply({v, n}); });
  EXPECT_STREQ(error.what(), "The variables must be half, float, or double: n");
  EXPECT_FALSE(ema.average(v));
}

}  // namespace
