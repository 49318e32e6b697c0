// Random ops give the numbers that TensorFlow's give on a CPU.
#include <gtest/gtest.h>

#include "eager/eager_context.h"
#include "ops/random/random_place.h"
#include "ops/with_attrs/Multinomial.h"
#include "ops/with_attrs/RandomGamma.h"
#include "ops/with_attrs/RandomPoissonV2.h"
#include "ops/with_attrs/RandomShuffle.h"
#include "ops/with_attrs/RandomUniform.h"

namespace gk {
namespace {

class RandomOps : public testing::Test {
 protected:
  void SetUp() override {
    InitEager();
    ForgetRandomPlaces();
  }
};

Tensor Ints(std::initializer_list<int32_t> v) {
  return Tensor::Vector<int32_t>(std::span(v.begin(), v.size()));
}

template <class T>
std::vector<T> Values(const Tensor& t) {
  return {t.flat<T>().begin(), t.flat<T>().end()};
}

AttrMap Seeds(int64_t seed, int64_t seed2) {
  return {{"seed", seed}, {"seed2", seed2}};
}

AttrMap FloatSeeds(int64_t seed, int64_t seed2) {
  AttrMap attrs = Seeds(seed, seed2);
  attrs.Set("dtype", DataType::kFloat);
  return attrs;
}

TEST_F(RandomOps, EagerOpsGoOnFromTheirPlace) {
  auto draw = [] {
    return Values<float>(
        ops::RandomUniform(OpAttrs(FloatSeeds(7, 11)), Ints({3})));
  };
  const std::vector<float> first = {0.02318633f, 0.09948754f, 0.5691265f};
  const std::vector<float> second = {0.7791548f, 0.63284385f, 0.9757682f};
  for (int round = 0; round < 2; ++round) {
    const std::vector<float> a = draw(), b = draw();
    for (int i = 0; i < 3; ++i) {
      EXPECT_FLOAT_EQ(a[i], first[i]);
      EXPECT_FLOAT_EQ(b[i], second[i]);
    }
    ForgetRandomPlaces();
  }
}

TEST_F(RandomOps, ShufflesGoOnFromTheirPlace) {
  auto shuffle = [] {
    return Values<int32_t>(
        ops::RandomShuffle(OpAttrs(Seeds(1, 2)), Ints({1, 2, 3, 4, 5})));
  };
  EXPECT_EQ(shuffle(), (std::vector<int32_t>{5, 1, 3, 2, 4}));
  EXPECT_EQ(shuffle(), (std::vector<int32_t>{2, 4, 1, 5, 3}));
  EXPECT_EQ(shuffle(), (std::vector<int32_t>{4, 5, 2, 3, 1}));
}

TEST_F(RandomOps, MultinomialGoesOnFromItsPlace) {
  auto draw = [] {
    Tensor logits = Tensor::OfValues<float>(
        std::array<float, 3>{1.f, 2.f, 3.f}, TensorShape({1, 3}));
    return Values<int64_t>(ops::Multinomial(OpAttrs(Seeds(1, 2)), logits,
                                            Tensor::Scalar<int32_t>(8)));
  };
  EXPECT_EQ(draw(), (std::vector<int64_t>{1, 2, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(draw(), (std::vector<int64_t>{1, 2, 1, 2, 2, 1, 2, 1}));
}

TEST_F(RandomOps, GammaAndPoisson) {
  const Tensor p =
      Tensor::Vector<float>(std::array<float, 3>{1.f, 0.5f, 3.f});
  const float expected[2][6] = {
      {0.5854895f, 0.19171634f, 2.9937944f, 1.1293961f, 0.0204875f,
       1.1744466f},
      {1.1410828f, 0.07030983f, 2.368149f, 0.1429247f, 0.03615255f,
       1.4430859f}};
  for (int round = 0; round < 2; ++round) {
    const Tensor g = ops::RandomGamma(OpAttrs(Seeds(1, 2)), Ints({2}), p);
    EXPECT_EQ(g.shape(), TensorShape({2, 3}));
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(g.data<float>()[i], expected[round][i], 1e-6);
    }
  }
  const Tensor rate =
      Tensor::Vector<float>(std::array<float, 3>{1.f, 0.5f, 30.f});
  EXPECT_EQ(Values<int64_t>(
                ops::RandomPoissonV2(OpAttrs(Seeds(1, 2)), Ints({2}), rate)),
            (std::vector<int64_t>{1, 0, 25, 1, 0, 32}));
  EXPECT_EQ(Values<int64_t>(
                ops::RandomPoissonV2(OpAttrs(Seeds(1, 2)), Ints({2}), rate)),
            (std::vector<int64_t>{2, 1, 26, 0, 1, 31}));
}

TEST_F(RandomOps, BadShapesAreErrors) {
  try {
    ops::RandomUniform(OpAttrs(FloatSeeds(0, 0)), Ints({-3}));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.status().code(), Code::kInvalidArgument);
    EXPECT_EQ(e.status().message(),
              "Dimension -3 must be >= 0 [Op:RandomUniform] name: \n"
              "\tArguments of RandomUniform: shape: int32 [1] = [-3]");
  }
  EXPECT_THROW(ops::RandomUniform(OpAttrs(FloatSeeds(0, 0)),
                                  Ints({1 << 30, 1 << 30, 1 << 30})),
               Error);
}

}  // namespace
}  // namespace gk
