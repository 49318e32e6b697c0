// Tensors of nested braces have the rank that they show.
#include <graphkiln/graphkiln.h>
#include <gtest/gtest.h>

namespace {

TEST(TensorLiteral, HasTheRankThatItShows) {
  gk::Tensor vector = {1.f, 2.f};
  gk::Tensor matrix = {{1.f, 2.f}, {3.f, 4.f}};
  gk::Tensor one_row = {{1.f, 2.f}};
  gk::Tensor cube = {{{1.f, 2.f}, {3.f, 4.f}}};
  gk::Tensor four = {{{{1, 2, 3}}, {{4, 5, 6}}}};
  gk::Tensor five = {{{{{1.5}}}, {{{2.5}}}}};
  gk::Tensor six = {{{{{{true, false}}}}}};
  EXPECT_EQ(vector.shape(), gk::Shape({2}));
  EXPECT_EQ(matrix.shape(), gk::Shape({2, 2}));
  EXPECT_EQ(one_row.shape(), gk::Shape({1, 2}));
  EXPECT_EQ(cube.shape(), gk::Shape({1, 2, 2}));
  EXPECT_EQ(four.shape(), gk::Shape({1, 2, 1, 3}));
  EXPECT_EQ(five.shape(), gk::Shape({1, 2, 1, 1, 1}));
  EXPECT_EQ(six.shape(), gk::Shape({1, 1, 1, 1, 1, 2}));
  EXPECT_EQ(four.dtype(), gk::DataType::kInt32);
  EXPECT_EQ(five.dtype(), gk::DataType::kDouble);
  EXPECT_EQ(six.dtype(), gk::DataType::kBool);
  EXPECT_EQ(cube.to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(four.to_vector<int32_t>(),
            (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
}

TEST(TensorLiteral, InOtherFormsOfInitialization) {
  const gk::Tensor braces{{{1, 2}, {3, 4}}};
  EXPECT_EQ(braces.shape(), gk::Shape({1, 2, 2}));
  const auto rank = [](const gk::Tensor& t) { return t.rank(); };
  EXPECT_EQ(rank({{{1.f}}}), 3);
  EXPECT_EQ(rank({{1.f}}), 2);
  EXPECT_EQ(rank({1.f}), 1);
  gk::Tensor assigned;
  assigned = {{{1.f, 2.f}, {3.f, 4.f}}};
  EXPECT_EQ(assigned.shape(), gk::Shape({1, 2, 2}));
  const gk::Tensor copied = {assigned};
  EXPECT_EQ(copied.shape(), gk::Shape({1, 2, 2}));
}

TEST(TensorLiteral, ListsOfDifferentLengthsAreErrors) {
  EXPECT_THROW(gk::Tensor({{1, 2}, {3}}), gk::Error);
  EXPECT_THROW(gk::Tensor({{{1, 2}, {3, 4}}, {{1, 2}}}), gk::Error);
  EXPECT_THROW(gk::Tensor({{{1, 2}, {3}}}), gk::Error);
  EXPECT_THROW(gk::Tensor({{{{1}, {2}}, {{3}, {4, 5}}}}), gk::Error);
}

TEST(TensorLiteral, AsArguments) {
  EXPECT_EQ(gk::reduce_sum({{1.f, 2.f}}, {0}).shape(), gk::Shape({2}));
  EXPECT_EQ(gk::reduce_sum({{{1.f, 2.f}}}, {0}).shape(), gk::Shape({1, 2}));
}

}  // namespace
