// The functions of gk::ops have every attribute that their records have.
#include <graphkiln/graphkiln.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

using Types = std::vector<gk::DataType>;

TEST(PublicOps, DatasetsHaveTypesAndShapes) {
  const gk::Tensor zero = int64_t{0}, one = int64_t{1}, five = int64_t{5};
  const gk::Tensor numbers = gk::ops::RangeDataset(
      zero, five, one, {gk::DataType::kInt64}, {gk::Shape({})});
  const gk::Tensor pairs = gk::ops::BatchDatasetV2(
      numbers, int64_t{2}, false, {gk::DataType::kInt64},
      {gk::Shape({gk::kUnknown})});
  const gk::Tensor iterator = gk::ops::AnonymousIteratorV3(
      {gk::DataType::kInt64}, {gk::Shape({gk::kUnknown})});
  gk::ops::MakeIterator(pairs, iterator);
  const std::vector<std::vector<int64_t>> batches = {{0, 1}, {2, 3}, {4}};
  for (const std::vector<int64_t>& batch : batches) {
    const std::vector<gk::Tensor> next = gk::ops::IteratorGetNext(
        iterator, {gk::DataType::kInt64},
        {gk::Shape({gk::kUnknown})});
    ASSERT_EQ(next.size(), 1u);
    EXPECT_EQ(next[0].to_vector<int64_t>(), batch);
  }
  EXPECT_THROW(gk::ops::IteratorGetNext(iterator, {gk::DataType::kInt64},
                                        {gk::Shape({gk::kUnknown})}),
               gk::Error);
}

TEST(PublicOps, NamesOfRecordsArePublicFunctions) {
  const gk::Tensor x = {0.25f, 1.f};
  EXPECT_EQ(gk::math::rsqrt(x).to_vector<float>(),
            (std::vector<float>{2, 1}));
  EXPECT_EQ(gk::sqrt(x).to_vector<float>(), (std::vector<float>{0.5f, 1}));
  EXPECT_EQ(gk::nn::relu6(x).to_vector<float>(), x.to_vector<float>());
}

}  // namespace
