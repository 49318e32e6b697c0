#include "grappler/common_subexpressions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/function_for_test.h"
#include "grappler/prune.h"

namespace gk {
namespace {


// How many nodes of that type are left.
int Left(TestFunction& b, std::vector<Output> results, std::string_view type) {
  RewriteGraph f = RewriteGraph::CloneOf(*b.Finish(std::move(results)));
  bool changed = false;
  ThrowIfError(MergeCommonSubexpressions(&f, &changed));
  ThrowIfError(Prune(&f, &changed));
  return std::count_if(f.graph->nodes().begin(), f.graph->nodes().end(),
                       [&](const auto& n) { return n->type() == type; });
}

TEST(CommonSubexpressions, NodesOfOneOpInputsAndAttributes) {
  TestFunction b;
  const Output x = b.Arg(kF, {4}), y = b.Arg(kF, {4});
  const auto cast = [&](Output from, DataType to) {
    return b.Add("Cast", {from}, {{"DstT", to}});
  };
  EXPECT_EQ(Left(b, {b.Add("Exp", {x}), b.Add("Exp", {x})}, "Exp"), 1);
  EXPECT_EQ(Left(b, {b.Add("Exp", {x}), b.Add("Exp", {y})}, "Exp"), 2);
  EXPECT_EQ(Left(b,
                 {cast(x, DataType::kInt32), cast(x, DataType::kInt64),
                  cast(x, DataType::kInt32)},
                 "Cast"),
            2);
  EXPECT_EQ(Left(b, {b.Add("Mul", {x, y}), b.Add("Mul", {y, x})}, "Mul"), 1);
  EXPECT_EQ(Left(b, {b.Add("Sub", {x, y}), b.Add("Sub", {y, x})}, "Sub"), 2);
}

// Arguments are nodes without inputs; they are not alike.
TEST(CommonSubexpressions, ArgumentsStay) {
  TestFunction b;
  const Output x = b.Arg(kF, {4}), y = b.Arg(kF, {4});
  EXPECT_EQ(Left(b, {b.Add("Sub", {x, y})}, "Placeholder"), 2);
}

TEST(CommonSubexpressions, LargeConstantsAreNotCompared) {
  for (int64_t n : {8, 4096, 4097}) {
    TestFunction b;
    const Tensor value = ValueOrThrow(Tensor::Zeros(kF, {n}));
    const std::vector<Output> both{b.Const(value),
                                   b.Const(ValueOrThrow(value.Copy()))};
    EXPECT_EQ(Left(b, both, "Const"), n <= 4096 ? 1 : 2);
  }
}

// Each draws numbers of its own.
TEST(CommonSubexpressions, RandomNodesStay) {
  TestFunction b;
  const Output shape = b.Const(Tensor::Vector<int32_t>(std::vector{3}));
  const AttrMap attrs{{"dtype", kF}, {"seed", int64_t{7}}};
  EXPECT_EQ(Left(b,
                 {b.Add("RandomUniform", {shape}, attrs),
                  b.Add("RandomUniform", {shape}, attrs)},
                 "RandomUniform"),
            2);
}

// What a read gives depends on when it runs.
TEST(CommonSubexpressions, ReadsStay) {
  TestFunction b;
  const Output v = b.Arg(DataType::kResource, {});
  v.node->mutable_output(0).handle_data = {{kF, PartialTensorShape({3})}};
  const AttrMap attrs{{"dtype", kF}};
  EXPECT_EQ(Left(b,
                 {b.Add("ReadVariableOp", {v}, attrs),
                  b.Add("ReadVariableOp", {v}, attrs)},
                 "ReadVariableOp"),
            2);
}

// Two lists that begin alike grow apart: one of them would be copied.
TEST(CommonSubexpressions, ListsStay) {
  TestFunction b;
  const Output shape = b.Const(Tensor::Vector<int32_t>(std::vector{3}));
  const Output any = b.Const(Tensor::Scalar<int32_t>(-1));
  const AttrMap attrs{{"element_dtype", kF}};
  EXPECT_EQ(Left(b,
                 {b.Add("EmptyTensorList", {shape, any}, attrs),
                  b.Add("EmptyTensorList", {shape, any}, attrs)},
                 "EmptyTensorList"),
            2);
}

// A name says nothing of what a function does.
TEST(CommonSubexpressions, CallsStay) {
  const auto branch = [](const char* op) {
    TestFunction g("g");
    const Output x = g.Arg(kF, {});
    return FunctionAttr{"g", g.Finish({g.Add(op, {x})})};
  };
  TestFunction b;
  const Output c = b.Arg(DataType::kBool, {}), x = b.Arg(kF, {});
  const auto choose = [&](const char* op) {
    return b.Add("StatelessIf", {c, x},
                 {{"Tout", std::vector{kF}},
                  {"then_branch", branch(op)},
                  {"else_branch", branch(op)}});
  };
  EXPECT_EQ(Left(b, {choose("Neg"), choose("Exp")}, "StatelessIf"), 2);
}

// What an imported graph notes at its nodes is kept apart.
TEST(CommonSubexpressions, OtherNotesAreOtherNodes) {
  const auto left = [](const char* first, const char* second) {
    TestFunction b;
    const Output x = b.Arg(kF, {4});
    const Output y = b.Add("Exp", {x}), z = b.Add("Exp", {x});
    if (*first) y.node->mutable_attrs().Set(first, int64_t{1});
    if (*second) z.node->mutable_attrs().Set(second, int64_t{1});
    return Left(b, {y, z}, "Exp");
  };
  EXPECT_EQ(left("_note", "_note"), 1);
  EXPECT_EQ(left("_note", ""), 2);
  EXPECT_EQ(left("_note", "_other"), 2);
}

// What has no value is no work: nothing changes.
TEST(CommonSubexpressions, NodesThatOnlyOrderStay) {
  TestFunction b;
  const Output x = b.Arg(kF, {4});
  b.Add("NoOp", {});
  b.Add("NoOp", {});
  RewriteGraph f = RewriteGraph::CloneOf(*b.Finish({b.Add("Exp", {x})}));
  bool changed = false;
  ThrowIfError(MergeCommonSubexpressions(&f, &changed));
  EXPECT_FALSE(changed);
}

}  // namespace
}  // namespace gk
