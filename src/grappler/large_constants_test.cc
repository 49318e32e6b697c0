#include "grappler/large_constants.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/function_for_test.h"
#include "grappler/optimize.h"

namespace gk {
namespace {

constexpr int64_t kSide = 200;

Tensor Ones(TensorShape shape) {
  Tensor t = ValueOrThrow(Tensor::Allocate(DataType::kFloat, shape));
  std::fill_n(t.data<float>(), t.num_elements(), 1.0f);
  return t;
}

int Count(const RewriteGraph& f, std::string_view type) {
  return std::count_if(f.graph->nodes().begin(), f.graph->nodes().end(),
                       [&](const auto& n) { return n->type() == type; });
}

const auto kAlways = [] { return true; };

// Products of a constant matrix with itself, plus the argument.
RewriteGraph Powers(int n) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {kSide, kSide});
  const Output a = b.Const(Ones(TensorShape({kSide, kSide})));
  Output c = a;
  for (int i = 0; i < n; ++i) c = b.Add("MatMul", {c, a});
  return ValueOrThrow(Optimize(*b.Finish({b.Add("AddV2", {c, x})})));
}

TEST(LargeConstants, AreLeftToTheRunAtFirst) {
  const RewriteGraph f = Powers(3);
  EXPECT_EQ(Count(f, "MatMul"), 3);
  EXPECT_TRUE(HasLargeConstants(f));
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {kSide, kSide});
  EXPECT_FALSE(HasLargeConstants(
      ValueOrThrow(Optimize(*b.Finish({b.Add("MatMul", {x, x})})))));
}

TEST(LargeConstants, AreComputedWhenAskedFor) {
  RewriteGraph f = Powers(3);
  bool changed = false;
  ThrowIfError(OptimizeAgain(&f, kAlways, &changed));
  EXPECT_TRUE(changed);
  EXPECT_EQ(Count(f, "MatMul"), 0);
  EXPECT_EQ(Count(f, "Const"), 1);
  const Tensor value = f.results[0].node->input(0).node->attr<Tensor>("value");
  EXPECT_EQ(value.data<float>()[7], float(kSide * kSide * kSide));
  EXPECT_FALSE(HasLargeConstants(f));
}

TEST(LargeConstants, StopWhereTheTimeIsUp) {
  RewriteGraph f = Powers(5);
  int left = 2;
  bool changed = false;
  const auto twice = [&] { return left-- > 0; };
  ThrowIfError(OptimizeAgain(&f, twice, &changed));
  EXPECT_TRUE(changed);
  EXPECT_EQ(Count(f, "MatMul"), 3);
}

TEST(LargeConstants, AreNoLargerThanWhatTheyAreMadeOf) {
  TestFunction b;
  const Output column = b.Const(Ones(TensorShape({1000, 1})));
  const Output row = b.Const(Ones(TensorShape({1, 1000})));
  RewriteGraph f =
      ValueOrThrow(Optimize(*b.Finish({b.Add("MatMul", {column, row})})));
  EXPECT_FALSE(HasLargeConstants(f));
  bool changed = false;
  ThrowIfError(OptimizeAgain(&f, kAlways, &changed));
  EXPECT_FALSE(changed);
}

TEST(LargeConstants, SeveralUsersAndResults) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {kSide, kSide});
  const Output a = b.Const(Ones(TensorShape({kSide, kSide})));
  const Output square = b.Add("MatMul", {a, a});
  const Output cube = b.Add("MatMul", {square, a});
  RewriteGraph f = ValueOrThrow(Optimize(
      *b.Finish({square, b.Add("Sub", {x, square}), b.Add("Mul", {cube, x})})));
  bool changed = false;
  ThrowIfError(OptimizeAgain(&f, kAlways, &changed));
  EXPECT_EQ(Count(f, "MatMul"), 0);
  ASSERT_EQ(f.results[0].node->type(), "Const");
  EXPECT_EQ(f.results[0].node->attr<Tensor>("value").data<float>()[0], kSide);
}

// What fails must do so when it runs; what waits says when it wants to.
TEST(LargeConstants, LeaveFailuresAndNodesThatWait) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {kSide, kSide});
  std::vector<int32_t> zeros(100000, 0);
  const Output z = b.Const(Tensor::Vector<int32_t>(zeros));
  const Output quotient = b.Add("FloorDiv", {z, z});
  const Output a = b.Const(Ones(TensorShape({kSide, kSide})));
  const Output first = b.Add("Neg", {x});
  const Output waits = b.Add("MatMul", {a, a}, {}, {first.node});
  RewriteGraph f = ValueOrThrow(Optimize(*b.Finish({quotient, waits})));
  bool changed = false;
  ThrowIfError(OptimizeAgain(&f, kAlways, &changed));
  EXPECT_EQ(Count(f, "FloorDiv"), 1);
  EXPECT_EQ(Count(f, "MatMul"), 1);
}

}  // namespace
}  // namespace gk
