// Branches and while_loop: eagerly and staged they give the same values and
// gradients; where parts disagree the error names both places.
#include <map>

#include "api/same_gradient_for_test.h"

namespace {

using gk::ErrorCode;
using gk::Tensor;
using gk_test::ErrorOf;
using gk_test::ExpectHas;
using gk_test::ExpectSameWithGradient;
using gk_test::TracingError;

std::string LineOf(int line) {
  return "control_flow_test.cc:" + std::to_string(line);
}

TEST(CondTest, ChoosesEagerlyAndStaged) {
  auto f = [](const Tensor& x) {
    return gk::cond(
        x > 0, [&] { return x * x * 3; }, [&] { return gk::sin(x) * -2; });
  };
  ExpectSameWithGradient(f, 1.5);
  ExpectSameWithGradient(f, -1.5);
  auto staged = gk::function(f);
  EXPECT_EQ(staged(Tensor(2.0f)).item<float>(), 12);
  EXPECT_EQ(staged(Tensor(3.0f)).item<float>(), 27);
  EXPECT_EQ(staged.tracing_count(), 1);
}

TEST(CondTest, OneBranchRuns) {
  gk::Variable v(0);
  auto f = [&](const Tensor& yes) {
    gk::cond(yes, [&] { v.assign_add(1); });
    gk::cond(yes, [&] { v.assign_add(10); }, [&] { v.assign_add(100); });
  };
  auto staged = gk::function(f);
  f(true);
  EXPECT_EQ(v.value().item<int>(), 11);
  f(false);
  EXPECT_EQ(v.value().item<int>(), 111);
  staged(Tensor(true));
  EXPECT_EQ(v.value().item<int>(), 122);
  staged(Tensor(false));
  EXPECT_EQ(v.value().item<int>(), 222);
}

struct Pair {
  Tensor low, high;
};

TEST(CondTest, BranchesReturnStructures) {
  auto f = [](const Tensor& x) {
    auto sorted = [](Tensor a, Tensor b) { return Pair{a, b}; };
    const Pair p = gk::cond(
        x > 0, [&] { return sorted(x, x * 2); },
        [&] { return sorted(x * 2, x); });
    auto [m, t] = gk::cond(
        x > 1,
        [&] {
          return std::pair(std::map<std::string, Tensor>{{"a", x}}, 1);
        },
        [&] {
          return std::pair(std::map<std::string, Tensor>{{"a", -x}}, 2);
        });
    return std::tuple(p, m["a"], t,
                      gk::cond(x > 0, [&] { return std::vector{x, x}; },
                               [&] { return std::vector{x, -x}; }));
  };
  auto staged = gk::function(f);
  for (float x : {3.0f, -4.0f}) {
    auto [p, a, t, v] = f(Tensor(x));
    auto [p2, a2, t2, v2] = staged(Tensor(x));
    EXPECT_EQ(p.low.item<float>(), p2.low.item<float>());
    EXPECT_EQ(p.high.item<float>(), p2.high.item<float>());
    EXPECT_EQ(a.item<float>(), a2.item<float>());
    EXPECT_EQ(t.item<int>(), x > 1 ? 1 : 2);
    EXPECT_EQ(t2.item<int>(), t.item<int>());
    ASSERT_EQ(v2.size(), 2u);
    EXPECT_EQ(v[1].item<float>(), v2[1].item<float>());
  }
}

TEST(CondTest, ResultHasWhatShapesHaveInCommon) {
  gk::Shape shape;
  auto f = gk::function([&](const Tensor& x) {
    const Tensor y = gk::cond(
        gk::reduce_sum(x) > 0, [&] { return x; },
        [&] { return gk::concat({x, x}, 0); });
    shape = y.shape();
    return y;
  });
  EXPECT_EQ(f(Tensor({1.0f, 2.0f})).dim(0), 2);
  EXPECT_EQ(f(Tensor({-1.0f, -2.0f})).dim(0), 4);
  EXPECT_EQ(shape, gk::Shape({gk::kUnknown}));
}

TEST(CondTest, DisagreementNamesBothBranches) {
  int yes = 0, no = 0;
  gk::Error e = TracingError([&](const Tensor& x) {
    yes = __LINE__ + 1;
    return gk::if_(x > 0).then([&] { return x; })
        // Another line.
        .else_([&] { no = __LINE__; return Tensor(1.0f); });
  });
  EXPECT_EQ(e.code(), ErrorCode::kTypeError);
  ExpectHas(e.what(),
            "must have the same number, type, and overall structure of return "
            "values");
  ExpectHas(e.what(), "true_fn output (");
  ExpectHas(e.what(), LineOf(yes));
  ExpectHas(e.what(), LineOf(no));
  ExpectHas(e.what(), "Tensor(shape=(), dtype=float64)");
  ExpectHas(e.what(), "Tensor(shape=(), dtype=float32)");

  e = TracingError([](const Tensor& x) {
    return gk::cond(x > 0, [&] { return std::vector{x}; },
                    [&] { return std::vector{x, x}; })[0];
  });
  EXPECT_EQ(e.code(), ErrorCode::kTypeError);
  ExpectHas(e.what(),
            "don't have the same number of elements. First structure: "
            "type=list str=[.]. Second structure: type=list str=[., .]");
  e = TracingError([](const Tensor& x) {
    using Map = std::map<std::string, Tensor>;
    return gk::cond(x > 0, [&] { return Map{{"a", x}}; },
                    [&] { return Map{{"b", x}}; });
  });
  EXPECT_EQ(e.code(), ErrorCode::kTypeError);
  ExpectHas(e.what(),
            "First structure has keys type=list str=['a'], while second "
            "structure has keys type=list str=['b']");
  e = TracingError([](const Tensor& x) {
    return gk::cond(x > 0, [&] { return x; }, [&] { return Tensor(); });
  });
  EXPECT_EQ(e.code(), ErrorCode::kValueError);
  ExpectHas(e.what(), "Lengths of branch outputs of cond must match.");
  ExpectHas(e.what(), "(None)");
}

TEST(CondTest, ConditionIsABoolScalar) {
  auto f = [](const Tensor& p) {
    return gk::cond(p, [] { return 1; }, [] { return 2; });
  };
  auto staged = gk::function(f);
  EXPECT_EQ(ErrorOf([&] { f(Tensor(1)); }).code(), ErrorCode::kTypeError);
  EXPECT_EQ(ErrorOf([&] { staged(Tensor(1)); }).code(), ErrorCode::kTypeError);
  EXPECT_EQ(ErrorOf([&] { f(Tensor({true, false})); }).code(),
            ErrorCode::kValueError);
  // In a graph other numbers of elements than one are found when it runs.
  const gk::Error e = ErrorOf([&] { staged(Tensor({true, false})); });
  EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
  ExpectHas(e.what(), "must be a scalar");
  EXPECT_EQ(ErrorOf([&] { f(Tensor()); }).code(), ErrorCode::kValueError);
  for (const Tensor& yes : {Tensor({true}), Tensor{{true}}}) {
    EXPECT_EQ(f(yes).item<int>(), 1);
    EXPECT_EQ(staged(yes).item<int>(), 1);
    auto loop = [](const Tensor& p) {
      return gk::while_loop(
          [&](const Tensor& i) { return gk::logical_and(p, i < 3); },
          [](const Tensor& i) { return i + 1; }, Tensor(0));
    };
    EXPECT_EQ(loop(yes).item<int>(), 3);
    EXPECT_EQ(gk::function(loop)(yes).item<int>(), 3);
  }
}

TEST(CondTest, WhatABranchThrowsComesThrough) {
  auto f = gk::function([](const Tensor& x) {
    return gk::cond(x > 0, [&]() -> Tensor { throw std::string("mine"); },
                    [&] { return x; });
  });
  EXPECT_THROW(f(Tensor(1.0f)), std::string);
  auto after = gk::function([](const Tensor& x) { return x + 1; });
  EXPECT_EQ(after(Tensor(1)).item<int>(), 2);
}

TEST(IfTest, ChainsChooseTheFirst) {
  auto f = [](const Tensor& x) {
    return gk::if_(x > 2).then([&] { return x * x; })
        .else_if(x > 0, [&] { return x * 3; })
        .else_if([&] { return x > -1; }, [&] { return gk::sin(x); })
        .else_([&] { return -x; });
  };
  for (double x : {3.0, 1.0, -0.5, -4.0}) ExpectSameWithGradient(f, x);
  auto staged = gk::function(f);
  EXPECT_EQ(staged(Tensor(3.0)).item<double>(), 9);
  EXPECT_EQ(staged(Tensor(1.0)).item<double>(), 3);
  EXPECT_EQ(staged(Tensor(-4.0)).item<double>(), 4);
}

TEST(IfTest, LaterConditionsAreAskedOnlyThen) {
  int asked = 0;
  auto f = [&](const Tensor& x) {
    gk::Variable* none = nullptr;
    (void)none;
    return gk::if_(x > 2).then([] { return 1; })
        .else_if([&] { ++asked; return x > 1; }, [] { return 2; })
        .else_([] { return 3; });
  };
  EXPECT_EQ(f(Tensor(3.0)).item<int>(), 1);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(f(Tensor(2.0)).item<int>(), 2);
  EXPECT_EQ(asked, 1);
}

TEST(IfTest, BranchesReturnTexts) {
  auto f = [](const Tensor& i) {
    return gk::if_(gk::equal(i % 3, 0)).then([] { return "Fizz"; })
        .else_([&] { return gk::strings::as_string(i); });
  };
  auto staged = gk::function(f);
  EXPECT_EQ(f(Tensor(6)).item<std::string>(), "Fizz");
  EXPECT_EQ(staged(Tensor(6)).item<std::string>(), "Fizz");
  EXPECT_EQ(staged(Tensor(7)).item<std::string>(), "7");
}

TEST(IfTest, EndIfRunsForEffects) {
  gk::Variable v(0);
  auto f = gk::function([&](const Tensor& x) {
    gk::if_(x > 0).then([&] { v.assign(1); })
        .else_if(x < 0, [&] { v.assign(-1); })
        .end_if();
  });
  f(Tensor(5.0));
  EXPECT_EQ(v.value().item<int>(), 1);
  f(Tensor(-5.0));
  EXPECT_EQ(v.value().item<int>(), -1);
  v.assign(7);
  f(Tensor(0.0));
  EXPECT_EQ(v.value().item<int>(), 7);
}

TEST(CaseTest, ChoosesTheFirstThatHolds) {
  auto f = [](const Tensor& x) {
    return gk::case_(gk::when(x < -1, [&] { return x * x; }),
                     gk::when(x < 1, [&] { return x * 5; }),
                     gk::otherwise([&] { return gk::exp(x); }));
  };
  for (double x : {-3.0, 0.5, 2.0}) ExpectSameWithGradient(f, x);
}

TEST(CaseTest, NoneOrMoreThanOneIsAnError) {
  auto open = [](const Tensor& x) {
    return gk::case_(gk::when(x < 2, [] { return 1; }),
                     gk::when(x < 5, [] { return 2; }));
  };
  auto exclusive = [](const Tensor& x) {
    return gk::case_({.exclusive = true}, gk::when(x < 2, [] { return 1; }),
                     gk::when(x < 5, [] { return 2; }),
                     gk::otherwise([] { return 3; }));
  };
  auto staged_open = gk::function(open);
  auto staged_exclusive = gk::function(exclusive);
  EXPECT_EQ(open(Tensor(4.0)).item<int>(), 2);
  EXPECT_EQ(staged_open(Tensor(4.0)).item<int>(), 2);
  EXPECT_EQ(exclusive(Tensor(4.0)).item<int>(), 2);
  EXPECT_EQ(staged_exclusive(Tensor(9.0)).item<int>(), 3);
  for (const gk::Error& e :
       {ErrorOf([&] { open(Tensor(9.0)); }),
        ErrorOf([&] { staged_open(Tensor(9.0)); })}) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
    ExpectHas(e.what(), "None of conditions evaluated as True");
  }
  for (const gk::Error& e :
       {ErrorOf([&] { exclusive(Tensor(1.0)); }),
        ErrorOf([&] { staged_exclusive(Tensor(1.0)); })}) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
    ExpectHas(e.what(), "more than 1 conditions evaluated as True");
  }
}

// A graph that is not a function's runs what its edges ask for, no more.
TEST(CaseTest, BranchesWaitForTheAssertions) {
  for (const bool exclusive : {false, true}) {
    gk::Graph graph;
    Tensor x, y;
    {
      const auto inside = graph.as_default();
      x = gk::placeholder(gk::DataType::kFloat, {}, "x");
      y = gk::case_({.exclusive = exclusive}, gk::when(x < 2, [] { return 1; }),
                    gk::when(x > 0, [] { return 2; }));
    }
    const auto f = graph.prune({x}, {y});
    EXPECT_EQ(f(Tensor(-1.0f))[0].item<int>(), 1);
    EXPECT_EQ(f(Tensor(3.0f))[0].item<int>(), 2);
    if (!exclusive) continue;
    const gk::Error error = ErrorOf([&] { f(Tensor(1.0f)); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    ExpectHas(error.what(), "more than 1 conditions evaluated as True");
  }
  gk::Graph graph;
  Tensor x, y, after;
  {
    const auto inside = graph.as_default();
    x = gk::placeholder(gk::DataType::kFloat, {}, "x");
    y = gk::case_(gk::when(x < 2, [] { return 1; }),
                  gk::when(x < 5, [] { return 2; }));
    after = x + 1;
  }
  const gk::Error error = ErrorOf([&] { graph.prune({x}, {y})(Tensor(9.0f)); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  ExpectHas(error.what(), "None of conditions evaluated as True");
  EXPECT_EQ(graph.prune({x}, {after})(Tensor(9.0f))[0].item<float>(), 10);
}

TEST(SwitchCaseTest, AnIndexChooses) {
  auto f = [](const Tensor& i) {
    return gk::switch_case(i, [] { return 10; }, [] { return 20; },
                           [] { return 30; });
  };
  auto staged = gk::function(f);
  for (int i : {0, 1, 2, 3, -1, 1000000}) {
    const int want = i == 0 ? 10 : i == 1 ? 20 : 30;
    EXPECT_EQ(f(Tensor(i)).item<int>(), want);
    EXPECT_EQ(staged(Tensor(i)).item<int>(), want);
  }
  EXPECT_EQ(staged(Tensor(int64_t{1} << 32)).item<int>(), 30);
  EXPECT_EQ(f(Tensor(int64_t{1} << 32)).item<int>(), 30);
  EXPECT_EQ(ErrorOf([&] { f(Tensor(1.0f)); }).code(), ErrorCode::kTypeError);
  EXPECT_EQ(ErrorOf([&] { staged(Tensor({1, 2})); }).code(),
            ErrorCode::kInvalidArgument);
}

TEST(SwitchCaseTest, BranchesInAVector) {
  auto f = [](const Tensor& x) {
    std::vector<std::function<Tensor()>> powers;
    for (int n = 0; n < 4; ++n) {
      powers.push_back([&x, n] {
        Tensor y = x * 0 + 1;
        for (int i = 0; i < n; ++i) y = y * x;
        return y;
      });
    }
    return gk::switch_case(gk::cast(x, gk::DataType::kInt32), powers);
  };
  for (double x : {0.5, 1.5, 2.5, 3.5, 9.5}) ExpectSameWithGradient(f, x);
  const std::vector<std::function<Tensor()>> none;
  EXPECT_EQ(ErrorOf([&] { gk::switch_case(Tensor(0), none); }).code(),
            ErrorCode::kValueError);
  EXPECT_EQ(TracingError([&](const Tensor&) {
              return gk::switch_case(Tensor(0), none);
            }).code(),
            ErrorCode::kValueError);
}

TEST(WhileTest, RepeatsEagerlyAndStaged) {
  auto f = [](const Tensor& x) {
    auto [i, y] = gk::while_loop(
        [](const Tensor& i, const Tensor&) { return i < 5; },
        [&](const Tensor& i, const Tensor& y) {
          return std::tuple(i + 1, gk::sin(y) * x + y);
        },
        std::tuple(0, x));
    return y;
  };
  ExpectSameWithGradient(f, 0.7);
}

TEST(WhileTest, StructuresGoRound) {
  auto f = [](const Tensor& x) {
    using Map = std::map<std::string, Tensor>;
    auto [p, m] = gk::while_loop(
        [](const Pair& p, const Map&) { return p.low < 10; },
        [](const Pair& p, Map m) {
          m["sum"] = m["sum"] + p.low;
          return std::pair(Pair{p.low + 1, p.high * p.low}, m);
        },
        std::pair(Pair{x, x}, Map{{"sum", x * 0}}));
    return m["sum"] + p.high;
  };
  ExpectSameWithGradient(f, 7.5);
  const Tensor power = gk::while_loop(
      [](const Tensor& n) { return n < 100; },
      [](const Tensor& n) { return n * 2; }, 1);
  EXPECT_EQ(power.item<int>(), 128);
  const std::vector<Tensor> both = gk::while_loop(
      [](const std::vector<Tensor>& v) { return v[0] < 3; },
      [](const std::vector<Tensor>& v) {
        return std::vector{v[0] + 1, v[1] * 2};
      },
      std::vector{Tensor(0), Tensor(1)});
  EXPECT_EQ(both[1].item<int>(), 8);
}

TEST(WhileTest, StopsAfterMaximumIterations) {
  auto f = [](const Tensor& x) {
    return gk::while_loop([](const Tensor&) { return true; },
                          [](const Tensor& y) { return y * 2; }, x,
                          {.maximum_iterations = 3});
  };
  ExpectSameWithGradient(f, 0.5);
  auto given = gk::function([](const Tensor& n) {
    return gk::while_loop([](const Tensor&) { return true; },
                          [](const Tensor& y) { return y + 1; }, 0,
                          {.maximum_iterations = n});
  });
  EXPECT_EQ(given(Tensor(4)).item<int>(), 4);
  EXPECT_EQ(given(Tensor(int64_t{5})).item<int>(), 5);
  EXPECT_EQ(given(Tensor(-1)).item<int>(), 0);
  EXPECT_EQ(ErrorOf([&] { given(Tensor({1, 2})); }).code(),
            ErrorCode::kValueError);
  EXPECT_EQ(ErrorOf([&] { given(Tensor(1.0f)); }).code(),
            ErrorCode::kTypeError);
  EXPECT_EQ(ErrorOf([&] {
              gk::while_loop([](const Tensor&) { return false; },
                             [](const Tensor& y) { return y; }, 0,
                             {.parallel_iterations = 0});
            }).code(),
            ErrorCode::kValueError);
}

TEST(WhileTest, ShapeInvariantsAllowGrowth) {
  auto grow = [](const Tensor& x, std::vector<gk::Shape> invariants) {
    auto [i, y] = gk::while_loop(
        [](const Tensor& i, const Tensor&) { return i < 3; },
        [](const Tensor& i, const Tensor& y) {
          return std::tuple(i + 1, gk::concat({y, y}, 0));
        },
        std::tuple(0, x), {.shape_invariants = std::move(invariants)});
    return y;
  };
  auto f = gk::function([&](const Tensor& x) {
    return grow(x, {gk::Shape(), {gk::kUnknown}});
  });
  EXPECT_EQ(f(Tensor({1.0f, 2.0f})).num_elements(), 16);
  EXPECT_EQ(grow(Tensor({1.0f}), {}).num_elements(), 8);
  auto strict = gk::function([&](const Tensor& x) { return grow(x, {}); });
  gk::Error e = ErrorOf([&] { strict(Tensor({1.0f})); });
  EXPECT_EQ(e.code(), ErrorCode::kValueError);
  ExpectHas(e.what(),
            "Input tensor `loop_vars[1]` enters the loop with shape (1,), but "
            "has shape (2,) after one iteration. To allow the shape to vary "
            "across iterations, use the `shape_invariants` argument");
  auto unfit = gk::function([&](const Tensor& x) {
    return grow(x, {gk::Shape(), gk::Shape{3}});
  });
  e = ErrorOf([&] { unfit(Tensor({1.0f})); });
  EXPECT_EQ(e.code(), ErrorCode::kValueError);
  ExpectHas(e.what(), "The shape invariant specified for loop_vars[1] is not "
                      "compatible with the initial shape");
  auto few = gk::function([&](const Tensor& x) {
    return grow(x, {gk::Shape()});
  });
  EXPECT_EQ(ErrorOf([&] { few(Tensor({1.0f})); }).code(),
            ErrorCode::kValueError);
}

TEST(WhileTest, ChangesOfDtypeAndStructureNameTheLoop) {
  int line = 0;
  auto dtype = [&](const Tensor& x) {
    line = __LINE__ + 1;
    return gk::while_loop([](const Tensor& y) { return y < 9; },
                          [](const Tensor& y) {
                            return gk::cast(y, gk::DataType::kFloat);
                          },
                          x);
  };
  for (const gk::Error& e :
       {TracingError(dtype), ErrorOf([&] { dtype(Tensor(1.0)); })}) {
    EXPECT_EQ(e.code(), ErrorCode::kTypeError);
    ExpectHas(e.what(),
              "Loop var loop_vars[0] enters the loop with type float64 but has "
              "type float32 after 1 iteration. loop_vars[0] type should remain "
              "constant.");
    ExpectHas(e.what(), LineOf(line));
  }
  auto structure = [&](const Tensor& x) {
    line = __LINE__ + 1;
    return gk::while_loop(
        [](const std::vector<Tensor>& v) { return v[0] < 9; },
        [](std::vector<Tensor> v) {
          v.push_back(v[0]);
          return v;
        },
        std::vector{x});
  };
  for (const gk::Error& e :
       {TracingError(structure), ErrorOf([&] { structure(Tensor(1.0)); })}) {
    EXPECT_EQ(e.code(), ErrorCode::kValueError);
    ExpectHas(e.what(), "don't have the same nested structure");
    ExpectHas(e.what(), "First structure: type=list str=[., .]");
    ExpectHas(e.what(), LineOf(line));
  }
  auto condition = [](const Tensor& x) {
    return gk::while_loop([](const Tensor& y) { return y; },
                          [](const Tensor& y) { return y; }, x);
  };
  EXPECT_EQ(TracingError(condition).code(), ErrorCode::kTypeError);
  EXPECT_EQ(ErrorOf([&] { condition(Tensor(1.0)); }).code(),
            ErrorCode::kTypeError);
}

}  // namespace
