// String ops against known answers.
#include "eager/op_outcomes_for_test.h"

namespace gk {
namespace {

class StringOps : public ::testing::Test {
 protected:
  void SetUp() override { InitEager(); }
};

Tensor S(std::initializer_list<std::string> v, TensorShape shape) {
  return Tensor::OfValues<std::string>({v.begin(), v.size()}, shape);
}
Tensor S(std::initializer_list<std::string> v) {
  return S(v, TensorShape({int64_t(v.size())}));
}
Tensor S(const char* v) { return Tensor::Scalar<std::string>(v); }

// The elements of a string tensor between bars, or the error.
std::string TextsOf(std::string_view op, std::initializer_list<Tensor> in,
                    AttrMap attrs = {}, int output = 0) {
  try {
    const Tensor t = MakeOp(op, {in.begin(), in.size()}, attrs)[output];
    std::string s = t.shape().DebugString() + " |";
    for (const std::string& v : t.flat<std::string>()) s += v + "|";
    return s;
  } catch (const Error& e) {
    return MessageWithoutOp(e);
  }
}

TEST_F(StringOps, AsString) {
  const int64_t three = 3, ten = 10, five = 5;
  EXPECT_EQ(TextsOf("AsString", {F({1.5f, -2.25f, 0.1f})}),
            "[3] |1.500000|-2.250000|0.100000|");
  EXPECT_EQ(TextsOf("AsString", {F({1.5f, 1e20f})}, {{"scientific", true}}),
            "[2] |1.500000e+00|1.000000e+20|");
  EXPECT_EQ(TextsOf("AsString", {F({1.5f, 1e20f, 0.1f})}, {{"shortest", true}}),
            "[3] |1.5|1e+20|0.1|");
  EXPECT_EQ(
      TextsOf(
          "AsString", {F({1.5})},
          {{"precision", three}, {"width", ten}, {"fill", std::string("0")}}),
      "[1] |000001.500|");
  EXPECT_EQ(TextsOf("AsString", {F({1.5})}, {{"fill", std::string("x")}}),
            "Fill argument not supported: \"x\"");
  EXPECT_EQ(TextsOf("AsString", {I({1, -2})},
                    {{"width", five}, {"fill", std::string("0")}}),
            "[2] |00001|-0002|");
  EXPECT_EQ(TextsOf("AsString", {I({1})}, {{"precision", three}}),
            "precision not supported for datatype int32");
  EXPECT_EQ(TextsOf("AsString", {Tensor::Scalar(true)}), "[] |true|");
  EXPECT_EQ(TextsOf("AsString", {S({"a"})}, {{"width", three}}), "[1] |  a|");
}

TEST_F(StringOps, ToNumber) {
  auto number = [](const char* text, DataType t) {
    return Outcome("StringToNumber", {S(text)}, {{"out_type", t}});
  };
  for (auto [text, value] : {std::pair{" 3 ", "3"},
                             {"-2e3", "-2000"},
                             {"0x10", "16"},
                             {"+1", "1"},
                             {".5", "0.5"},
                             {"1e400", "inf"},
                             {"-Infinity", "-inf"},
                             {"1e-400", "0"}}) {
    EXPECT_EQ(number(text, DataType::kFloat),
              "float [] {" + std::string(value) + "}");
  }
  for (const char* text :
       {"a", "", "1.5x", "1_0", " ", "0x", "infx", "1 2", "e5", "+-1", "1d"}) {
    EXPECT_EQ(number(text, DataType::kFloat),
              "StringToNumberOp could not correctly convert string: " +
                  std::string(text));
  }
  EXPECT_EQ(number("00012", DataType::kInt32), "int32 [] {12}");
  EXPECT_EQ(number(" -3", DataType::kInt32), "int32 [] {-3}");
  for (const char* text : {"2147483648", "1.0", "", "-", "0x10", "--1"}) {
    EXPECT_EQ(number(text, DataType::kInt32),
              "StringToNumberOp could not correctly convert string: " +
                  std::string(text));
  }
}

TEST_F(StringOps, Case) {
  const AttrMap utf8{{"encoding", std::string("utf-8")}};
  EXPECT_EQ(TextsOf("StringLower", {S("ABcÉ")}), "[] |abcÉ|");
  EXPECT_EQ(TextsOf("StringLower", {S("ABcÉΣЖ")}, utf8), "[] |abcéσж|");
  EXPECT_EQ(TextsOf("StringUpper", {S("aßéÿς")}, utf8), "[] |ASSÉŸΣ|");
  EXPECT_EQ(TextsOf("StringUpper", {S("aé\xE2\x82")}, utf8),
            "[] |AÉ\xEF\xBF\xBD|");
  EXPECT_EQ(TextsOf("StringUpper", {S("a")}, {{"encoding", std::string("x")}}),
            "only utf-8 or '' (no encoding) is supported, received x");
}

TEST_F(StringOps, Substr) {
  const AttrMap utf8{{"unit", std::string("UTF8_CHAR")}};
  const Tensor words = S({"hello", "world"});
  EXPECT_EQ(TextsOf("Substr", {words, I(1), I(3)}), "[2] |ell|orl|");
  EXPECT_EQ(TextsOf("Substr", {words, I({1, -3}), I({3, 2})}), "[2] |ell|rl|");
  EXPECT_EQ(TextsOf("Substr", {S("hello"), I({5, 1}), I({1, -2})}),
            "[2] ||ello|");
  EXPECT_EQ(TextsOf("Substr", {S("hello"), I(6), I(1)}),
            "pos 6 out of range for string b'hello' at index 0");
  EXPECT_EQ(TextsOf("Substr", {S("héllo"), I({1, -4}), I({2, 2})}, utf8),
            "[2] |él|él|");
  EXPECT_EQ(TextsOf("Substr", {S("héllo"), I(6), I(2)}, utf8),
            "pos 6 out of range for string at index 0");
  EXPECT_EQ(TextsOf("Substr", {words, I({1, 2, 3}), I({1, 1, 1})}),
            "Incompatible shapes: [2] vs. [3]");
}

TEST_F(StringOps, ReduceJoin) {
  const Tensor x = S({"a", "b", "c", "d"}, {2, 2});
  const AttrMap keep{{"keep_dims", true}, {"separator", std::string("-")}};
  EXPECT_EQ(TextsOf("ReduceJoin", {x, I(0)}), "[2] |ac|bd|");
  EXPECT_EQ(TextsOf("ReduceJoin", {x, I(-1)}), "[2] |ab|cd|");
  EXPECT_EQ(TextsOf("ReduceJoin", {x, I({0, 1})}, keep), "[1,1] |a-c-b-d|");
  EXPECT_EQ(TextsOf("ReduceJoin", {x, I({1, 0})}), "[] |abcd|");
  EXPECT_EQ(TextsOf("ReduceJoin", {S({}, {0, 2}), I(0)}), "[2] |||");
  EXPECT_EQ(TextsOf("ReduceJoin", {x, I({0, 0})}),
            "Duplicate reduction dimension 0");
}

TEST_F(StringOps, Split) {
  auto split = [](std::initializer_list<std::string> v, const char* sep,
                  int64_t maxsplit = -1) {
    return TextsOf("StringSplitV2", {S(v), S(sep)}, {{"maxsplit", maxsplit}},
                   1);
  };
  EXPECT_EQ(split({"a b  c ", " d", ""}, ""), "[4] |a|b|c|d|");
  EXPECT_EQ(split({"a,b,,c,"}, ","), "[5] |a|b||c||");
  EXPECT_EQ(split({"a,b,,c"}, ",", 1), "[2] |a|b,,c|");
  EXPECT_EQ(split({" a b  c "}, "", 1), "[2] |a|b  c |");
  EXPECT_EQ(split({"  a  b  "}, "", 2), "[3] |a|b||");
  EXPECT_EQ(split({"a<>b<>"}, "<>"), "[3] |a|b||");
  EXPECT_EQ(split({"a b c"}, "", 0), "[1] |a b c|");
  EXPECT_EQ(split({"", ""}, ","), "[2] |||");
}

}  // namespace
}  // namespace gk
