// Distinct values, searches and counts against known answers.
#include "eager/op_outcomes_for_test.h"

namespace gk {
namespace {

class Search : public ::testing::Test {
 protected:
  void SetUp() override { InitEager(); }
};

Tensor Strings(std::initializer_list<std::string> v) {
  return Tensor::Vector<std::string>({v.begin(), v.size()});
}

TEST_F(Search, UniqueAlongAxis) {
  const Tensor x = I({1, 2, 1, 3, 4, 3, 1, 2, 1}, {3, 3});
  EXPECT_EQ(Outcome("UniqueWithCountsV2", {x, I({0})}),
            "int32 [2,3] {1 2 1 3 4 3} | int32 [3] {0 1 0} | int32 [2] {2 1}");
  EXPECT_EQ(Outcome("UniqueV2", {x, I({-1})}),
            "int32 [3,2] {1 2 3 4 1 2} | int32 [3] {0 1 0}");
  EXPECT_EQ(Outcome("UniqueV2", {I({1, 2, 1}), I({})}),
            "int32 [2] {1 2} | int32 [3] {0 1 0}");
  EXPECT_EQ(Outcome("UniqueV2", {Iota({2, 0}), I({0})}),
            "float [1,0] {} | int32 [2] {0 0}");
  EXPECT_EQ(Outcome("UniqueV2", {Iota({0, 2}), I({0})}),
            "float [0,2] {} | int32 [0] {}");
  EXPECT_EQ(Outcome("UniqueV2", {x, I({0, 1})}),
            "axis does not support input tensors larger than 1 elements");
  EXPECT_EQ(Outcome("UniqueV2", {x, I({3})}), "axis has to be between [0, 2)");
}

TEST_F(Search, ListDiff) {
  EXPECT_EQ(Outcome("ListDiff", {I({1, 2, 3, 2}), I({2})}),
            "int32 [2] {1 3} | int32 [2] {0 2}");
  EXPECT_EQ(Outcome("ListDiff", {Strings({"a", "b"}), Strings({"b"})}),
            Show(Strings({"a"})) + " | int32 [1] {0}");
  EXPECT_EQ(Outcome("ListDiff", {I({1}, {1, 1}), I({2})}),
            "x should be a 1D vector.");
}

TEST_F(Search, Bounds) {
  const Tensor sorted = I({1, 3, 3, 5}, {1, 4}), values = I({0, 3, 6}, {1, 3});
  EXPECT_EQ(Outcome("LowerBound", {sorted, values}), "int32 [1,3] {0 1 4}");
  EXPECT_EQ(Outcome("UpperBound", {sorted, values}), "int32 [1,3] {0 3 4}");
  EXPECT_EQ(Outcome("LowerBound", {sorted, I({1, 2}, {2, 1})}),
            "Leading dim_size of both tensors must match.");
  EXPECT_EQ(Outcome("Bucketize", {F({-5, 10, 150})},
                    {{"boundaries", std::vector<float>{0, 10, 100}}}),
            "int32 [3] {0 2 3}");
  EXPECT_EQ(Outcome("Bucketize", {F({1})},
                    {{"boundaries", std::vector<float>{3, 1}}}),
            "Expected sorted boundaries");
}

TEST_F(Search, UnravelIndex) {
  EXPECT_EQ(Outcome("UnravelIndex", {I({2, 5, 7}), I({3, 3})}),
            "int32 [2,3] {0 1 2 2 2 1}");
  EXPECT_EQ(Outcome("UnravelIndex", {I(3), I({3, 3})}), "int32 [2] {1 0}");
  EXPECT_EQ(Outcome("UnravelIndex", {I({-1}), I({3, 3})}),
            "int32 [2,1] {0 -1}");
  EXPECT_EQ(Outcome("UnravelIndex", {I({9}), I({3, 3})}),
            "index is out of bound as with dims");
  EXPECT_EQ(Outcome("UnravelIndex", {I({1}), I({3, 0})}),
            "Input dims cannot contain a dim of zero, but dims contains zero "
            "at index 1");
  EXPECT_EQ(Outcome("UnravelIndex", {I({1}), I({65536, 65536})}),
            "Input dims product is causing integer overflow: (65536 65536)");
}

TEST_F(Search, Bincount) {
  EXPECT_EQ(Outcome("Bincount", {I({1, 1, 5}), I(3), I({})}),
            "int32 [3] {0 2 0}");
  EXPECT_EQ(Outcome("Bincount", {I({1, 1, 5}), I(6), F({0.5f, 1, 2})}),
            "float [6] {0 1.5 0 0 0 2}");
  EXPECT_EQ(Outcome("Bincount", {I({-1}), I(3), I({})}),
            "Input arr must be non-negative!");
  EXPECT_EQ(Outcome("Bincount", {I({1}), I(-6), I({})}),
            "size (-6) must be non-negative");
  const Tensor rows = I({1, 1, 0, 7}, {2, 2});
  EXPECT_EQ(Outcome("DenseBincount", {rows, I(3), I({})}),
            "int32 [2,3] {0 2 0 1 0 0}");
  EXPECT_EQ(
      Outcome("DenseBincount", {rows, I(3), I({})}, {{"binary_output", true}}),
      "int32 [2,3] {0 1 0 1 0 0}");
  EXPECT_EQ(Outcome("DenseBincount", {I({1, 2}), I(3), I({1})}),
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, "
            "in which case it acts as all weights equal to 1. Received [1]");
}

}  // namespace
}  // namespace gk
