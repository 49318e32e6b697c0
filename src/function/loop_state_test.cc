// What branches and loops of symbols agree on: values that only some parts
// assign, and what is said where parts disagree.
#include "function/loop_state.h"

#include <gtest/gtest.h>

#include "eager/eager_context.h"
#include "function/branch_builder.h"
#include "function/concrete_function.h"
#include "function/loop_builder.h"
#include "ops/composition.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Less.h"
#include "ops/fn/Pack.h"
#include "runtime/executor.h"

namespace gk {
namespace {

using Kind = StagedValue::Kind;
using Values = std::vector<StagedValue>;

StagedValue Of(std::vector<Tensor> leaves) {
  return StagedValue::Of(TensorVector(leaves.begin(), leaves.end()));
}
StagedValue Of(Kind kind) {
  StagedValue value;
  value.kind = kind;
  return value;
}
StagedValue Undefined(bool pending, bool is_result = false) {
  StagedValue value = Of(Kind::kUndefined);
  value.pending = pending;
  value.is_result = is_result;
  return value;
}
Tensor Int(int32_t v) { return Int32Of(v); }
Tensor Float(double v) { return NumberOf(v, DataType::kFloat); }

// Symbols a, b, ...
template <class Host>
class Letters : public Host {
 public:
  bool speaks_of_symbols() const override { return true; }
  std::string_view prefix() const override { return "gk::"; }
  std::string Text(DataType dtype) const override {
    return std::string(DataTypeName(dtype));
  }
  std::string Text(const Tensor& t) const override { return Text(t.dtype()); }
  std::string Text(const StagedValue&) const override { return "value"; }
  std::string TypeName(const StagedValue&) const override { return "File"; }
  std::string Name(size_t i) const override {
    return std::string(1, static_cast<char>('a' + i));
  }
  std::string Places(size_t i) const override { return "\n  at " + Name(i); }
};

class Branches final : public Letters<BranchHost> {
 public:
  Branches(std::function<Values()> yes, std::function<Values()> no)
      : branches_{std::move(yes), std::move(no)} {}
  void Run(size_t b) override {
    values_[b] = branches_[b]();
    results = values_[0];
  }
  size_t size() const override { return values_[0].size(); }
  StagedValue Value(size_t b, size_t i) override { return values_[b][i]; }
  Choice ChoiceOf(size_t i) const override {
    const bool lost = values_[0][i].kind == Kind::kUndefined &&
                      values_[1][i].kind == Kind::kUndefined;
    return lost ? Choice::kLost : Choice::kChosen;
  }
  void SetResult(size_t i, const StagedValue& v) override { results[i] = v; }
  void SetLost(size_t, const std::string& text) override { lost = text; }
  bool IsMoved(size_t) const override { return moved; }
  bool fills() const override { return filled; }

  bool moved = false, filled = false;
  Values results;
  std::string lost;

 private:
  std::function<Values()> branches_[2];
  Values values_[2];
};

class Loop final : public Letters<StagedLoop> {
 public:
  Loop(Values start, std::function<Values(const Values&)> body)
      : state(this, std::move(start)), body_(std::move(body)) {}
  LoopState& Start() override { return state; }
  bool asks_first() const override { return first; }
  void Set(Values values, Place, const ListsFn&) override {
    now = std::move(values);
  }
  Tensor Condition(const Tensor& count) override {
    ++conditions;
    return ops::Less(count, Int(limit));
  }
  void Body(const Tensor&) override {
    ++bodies;
    now = body_(now);
  }
  Values Get() override { return now; }

  LoopState state;
  Values now;
  int limit = 3, conditions = 0, bodies = 0;
  bool first = false;

 private:
  std::function<Values(const Values&)> body_;
};

class LoopStateTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    InitEager();
    InitRuntime();
  }
  // The result of a function of an int32 scalar.
  static int32_t Run(int32_t x,
                     const std::function<Tensor(const Tensor&)>& body) {
    auto graph = MakeRef<FuncGraph>("f");
    const Tensor in = ValueOrThrow(
        graph->inputs().AddArgument("x", DataType::kInt32, TensorShape()));
    Ref<ConcreteFunction> f;
    {
      FuncGraph::Building building(graph.get());
      const TensorVector results{body(in)};
      f = ValueOrThrow(ConcreteFunction::FromFuncGraph(*graph, results));
    }
    const Tensor argument = Tensor::Scalar(x);
    TensorVector out;
    ThrowIfError(f->Call({&argument, 1}, &out));
    return out[0].scalar<int32_t>();
  }
  // The error where it is traced.
  static std::string ErrorOf(const std::function<void(const Tensor&)>& body) {
    try {
      Run(0, [&](const Tensor& x) {
        body(x);
        return x;
      });
    } catch (const Error& e) {
      return e.status().ToString();
    }
    return "";
  }
  static void Choose(const Tensor& x, Branches& branches) {
    BuildBranches(BranchKind::kIf, ops::Less(x, Int(1)), 2, "", branches);
  }
  static std::string BranchError(StagedValue (*yes)(), StagedValue (*no)(),
                                 bool moved = false) {
    return ErrorOf([&](const Tensor& x) {
      Branches branches([&] { return Values{yes()}; },
                        [&] { return Values{no()}; });
      branches.moved = moved;
      Choose(x, branches);
    });
  }
  static std::string LoopError(StagedValue start, StagedValue (*after)()) {
    return ErrorOf([&](const Tensor&) {
      Loop loop({start}, [&](const Values&) { return Values{after()}; });
      BuildLoop(loop, {});
    });
  }
};

void ExpectHas(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), text.npos) << text;
}

TEST_F(LoopStateTest, BranchesGiveSymbolsValues) {
  for (int x : {0, 1}) {
    EXPECT_EQ(Run(x,
                  [](const Tensor& x) {
                    Branches branches(
                        [] {
                          return Values{Of({Int(5), Int(6)})};
                        },
                        [&] {
                          return Values{Of({x, x})};
                        });
                    Choose(x, branches);
                    return branches.results[0].leaves[1];
                  }),
              x == 0 ? 6 : 1);
  }
}

TEST_F(LoopStateTest, ZerosStandInForWhatIsAssignedLater) {
  for (const bool fills : {false, true}) {
    EXPECT_EQ(Run(1,
                  [&](const Tensor& x) {
                    Branches branches(
                        [] { return Values{Of({Int(5)})}; },
                        [&] { return Values{Undefined(!fills)}; });
                    branches.filled = fills;
                    Choose(x, branches);
                    return branches.results[0].leaves[0];
                  }),
              0);
  }
}

TEST_F(LoopStateTest, WhatNoBranchAssignsIsLost) {
  Run(0, [](const Tensor& x) {
    Branches branches([] { return Values{Undefined(false)}; },
                      [] { return Values{Undefined(false)}; });
    Choose(x, branches);
    EXPECT_EQ(branches.lost, "'a' must also be initialized in the main branch");
    return x;
  });
}

TEST_F(LoopStateTest, BranchesThatDisagree) {
  const auto one = [] { return Of({Int(1)}); };
  const auto half = [] { return Of({Float(0.5)}); };
  const auto none = [] { return Of(Kind::kNone); };
  const auto undefined = [] { return Undefined(false); };
  ExpectHas(BranchError(one, half),
            "'a' has dtype int32 in the main branch, but dtype float32 in the "
            "else branch\n  at a\nGive both the same dtype");
  ExpectHas(BranchError(one, half, true), "'a' has dtype float32 in the main");
  ExpectHas(BranchError(one, none), "'a' is None at the end of the else");
  ExpectHas(BranchError(one, none, true), "'a' is None at the end of the main");
  ExpectHas(BranchError(one, undefined),
            "'a' must also be initialized in the else branch\n  at a\n");
  ExpectHas(BranchError([] { return Undefined(false, true); }, one),
            "the main branch must also have a return statement.");
  ExpectHas(BranchError(one,
                        [] {
                          return Of({Int(1), Int(2)});
                        }),
            "'a' must have the same nested structure in the main and else "
            "branches:\n\nThe two structures don't have the same nested "
            "structure.\n\nFirst structure: type=tuple str=(.,)\n\nSecond "
            "structure: type=tuple str=(., .)\n\nMore specifically: a: The two "
            "structures don't have the same number of elements. First "
            "structure: type=tuple str=(.,). Second structure: type=tuple "
            "str=(., .)\n  at a\n");
  ExpectHas(BranchError(
                [] {
                  return Of({Int(1), Int(2)});
                },
                [] {
                  return Of({Int(1), Tensor()});
                }),
            "'a' is None at the end of the else branch.");
  ExpectHas(BranchError(one, [] { return Of(Kind::kObject); }),
            "in a branch of an if statement, found 'a' of type File");
}

TEST_F(LoopStateTest, LoopsTracePartsOnce) {
  EXPECT_EQ(Run(4,
                [](const Tensor& x) {
                  Loop loop({Of({x})}, [](const Values& now) {
                    const Tensor& a = now[0].leaves[0];
                    return Values{Of({ops::AddV2(a, a)})};
                  });
                  BuildLoop(loop, {});
                  EXPECT_EQ(loop.bodies, 1);
                  EXPECT_EQ(loop.conditions, 1);
                  EXPECT_TRUE(loop.state.NeedIteration().empty());
                  return loop.now[0].leaves[0];
                }),
            32);
}

TEST_F(LoopStateTest, ValuesOfTheBodyAloneStartLate) {
  for (const bool first : {false, true})
    EXPECT_EQ(Run(4,
                  [&](const Tensor& x) {
                    Loop loop({Undefined(false), Undefined(true), Of({x})},
                              [](const Values& now) {
                                return Values{now[2], now[2], now[2]};
                              });
                    loop.first = first;
                    LoopOptions options;
                    options.maximum_iterations = Tensor::Scalar<int64_t>(2);
                    BuildLoop(loop, options);
                    EXPECT_EQ(loop.state.NeedIteration(),
                              std::vector<std::string>{"a"});
                    return ops::AddV2(loop.now[0].leaves[0],
                                      loop.now[1].leaves[0]);
                  }),
              8);
}

TEST_F(LoopStateTest, WhatTheBodyAloneAssignsNeedsAnIteration) {
  const auto run = [](int limit) {
    return Run(4, [limit](const Tensor& x) {
      Loop loop({Undefined(false), Undefined(false), Of({x})},
                [](const Values& now) {
                  return Values{now[2], now[2], now[2]};
                });
      loop.limit = limit;
      BuildLoop(loop, {});
      return loop.now[0].leaves[0];
    });
  };
  EXPECT_EQ(run(1), 4);
  try {
    run(0);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.status().code(), Code::kInvalidArgument);
    ExpectHas(e.what(),
              "loop must iterate at least once to initialize a, b");
  }
}

TEST_F(LoopStateTest, IterationsThatDisagree) {
  const auto half = [] { return Of({Float(0.5)}); };
  ExpectHas(LoopError(Of({Int(1)}), half),
            "'a' has dtype int32 before the loop, but dtype float32 after one "
            "iteration\n  at a\n");
  ExpectHas(LoopError(Of({Float(1)}),
                      [] { return Of({ops::Pack(TensorVector{Float(1)})}); }),
            "'a' has shape () before the loop, but shape (1,) after one "
            "iteration.");
  ExpectHas(LoopError(Of({Int(1)}), [] { return Of(Kind::kNone); }),
            "'a' is None at the end of the iteration.");
  ExpectHas(LoopError(Of({Int(1)}), [] { return Undefined(false); }),
            "'a' must be defined after one iteration");
  ExpectHas(LoopError(Of({Int(1)}),
                      [] {
                        return Of({Int(1), Int(2)});
                      }),
            "'a' does not have the same nested structure after one iteration.");
  ExpectHas(LoopError(Of({Int(1)}), [] { return Of(Kind::kObject); }),
            "in the body of a loop, found 'a' of type File");
  ExpectHas(LoopError(Undefined(false), [] { return Of(Kind::kObject); }),
            "'a' must be defined before the loop\nNote: AutoGraph tried to "
            "define it automatically, but ran into a TypeError: ");
}

TEST_F(LoopStateTest, InvariantsHoldBeforeTheLoop) {
  ExpectHas(ErrorOf([](const Tensor& x) {
              Loop loop({Of({x})}, [](const Values& now) { return now; });
              loop.state.SetInvariant(
                  0,
                  {ValueOrThrow(TensorShape::Make(std::vector<int64_t>{2}))});
            }),
            "'a' has shape () before the loop, which does not conform with the "
            "shape invariant (2,).");
}

TEST_F(LoopStateTest, ShapesThatVaryAreWidened) {
  Run(0, [](const Tensor& x) {
    Loop loop({Of({x})}, [](const Values& now) { return now; });
    loop.state.LetShapesVary();
    const Tensor row = ops::Pack(TensorVector{x});
    loop.state.SetAfter({Of({row})});
    EXPECT_TRUE(loop.state.Widen());
    EXPECT_TRUE(loop.state.shapes()[0].unknown_rank());
    EXPECT_FALSE(loop.state.Widen());
    return x;
  });
}

TEST_F(LoopStateTest, ErrorsOfBodiesTellOfSymbolsWithoutValue) {
  Run(0, [](const Tensor& x) {
    Loop loop({Of({x}), Undefined(false), Of(Kind::kNone)},
              [](const Values& now) { return now; });
    const auto about = [&](std::string_view symbol, bool of_attribute) {
      const auto status =
          loop.state.ErrorOfBody(symbol, of_attribute, "TypeError", "no");
      return status ? status->message() : "";
    };
    ExpectHas(about("", false), "'b' must be defined before the loop\n");
    ExpectHas(about("c", false), "'c' is not allowed to be None before the");
    EXPECT_EQ(about("b", true), "");
    return x;
  });
}

}  // namespace
}  // namespace gk
