#include "graphkiln/indexed_slices.h"

#include <gtest/gtest.h>

#include "api/same_gradient_for_test.h"
#include "graphkiln/graphkiln.h"

namespace {

using gk::IndexedSlices;
using gk::kUnknown;
using gk::Shape;
using gk::Tensor;

IndexedSlices OneRowOfThree() { return {{{3.f, 4.f}}, {1}, {3, 2}}; }
IndexedSlices RowsOfAny() { return {{{3.f, 4.f}}, {1}}; }

TEST(IndexedSlicesTest, SaysWhatIsKnown) {
  EXPECT_EQ(OneRowOfThree().shape(), Shape({3, 2}));
  EXPECT_FALSE(RowsOfAny().shape().has_rank());
  EXPECT_FALSE(IndexedSlices().defined());
  EXPECT_EQ(RowsOfAny().to_string(),
            "IndexedSlices(indices=Tensor(shape=(1,), dtype=int32, value=[1]), "
            "values=Tensor(shape=(1, 2), dtype=float32, value=[[3 4]]))");
  const auto spec = gk::IndexedSlicesSpec::from_value(RowsOfAny());
  EXPECT_EQ(spec.shape, Shape({kUnknown, 2}));
  EXPECT_EQ(spec.indices_shape, Shape({1}));
  EXPECT_FALSE(spec.dense_shape_dtype);
  EXPECT_EQ(spec.flatten()[0].shape, Shape({1, 2}));
  EXPECT_TRUE(spec.is_subtype_of(gk::IndexedSlicesSpec(
      {kUnknown, 2}, gk::DataType::kFloat, gk::DataType::kInt32)));
  gk_test::ExpectHas(
      gk_test::ErrorOf([] { (void)RowsOfAny().to_tensor(); }).what(),
      "without dense_shape: IndexedSlices(indices=Tensor(");
  gk_test::ExpectHas(
      gk_test::ErrorOf([] {
        gk::IndexedSlicesSpec::from_value(IndexedSlices({{3.f, 4.f}}, {1, 2}));
      }).what(),
      "Shapes (2,) and (1,) are not compatible");
}

TEST(IndexedSlicesTest, ValuesAloneChange) {
  EXPECT_EQ(
      gk::cast(RowsOfAny(), gk::DataType::kInt32).values().to_vector<int>(),
      (std::vector{3, 4}));
  EXPECT_EQ(gk::clip_by_value(OneRowOfThree(), 0.f, 3.5f)
                .to_tensor()
                .to_vector<float>(),
            (std::vector{0.f, 0.f, 3.f, 3.5f, 0.f, 0.f}));
  EXPECT_EQ(gk::clip_by_norm(OneRowOfThree(), 1.f).values().to_vector<float>(),
            (std::vector{0.6f, 0.8f}));
  EXPECT_EQ(gk::scalar_mul(2.f, -RowsOfAny()).values().to_vector<float>(),
            (std::vector{-6.f, -8.f}));
  EXPECT_EQ(gk::stop_gradient(OneRowOfThree()).indices().to_vector<int>(),
            std::vector{1});
  // Lists stay tensors where one is expected.
  EXPECT_EQ(gk::clip_by_value({-1, 5}, 0, 3).num_elements(), 2);
  const auto f = gk::function([](const IndexedSlices& x) {
    EXPECT_EQ(x.shape(), Shape({kUnknown, kUnknown}));
    return std::tuple(gk::scalar_mul(2.f, x), x.to_tensor());
  });
  const auto [twice, whole] = f(OneRowOfThree());
  EXPECT_EQ(twice.values().to_vector<float>(), (std::vector{6.f, 8.f}));
  EXPECT_EQ(gk::reduce_sum(whole).item<float>(), 7.f);
}

}  // namespace
