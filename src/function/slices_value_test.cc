#include "function/slices_value.h"

#include <gtest/gtest.h>

#include <array>

#include "eager/eager_context.h"
#include "function/func_graph.h"
#include "ops/composition.h"
#include "runtime/executor.h"

namespace gk {
namespace {

class SlicesTest : public testing::Test {
 protected:
  SlicesTest() {
    InitEager();
    InitRuntime();
  }
};

Tensor RowOf(std::initializer_list<float> row) {
  Tensor t = ValueOrThrow(Tensor::Zeros(
      DataType::kFloat, TensorShape({1, static_cast<int64_t>(row.size())})));
  std::copy(row.begin(), row.end(), t.data<float>());
  return t;
}
Tensor Ints32(std::initializer_list<int32_t> values) {
  return Tensor::Vector<int32_t>(std::span(values.begin(), values.size()));
}
constexpr auto kText = [] { return std::string("slices"); };

template <class F>
std::string MessageOf(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return std::string(error.status().message());
  }
  return "no error";
}

TEST_F(SlicesTest, AreAWhole) {
  const SlicesValue slices = {RowOf({1, 2}), Ints32({1}), Ints32({3, 2})};
  EXPECT_EQ(slices.shape(), PartialTensorShape({3, 2}));
  const Tensor whole = slices.Whole(kText);
  EXPECT_EQ(whole.shape(), TensorShape({3, 2}));
  EXPECT_EQ(whole.data<float>()[3], 2);
  EXPECT_EQ(slices.Spec(),
            TypeSpec::Slices(DataType::kFloat, PartialTensorShape({3, 2}),
                             DataType::kInt32, DataType::kInt32,
                             PartialTensorShape({1})));
}

TEST_F(SlicesTest, WithoutADenseShape) {
  const SlicesValue slices = {RowOf({1, 2}), Ints32({1}), {}};
  EXPECT_TRUE(slices.shape().unknown_rank());
  EXPECT_EQ(slices.Spec().shape, PartialTensorShape({kUnknownDim, 2}));
  EXPECT_EQ(MessageOf([&] { slices.Whole(kText); }),
            "Tensor conversion requested for IndexedSlices for argument "
            "`value` without dense_shape: slices");
}

TEST_F(SlicesTest, PartsThatDoNotFit) {
  const auto spec = [](Tensor indices, Tensor dense_shape) {
    return MessageOf([&] {
      (void)SlicesValue{RowOf({1, 2}), indices, dense_shape}.Spec();
    });
  };
  EXPECT_EQ(spec(Ints32({1, 2}), {}),
            "Shapes (2,) and (1,) are not compatible");
  EXPECT_EQ(spec(Ints32({1}), Ints32({3, 3})),
            "Shapes (None, 2) and (3, 3) are not compatible");
  EXPECT_EQ(spec(Ints32({1}), Tensor::Scalar<int32_t>(3)),
            "Shape () must have rank 1");
  EXPECT_EQ(spec(Ints32({1}), Ints32({-2, 2})), "Dimension -2 must be >= 0");
}

// What is known of the dense shape in a graph, and how the nodes are called.
TEST_F(SlicesTest, OfAGraph) {
  auto graph = MakeRef<FuncGraph>("f");
  const FuncGraph::Building building(graph.get());
  const auto argument = [&](const char* name, PartialTensorShape shape) {
    return ValueOrThrow(
        graph->inputs().AddArgument(name, DataType::kInt32, shape));
  };
  const Tensor rows = ValueOrThrow(graph->inputs().AddArgument(
      "rows", DataType::kFloat, PartialTensorShape({kUnknownDim, 2})));
  const auto shape = [&](Tensor dense) {
    return SlicesValue{rows, Ints32({1}), dense}.shape();
  };
  EXPECT_EQ(shape(argument("known", PartialTensorShape({3}))),
            PartialTensorShape::UnknownOfRank(3));
  EXPECT_TRUE(shape(argument("some", PartialTensorShape({kUnknownDim})))
                  .unknown_rank());
  EXPECT_TRUE(shape(argument("any", PartialTensorShape())).unknown_rank());
  // No list of ten billion dimensions.
  EXPECT_TRUE(shape(argument("absurd", PartialTensorShape({10'000'000'000})))
                  .unknown_rank());
  const Tensor dense = ValueOrThrow(graph->Constant(Ints32({3, 2}), "dense"));
  EXPECT_EQ(shape(dense), PartialTensorShape({3, 2}));
  const Tensor size = argument("size", PartialTensorShape(TensorShape()));
  const Tensor part =
      CallComposition("stack", {TensorVector{size, Int32Of(2)}, int64_t{0}})[0];
  EXPECT_EQ(shape(part), PartialTensorShape({kUnknownDim, 2}));

  const SlicesValue slices = {rows, Ints32({1}), dense};
  const Tensor whole = slices.Whole(kText, "whole");
  EXPECT_EQ(whole.partial_shape(), PartialTensorShape({3, 2}));
  EXPECT_EQ(Graph::OutputOf(whole).node->name(), "whole");
  EXPECT_NE(graph->graph()->FindNode("strided_slice/stack_1"), nullptr);
  slices.Whole(kText);
  EXPECT_NE(graph->graph()->FindNode("UnsortedSegmentSum"), nullptr);
  EXPECT_NE(graph->graph()->FindNode("strided_slice_1/stack_1"), nullptr);
}

}  // namespace
}  // namespace gk
