// Functions with a way of their own for usual arguments: the loop gives what
// the function gives of each number alone, to the bit, on every level.
#include "kernels/math/tabulated.h"

#include <gtest/gtest.h>
#include <math.h>

#include <cmath>
#include <vector>

#include "kernels/elementwise.h"
#include "kernels/math/trig.h"

namespace gk {
namespace {

std::vector<float> Samples() {
  std::vector<float> x = {
      0,         -0.0f,      1,   2,           -1,        -2,
      HUGE_VALF, -HUGE_VALF, NAN, 0x1p-149f,   0x1p-126f, 3e38f,
      128,       127.5f,     16,  15.9999990f, 0x1p24f,   0x1.fffffep23f};
  for (int i = 0; i < 3000; ++i) {
    x.push_back((i % 2 ? -1.0f : 1.0f) * std::exp2(i * 0.03f - 45) * 1.1f);
  }
  for (int i = 0; i < 1001; ++i) x.push_back(i * 0.013f + 0.001f);
  return x;
}

template <class F>
void CheckUsualWay(F f) {
  const std::vector<float> x = Samples();
  using Body = TileBody<F, float, float>;
  using Loop =
      Stamp<Body, int(void*, const void* const*, int64_t, const void*)>;
  for (const Isa isa : {Isa::kV2, Isa::kV3, Isa::kV4}) {
    if (isa > CurrentIsa()) continue;
    std::vector<float> y = x;  // in place
    const void* in[] = {y.data()};
    Loop::For(isa)(y.data(), in, static_cast<int64_t>(y.size()), nullptr);
    for (size_t i = 0; i < x.size(); ++i) {
      const float alone = f(x[i]);
      if (std::isnan(alone) && std::isnan(y[i])) continue;
      ASSERT_EQ(math::ToBits(alone), math::ToBits(y[i]))
          << x[i] << " at level " << int(isa);
    }
  }
}

TEST(UsualWay, IsTheFunction) {
  CheckUsualWay(math::kSin);
  CheckUsualWay(math::kCos);
  CheckUsualWay(math::kTan);
  CheckUsualWay(math::QuickCall<math::BySize<::j1, -8, 4>, ::j1>());
  CheckUsualWay(math::QuickCall<math::QuickBesselK<1>, math::BesselK<1>>());
  CheckUsualWay(math::QuickCall<math::QuickSpence, math::Spence>());
  CheckUsualWay(math::QuickCall<math::LgammaByTable, math::Lgamma<double>>());
  CheckUsualWay(math::QuickCall<math::QuickDigamma, math::Digamma<double>>());
}

}  // namespace
}  // namespace gk
