#include "grappler/constant_folding.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/function_for_test.h"

namespace gk {
namespace {


// The type of what the result is after folding.
std::string Folded(TestFunction& b, Output result) {
  RewriteGraph f = RewriteGraph::CloneOf(*b.Finish({result}));
  bool changed = false;
  ThrowIfError(FoldConstants(&f, &changed));
  return std::string(f.results[0].node->type());
}

TEST(ConstantFolding, WhatFollowsFromConstants) {
  TestFunction b;
  const Output one = b.Const(Tensor::Scalar(1.0f)), x = b.Arg(kF, {});
  EXPECT_EQ(Folded(b, b.Add("Exp", {b.Add("Neg", {one})})), "Const");
  EXPECT_EQ(Folded(b, b.Add("AddV2", {one, x})), "AddV2");
}

TEST(ConstantFolding, WhatFollowsFromShapes) {
  TestFunction b;
  const Output x = b.Arg(kF, {2, 3}), some = b.Arg(kF, {2, -1}),
               text = b.Arg(DataType::kString, {3}),
               large = b.Arg(kF, {1 << 10, 1 << 10});
  EXPECT_EQ(Folded(b, b.Add("ZerosLike", {x})), "Const");
  EXPECT_EQ(Folded(b, b.Add("OnesLike", {x})), "Const");
  EXPECT_EQ(Folded(b, b.Add("ZerosLike", {some})), "ZerosLike");
  EXPECT_EQ(Folded(b, b.Add("ZerosLike", {text})), "ZerosLike");
  EXPECT_EQ(Folded(b, b.Add("ZerosLike", {large})), "ZerosLike");
  EXPECT_EQ(Folded(b, b.Add("Shape", {x}, {{"out_type", kI}})), "Const");
  EXPECT_EQ(Folded(b, b.Add("Exp", {x})), "Exp");
}

// They make their readers wait.
TEST(ConstantFolding, NodesThatWaitStay) {
  TestFunction b;
  const Output one = b.Const(Tensor::Scalar(1.0f));
  const Output first = b.Add("Exp", {b.Arg(kF, {})});
  EXPECT_EQ(Folded(b, b.Add("Neg", {one}, {}, {first.node})), "Neg");
}

// What a kernel refuses fails when, and if, it runs.
TEST(ConstantFolding, FailuresStay) {
  TestFunction b;
  const Output one = b.Const(Tensor::Scalar<int32_t>(1)),
               zero = b.Const(Tensor::Scalar<int32_t>(0));
  EXPECT_EQ(Folded(b, b.Add("FloorDiv", {one, zero})), "FloorDiv");
}

// So does what is not of the shape that is declared of it.
TEST(ConstantFolding, ValuesOfUndeclaredShapesStay) {
  TestFunction b;
  const Output two =
      b.Const(Tensor::Vector<float>(std::vector<float>{1.0f, 2.0f}));
  const auto declared = [&](const char* op, PartialTensorShape shape) {
    const Output made = b.Add(op, {two});
    made.node->mutable_output(0).shape = shape;
    return Folded(b, made);
  };
  EXPECT_EQ(declared("Neg", {-1}), "Const");
  EXPECT_EQ(declared("Neg", {2}), "Const");
  EXPECT_EQ(declared("Neg", {3}), "Neg");
  EXPECT_EQ(declared("Identity", {3}), "Identity");
}

TEST(ConstantFolding, RandomNumbersStay) {
  TestFunction b;
  const Output shape = b.Const(Tensor::Vector<int32_t>(std::vector{3}));
  EXPECT_EQ(Folded(b, b.Add("RandomUniform", {shape},
                            {{"dtype", kF}, {"seed", int64_t{7}}})),
            "RandomUniform");
}

// Large work is for the run, or for a second call (large_constants.h).
TEST(ConstantFolding, SmallWork) {
  const auto product = [](int64_t n) {
    TestFunction b;
    const Output c =
        b.Const(ValueOrThrow(Tensor::Zeros(kF, TensorShape({n, n}))));
    return Folded(b, b.Add("MatMul", {c, c}));
  };
  EXPECT_EQ(product(8), "Const");
  EXPECT_EQ(product(64), "MatMul");
  TestFunction b;
  const Output n = b.Const(Tensor::Vector<int32_t>(std::vector{1 << 17}));
  EXPECT_EQ(Folded(b, b.Add("Fill", {n, b.Const(Tensor::Scalar(1.0f))})),
            "Fill");
}

TEST(ConstantFolding, SourcesAndObjectsStay) {
  TestFunction b;
  EXPECT_EQ(Folded(b, b.Add("FakeParam", {},
                            {{"dtype", kF}, {"shape", TensorShape{3}}})),
            "FakeParam");
  const Output text = b.Const(Tensor::Scalar<std::string>("a"));
  EXPECT_EQ(Folded(b, b.Add("StringUpper", {text})), "StringUpper");
  const Output one = b.Const(Tensor::Scalar(1.0f));
  EXPECT_EQ(Folded(b, b.Add("ZerosLike", {one})), "Const");
}

// What nobody reads is left to pruning.
TEST(ConstantFolding, OnlyWhatIsUsed) {
  TestFunction b;
  const Output one = b.Const(Tensor::Scalar(1.0f));
  b.Add("Neg", {one});
  RewriteGraph f = RewriteGraph::CloneOf(*b.Finish({one}));
  bool changed = false;
  ThrowIfError(FoldConstants(&f, &changed));
  EXPECT_FALSE(changed);
}

}  // namespace
}  // namespace gk
