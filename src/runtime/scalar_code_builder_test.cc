// What becomes byte code and what is left to plans; either gives the same.
#include "runtime/scalar_code_builder.h"

#include <gtest/gtest.h>

#include "grappler/optimize.h"
#include "runtime/scalars_for_test.h"

namespace gk {
namespace {

using scalars::Body;
using scalars::CodeOf;
using scalars::Function;
using scalars::If;
using scalars::Int;
using scalars::Outcome;
using scalars::RunBoth;
using scalars::RunWith;
using scalars::While;

Tensor Of(int32_t v) { return Tensor::Scalar<int32_t>(v); }

// Three turns of `step` on (turn, x); the last x.
Body Loop(const Body& step, const char* op = "StatelessWhile") {
  return [=](TestFunction& b, const std::vector<Output>& in) {
    const std::vector<Output> end = While(
        b, {Int(b, 0), in[0]},
        [](TestFunction& c, const std::vector<Output>& s) {
          return std::vector{c.Add("Less", {s[0], Int(c, 3)})};
        },
        [=](TestFunction& c, const std::vector<Output>& s) {
          std::vector<Output> next = step(c, {s[1]});
          next.insert(next.begin(), c.Add("AddV2", {s[0], Int(c, 1)}));
          return next;
        },
        op);
    return std::vector{end[1]};
  };
}

int32_t Result(const Body& make, int32_t x) {
  const Outcome o = RunBoth({kI}, make, {Of(x)});
  EXPECT_EQ(o.status.ToString(), "OK");
  return o.values.empty() ? -1 : o.values[0].scalar<int32_t>();
}
void ExpectCode(const Body& make, int32_t x, int32_t want) {
  EXPECT_NE(CodeOf({kI}, make), "");
  EXPECT_EQ(Result(make, x), want);
}
void ExpectNoCode(const Body& make, int32_t x, int32_t want) {
  EXPECT_EQ(CodeOf({kI}, make), "");
  EXPECT_EQ(Result(make, x), want);
}

const Body kTwice = [](TestFunction& c, const std::vector<Output>& s) {
  return std::vector{c.Add("AddV2", {s[0], s[0]})};
};
const Body kLess = [](TestFunction& c, const std::vector<Output>& s) {
  return std::vector{c.Add("Sub", {s[0], Int(c, 1)})};
};
// A product of matrices, which is for plans.
const Body kProduct = [](TestFunction& c, const std::vector<Output>& s) {
  const Output one = c.Const(Tensor::Vector<int32_t>(std::vector{1, 1}));
  const Output m = c.Add("Reshape", {s[0], one});
  const Output none =
      c.Const(Tensor::Vector<int32_t>(std::span<const int32_t>()));
  return std::vector{c.Add("Reshape", {c.Add("MatMul", {m, m}), none})};
};

Body Choice(const Body& yes, const Body& no, const char* op) {
  return [=](TestFunction& b, const std::vector<Output>& in) {
    const Output positive = b.Add("Greater", {in[0], Int(b, 0)});
    return If(b, positive, {in[0]}, {kI}, yes, no, op);
  };
}
Body Cases(std::vector<Body> branches, const char* op) {
  return [=](TestFunction& b, const std::vector<Output>& in) {
    std::vector<FunctionAttr> all;
    for (const Body& body : branches) {
      all.push_back(Function("branch", {kI}, body));
    }
    return std::vector{
        b.Add(op, {in[0], in[0]},
              {{"Tout", std::vector<DataType>{kI}}, {"branches", all}})};
  };
}

// An op with effects in its name has those of its functions alone.
TEST(ScalarCodeBuilder, EitherNameOfControlFlow) {
  for (const char* op : {"While", "StatelessWhile"}) {
    ExpectCode(Loop(kTwice, op), 5, 40);
  }
  for (const char* op : {"If", "StatelessIf"}) {
    ExpectCode(Choice(kTwice, kLess, op), 5, 10);
    ExpectCode(Choice(kTwice, kLess, op), -5, -6);
  }
  for (const char* op : {"Case", "StatelessCase"}) {
    ExpectCode(Cases({kLess, kTwice}, op), 0, -1);
    ExpectCode(Cases({kLess, kTwice}, op), 7, 14);
  }
}

TEST(ScalarCodeBuilder, WorkThatIsNotElementwise) {
  ExpectNoCode(Loop(kProduct), 2, 256);
  for (const char* op : {"If", "StatelessIf"}) {
    ExpectNoCode(Choice(kProduct, kLess, op), 3, 9);
    ExpectNoCode(Choice(kLess, kProduct, op), -3, 9);
  }
  ExpectNoCode(Cases({kLess, kProduct}, "Case"), 3, 9);
  // Within a branch within a loop.
  ExpectNoCode(Loop(Choice(kProduct, kLess, "StatelessIf")), 2, 256);
  ExpectNoCode(Loop(Loop(kProduct)), 1, 1);
}

// Views of one element cost nothing, and what only gives them a shape neither.
TEST(ScalarCodeBuilder, ViewsOfScalars) {
  const auto view = [](auto shape) -> Body {
    return [=](TestFunction& c, const std::vector<Output>& s) {
      const Output none =
          c.Const(Tensor::Vector(std::span<const decltype(shape)>()));
      const Output same = c.Add("Reshape", {s[0], none});
      return std::vector{c.Add("AddV2", {same, Int(c, 1)})};
    };
  };
  SetGraphPasses(false);
  ExpectCode(Loop(view(int32_t{})), 5, 8);
  ExpectCode(Loop(view(int64_t{})), 5, 8);
  SetGraphPasses(true);
  // Other bits, the same size.
  ExpectNoCode(Loop([](TestFunction& c, const std::vector<Output>& s) {
                 const Output bits = c.Add("Bitcast", {s[0]}, {{"type", kF}});
                 const Output less = c.Add("Neg", {bits});
                 return std::vector{c.Add("Bitcast", {less}, {{"type", kI}})};
               }),
               0, INT32_MIN);
}

TEST(ScalarCodeBuilder, WhatHasNoRegister) {
  // Strings.
  const Body texts = [](TestFunction& b, const std::vector<Output>& in) {
    const Output text = b.Add("AsString", {in[0]});
    const auto pick = [](int i) -> Body {
      return [i](TestFunction&, const std::vector<Output>& a) {
        return std::vector{a[i]};
      };
    };
    const Output picked = If(b, b.Add("Greater", {in[0], Int(b, 0)}),
                             {text, b.Const(Tensor::Scalar<std::string>("-8"))},
                             {DataType::kString}, pick(0), pick(1))[0];
    return std::vector{b.Add("StringToNumber", {picked}, {{"out_type", kI}})};
  };
  ExpectNoCode(texts, 5, 5);
  ExpectNoCode(texts, -5, -8);
  // A string that says which branch: it is true unless it is empty.
  const Body of_text = [](TestFunction& b, const std::vector<Output>& in) {
    return If(b, b.Add("AsString", {in[0]}), {in[0]}, {kI}, kTwice, kLess);
  };
  ExpectNoCode(of_text, 5, 10);
  // Vectors: what goes in, and what a branch gives.
  const Body sums = [](TestFunction& b, const std::vector<Output>& in) {
    const Output pair = b.Add("Pack", {in[0], in[0]}, {{"N", int64_t{2}}});
    TestFunction yes("yes"), no("no");
    for (TestFunction* f : {&yes, &no}) f->Arg(kI, TensorShape{2});
    const auto function = [](TestFunction& f, const char* op) {
      const Output x{f.graph().nodes()[0].get(), 0};
      return FunctionAttr{op, f.Finish({f.Add(op, {x, x})})};
    };
    const Output y =
        b.Add("StatelessIf", {b.Add("Greater", {in[0], Int(b, 0)}), pair},
              {{"Tout", std::vector{kI}},
               {"then_branch", function(yes, "AddV2")},
               {"else_branch", function(no, "Mul")}});
    return std::vector{b.Add("Sum", {y, Int(b, 0)})};
  };
  ExpectNoCode(sums, 3, 12);
  ExpectNoCode(sums, -3, 18);
}

TEST(ScalarCodeBuilder, EffectsAreLeftToPlans) {
  const Body checks = [](TestFunction& c, const std::vector<Output>& s) {
    const Output text = c.Const(Tensor::Scalar<std::string>("too large"));
    c.Add("Assert", {c.Add("Less", {s[0], Int(c, 30)}), text});
    return kTwice(c, s);
  };
  ExpectNoCode(Loop(checks, "While"), 5, 40);
  const Outcome o = RunBoth({kI}, Loop(checks, "While"), {Of(8)});
  EXPECT_EQ(o.status.code(), Code::kInvalidArgument);
  EXPECT_EQ(o.origin, "step:Assert");
  ExpectNoCode(Choice(checks, kLess, "If"), 5, 10);
}

// A node without values only orders others.
TEST(ScalarCodeBuilder, NodesThatOnlyOrder) {
  SetGraphPasses(false);
  const Body ordered = [](TestFunction& c, const std::vector<Output>& s) {
    const Output first = c.Add("AddV2", {s[0], Int(c, 1)});
    const Output after = c.Add("NoOp", {}, {}, {first.node});
    return std::vector{c.Add("AddV2", {s[0], s[0]}, {}, {after.node})};
  };
  ExpectCode(Loop(ordered), 5, 40);
  SetGraphPasses(true);
}

TEST(ScalarCodeBuilder, CallsAreLeftToPlans) {
  const Body calls = [](TestFunction& c, const std::vector<Output>& s) {
    return std::vector{c.Add(
        "PartitionedCall", {s[0]},
        {{"Tout", std::vector{kI}}, {"f", Function("twice", {kI}, kTwice)}})};
  };
  ExpectCode(Loop(calls), 5, 40);  // they are inlined
  SetGraphPasses(false);
  ExpectNoCode(Loop(calls), 5, 40);
  SetGraphPasses(true);
}

// What is not known to be a scalar.
TEST(ScalarCodeBuilder, UnknownShapes) {
  InitRuntime();
  const auto code = [](PartialTensorShape shape) {
    TestFunction b;
    const Output x = b.Arg(kI, std::move(shape));
    const auto f = b.Finish(Choice(kTwice, kLess, "StatelessIf")(b, {x}));
    return !(*(*CompiledFunction::Of(*f))->DeclaredPlan())->codes.empty();
  };
  EXPECT_TRUE(code(TensorShape()));
  EXPECT_FALSE(code(PartialTensorShape()));
  EXPECT_FALSE(code(TensorShape{1}));
}

// Deeper than calls go, larger than code may be: plans do it.
TEST(ScalarCodeBuilder, WithinBounds) {
  Body nested = kTwice;
  for (int i = 0; i < 31; ++i) nested = Choice(nested, kLess, "StatelessIf");
  ExpectCode(nested, 5, 10);
  for (int i = 0; i < 2; ++i) nested = Choice(nested, kLess, "StatelessIf");
  ExpectNoCode(nested, 5, 10);
  const auto sum = [](int n) -> Body {
    return [n](TestFunction& c, const std::vector<Output>& s) {
      Output x = s[0];
      for (int i = 0; i < n; ++i) x = c.Add("Sub", {Int(c, i), x});
      return std::vector{x};
    };
  };
  ExpectCode(Loop(sum(500)), 4, 4 + 3 * 250);
  ExpectNoCode(Loop(sum(9000)), 4, 4 + 3 * 4500);
}

// A condition that is no number, and one of two parts.
TEST(ScalarCodeBuilder, ConditionsThatAreNoNumbers) {
  const DataType kC = DataType::kComplex64;
  const Body make = [](TestFunction& b, const std::vector<Output>& in) {
    return If(
        b, in[0], {}, {kI},
        [](TestFunction& c, const std::vector<Output>&) {
          return std::vector{Int(c, 1)};
        },
        [](TestFunction& c, const std::vector<Output>&) {
          return std::vector{Int(c, 2)};
        });
  };
  EXPECT_EQ(CodeOf({kC}, make), "");
  RunBoth({kC}, make, {Tensor::Scalar(std::complex<float>(0, 1))});
  const Body loop = [](TestFunction& b, const std::vector<Output>& in) {
    return While(
        b, {in[0]},
        [](TestFunction&, const std::vector<Output>& s) {
          return std::vector{s[0]};
        },
        [](TestFunction& c, const std::vector<Output>& s) {
          return std::vector{c.Add("Sub", {s[0], s[0]})};
        });
  };
  EXPECT_EQ(CodeOf({kC}, loop), "");
  RunBoth({kC}, loop, {Tensor::Scalar(std::complex<float>(0, 1))});
  EXPECT_NE(CodeOf({kF}, loop), "");
  EXPECT_EQ(
      RunBoth({kF}, loop, {Tensor::Scalar(2.5f)}).values[0].scalar<float>(), 0);
}

// Functions that do not give what their node says they do: an error.
TEST(ScalarCodeBuilder, FunctionsThatDoNotFit) {
  const auto fails = [](const Body& make, int32_t x) {
    EXPECT_EQ(CodeOf({kI}, make), "");
    const Outcome code = RunWith(true, {kI}, make, {Of(x)}),
                  plan = RunWith(false, {kI}, make, {Of(x)});
    EXPECT_EQ(code.status.code(), Code::kInvalidArgument)
        << code.status.ToString();
    EXPECT_EQ(code.status.code(), plan.status.code());
    EXPECT_EQ(code.origin, plan.origin);
  };
  const FunctionAttr twice = Function("twice", {kI}, kTwice);
  const FunctionAttr halves =
      Function("halves", {kI}, [](TestFunction& c, const auto& s) {
        return std::vector{c.Add("Cast", {s[0]}, {{"DstT", kF}})};
      });
  const FunctionAttr pair =
      Function("pair", {kI}, [](TestFunction&, const auto& s) {
        return std::vector{s[0], s[0]};
      });
  const FunctionAttr of_two =
      Function("of_two", {kI, kI},
               [](TestFunction&, const auto& s) { return std::vector{s[0]}; });
  const FunctionAttr of_float =
      Function("of_float", {kF}, [](TestFunction& c, const auto& s) {
        return std::vector{c.Add("Cast", {s[0]}, {{"DstT", kI}})};
      });
  const FunctionAttr less =
      Function("less", {kI}, [](TestFunction& c, const auto& s) {
        return std::vector{c.Add("Less", {s[0], Int(c, 20)})};
      });
  for (const FunctionAttr& wrong : {halves, pair, of_two, of_float}) {
    SCOPED_TRACE(wrong.name);
    for (const bool first : {true, false}) {
      const Body branches = [&](TestFunction& b, const auto& in) {
        return std::vector{b.Add("StatelessIf",
                                 {b.Add("Greater", {in[0], Int(b, 0)}), in[0]},
                                 {{"Tout", std::vector{kI}},
                                  {"then_branch", first ? wrong : twice},
                                  {"else_branch", first ? twice : wrong}})};
      };
      fails(branches, first ? 2 : -2);
    }
  }
  const auto loop = [](const FunctionAttr& cond, const FunctionAttr& body) {
    return [=](TestFunction& b, const std::vector<Output>& in) {
      return std::vector{
          b.Add("StatelessWhile", {in[0]},
                {{"T", std::vector{kI}}, {"cond", cond}, {"body", body}})};
    };
  };
  for (const FunctionAttr& wrong : {halves, pair, of_two, of_float}) {
    SCOPED_TRACE(wrong.name);
    fails(loop(less, wrong), 2);
    if (wrong.name != "halves") fails(loop(wrong, twice), 2);
  }
}

// Values that change places need one more register, those that stay none.
TEST(ScalarCodeBuilder, StatesThatStayAndSwap) {
  const Body make = [](TestFunction& b, const std::vector<Output>& in) {
    const std::vector<Output> end = While(
        b, {Int(b, 0), in[0], Int(b, 100), in[0]},
        [](TestFunction& c, const std::vector<Output>& s) {
          return std::vector{c.Add("Less", {s[0], Int(c, 3)})};
        },
        [](TestFunction& c, const std::vector<Output>& s) {
          return std::vector{c.Add("AddV2", {s[0], Int(c, 1)}), s[2], s[1],
                             s[3]};
        });
    return std::vector{b.Add("Sub", {end[1], end[2]}),
                       b.Add("Sub", {end[3], end[2]})};
  };
  EXPECT_NE(CodeOf({kI}, make), "");
  const Outcome o = RunBoth({kI}, make, {Of(7)});
  ASSERT_EQ(o.status.ToString(), "OK");
  EXPECT_EQ(o.values[0].scalar<int32_t>(), 100 - 7);
  EXPECT_EQ(o.values[1].scalar<int32_t>(), 0);
}

// A branch that is known where there are no passes, with work for plans.
TEST(ScalarCodeBuilder, KnownBranchesWithOtherWork) {
  const auto known = [](bool truth) -> Body {
    return [truth](TestFunction& b, const std::vector<Output>& in) {
      return If(b, b.Const(Tensor::Scalar(truth)), {in[0]}, {kI}, kProduct,
                kLess);
    };
  };
  SetGraphPasses(false);
  ExpectNoCode(Loop(known(true)), 2, 256);
  ExpectCode(Loop(known(false)), 2, -1);
  SetGraphPasses(true);
}

// Code relies on it: no graph has a Case of another type.
TEST(ScalarCodeBuilder, NumbersOfBranchesAreInt32) {
  const FunctionAttr twice = Function("twice", {kI}, kTwice);
  for (DataType t : {DataType::kInt8, DataType::kInt64, kF}) {
    TestFunction b;
    const Output which = b.Arg(t, TensorShape()), x = b.Arg(kI, TensorShape());
    EXPECT_THROW(b.Add("StatelessCase", {which, x},
                       {{"Tout", std::vector{kI}},
                        {"branches", std::vector{twice, twice}}}),
                 Error);
  }
}

}  // namespace
}  // namespace gk
