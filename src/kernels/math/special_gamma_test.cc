#include "kernels/math/special_gamma.h"

#include <gtest/gtest.h>

namespace gk {
namespace {

// Values computed with SciPy.
TEST(SpecialGammaTest, Igamma) {
  EXPECT_NEAR(math::Igamma(0.5, 0.2) / 0.47291074313446196, 1, 1e-10);
  EXPECT_NEAR(math::Igamma(0.5, 3.0) / 0.98569412156457037, 1, 1e-10);
  EXPECT_NEAR(math::Igamma(2.0, 1.0) / 0.26424111765711528, 1, 1e-10);
  EXPECT_NEAR(math::Igamma(10.0, 12.0) / 0.75760783832948753, 1, 1e-10);
  EXPECT_NEAR(math::Igamma(100.0, 90.0) / 0.15822098918643007, 1, 1e-10);
  EXPECT_NEAR(math::Igamma(1000.0, 1010.0) / 0.6276789447369947, 1, 1e-10);
  EXPECT_NEAR(math::Igamma(100000.0, 100100.0) / 0.62444513070440555, 1, 1e-10);
}

TEST(SpecialGammaTest, Igammac) {
  EXPECT_NEAR(math::Igammac(0.5, 0.2) / 0.52708925686553809, 1, 1e-10);
  EXPECT_NEAR(math::Igammac(0.5, 3.0) / 0.014305878435429641, 1, 1e-10);
  EXPECT_NEAR(math::Igammac(2.0, 1.0) / 0.73575888234288467, 1, 1e-10);
  EXPECT_NEAR(math::Igammac(10.0, 12.0) / 0.24239216167051245, 1, 1e-10);
  EXPECT_NEAR(math::Igammac(100.0, 90.0) / 0.84177901081356998, 1, 1e-10);
  EXPECT_NEAR(math::Igammac(1000.0, 1010.0) / 0.37232105526300524, 1, 1e-10);
  EXPECT_NEAR(math::Igammac(100000.0, 100100.0) / 0.37555486929559451, 1,
              1e-10);
}

TEST(SpecialGammaTest, Zeta) {
  EXPECT_NEAR(math::Zeta(2.0, 1.0) / 1.6449340668482266, 1, 1e-12);
  EXPECT_NEAR(math::Zeta(1.5, 0.3) / 8.2377616714597242, 1, 1e-12);
  EXPECT_NEAR(math::Zeta(3.0, 20.5) / 0.0012492198861838669, 1, 1e-12);
  EXPECT_NEAR(math::Zeta(10.0, 1.0) / 1.0009945751278182, 1, 1e-12);
  EXPECT_NEAR(math::Zeta(4.0, 0.01) / 100000001.04184361, 1, 1e-12);
}

TEST(SpecialGammaTest, Polygamma) {
  EXPECT_NEAR(math::Polygamma(1.0, 0.5) / 4.9348022005446799, 1, 1e-12);
  EXPECT_NEAR(math::Polygamma(2.0, 3.5) / -0.1082040516417274, 1, 1e-12);
  EXPECT_NEAR(math::Polygamma(3.0, 10.0) / 0.0023199013042898686, 1, 1e-12);
  EXPECT_NEAR(math::Polygamma(1.0, 100.0) / 0.010050166663333573, 1, 1e-12);
}

TEST(SpecialGammaTest, Betainc) {
  EXPECT_NEAR(math::Betainc(0.5, 0.5, 0.3) / 0.36901011956554536, 1, 1e-11);
  EXPECT_NEAR(math::Betainc(2.0, 3.0, 0.7) / 0.9163, 1, 1e-11);
  EXPECT_NEAR(math::Betainc(10.0, 20.0, 0.2) / 0.049263517304212585, 1, 1e-11);
  EXPECT_NEAR(math::Betainc(100.0, 200.0, 0.4) / 0.9916844649260862, 1, 1e-11);
}

TEST(SpecialGammaTest, BesselI0) {
  EXPECT_NEAR(math::BesselI0(0.1) / 1.0025015629340956, 1, 1e-13);
  EXPECT_NEAR(math::BesselI0(1.0) / 1.2660658777520082, 1, 1e-13);
  EXPECT_NEAR(math::BesselI0(-5.0) / 27.239871823604442, 1, 1e-13);
  EXPECT_NEAR(math::BesselI0(29.0) / 292520631785.69086, 1, 1e-13);
  EXPECT_NEAR(math::BesselI0(31.0) / 2089962966491.9038, 1, 1e-13);
  EXPECT_NEAR(math::BesselI0(500.0) / 2.5048094765700781e+215, 1, 1e-13);
}

TEST(SpecialGammaTest, BesselI0e) {
  EXPECT_NEAR(math::BesselI0e(0.1) / 0.90710092578230106, 1, 1e-13);
  EXPECT_NEAR(math::BesselI0e(1.0) / 0.46575960759364043, 1, 1e-13);
  EXPECT_NEAR(math::BesselI0e(-5.0) / 0.18354081260932834, 1, 1e-13);
  EXPECT_NEAR(math::BesselI0e(29.0) / 0.07440746822222559, 1, 1e-13);
  EXPECT_NEAR(math::BesselI0e(31.0) / 0.07194649669698383, 1, 1e-13);
  EXPECT_NEAR(math::BesselI0e(500.0) / 0.017845706500153165, 1, 1e-13);
}

TEST(SpecialGammaTest, BesselI1) {
  EXPECT_NEAR(math::BesselI1(0.1) / 0.050062526047092694, 1, 1e-13);
  EXPECT_NEAR(math::BesselI1(1.0) / 0.56515910399248515, 1, 1e-13);
  EXPECT_NEAR(math::BesselI1(-5.0) / -24.335642142450524, 1, 1e-13);
  EXPECT_NEAR(math::BesselI1(29.0) / 287432108126.25482, 1, 1e-13);
  EXPECT_NEAR(math::BesselI1(31.0) / 2055972795294.5649, 1, 1e-13);
  EXPECT_NEAR(math::BesselI1(500.0) / 2.5023034121760998e+215, 1, 1e-13);
}

TEST(SpecialGammaTest, BesselI1e) {
  EXPECT_NEAR(math::BesselI1e(0.1) / 0.045298446808809324, 1, 1e-13);
  EXPECT_NEAR(math::BesselI1e(1.0) / 0.2079104153497085, 1, 1e-13);
  EXPECT_NEAR(math::BesselI1e(-5.0) / -0.16397226694454234, 1, 1e-13);
  EXPECT_NEAR(math::BesselI1e(29.0) / 0.073113117939388364, 1, 1e-13);
  EXPECT_NEAR(math::BesselI1e(31.0) / 0.070776392834385693, 1, 1e-13);
  EXPECT_NEAR(math::BesselI1e(500.0) / 0.017827851852898053, 1, 1e-13);
}

TEST(SpecialGammaTest, Domains) {
  EXPECT_TRUE(std::isnan(math::Igamma(-1.0, 1.0)));
  EXPECT_TRUE(std::isnan(math::Igammac(1.0f, -1.0f)));
  EXPECT_EQ(math::Igamma(2.0, 0.0), 0.0);
  EXPECT_EQ(math::Igammac(2.0f, math::kInf<float>), 0.0f);
  EXPECT_EQ(math::Zeta(1.0, 3.0), math::kInf<double>);
  EXPECT_TRUE(std::isnan(math::Zeta(0.5, 3.0)));
  EXPECT_EQ(math::Betainc(2.0, 3.0, 1.0), 1.0);
  EXPECT_TRUE(std::isnan(math::Betainc(2.0, 3.0, 1.5)));
  EXPECT_TRUE(std::isnan(math::Polygamma(1.5, 1.0)));
  EXPECT_EQ(math::BesselI0(math::kInf<double>), math::kInf<double>);
}

}  // namespace
}  // namespace gk
