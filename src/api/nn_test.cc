// Functions of gk::nn that call functions, or give sparse tensors; names of
// constants.
#include "graphkiln/nn.h"

#include "api/same_gradient_for_test.h"

namespace {

using gk::Tensor;
using gk_test::ErrorOf;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

TEST(NnTest, DecodersGiveSparseTensors) {
  const Tensor logits{{{3.f, 0.f, 0.f}}, {{0.f, 3.f, 0.f}}};
  const auto [greedy, score] = gk::nn::ctc_greedy_decoder(logits, {2});
  ASSERT_EQ(greedy.size(), 1u);
  EXPECT_EQ(greedy[0].values().to_vector<int64_t>(), (Ints{0, 1}));
  EXPECT_EQ(score.to_vector<float>(), (Floats{-6}));
  const auto [best, logs] = gk::nn::ctc_beam_search_decoder(logits, {2}, 10, 2);
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].values().to_vector<int64_t>(), (Ints{0, 1}));
  EXPECT_EQ(best[0].dense_shape().to_vector<int64_t>(), (Ints{1, 2}));
  EXPECT_EQ(logs.num_elements(), 2);
}

TEST(NnTest, DropsWhatItsSamplerChooses) {
  const gk::nn::experimental::UniformSampler sampler = [](const Tensor&,
                                                          gk::DataType) {
    return Tensor{0.2f, 0.8f};
  };
  const Tensor x{1.f, 2.f};
  const auto dropped = [&](const gk::Argument& rate) {
    return gk::nn::experimental::general_dropout(x, rate, sampler)
        .to_vector<float>();
  };
  EXPECT_EQ(dropped(0.5), (Floats{0, 4}));
  EXPECT_EQ(dropped(Tensor(0.5f)), (Floats{0, 4}));
  EXPECT_EQ(dropped(0), (Floats{1, 2}));
  EXPECT_THROW(dropped(1.0), gk::Error);
}

TEST(NnTest, WindowsWithHoles) {
  const Tensor x{{{1.f}, {2.f}, {3.f}, {4.f}}};
  const gk::nn::SpatialOp pool = [](const Tensor& t, int64_t,
                                    const std::string& padding) {
    return gk::nn::pool(t, {2}, "MAX", {}, padding);
  };
  const auto pooled = [&](const Tensor& x) {
    return gk::nn::with_space_to_batch(x, {2}, "VALID", pool);
  };
  EXPECT_EQ(pooled(x).to_vector<float>(), (Floats{3, 4}));
  EXPECT_EQ(gk::function(pooled)(x).to_vector<float>(), (Floats{3, 4}));
  EXPECT_EQ(
      gk::nn::with_space_to_batch(x, {1}, "VALID", pool).to_vector<float>(),
      (Floats{2, 3, 4}));
  EXPECT_THROW(gk::nn::with_space_to_batch(x, {2}, "SAME", pool), gk::Error);
}

TEST(NnTest, NamesOfWaysToResize) {
  EXPECT_EQ(gk::image::resize(gk::ones({2, 2, 1}), {4, 4},
                              gk::image::ResizeMethod::BICUBIC)
                .shape()
                .dims(),
            (Ints{4, 4, 1}));
}

}  // namespace
