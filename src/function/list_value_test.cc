// ListValue: elements that nest, eagerly: those of both languages are tested
// traced, in src/api/tensor_list_test.cc and tests/python/autograph.
#include "function/list_value.h"

#include <gtest/gtest.h>

#include "eager/eager_context.h"
#include "function/func_graph.h"
#include "ops/composition.h"

namespace gk {
namespace {

using Element = ListValue::Element;

Tensor IntValue(int32_t value) { return Tensor::Scalar(value); }
// (value, (1, 2, ...)), or in a list instead of a tuple.
Element PairOf(int32_t value, std::initializer_list<int32_t> row,
               bool list = false) {
  std::vector<StructureRef> parts = {Structure::Leaf(), Structure::Leaf()};
  return {list ? Structure::List(parts) : Structure::Tuple(parts),
          {IntValue(value),
           Tensor::Vector<int32_t>(std::span(row.begin(), row.size()))}};
}
std::vector<int32_t> IntsIn(const Tensor& t) {
  return {t.data<int32_t>(), t.data<int32_t>() + t.num_elements()};
}
std::vector<int32_t> Firsts(const ListValue& list) {
  return IntsIn(list.Rows().tensors[0]);
}

class ListValueTest : public testing::Test {
 protected:
  ListValueTest() { InitEager(); }
};

TEST_F(ListValueTest, TheFirstElementTellsWhatTheOthersAre) {
  ListValue list;
  EXPECT_TRUE(list.is_open());
  EXPECT_EQ(list.Length().scalar<int32_t>(), 0);
  EXPECT_EQ(list.Text(), "<list of None in a graph>");
  EXPECT_EQ(list.Rows().tensors[0].shape(), TensorShape({0}));
  EXPECT_TRUE(list.Part({}).is_open());
  EXPECT_THROW(list.At(0), Error);
  EXPECT_THROW(list.Pop(), Error);

  list.Append(PairOf(1, {1, 2}));
  list.Append(PairOf(2, {3, 4}));
  EXPECT_EQ(list.Length().scalar<int32_t>(), 2);
  EXPECT_EQ(IntsIn(list.Rows().tensors[1]), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(list.Text(),
            "<list of (TensorSpec(shape=(), dtype=tf.int32, name=None), "
            "TensorSpec(shape=(2,), dtype=tf.int32, name=None)) in a graph>");
}

TEST_F(ListValueTest, ChangesAllTensorsOfAnElement) {
  ListValue list = ListValue::OfRows(
      {Structure::Tuple({Structure::Leaf(), Structure::Leaf()}),
       {CallComposition("range", {int64_t{4}})[0],
        CallComposition("ones",
                        {std::vector<int64_t>{4, 2}, DataType::kInt32})[0]}});
  const ListValue before = list;
  EXPECT_TRUE(list.IsSameAs(before));
  list.Set(-1, PairOf(7, {5, 6}));
  EXPECT_FALSE(list.IsSameAs(before));
  list.Insert(1, PairOf(8, {7, 8}));
  EXPECT_EQ(Firsts(list), (std::vector<int32_t>{0, 8, 1, 2, 7}));
  EXPECT_EQ(IntsIn(list.At(-1).tensors[1]), (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(IntsIn(list.Pop(1).tensors[1]), (std::vector<int32_t>{7, 8}));
  EXPECT_EQ(IntsIn(list.Pop().tensors[0]), (std::vector<int32_t>{7}));
  SubscriptEntry every_second;
  every_second.stride = 2;
  EXPECT_EQ(Firsts(list.Part(every_second)), (std::vector<int32_t>{0, 2}));
  list.Erase(every_second);
  EXPECT_EQ(Firsts(list), (std::vector<int32_t>{1}));
  list.Clear();
  EXPECT_EQ(list.Length().scalar<int32_t>(), 0);
  EXPECT_EQ(Firsts(before), (std::vector<int32_t>{0, 1, 2, 3}));
}

TEST_F(ListValueTest, ElementsThatDoNotFitAreTold) {
  ListValue list;
  list.Append(PairOf(1, {1, 2}));
  const auto message = [&](const Element& element) {
    try {
      list.Append(element);
    } catch (const Error& e) {
      return std::string(e.status().message());
    }
    return std::string("no error");
  };
  EXPECT_EQ(
      message(PairOf(1, {1, 2}, /*list=*/true))
          .rfind("an element [TensorSpec(shape=(), dtype=tf.int32, name=None), "
                 "TensorSpec(shape=(2,), dtype=tf.int32, name=None)] does not "
                 "have the structure of the list's others, (TensorSpec(",
                 0),
      0);
  EXPECT_NE(message({Structure::Leaf(), {IntValue(1)}})
                .find("Second structure: type=TensorSpec str=TensorSpec("),
            std::string::npos);
  EXPECT_NE(message(PairOf(1, {1}))
                .find("an element has shape (1,), but the "
                      "list's others have shape (2,)"),
            std::string::npos);
  Element floats = PairOf(1, {1, 2});
  floats.tensors[0] = Tensor::Scalar(1.f);
  EXPECT_EQ(message(floats),
            "an element has dtype float32, but the list's others have dtype "
            "int32");
  EXPECT_EQ(list.Length().scalar<int32_t>(), 1);
}

TEST_F(ListValueTest, AnOpenListInALoopBeginsWithTheLoopsOwn) {
  ListValue list;
  ElementSpec asked;
  const Tensor handle =
      ListValue({Structure::Leaf(),
                 {TypeSpec::Tensor(DataType::kInt32, TensorShape())}})
          .handles()[0];
  list.set_begin([&](const ElementSpec& elements) -> TensorVector {
    asked = elements;
    return {handle};
  });
  ListValue copy = list;
  copy.Append({Structure::Leaf(), {IntValue(3)}});
  ASSERT_EQ(asked.leaves.size(), 1u);
  EXPECT_EQ(asked.leaves[0].dtype, DataType::kInt32);
  EXPECT_TRUE(list.is_open());
  EXPECT_EQ(Firsts(copy), (std::vector<int32_t>{3}));
}

TEST_F(ListValueTest, OfATensorListItIsWhatThatHolds) {
  ListValue list;
  list.Append({Structure::Leaf(), {IntValue(3)}});
  const ListValue same = ListValue::OfHandle(list.handles()[0]);
  EXPECT_EQ(same.elements()->leaves, list.elements()->leaves);
  EXPECT_TRUE(same.IsSameAs(list));
  auto graph = MakeRef<FuncGraph>("f");
  const Tensor argument = ValueOrThrow(
      graph->inputs().AddArgument("x", DataType::kVariant, TensorShape()));
  EXPECT_THROW(ListValue::OfHandle(argument), Error);
}

}  // namespace
}  // namespace gk
