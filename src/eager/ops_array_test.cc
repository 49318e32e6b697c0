// Array ops through the eager context: values, errors and gradients.
#include <gtest/gtest.h>

#include "eager/op_outcomes_for_test.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/StridedSlice.h"

namespace gk {
namespace {

class ArrayOps : public ::testing::Test {
 protected:
  void SetUp() override { InitEager(); }
};

TEST_F(ArrayOps, Shapes) {
  EXPECT_EQ(Outcome("Shape", {Iota({2, 3})}), "int32 [2] {2 3}");
  EXPECT_EQ(Outcome("Reshape", {Iota({4}), I({2, -1})}),
            "float [2,2] {0 1 2 3}");
  EXPECT_EQ(Outcome("Reshape", {Iota({4}), I({3})}),
            "Input to reshape is a tensor with 4 values, but the requested "
            "shape has 3");
  EXPECT_EQ(Outcome("Reshape", {Iota({4}), I({-1, -1})}),
            "Only one input size may be -1, not both 0 and 1");
  EXPECT_EQ(Outcome("ExpandDims", {Iota({2}), I(-1)}), "float [2,1] {0 1}");
  EXPECT_EQ(Outcome("Squeeze", {Iota({1, 2, 1})}), "float [2] {0 1}");
  EXPECT_EQ(Outcome("Squeeze", {Iota({1, 2, 1})},
                    {{"squeeze_dims", std::vector<int64_t>{1}}}),
            "Can not squeeze dim[1], expected a dimension of 1, got 2");
}

TEST_F(ArrayOps, BroadcastGradientArgs) {
  EXPECT_EQ(Outcome("BroadcastGradientArgs", {I({2, 1, 3}), I({2, 3})}),
            "int32 [1] {1} | int32 [1] {0}");
  EXPECT_EQ(Outcome("BroadcastGradientArgs", {I({2, 1}), I({1, 1})}),
            "int32 [1] {1} | int32 [2] {0 1}");
  EXPECT_EQ(Outcome("BroadcastGradientArgs", {I({1, 1}), I({1, 1})}),
            "int32 [0] {} | int32 [0] {}");
  EXPECT_EQ(Outcome("BroadcastGradientArgs", {I({2, 2}), I({3, 2})}),
            "Incompatible shapes: [2,2] vs. [3,2]");
}

TEST_F(ArrayOps, BroadcastAndFill) {
  EXPECT_EQ(Outcome("BroadcastTo", {F({1, 2}, {2, 1}), I({2, 2, 2})}),
            "float [2,2,2] {1 1 2 2 1 1 2 2}");
  EXPECT_EQ(Outcome("Fill", {I({2, 2}), Tensor::Scalar(3.f)}),
            "float [2,2] {3 3 3 3}");
  EXPECT_EQ(Outcome("Fill", {I({-1}), Tensor::Scalar(3.f)}),
            "Dimension -1 must be >= 0");
}

TEST_F(ArrayOps, Joins) {
  EXPECT_EQ(Outcome("ConcatV2", {Iota({2, 1}), Iota({2, 2}), I(1)}),
            "float [2,3] {0 0 1 1 2 3}");
  EXPECT_EQ(Outcome("ConcatV2", {Iota({2, 2}), Iota({3, 3}), I(0)}),
            "ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = "
            "[2,2] vs. shape[1] = [3,3]");
  EXPECT_EQ(Outcome("Pack", {Iota({2}), Iota({2})}, {{"axis", int64_t{1}}}),
            "float [2,2] {0 0 1 1}");
  EXPECT_EQ(Outcome("Unpack", {Iota({2, 2})},
                    {{"num", int64_t{2}}, {"axis", int64_t{1}}}),
            "float [2] {0 2} | float [2] {1 3}");
  EXPECT_EQ(Outcome("Split", {I(0), Iota({4})}, {{"num_split", int64_t{2}}}),
            "float [2] {0 1} | float [2] {2 3}");
  EXPECT_EQ(Outcome("SplitV", {Iota({5}), I({2, -1}), I(0)},
                    {{"num_split", int64_t{2}}}),
            "float [2] {0 1} | float [3] {2 3 4}");
}

TEST_F(ArrayOps, Gathers) {
  EXPECT_EQ(Outcome("GatherV2", {Iota({5, 2}), I({0, 7}), I(0)}),
            "indices[1] = 7 is not in [0, 5)");
  EXPECT_EQ(Outcome("GatherV2", {Iota({2, 3}), I({2, 0}), I(1)}),
            "float [2,2] {2 0 5 3}");
  EXPECT_EQ(Outcome("GatherV2", {Iota({2, 3}), I({0, 1, 1, 2}, {2, 2}), I(1)},
                    {{"batch_dims", int64_t{1}}}),
            "float [2,2] {0 1 4 5}");
  EXPECT_EQ(Outcome("GatherNd", {Iota({2, 3}), I({1, 2, 0, 1}, {2, 2})}),
            "float [2] {5 1}");
}

TEST_F(ArrayOps, PadsAndTiles) {
  EXPECT_EQ(Outcome("Pad", {Iota({2}), I({1, 1}, {1, 2})}),
            "float [4] {0 0 1 0}");
  EXPECT_EQ(Outcome("Pad", {Iota({2}), I({1, -1}, {1, 2})}),
            "Paddings must be non-negative: 1 -1");
  EXPECT_EQ(Outcome("MirrorPad", {F({1, 2, 3}), I({2, 1}, {1, 2})},
                    {{"mode", std::string("REFLECT")}}),
            "float [6] {3 2 1 2 3 2}");
  EXPECT_EQ(Outcome("MirrorPadGrad", {F({1, 2, 3, 4, 5}), I({2, 1}, {1, 2})},
                    {{"mode", std::string("SYMMETRIC")}}),
            "float [2] {5 10}");
  EXPECT_EQ(Outcome("Tile", {Iota({1, 2}), I({2, 2})}),
            "float [2,4] {0 1 0 1 0 1 0 1}");
}

TEST_F(ArrayOps, Sequences) {
  EXPECT_EQ(Outcome("Range", {I(0), I(5), I(2)}), "int32 [3] {0 2 4}");
  EXPECT_EQ(Outcome("Range", {I(0), I(5), I(0)}), "Requires delta != 0: 0");
  EXPECT_EQ(Outcome("OneHot", {I({0, 2, -1}), I(3), Tensor::Scalar(1.f),
                               Tensor::Scalar(0.f)}),
            "float [3,3] {1 0 0 0 0 1 0 0 0}");
  EXPECT_EQ(Outcome("Transpose", {Iota({2, 3}), I({1, 0})}),
            "float [3,2] {0 3 1 4 2 5}");
}

TEST_F(ArrayOps, ScattersAndSegments) {
  EXPECT_EQ(Outcome("ScatterNd", {I({1, 1}, {2, 1}), F({2, 3}), I({3})}),
            "float [3] {0 5 0}");
  EXPECT_EQ(
      Outcome("TensorScatterMax", {F({1, 9}), I({0, 1}, {2, 1}), F({4, 4})}),
      "float [2] {4 9}");
  EXPECT_EQ(Outcome("UnsortedSegmentSum", {Iota({3, 2}), I({1, -1, 1}), I(2)}),
            "float [2,2] {0 0 4 6}");
  EXPECT_EQ(Outcome("SegmentMean", {F({1, 3, 5}), I({0, 0, 2})}),
            "float [3] {2 0 5}");
}

TEST_F(ArrayOps, StridedSlices) {
  EXPECT_EQ(Outcome("StridedSlice", {Iota({5}), I({5}), I({6}), I({1})},
                    {{"shrink_axis_mask", int64_t{1}}}),
            "slice index 5 of dimension 0 out of bounds.");
  EXPECT_EQ(Outcome("StridedSlice", {Iota({5}), I({0}), I({1}), I({0})}),
            "strides[0] must be non-zero");
  EXPECT_EQ(Outcome("StridedSlice",
                    {Iota({2, 3}), I({0, 1, 0}), I({0, 0, 0}), I({1, 1, 1})},
                    {{"ellipsis_mask", int64_t{1}},
                     {"new_axis_mask", int64_t{4}},
                     {"shrink_axis_mask", int64_t{2}}}),
            "float [2,1] {1 4}");
  EXPECT_EQ(Outcome("TensorStridedSliceUpdate",
                    {Iota({5}), I({1}), I({3}), I({1}), F({7})}),
            "float [5] {0 7 7 3 4}");
}

TEST_F(ArrayOps, Gradients) {
  EXPECT_EQ(GradOf(Iota({4}),
                   [](auto& x) {
                     return ops::Reshape(x, I({2, 2}));
                   }),
            "float [4] {1 2 3 4}");
  EXPECT_EQ(GradOf(Iota({2, 2}),
                   [](auto& x) {
                     return ops::ConcatV2(TensorVector{Iota({1, 2}), x}, I(0));
                   }),
            "float [2,2] {3 4 5 6}");
  EXPECT_EQ(GradOf(Iota({5}),
                   [](auto& x) {
                     return ops::StridedSlice(x, I({4}), I({0}), I({-2}));
                   }),
            "float [5] {0 0 2 0 1}");
}

}  // namespace
}  // namespace gk
