#include "function/trace_type.h"

#include <gtest/gtest.h>

#include "function/function_type.h"

namespace gk {
namespace {

TraceTypeRef FloatTensors(std::initializer_list<int64_t> dims) {
  return TraceType::Tensor(DataType::kFloat, PartialTensorShape(dims));
}
TraceTypeRef Literal(int64_t v) {
  return TraceType::Literal("i" + std::to_string(v), std::to_string(v),
                            nullptr);
}

TEST(TraceType, EqualTypesAreOneObject) {
  EXPECT_EQ(FloatTensors({2}).get(), FloatTensors({2}).get());
  EXPECT_NE(FloatTensors({2}).get(), FloatTensors({3}).get());
  TraceTypeRef a =
      TraceType::Sequence(TraceType::Kind::kList, {FloatTensors({2})});
  TraceTypeRef b =
      TraceType::Sequence(TraceType::Kind::kList, {FloatTensors({2})});
  EXPECT_EQ(a.get(), b.get());
  TraceTypeRef c =
      TraceType::Sequence(TraceType::Kind::kTuple, {FloatTensors({2})});
  EXPECT_FALSE(a->Equals(*c));
}

struct HostValue : LanguageValue {};

TEST(TraceType, LiteralsOfTwoLanguagesAreEqualButKeepTheirValues) {
  const TraceTypeRef of_a_file = Literal(712);
  const TraceTypeRef of_the_host =
      TraceType::Literal("i712", "712", MakeRef<HostValue>());
  EXPECT_TRUE(of_a_file->Equals(*of_the_host));
  EXPECT_EQ(of_a_file->hash(), of_the_host->hash());
  EXPECT_FALSE(of_a_file->value());
  EXPECT_TRUE(of_the_host->value());
  EXPECT_EQ(of_a_file.get(), Literal(712).get());
}

TEST(TraceType, NamesTellTypesApart) {
  TraceTypeRef a = TraceType::Tensor(DataType::kFloat, {2}, "a");
  TraceTypeRef b = TraceType::Tensor(DataType::kFloat, {2}, "b");
  EXPECT_FALSE(a->Equals(*b));
  EXPECT_FALSE(a->IsSubtypeOf(*b));
  EXPECT_FALSE(a->Equals(*FloatTensors({2})));
  EXPECT_TRUE(FloatTensors({2})->IsSubtypeOf(*a));
  EXPECT_EQ(a->hash(), FloatTensors({2})->hash());
}

TEST(TraceType, Prints) {
  EXPECT_EQ(TraceType::Tensor(DataType::kInt32, {2})->Text(),
            "TensorSpec(shape=(2,), dtype=tf.int32, name=None)");
  EXPECT_EQ(TraceType::Tensor(DataType::kFloat, {kUnknownDim}, "x")->Text(),
            "TensorSpec(shape=(None,), dtype=tf.float32, name='x')");
  EXPECT_EQ(TraceType::Variable(DataType::kFloat,
                                PartialTensorShape(std::span<const int64_t>()),
                                true, 0)
                ->Text(),
            "VariableSpec(shape=(), dtype=tf.float32, trainable=True, "
            "alias_id=0)");
  TraceTypeRef dict = TraceType::Dict({"sb", "sa"}, {"'b'", "'a'"}, 0,
                                      {Literal(1), Literal(2)}, nullptr);
  EXPECT_EQ(dict->Text(), "Dict[['b', Literal[1]], ['a', Literal[2]]]");
  EXPECT_EQ(
      TraceType::Sequence(TraceType::Kind::kTuple, {Literal(1), dict})->Text(),
      "Tuple[Literal[1], Dict[['b', Literal[1]], ['a', Literal[2]]]]");
}

TEST(TraceType, DictsIgnoreOrder) {
  TraceTypeRef a = TraceType::Dict({"sb", "sa"}, {"'b'", "'a'"}, 0,
                                   {Literal(1), Literal(2)}, nullptr);
  TraceTypeRef b = TraceType::Dict({"sa", "sb"}, {"'a'", "'b'"}, 0,
                                   {Literal(2), Literal(1)}, nullptr);
  TraceTypeRef c = TraceType::Dict({"sa", "sb"}, {"'a'", "'b'"}, 0,
                                   {Literal(1), Literal(2)}, nullptr);
  EXPECT_TRUE(a->Equals(*b));
  EXPECT_EQ(a->hash(), b->hash());
  EXPECT_FALSE(a->Equals(*c));
}

TEST(TraceType, Subtypes) {
  TraceTypeRef any = TraceType::Tensor(DataType::kFloat, PartialTensorShape());
  TraceTypeRef vec = FloatTensors({kUnknownDim});
  EXPECT_TRUE(FloatTensors({2})->IsSubtypeOf(*vec));
  EXPECT_TRUE(vec->IsSubtypeOf(*any));
  EXPECT_FALSE(vec->IsSubtypeOf(*FloatTensors({2})));
  EXPECT_FALSE(FloatTensors({2, 2})->IsSubtypeOf(*vec));
  EXPECT_FALSE(Literal(1)->IsSubtypeOf(*Literal(2)));
}

TEST(TraceType, Supertypes) {
  EXPECT_EQ(
      FloatTensors({2, 3})->CommonSupertype(*FloatTensors({2, 4}))->Text(),
      "TensorSpec(shape=(2, None), dtype=tf.float32, name=None)");
  EXPECT_EQ(FloatTensors({2, 3})->CommonSupertype(*FloatTensors({2}))->Text(),
            "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)");
  EXPECT_FALSE(Literal(1)->CommonSupertype(*Literal(2)));
  TraceTypeRef a =
      TraceType::Sequence(TraceType::Kind::kList,
                          {FloatTensors({2}), Literal(1)});
  TraceTypeRef b =
      TraceType::Sequence(TraceType::Kind::kList,
                          {FloatTensors({3}), Literal(1)});
  EXPECT_EQ(a->CommonSupertype(*b)->children()[0].get(),
            FloatTensors({kUnknownDim}).get());
}

TEST(FunctionType, CommonSubtypeServesTheCallsOfAll) {
  const auto of = [](TraceTypeRef x, std::vector<FunctionType::Capture> c) {
    return MakeRef<FunctionType>(
        std::vector<FunctionParameter>{
            {"x", ParameterKind::kPositionalOrKeyword, false, std::move(x)}},
        std::move(c), Literal(1));
  };
  const auto a = of(FloatTensors({2}), {{"v", FloatTensors({1})}});
  const auto b =
      of(FloatTensors({3}), {{"v", FloatTensors({2})}, {"w", Literal(2)}});
  const Ref<FunctionType> common = a->CommonSubtype(*b);
  ASSERT_TRUE(common);
  EXPECT_EQ(common->parameters()[0].type.get(),
            FloatTensors({kUnknownDim}).get());
  ASSERT_EQ(common->captures().size(), 2u);
  EXPECT_EQ(common->captures()[0].second.get(),
            FloatTensors({kUnknownDim}).get());
  EXPECT_FALSE(common->output());
  EXPECT_FALSE(a->CommonSubtype(*of(Literal(1), {})));
  EXPECT_FALSE(a->CommonSubtype(*of(nullptr, {})));
  EXPECT_FALSE(a->CommonSubtype(*of(FloatTensors({2}), {{"v", Literal(3)}})));
}

TEST(FunctionType, Prints) {
  FunctionType type({{"a", ParameterKind::kPositionalOrKeyword, false, nullptr},
                     {"b", ParameterKind::kPositionalOrKeyword, true, nullptr},
                     {"args", ParameterKind::kVarPositional, false, nullptr},
                     {"c", ParameterKind::kKeywordOnly, true, nullptr},
                     {"kw", ParameterKind::kVarKeyword, false, nullptr}});
  EXPECT_EQ(type.Text(),
            "(a, b=<captured_default_value>, *args, "
            "c=<captured_default_value>, **kw)");
}

}  // namespace
}  // namespace gk
