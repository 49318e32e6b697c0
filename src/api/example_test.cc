// gk::io::parse_example.
#include <string>
#include <vector>

#include "api/same_gradient_for_test.h"

namespace {

namespace io = gk::io;
using gk::DataType;
using gk::Tensor;
using gk_test::ErrorOf;

// {"a": [1, 2], "c": [1.5]} and {"a": [3, 4], "c": [2.5, 3.5]}.
const std::string kOneExample(
    "\012\034\012\013\012\001a\022\006\032\004\012\002\001\002"
    "\012\015\012\001c\022\010\022\006\012\004\000\000\300\077",
    30);
const std::string kOtherExample(
    "\012\040\012\013\012\001a\022\006\032\004\012\002\003\004"
    "\012\021\012\001c\022\014\022\012\012\010\000\000\040\100"
    "\000\000\140\100",
    34);

Tensor Batch() {
  return Tensor(std::vector<std::string>{kOneExample, kOtherExample});
}

TEST(ExampleTest, FeaturesOfAllKinds) {
  const io::ParsedExample parsed = io::parse_example(
      Batch(),
      {{"a", io::FixedLenFeature{{2}, DataType::kInt64}},
       {"c", io::VarLenFeature{}},
       {"q", io::FixedLenFeature{{}, DataType::kFloat, Tensor(7.0f)}}});
  EXPECT_EQ(parsed.tensor("a").data<int64_t>()[3], 4);
  EXPECT_EQ(parsed.tensor("q").data<float>()[1], 7.0f);
  EXPECT_EQ(parsed.sparse("c").values().num_elements(), 3);
  EXPECT_EQ(ErrorOf([&] { parsed.ragged("c"); }).code(),
            gk::ErrorCode::kTypeError);
  EXPECT_EQ(ErrorOf([&] { parsed.tensor("b"); }).code(),
            gk::ErrorCode::kNotFound);
}

TEST(ExampleTest, RaggedAndPaddedOnesInFunctions) {
  auto f = gk::function([](Tensor serialized) {
    const io::ParsedExample parsed = io::parse_example(
        serialized, {{"c", io::FixedLenSequenceFeature{{}, DataType::kFloat}},
                     {"r", io::RaggedFeature{.dtype = DataType::kInt64,
                                             .value_key = "a"}}});
    return std::pair(parsed.tensor("c"), parsed.ragged("r").to_tensor());
  });
  const auto [c, r] = f(Batch());
  EXPECT_EQ(c.data<float>()[1], 0.0f);
  EXPECT_EQ(c.data<float>()[3], 3.5f);
  EXPECT_EQ(r.data<int64_t>()[2], 3);
}

TEST(ExampleTest, RowsOfRaggedOnesAreDivided) {
  using gk::io::RaggedFeature;
  const io::ParsedExample parsed = io::parse_example(
      Batch(),
      {{"r",
        RaggedFeature{.dtype = DataType::kInt64,
                      .value_key = "a",
                      .partitions = {RaggedFeature::UniformRowLength{1}}}}});
  EXPECT_EQ(parsed.ragged("r").ragged_rank(), 1);
  EXPECT_EQ(parsed.ragged("r").to_tensor().shape(), gk::Shape({2, 2, 1}));
}

TEST(ExampleTest, Errors) {
  const auto parse = [](const io::Feature& feature) {
    return ErrorOf([&] {
             io::parse_example(Batch(), {{"a", feature}});
           })
        .code();
  };
  EXPECT_EQ(parse(io::FixedLenFeature{{3}, DataType::kInt64}),
            gk::ErrorCode::kInvalidArgument);
  EXPECT_EQ(parse(io::VarLenFeature{DataType::kString}),
            gk::ErrorCode::kInvalidArgument);
  EXPECT_EQ(parse(io::FixedLenSequenceFeature{
                {}, DataType::kInt64, /*allow_missing=*/false}),
            gk::ErrorCode::kValueError);
  EXPECT_EQ(parse(io::FixedLenFeature{{gk::kUnknown}, DataType::kInt64}),
            gk::ErrorCode::kValueError);
}

}  // namespace
