// The small rules: where they hold, and just beyond.
#include "grappler/rewrites/rewrites.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/function_for_test.h"
#include "grappler/simplify.h"

namespace gk {
namespace {


RewriteGraph Simplified(TestFunction& b, std::vector<Output> results) {
  RewriteGraph f = RewriteGraph::CloneOf(*b.Finish(std::move(results)));
  bool changed = false;
  ThrowIfError(Simplify(&f, &changed));
  return f;
}

std::string TypeOfResult(TestFunction& b, Output result) {
  return std::string(Simplified(b, {result}).results[0].node->type());
}

template <class T>
std::string TypeOfPower(T power, const PartialTensorShape& shape = {4}) {
  TestFunction b;
  const Output x = b.Arg(kTypeOf<T>, shape);
  return TypeOfResult(b, b.Add("Pow", {x, b.Const(Tensor::Scalar(power))}));
}

TEST(TakeSpecialCase, OfTwoInEveryType) {
  EXPECT_EQ(TypeOfPower(2.0f), "Square");
  EXPECT_EQ(TypeOfPower(2.0), "Square");
  EXPECT_EQ(TypeOfPower(half(2.0f)), "Square");
  EXPECT_EQ(TypeOfPower(bfloat16(2.0f)), "Square");
  EXPECT_EQ(TypeOfPower(int32_t{2}), "Square");
  EXPECT_EQ(TypeOfPower(int64_t{2}), "Square");
  EXPECT_EQ(TypeOfPower(2.5f), "Pow");
  EXPECT_EQ(TypeOfPower(int32_t{3}), "Pow");
  EXPECT_EQ(TypeOfPower(2.0f, PartialTensorShape()), "Square");
}

TEST(TakeSpecialCase, KeepsShapes) {
  const auto with = [](const TensorShape& power, PartialTensorShape shape) {
    TestFunction b;
    const Output x = b.Arg(kF, std::move(shape));
    const Output twos = b.Const(Tensor::OfValues<float>(
        std::vector<float>(power.num_elements(), 2), power));
    return TypeOfResult(b, b.Add("Pow", {x, twos}));
  };
  EXPECT_EQ(with({1}, {4}), "Square");
  EXPECT_EQ(with({1, 1}, {4}), "Pow") << "the result is a matrix";
  EXPECT_EQ(with({1}, {-1}), "Pow") << "it may be";
  EXPECT_EQ(with({4}, {4}), "Pow") << "of several elements";
}

TEST(TakeSpecialCase, OfWhatIsKnown) {
  TestFunction b;
  const Output x = b.Arg(kF, {4});
  EXPECT_EQ(TypeOfResult(b, b.Add("Pow", {x, b.Arg(kF, {})})), "Pow");
}

TEST(AddElements, WhereTheRowIsKnownToFit) {
  const auto biased = [](PartialTensorShape x, PartialTensorShape row,
                         const char* format = "NHWC", DataType type = kF) {
    TestFunction b;
    const Output value = b.Arg(type, std::move(x));
    return TypeOfResult(b,
                        b.Add("BiasAdd", {value, b.Arg(type, std::move(row))},
                              {{"data_format", std::string(format)}}));
  };
  EXPECT_EQ(biased({2, 3}, {3}), "AddV2");
  EXPECT_EQ(biased({-1, 5, 4, 3}, {3}), "AddV2");
  EXPECT_EQ(biased({2, 1}, {1}), "AddV2");
  EXPECT_EQ(biased({2, -1}, {-1}), "BiasAdd") << "one of them may be 1";
  EXPECT_EQ(biased({2, 3}, {-1}), "BiasAdd");
  EXPECT_EQ(biased(PartialTensorShape(), {3}), "BiasAdd");
  EXPECT_EQ(biased({2, 3, 4, 3}, {3}, "NCHW"), "BiasAdd");
  EXPECT_EQ(biased({2, 3}, {3}, "NHWC", DataType::kInt32), "BiasAdd");
}

TEST(DropView, OfTheSameShapeAndType) {
  const auto reshaped = [](PartialTensorShape from, std::vector<int32_t> to) {
    TestFunction b;
    const Output x = b.Arg(kF, std::move(from));
    return TypeOfResult(
        b, b.Add("Reshape", {x, b.Const(Tensor::Vector<int32_t>(to))}));
  };
  EXPECT_EQ(reshaped({2, 3}, {2, 3}), "Placeholder");
  EXPECT_EQ(reshaped({2, 3}, {3, 2}), "Reshape");
  EXPECT_EQ(reshaped({2, -1}, {2, 3}), "Reshape");
  EXPECT_EQ(reshaped({2, -1}, {2, -1}), "Reshape");
}

TEST(DropIdentityElement, OnEitherSideIfItMayChangeSides) {
  const auto with = [](const char* op, bool left, auto constant,
                       PartialTensorShape shape = {2, 3},
                       const TensorShape& all = {}) {
    TestFunction b;
    using T = decltype(constant);
    const Output x = b.Arg(kTypeOf<T>, std::move(shape));
    const Output c = b.Const(
        Tensor::OfValues<T>(std::vector<T>(all.num_elements(), constant), all));
    return TypeOfResult(
        b, b.Add(op, left ? std::vector{c, x} : std::vector{x, c}));
  };
  const std::string x = "Placeholder";
  EXPECT_EQ(with("Mul", false, 1.0f), x);
  EXPECT_EQ(with("Mul", true, 1.0f), x);
  EXPECT_EQ(with("Mul", false, 0.5f), "Mul");
  EXPECT_EQ(with("Pow", false, 1.0f), x);
  EXPECT_EQ(with("Pow", true, 1.0f), "Pow");
  EXPECT_EQ(with("AddV2", false, 0.0f), "AddV2") << "-0 + 0 is 0";
  EXPECT_EQ(with("AddV2", false, int64_t{0}), x);
  // Constants that have a shape to give.
  EXPECT_EQ(with("Mul", false, 1.0f, {2, 3}, {3}), x);
  EXPECT_EQ(with("Mul", false, 1.0f, {2, 3}, {4, 2, 3}), "Mul");
  EXPECT_EQ(with("Mul", false, 1.0f, {2, -1}, {3}), "Mul");
  EXPECT_EQ(with("Mul", false, 1.0f, PartialTensorShape(), {3}), "Mul");
  EXPECT_EQ(with("Mul", false, 1.0f, PartialTensorShape()), x);
}

TEST(DropRepetition, OfTheSameOpAndAttributes) {
  const auto twice = [](const char* first, const char* second) {
    TestFunction b;
    const Output x = b.Arg(kF, {3});
    return TypeOfResult(b, b.Add(second, {b.Add(first, {x})}));
  };
  EXPECT_EQ(twice("Neg", "Neg"), "Placeholder");
  EXPECT_EQ(twice("Neg", "Abs"), "Abs");
  EXPECT_EQ(twice("Abs", "Neg"), "Neg");
  TestFunction b;
  const Output x = b.Arg(kF, {3});
  const RewriteGraph f = Simplified(b, {b.Add("Abs", {b.Add("Abs", {x})})});
  EXPECT_EQ(f.results[0].node->type(), "Abs");
  EXPECT_EQ(f.results[0].node->input(0).node->type(), "Placeholder");
}

// Rules ask for properties and rely on what these say of inputs and outputs.
TEST(Rewrites, PropertiesSayWhatAnOpTakesAndGives) {
  RegisterAllOps();
  for (const OpRecord* op : OpRegistry::Get().all()) {
    const auto is_one = [](const ArgDef& a) { return !a.is_list(); };
    const auto all_are_one = [&](const std::vector<ArgDef>& args) {
      return std::all_of(args.begin(), args.end(), is_one);
    };
    SCOPED_TRACE(op->name);
    if (op->Has(kView)) {
      EXPECT_FALSE(op->def->inputs.empty());
    }
    if (op->Has(kInvolution | kIdempotent)) {
      EXPECT_EQ(op->def->inputs.size(), 1u);
      EXPECT_TRUE(all_are_one(op->def->inputs));
    }
    if (op->Has(kIdentityZero | kIdentityOne)) {
      EXPECT_EQ(op->def->inputs.size(), 2u);
      EXPECT_TRUE(all_are_one(op->def->inputs));
    }
    if (op->Has(kInvolution | kIdempotent | kIdentityZero | kIdentityOne)) {
      EXPECT_EQ(op->def->outputs.size(), 1u);
      EXPECT_TRUE(all_are_one(op->def->outputs));
    }
  }
}

TEST(DropView, OfOneValue) {
  TestFunction b;
  const Output x = b.Arg(kF, {4}), y = b.Arg(kF, {4});
  EXPECT_EQ(TypeOfResult(b, b.Add("IdentityN", {x, y})), "IdentityN");
  EXPECT_EQ(TypeOfResult(b, b.Add("IdentityN", {x})), "Placeholder");
}

TEST(DropView, OfTheSameType) {
  TestFunction b;
  const Output x = b.Arg(kF, {4});
  EXPECT_EQ(
      TypeOfResult(b, b.Add("Bitcast", {x}, {{"type", DataType::kInt32}})),
      "Bitcast");
}

TEST(DropIdentityElement, OfTypesThatAreAskedFor) {
  TestFunction b;
  const auto type = [&](const char* op, Output p, Output q) {
    return TypeOfResult(b, b.Add(op, {p, q}));
  };
  const Output c = b.Const(Tensor::Scalar(std::complex<float>(1, 0)));
  const Output z = b.Arg(DataType::kComplex64, {4});
  EXPECT_EQ(type("Mul", z, c), "Mul") << "its zeros have two signs each";
}

TEST(TakeSpecialCase, OfTypesThatHaveSquares) {
  TestFunction b;
  const Output x = b.Arg(DataType::kComplex64, {4});
  const Output two = b.Const(Tensor::Scalar(std::complex<float>(2, 0)));
  EXPECT_EQ(TypeOfResult(b, b.Add("Pow", {x, two})), "Pow");
}

TEST(DropRepetition, OfOtherAttributes) {
  TestFunction b;
  const Output x = b.Arg(kF, {3});
  const Output inner = b.Add("Abs", {x}), outer = b.Add("Abs", {inner});
  inner.node->mutable_attrs().Set("_note", std::string("kept"));
  RewriteGraph f = Simplified(b, {outer});
  EXPECT_NE(f.results[0].node->input(0).node->type(), "Placeholder");
  EXPECT_EQ(f.results[0].node->name(), "Abs_1");
}

}  // namespace
}  // namespace gk
