#include "ops/op_cost.h"

#include <gtest/gtest.h>

#include <vector>

#include "framework/op_registry.h"
#include "ops/op_detail.h"

namespace gk {
namespace {

double Cost(std::string_view op, std::vector<TensorShape> in,
            std::vector<TensorShape> out, const AttrMap& attrs = {}) {
  RegisterAllOps();
  return FlopsOf(*ValueOrThrow(OpRegistry::Get().LookUp(op)), attrs, in, out);
}

TEST(OpCost, Products) {
  EXPECT_EQ(Cost("MatMul", {{2, 3}, {3, 5}}, {{2, 5}}), 2 * 2 * 3 * 5);
  // Transposed, what is summed over is the other dimension.
  EXPECT_EQ(Cost("MatMul", {{3, 2}, {3, 5}}, {{2, 5}}), 2 * 2 * 3 * 5);
  EXPECT_EQ(Cost("BatchMatMulV2", {{7, 2, 3}, {7, 3, 5}}, {{7, 2, 5}}),
            7 * 2 * 2 * 3 * 5);
  EXPECT_EQ(Cost("MatMul", {{0, 3}, {3, 5}}, {{0, 5}}), 0);
  EXPECT_EQ(Cost("Einsum", {{4, 3}, {3, 5}}, {{4, 5}},
                 {{"equation", std::string("ik,kj->ij")}}),
            2 * 4 * 3 * 5);
  EXPECT_EQ(Cost("Einsum", {{6, 4, 3}, {3, 5}}, {{6, 4, 5}},
                 {{"equation", std::string("...k,kj->...j")}}),
            2 * 6 * 4 * 3 * 5);
}

TEST(OpCost, Convolutions) {
  const TensorShape x{8, 28, 28, 3}, filter{5, 5, 3, 16}, y{8, 24, 24, 16};
  const double whole = 2.0 * 8 * 24 * 24 * 16 * 5 * 5 * 3;
  EXPECT_EQ(Cost("Conv2D", {x, filter}, {y}), whole);
  EXPECT_EQ(Cost("Conv2DBackpropInput", {{4}, filter, y}, {x}), whole);
  EXPECT_EQ(Cost("Conv2DBackpropFilter", {x, {4}, y}, {filter}), whole);
  EXPECT_EQ(Cost("DepthwiseConv2dNative", {x, {5, 5, 3, 2}}, {{8, 24, 24, 6}}),
            2.0 * 8 * 24 * 24 * 6 * 5 * 5);
}

TEST(OpCost, ElementsAndMoves) {
  EXPECT_EQ(Cost("Tanh", {{4, 5}}, {{4, 5}}), 20);
  EXPECT_EQ(Cost("AddV2", {{4, 5}, {5}}, {{4, 5}}), 20);
  EXPECT_EQ(Cost("Sum", {{4, 5}, {1}}, {{4}}), 20);
  EXPECT_EQ(Cost("AddN", {{4}, {4}, {4}}, {{4}}), 8);
  EXPECT_EQ(Cost("Reshape", {{4, 5}, {1}}, {{20}}), 0);
  EXPECT_EQ(Cost("Transpose", {{4, 5}, {2}}, {{5, 4}}), 0);
  EXPECT_EQ(Cost("MaxPool", {{1, 4, 4, 1}}, {{1, 2, 2, 1}},
                 {{"ksize", std::vector<int64_t>{1, 2, 2, 1}}}),
            16);
  EXPECT_EQ(Cost("MatMul", {}, {}), 0) << "shapes that are not known";
}

TEST(OpDetail, TellsShapesAndBytes) {
  OpDetail run;
  run.AddInput(DataType::kFloat, {2, 3});
  run.AddInput(Tensor());
  run.AddOutput(DataType::kInt64, {2});
  EXPECT_EQ(run.Bytes(), 2 * 3 * 4 + 2 * 8);
  EXPECT_EQ(run.MadeBytes(), 2 * 8);
  EXPECT_EQ(run.ShapesText().substr(0, 15), "(float32[2,3], ");
  EXPECT_TRUE(run.ShapesText().ends_with(" -> int64[2]"));
}

}  // namespace
}  // namespace gk
