// Shapes of ragged tensors and partitions of rows: what they tell, what is made
// with them eagerly and traced, and what they refuse.
#include "api/same_gradient_for_test.h"

namespace {

using gk::DynamicRaggedShape;
using gk::ErrorCode;
using gk::RaggedTensor;
using gk::RowPartition;
using gk::Shape;
using gk::Tensor;
using gk_test::ErrorOf;

std::string Text(const RaggedTensor& x) {
  return x.to_text(-1).item<std::string>();
}
// [3, (2, 0, 1)]
DynamicRaggedShape Ragged() {
  return DynamicRaggedShape::from_lengths({3, Tensor({2, 0, 1})});
}

TEST(RaggedShapeTest, TellsItsLengths) {
  const DynamicRaggedShape shape = Ragged();
  EXPECT_EQ(shape.to_string(),
            "<DynamicRaggedShape lengths=[3, (2, 0, 1)] num_row_partitions=1>");
  EXPECT_EQ(shape.rank(), 2);
  EXPECT_EQ(shape[0].item<int64_t>(), 3);
  EXPECT_TRUE(shape.is_uniform(0));
  EXPECT_FALSE(shape.is_uniform(1));
  EXPECT_EQ(ErrorOf([&] { shape[1]; }).code(), ErrorCode::kValueError);
  EXPECT_EQ(
      DynamicRaggedShape::from_lengths({2, Tensor({2, 1}), 2}).to_string(),
      "<DynamicRaggedShape lengths=[2, (2, 1), 2] num_row_partitions=1>");
  EXPECT_EQ(DynamicRaggedShape::from_tensor(Tensor({{1, 2}})).to_string(),
            "<DynamicRaggedShape lengths=[1, 2] num_row_partitions=0>");
  EXPECT_EQ(ErrorOf([] {
              DynamicRaggedShape::from_lengths({Tensor({1, 2}), 3});
            }).code(),
            ErrorCode::kValueError);
  EXPECT_EQ(ErrorOf([] {
              DynamicRaggedShape::from_lengths({2, Tensor({1, 2, 3})});
            }).code(),
            ErrorCode::kInvalidArgument);
}

TEST(RaggedShapeTest, MakesValues) {
  EXPECT_EQ(Text(Ragged().fill(7)), "[[7, 7], [], [7]]");
  EXPECT_EQ(Text(Ragged().reshape(Tensor({1, 2, 3}))), "[[1, 2], [], [3]]");
  EXPECT_EQ(Text(Ragged().broadcast(Tensor({{10}, {20}, {30}}))),
            "[[10, 10], [], [30]]");
  const auto f = gk::function([](const RaggedTensor& x) {
    return DynamicRaggedShape::from_tensor(x).fill(1);
  });
  EXPECT_EQ(Text(f(Ragged().fill(7))), "[[1, 1], [], [1]]");
}

TEST(RaggedShapeTest, ComparesAndBroadcasts) {
  EXPECT_TRUE(Ragged().equal(Ragged()).item<bool>());
  const auto other = DynamicRaggedShape::from_lengths({3, Tensor({1, 1, 1})});
  EXPECT_FALSE(Ragged().equal(other).item<bool>());
  EXPECT_EQ(gk::broadcast_dynamic_shape(
                Ragged(), DynamicRaggedShape::from_tensor(Tensor({{1}})))
                .to_string(),
            Ragged().to_string());
  EXPECT_EQ(
      gk::broadcast_dynamic_shape(Tensor({2, 1}), Tensor({3})).to_vector<int>(),
      (std::vector<int>{2, 3}));
  EXPECT_EQ(gk::broadcast_static_shape(Shape({2, 1}), Shape({gk::kUnknown})),
            Shape({2, gk::kUnknown}));
  EXPECT_EQ(ErrorOf([] {
              gk::broadcast_static_shape(Shape({2}), Shape({3}));
            }).code(),
            ErrorCode::kValueError);
}

TEST(RaggedShapeTest, ValuesHaveTheirPublicNames) {
  EXPECT_EQ(Text(gk::ragged::constant<int>({{1, 2}, {}, {3}})),
            "[[1, 2], [], [3]]");
  const gk::SparseTensor st = gk::sparse::from_dense(Tensor({{0, 7}, {0, 0}}));
  EXPECT_EQ(gk::sparse::to_dense(gk::sparse::reorder(st)).to_vector<int>(),
            (std::vector<int>{0, 7, 0, 0}));
}

TEST(RowPartitionTest, TellsItsRows) {
  const auto rows = RowPartition::from_row_lengths(Tensor({2, 0, 1}));
  EXPECT_EQ(rows.row_splits().to_vector<int>(), (std::vector<int>{0, 2, 2, 3}));
  EXPECT_EQ(rows.value_rowids().to_vector<int>(), (std::vector<int>{0, 0, 2}));
  EXPECT_EQ(rows.nvals().item<int>(), 3);
  EXPECT_FALSE(rows.uniform_row_length().has_value());
  EXPECT_EQ(RowPartition::from_uniform_row_length(2, 3).uniform_row_length(),
            2);
  EXPECT_EQ(ErrorOf([] {
              RowPartition::from_row_splits(Tensor({0, 3, 2}));
            }).code(),
            ErrorCode::kInvalidArgument);
  const DynamicRaggedShape shape({rows}, Tensor({3}));
  EXPECT_EQ(Text(shape.fill(0)), "[[0, 0], [], [0]]");
}

TEST(RowPartitionTest, RemembersTheLengthsItWasMadeOf) {
  const Tensor lengths({2, 0, 1});
  const auto rows = RowPartition::from_row_lengths(lengths);
  EXPECT_EQ(rows.row_lengths().data<int>(), lengths.data<int>());
  const auto wide = rows.with_dtype(gk::DataType::kInt64);
  EXPECT_EQ(wide.row_lengths().to_vector<int64_t>(),
            (std::vector<int64_t>{2, 0, 1}));
  const auto others = RowPartition::from_row_splits(Tensor({0, 1, 1}));
  EXPECT_EQ(others.row_lengths().to_vector<int>(), (std::vector<int>{1, 0}));
}

TEST(DynamicRaggedShapeTest, IsMadeOfPartitions) {
  const auto rows = RowPartition::from_row_lengths(Tensor({2, 0, 1}));
  const auto shape = DynamicRaggedShape::from_row_partitions({rows});
  EXPECT_EQ(shape.to_string(), Ragged().to_string());
  EXPECT_EQ(shape.dtype(), gk::DataType::kInt32);
  EXPECT_EQ(shape.with_dtype(gk::DataType::kInt64).dtype(),
            gk::DataType::kInt64);
  EXPECT_EQ(ErrorOf([] { DynamicRaggedShape::from_row_partitions({}); }).code(),
            ErrorCode::kValueError);
  EXPECT_EQ(ErrorOf([&] {
              static_cast<void>(shape.with_dtype(gk::DataType::kFloat));
            }).code(),
            ErrorCode::kValueError);
}

TEST(DynamicRaggedShapeTest, SaysWhatIsKnownAndGivesParts) {
  const auto shape =
      DynamicRaggedShape::from_lengths({2, Tensor({2, 1}), 4, 5});
  const auto lengths = shape.static_lengths();
  ASSERT_EQ(lengths.size(), 4u);
  EXPECT_EQ(lengths[0].uniform, 2);
  EXPECT_EQ(lengths[1].rows, (std::vector<int64_t>{2, 1}));
  EXPECT_FALSE(lengths[1].uniform.has_value());
  EXPECT_EQ(lengths[3].uniform, 5);
  EXPECT_FALSE(shape.static_lengths(false)[1].rows.has_value());
  EXPECT_EQ(shape.slice(0, 3).to_string(),
            "<DynamicRaggedShape lengths=[2, (2, 1), 4] num_row_partitions=1>");
  EXPECT_EQ(shape.slice(0, -2).to_string(),
            "<DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>");
  EXPECT_EQ(shape.slice(3, 2).rank(), 0);
  EXPECT_EQ(ErrorOf([&] { static_cast<void>(shape.slice(1, 9)); }).code(),
            ErrorCode::kValueError);
  const auto dense = DynamicRaggedShape::from_lengths({2, 3, 4});
  EXPECT_EQ(dense.slice(-2, 9).to_string(),
            "<DynamicRaggedShape lengths=[3, 4] num_row_partitions=0>");
}

}  // namespace
