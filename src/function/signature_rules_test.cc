// What an input signature demands, and the texts about calls that do not fit.
#include "function/signature_rules.h"

#include <gtest/gtest.h>

namespace gk {
namespace {

using TypeKind = TraceType::Kind;

FunctionParameter Parameter(std::string name, ParameterKind kind,
                            bool optional = false,
                            TraceTypeRef type = nullptr) {
  return {std::move(name), kind, optional, std::move(type)};
}
TraceTypeRef FloatType(PartialTensorShape shape) {
  return TraceType::Tensor(DataType::kFloat, std::move(shape));
}
Ref<FunctionType> Call(TraceTypeRef type, std::string name = "x") {
  return MakeRef<FunctionType>(std::vector<FunctionParameter>{
      Parameter(std::move(name), ParameterKind::kPositionalOrKeyword, false,
                std::move(type))});
}

TEST(SignatureRulesTest, EachTypeIsOfAParameter) {
  const FunctionType f(
      {Parameter("a", ParameterKind::kPositionalOrKeyword),
       Parameter("b", ParameterKind::kPositionalOrKeyword, true),
       Parameter("k", ParameterKind::kKeywordOnly, true)});
  const auto all = SignParameters(f, 1);
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[0].type, 0);
  EXPECT_EQ((*all)[1].type, -1);
  EXPECT_EQ((*all)[2].parameter.kind, ParameterKind::kKeywordOnly);
  EXPECT_EQ(SignParameters(f, 0).status().message(),
            "input_signature missing type constraint for a");
  EXPECT_EQ(SignParameters(f, 5).status().message(),
            "input_signature contains 2 extra type constraints.");
}

TEST(SignatureRulesTest, PlacesBehindTheLastNameAreNumbered) {
  const FunctionType f({Parameter("a", ParameterKind::kPositionalOrKeyword),
                        Parameter("rest", ParameterKind::kVarPositional)});
  const auto all = SignParameters(f, 3);
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[0].parameter.kind, ParameterKind::kPositionalOnly);
  EXPECT_EQ((*all)[2].parameter.name, "rest_1");
  EXPECT_EQ((*all)[2].of, 1u);
  const FunctionType needs({Parameter("k", ParameterKind::kKeywordOnly)});
  EXPECT_EQ(SignParameters(needs, 1).status().message(),
            "Since input_signature is defined, keyword-only parameter `k` must "
            "have a default value");
}

TEST(SignatureRulesTest, NamesHaveToBeTheSame) {
  const FunctionType wanted(
      {Parameter("a", ParameterKind::kPositionalOnly),
       Parameter("b", ParameterKind::kPositionalOrKeyword)});
  const std::string_view a[] = {"b", "a"};
  EXPECT_EQ(GivenNamesMisfit(a, wanted),
            "got an unexpected keyword argument 'a'");
  EXPECT_EQ(GivenNamesMisfit({a, 1}, wanted), "");
  using Names = std::vector<BoundName>;
  const auto misfit = [&](const Names& names) {
    return BoundNamesMisfit(names, wanted);
  };
  EXPECT_EQ(misfit({{"a", ParameterKind::kPositionalOnly},
                    {"b", ParameterKind::kPositionalOrKeyword}}),
            "");
  EXPECT_EQ(misfit({{"a", ParameterKind::kPositionalOnly}}),
            "missing a required argument: 'b'");
  EXPECT_EQ(misfit({{"c", ParameterKind::kPositionalOnly}}),
            "too many positional arguments");
  EXPECT_EQ(misfit({{"c", ParameterKind::kKeywordOnly}}),
            "got an unexpected keyword argument 'c'");
}

TEST(SignatureRulesTest, TypesHaveToFitPartByPart) {
  const TraceTypeRef any = FloatType({-1}), two = FloatType({2}),
                     scalar = FloatType({});
  const std::string vector = any->Text(), number = scalar->Text();
  const auto misfit = [](const TraceTypeRef& own, const TraceTypeRef& wanted) {
    return TypesMisfit(*Call(own), *Call(wanted));
  };
  const auto list = [](std::vector<TraceTypeRef> parts) {
    return TraceType::Sequence(TypeKind::kList, std::move(parts));
  };
  EXPECT_EQ(misfit(two, any), "");
  EXPECT_EQ(misfit(scalar, any), "Can not cast " + number + " to " + vector);
  EXPECT_EQ(misfit(list({two, any}), list({any, any})), "");
  EXPECT_EQ(misfit(list({two, scalar}), list({any, any})),
            "Can not cast " + number + " to " + vector);
  EXPECT_EQ(misfit(list({scalar}), list({scalar, scalar})),
            "Can not cast List[" + number + "] of length 1 to List[" + number +
                ", " + number + "] of length 2.");
  EXPECT_EQ(misfit(scalar, list({scalar})),
            "Can not cast " + number + " to list type.");
  const auto dict = [&](std::string key, const TraceTypeRef& type) {
    return TraceType::Dict({"s" + key}, {"'" + key + "'"}, 0, {type}, nullptr);
  };
  EXPECT_EQ(misfit(dict("a", two), dict("a", any)), "");
  EXPECT_EQ(misfit(dict("b", two), dict("a", any)),
            dict("b", two)->Text() + " has different keys with the TraceType " +
                dict("a", any)->Text() + ".");
  EXPECT_EQ(misfit(dict("a", scalar), dict("a", any)),
            "Can not cast " + number + " to " + vector);
  EXPECT_EQ(TypesMisfit(*Call(two, "y"), *Call(any, "x")),
            "too many positional arguments");
}

}  // namespace
}  // namespace gk
