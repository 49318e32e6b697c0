// What the programs of tests/consumer do not show: what keeps a trace apart,
// misuse, and who owns what.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>

#include "graphkiln/graphkiln.h"

namespace {

template <class F>
gk::ErrorCode CodeOf(F&& body) {
  try {
    body();
  } catch (const gk::Error& e) {
    return e.code();
  }
  return gk::ErrorCode::kUnknown;
}

TEST(FunctionTest, TypesOfLiteralsMatter) {
  auto f = gk::function([](auto n) { return gk::Tensor(n); });
  EXPECT_EQ(f(1).dtype(), gk::DataType::kInt32);
  EXPECT_EQ(f(int64_t{1}).dtype(), gk::DataType::kInt64);
  EXPECT_EQ(f(1.0f).dtype(), gk::DataType::kFloat);
  EXPECT_EQ(f(1.0).dtype(), gk::DataType::kDouble);
  EXPECT_EQ(f(true).dtype(), gk::DataType::kBool);
  EXPECT_EQ(f("1").dtype(), gk::DataType::kString);
  EXPECT_EQ(f(std::string("1")).dtype(), gk::DataType::kString);
  EXPECT_EQ(f.tracing_count(), 6);
}

TEST(FunctionTest, TypesOfContainersMatter) {
  auto size = gk::function([](const auto& parts) {
    if constexpr (requires { parts.first; })
      return gk::Tensor(2);
    else
      return gk::Tensor(static_cast<int64_t>(parts.size()));
  });
  const gk::Tensor x = 1.0f;
  EXPECT_EQ(size(std::pair(x, x)).dtype(), gk::DataType::kInt32);
  EXPECT_EQ(size(std::array{x, x}).dtype(), gk::DataType::kInt64);
  EXPECT_EQ(size(std::vector{x, x}).dtype(), gk::DataType::kInt64);
  EXPECT_EQ(size(std::vector<gk::Tensor>()).item<int64_t>(), 0);
}

TEST(FunctionTest, InputSignaturesNestAsTheArguments) {
  const gk::TensorSpec any{.shape = {gk::kUnknown}}, one{.shape = {}};
  using Rows = std::map<std::string, std::vector<gk::Tensor>>;
  auto f = gk::function(
      [](const gk::Tensor& x, const Rows& rows, int n) {
        return x * rows.at("a")[1] * (0.0f + n) + rows.at("a")[0];
      },
      {.name = "f",
       .argument_names = {"x", "rows"},
       .input_signature = gk::input_signature(
           any,
           std::map<std::string, std::vector<gk::TensorSpec>>{
               {"a", {any, one}}},
           2)});
  const gk::Tensor two = gk::ones({2}), three = gk::ones({3});
  EXPECT_EQ(f(two, Rows{{"a", {two, 3.0f}}}, 2).to_vector<float>()[1], 7);
  EXPECT_EQ(f(three, Rows{{"a", {three, 4.0f}}}, 2).to_vector<float>()[2], 9);
  EXPECT_EQ(f.tracing_count(), 1);
  const auto why = [](auto call) {
    try {
      call();
    } catch (const gk::Error& e) {
      EXPECT_EQ(e.code(), gk::ErrorCode::kTypeError);
      const std::string text = e.what();
      return text.substr(0, text.find("Received"));
    }
    return std::string();
  };
  const std::string spec =
      "TensorSpec(shape=(None,), dtype=tf.float32, "
      "name=None)";
  EXPECT_EQ(why([&] {
              f(gk::Tensor(1.0f), Rows{{"a", {two, 3.0f}}}, 2);
            }),
            "Binding inputs to gk::function failed due to `Can not cast "
            "TensorSpec(shape=(), dtype=tf.float32, name=None) to " +
                spec + "`. ");
  EXPECT_NE(why([&] {
              f(two, Rows{{"b", {two, 3.0f}}}, 2);
            }).find("has different keys with the TraceType Dict"),
            std::string::npos);
  EXPECT_NE(why([&] {
              f(two, Rows{{"a", {two}}}, 2);
            }).find("of length 1 to"),
            std::string::npos);
  EXPECT_EQ(why([&] {
              f(two, Rows{{"a", {two, 3.0f}}}, 3);
            }),
            "Binding inputs to gk::function failed due to `Can not cast "
            "Literal[3] to Literal[2]`. ");
  auto g = gk::function([](const gk::Tensor& x) { return x; },
                        {.input_signature = {{any, any}}});
  EXPECT_EQ(why([&] { g(two); }),
            "Binding inputs to gk::function failed due to `another number of "
            "tensors`. ");
}

TEST(FunctionTest, RecursionWithoutEndIsAnError) {
  std::function<gk::Tensor(const gk::Tensor&)> call;
  auto f = gk::function([&](const gk::Tensor& x) { return call(x) + 1; });
  call = [&](const gk::Tensor& x) { return f(x); };
  EXPECT_EQ(CodeOf([&] { f(gk::Tensor(1.0f)); }), gk::ErrorCode::kRuntimeError);
  call = [](const gk::Tensor& x) { return x; };
  EXPECT_EQ(f(gk::Tensor(1.0f)).item<float>(), 2);
}

TEST(FunctionTest, RecursionGoesAsDeepAsTheStackAllows) {
  std::function<gk::Tensor(const gk::Tensor&, int)> call;
  auto f = gk::function([&](const gk::Tensor& x, int n) {
    return n == 0 ? x : call(x, n - 1) + 1;
  });
  call = [&](const gk::Tensor& x, int n) { return f(x, n); };
  EXPECT_EQ(f(gk::Tensor(0), 100).item<int32_t>(), 100);
}

TEST(FunctionTest, RecursionByLiteralEnds) {
  std::function<gk::Tensor(const gk::Tensor&, int)> call;
  auto f = gk::function([&](const gk::Tensor& x, int n) {
    return n == 0 ? x : x * call(x, n - 1);
  });
  call = [&](const gk::Tensor& x, int n) { return f(x, n); };
  EXPECT_EQ(f(gk::Tensor(2), 4).item<int32_t>(), 32);
  EXPECT_EQ(f.tracing_count(), 5);
}

TEST(FunctionTest, AnInitialisationFunctionGivesVariablesTheirValues) {
  std::optional<gk::Variable> v;
  auto f = gk::function([&](const gk::Tensor& x) {
    if (!v) v.emplace(x * 2.0f);
    return *v + x;
  });
  const gk::ConcreteFunction initialize =
      f.get_initialization_function(gk::Tensor(3.0f));
  EXPECT_EQ(CodeOf([&] { v->value(); }), gk::ErrorCode::kFailedPrecondition);
  gk::function([&] { initialize(); })();
  EXPECT_EQ(v->value().item<float>(), 6);
  EXPECT_EQ(f(gk::Tensor(1.0f)).item<float>(), 7);
  EXPECT_EQ(CodeOf([&] { f.get_initialization_function(gk::Tensor(1.0f)); }),
            gk::ErrorCode::kRuntimeError);
  auto none = gk::function([](const gk::Tensor& x) { return x; });
  EXPECT_TRUE(none.get_initialization_function(gk::Tensor(1.0f))().empty());
}

TEST(FunctionTest, AFirstTraceThatFailsMayCreateAgain) {
  std::optional<gk::Variable> v;
  bool fail = true;
  auto f = gk::function([&](const gk::Tensor& x) {
    if (!v) v.emplace(2.0f);
    if (fail) throw std::runtime_error("not yet");
    return x * *v;
  });
  EXPECT_THROW(f(gk::Tensor(3.0f)), std::runtime_error);
  v.reset();
  fail = false;
  EXPECT_EQ(f(gk::Tensor(3.0f)).item<float>(), 6);
}

TEST(FunctionTest, InitialValuesMayDependOnWhatACallGives) {
  std::optional<gk::Variable> v;
  auto f = gk::function([&](const gk::Tensor& x) {
    if (!v) v.emplace(x * 2.0f);
    return x + *v;
  });
  EXPECT_EQ(CodeOf([&] {
              f.get_concrete_function(
                  gk::TensorSpec{.shape = {}, .dtype = gk::DataType::kFloat});
            }),
            gk::ErrorCode::kFailedPrecondition);
  EXPECT_FALSE(v);
  EXPECT_EQ(f(gk::Tensor(3.0f)).item<float>(), 9);
  EXPECT_EQ(f(gk::Tensor(5.0f)).item<float>(), 11);
}

TEST(FunctionTest, TheTraceThatStaysFindsTheVariablesThere) {
  std::optional<gk::Variable> v;
  auto f = gk::function([&](const gk::Tensor& x) {
    if (!v) {
      v.emplace(1.0f);
      return x + 100.0f;
    }
    return x + *v;
  });
  EXPECT_EQ(f(gk::Tensor(1.0f)).item<float>(), 2);
  EXPECT_EQ(f.tracing_count(), 2);
  EXPECT_EQ(f.cache_info().size, 1u);
  ASSERT_EQ(f.explain_retraces().notes.size(), 1u);
  EXPECT_EQ(f.explain_retraces().notes[0],
            "Its first call traced it twice, because it created variables.");
}

TEST(FunctionTest, VariablesAreMadeOnceAndInTheFirstTrace) {
  std::vector<gk::Variable> made;
  auto again = gk::function([&](const gk::Tensor& x) {
    made.emplace_back(1.0f);
    return x;
  });
  EXPECT_EQ(CodeOf([&] { again(gk::Tensor(1.0f)); }),
            gk::ErrorCode::kValueError);
  EXPECT_EQ(made.size(), 1u);
  auto late = gk::function([&](const gk::Tensor& x, bool make) {
    if (make) made.emplace_back(1.0f);
    return x;
  });
  late(gk::Tensor(1.0f), false);
  EXPECT_EQ(CodeOf([&] { late(gk::Tensor(1.0f), true); }),
            gk::ErrorCode::kValueError);
  EXPECT_EQ(late.tracing_count(), 1);
}

TEST(FunctionTest, TracesKeepWhatTheyCaptured) {
  auto variable = std::make_unique<gk::Variable>(1.0f);
  auto f = gk::function([&v = *variable] {
    v.assign_add(1);
    return v.value();
  });
  EXPECT_EQ(f().item<float>(), 2);
  variable.reset();
  EXPECT_EQ(f().item<float>(), 3);
}

TEST(FunctionTest, ManyArgumentsAndNone) {
  auto none = gk::function([] { return 7; });
  EXPECT_EQ(none().item<int32_t>(), 7);
  auto sum = gk::function([](const auto&... x) { return (x + ...); });
  const gk::Tensor one = 1;
  EXPECT_EQ(sum(one, one, one, one, one, one, one, one).item<int32_t>(), 8);
  auto nothing = gk::function([](const gk::Tensor&) {});
  nothing(one);
  EXPECT_EQ(nothing.tracing_count(), 1);
}

TEST(FunctionTest, SpecsAreForTracingOnly) {
  auto f = gk::function([](const gk::Tensor& x) { return x; });
  EXPECT_EQ(CodeOf([&] { f(gk::TensorSpec{}); }), gk::ErrorCode::kTypeError);
  EXPECT_EQ(CodeOf([&] { f(gk::Tensor()); }), gk::ErrorCode::kValueError);
}

TEST(FunctionTest, AVariableThatIsNotLiftedIsNewInEachRun) {
  auto f = gk::function([](gk::Tensor x) {
    const gk::Variable v(x * 2.0f, {.name = "of_run", .lifted = false});
    v.assign_add(x);
    return v.value();
  });
  EXPECT_EQ(f(gk::Tensor(1.0f)).item<float>(), 3.0f);
  EXPECT_EQ(f(gk::Tensor(5.0f)).item<float>(), 15.0f);
  EXPECT_EQ(f(gk::Tensor(1.0f)).item<float>(), 3.0f);
  gk::Variable eager(2.0f, {.lifted = false});
  EXPECT_EQ(eager.assign_add(1.0f).value().item<float>(), 3.0f);
}

TEST(FunctionTest, AnArgumentThatIsCapturedTooIsOneVariable) {
  gk::Variable w(3.0f), u(5.0f);
  auto f = gk::function([&](gk::Variable a) {
    gk::GradientTape tape;
    const gk::Tensor y = a * w;
    return tape.gradient(y, a);
  });
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(f(w).item<float>(), 6.0f);
    EXPECT_EQ(f(u).item<float>(), 3.0f);
  }
  EXPECT_EQ(f.tracing_count(), 2);
  const std::string why = f.explain_retraces().to_string();
  EXPECT_NE(why.find("captures"), std::string::npos) << why;
}

TEST(FunctionTest, AVariableIsATarget) {
  gk::Variable w(3.0f), u(5.0f);
  gk::GradientTape tape({.persistent = true});
  const gk::Tensor y = w * 2.0f;
  EXPECT_EQ(tape.gradient(w, w).item<float>(), 1.0f);
  EXPECT_FALSE(tape.gradient(w, u).defined());
  EXPECT_EQ(tape.gradient(y, w).item<float>(), 2.0f);
}

TEST(FunctionTest, RunsEagerlyWhereItIsAskedTo) {
  int runs = 0;
  auto f = gk::function([&](const gk::Tensor& x, const gk::Variable& v,
                            const std::vector<gk::Variable>& more) {
    ++runs;
    EXPECT_EQ(x.item<float>() + 1, (x + 1.0f).item<float>());
    return std::pair(x * v, x + more[0] + more[1]);
  });
  const gk::Variable v(2.0f), w(3.0f);
  const auto call = [&](float x) {
    const auto [product, sum] = f(gk::Tensor(x), v, std::vector{w, v});
    return std::pair(product.item<float>(), sum.item<float>());
  };
  EXPECT_FALSE(gk::config::functions_run_eagerly());
  gk::config::run_functions_eagerly(true);
  EXPECT_TRUE(gk::config::functions_run_eagerly());
  EXPECT_EQ(call(5), std::pair(10.0f, 10.0f));
  EXPECT_EQ(call(6), std::pair(12.0f, 11.0f));
  gk::config::run_functions_eagerly(false);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(f.tracing_count(), 0);
}

TEST(RuntimeTest, KeepsTheNumbersOfThreads) {
  namespace threading = gk::config::threading;
  const int before = threading::get_intra_op_parallelism_threads();
  threading::set_intra_op_parallelism_threads(2);
  EXPECT_EQ(threading::get_intra_op_parallelism_threads(), 2);
  EXPECT_EQ(gk::num_threads(), 2);
  threading::set_intra_op_parallelism_threads(before);
  threading::set_inter_op_parallelism_threads(3);
  EXPECT_EQ(threading::get_inter_op_parallelism_threads(), 3);
  threading::set_inter_op_parallelism_threads(0);
  EXPECT_EQ(CodeOf([] { threading::set_intra_op_parallelism_threads(1025); }),
            gk::ErrorCode::kValueError);
  EXPECT_EQ(CodeOf([] { threading::set_inter_op_parallelism_threads(-1); }),
            gk::ErrorCode::kValueError);
}

TEST(FunctionTest, AttributesGoIntoGraphs) {
  const auto twice = [](gk::Tensor x) { return x + x; };
  const auto f = gk::function(
      twice,
      {.name = "twice",
       .experimental_implements = "my.twice",
       .experimental_attributes = {{"_noinline", true}, {"time_major", 3}}});
  EXPECT_EQ(f(gk::Tensor(2.f)).item<float>(), 4.f);
  gk::Graph graph;
  {
    const auto scope = graph.as_default();
    f(gk::placeholder(gk::DataType::kFloat, {}));
  }
  const std::string text = graph.as_graph_def();
  for (const char* part :
       {"_implements", "my.twice", "_noinline", "time_major"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  try {
    gk::function(twice, {.experimental_attributes = {{"noinline", true}}});
    FAIL();
  } catch (const gk::Error& e) {
    EXPECT_EQ(e.code(), gk::ErrorCode::kValueError);
    EXPECT_STREQ(e.what(),
                 "`noinline is not supported by tf.function as an attribute.");
  }
}

TEST(FunctionTest, WhatStandsForAnotherDependsOnItsArgumentsAlone) {
  const gk::Tensor outside(3.f);
  const gk::Variable v(1.f);
  const gk::FunctionOptions options = {.name = "f",
                                       .experimental_implements = "some.name"};
  const auto captures =
      gk::function([&](gk::Tensor x) { return x + outside; }, options);
  const auto reads =
      gk::function([&](gk::Tensor x) { return x + v.value(); }, options);
  const auto takes =
      gk::function([](gk::Variable x) { return x.value(); }, options);
  EXPECT_THROW(captures(gk::Tensor(1.f)), gk::Error);
  EXPECT_THROW(reads(gk::Tensor(1.f)), gk::Error);
  const auto told = gk::function(
      [&](gk::Tensor x) { return x + outside; },
      {.name = "f", .experimental_attributes = {{"_implements", "some.name"}}});
  EXPECT_THROW(told(gk::Tensor(1.f)), gk::Error);
  try {
    takes(v);
    FAIL();
  } catch (const gk::Error& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "Function f has \"_implements=some.name\" attribute"))
        << e.what();
  }
}

TEST(FunctionTest, PrintsTheGraph) {
  auto f = gk::function([](const gk::Tensor& x) { return gk::exp(x); },
                        {.name = "grow"});
  const std::string text =
      f.get_concrete_function(gk::Tensor(1.0f)).to_string();
  EXPECT_NE(text.find("__inference_grow_"), text.npos);
  EXPECT_NE(text.find("Exp"), text.npos);
}

TEST(GradientTapeTest, RefusesOtherThreads) {
  gk::GradientTape tape;
  gk::ErrorCode code{};
  std::thread([&] { code = CodeOf([&] { tape.Stop(); }); }).join();
  EXPECT_EQ(code, gk::ErrorCode::kRuntimeError);
}

TEST(GradientTapeTest, RefusesOtherGraphs) {
  gk::GradientTape tape;
  auto f = gk::function([&](const gk::Tensor& x) {
    EXPECT_EQ(CodeOf([&] { tape.gradient(x, x); }),
              gk::ErrorCode::kRuntimeError);
    return x;
  });
  f(gk::Tensor(1.0f));
}

TEST(ArgumentTest, NumbersTakeTheTypeOfTheTensorBeside) {
  const gk::Tensor x = {1.5, 2.5};
  EXPECT_EQ(gk::maximum(2, x).dtype(), gk::DataType::kDouble);
  EXPECT_EQ(gk::pow(x, 2).dtype(), gk::DataType::kDouble);
  EXPECT_EQ(gk::add({1, 2}, x).dtype(), gk::DataType::kDouble);
  EXPECT_EQ(CodeOf([] { gk::maximum(gk::Tensor(1), 0.5); }),
            gk::ErrorCode::kTypeError);
  EXPECT_EQ(CodeOf([] { gk::Tensor(int8_t{1}) + 300; }),
            gk::ErrorCode::kTypeError);
  EXPECT_EQ(CodeOf([] { gk::matmul(gk::None(), 1.0); }),
            gk::ErrorCode::kTypeError);
}

TEST(TensorTest, PrintsMatricesOnLines) {
  EXPECT_EQ(gk::Tensor({{1, 2}, {3, 4}}).to_string(),
            "Tensor(shape=(2, 2), dtype=int32, value=\n[[1 2]\n [3 4]])");
  EXPECT_EQ(gk::Tensor().to_string(), "Tensor()");
}

}  // namespace
