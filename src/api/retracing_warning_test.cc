// Where calls were that were traced, and the warning of too many.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "graphkiln/graphkiln.h"

namespace {

gk::Tensor OfSize(int64_t n) { return gk::zeros({n}); }

class RetracingWarning : public testing::Test {
 protected:
  void SetUp() override {
    before_ = gk::set_retracing_warning_sink(
        [this](const std::string& text) { warnings_.push_back(text); });
  }
  void TearDown() override {
    gk::set_retracing_warning_sink(std::move(before_));
  }
  gk::RetracingWarningSink before_;
  std::vector<std::string> warnings_;
};

TEST(RetraceTest, TellsWhereTheCallWas) {
  auto f = gk::function([](const gk::Tensor& x) { return x + x; },
                        {.name = "twice"});
  f(OfSize(1));
  const int line = __LINE__ + 1;
  f(OfSize(2));
  f.get_concrete_function(OfSize(3));
  const gk::RetraceExplanation why = f.explain_retraces();
  ASSERT_EQ(why.retraces.size(), 2u);
  EXPECT_EQ(why.retraces[0].line, line);
  EXPECT_EQ(why.retraces[1].line, line + 1);
  EXPECT_NE(why.retraces[0].file.find("retracing_warning_test.cc"),
            std::string::npos);
  EXPECT_NE(why.retraces[0].function.find("TellsWhereTheCallWas"),
            std::string::npos);
  EXPECT_NE(why.to_string().find(
                "retracing_warning_test.cc:" + std::to_string(line) + " ("),
            std::string::npos);
}

TEST(RetraceTest, PrintsAsATable) {
  auto f = gk::function([](const gk::Tensor& x, int n) { return x * n; },
                        {.name = "a<b"});
  f(OfSize(1), 2);
  f(OfSize(1), 3);
  const std::string html = f.explain_retraces().to_html();
  EXPECT_TRUE(html.starts_with("<p>a&lt;b was traced 2 times.</p><table"));
  EXPECT_NE(html.find("<code>args_1</code>"), std::string::npos) << html;
  EXPECT_NE(html.find("<code>Literal[3]</code>"), std::string::npos);
  EXPECT_NE(html.find("as gk::Tensor(3)"), std::string::npos);
}

TEST(RetraceTest, CallsOfManyArgumentsStayWithoutPlace) {
  auto sum = gk::function([](auto... n) { return gk::Tensor((n + ...)); });
  EXPECT_EQ(sum(1, 2, 3, 4, 5, 6, 7).item<int32_t>(), 28);
  EXPECT_EQ(sum(1, 2, 3, 4, 5, 6, 8).item<int32_t>(), 29);
  EXPECT_EQ(sum(1, 2, 3, 4, 5, 6).item<int32_t>(), 21);
  const gk::RetraceExplanation why = sum.explain_retraces();
  ASSERT_EQ(why.retraces.size(), 2u);
  EXPECT_TRUE(why.retraces[0].file.empty());
  EXPECT_FALSE(why.retraces[1].file.empty());
}

TEST_F(RetracingWarning, ComesWithTheFifthTracingInTenCalls) {
  auto f = gk::function([](const gk::Tensor& x) { return x + x; },
                        {.name = "grow"});
  for (int n = 1; n <= 4; ++n) f(OfSize(n));
  EXPECT_TRUE(warnings_.empty());
  f(OfSize(5));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(warnings_[0].starts_with("5 out of the last 5 calls to grow, "
                                       "made at "));
  EXPECT_NE(warnings_[0].find("retracing_warning_test.cc:"),
            std::string::npos);
  EXPECT_NE(warnings_[0].find("triggered gk::function retracing"),
            std::string::npos);
  EXPECT_NE(warnings_[0].find("grow was traced 5 times."), std::string::npos);
  EXPECT_NE(warnings_[0].find("(shape)"), std::string::npos);
  for (int n = 6; n <= 9; ++n) f(OfSize(n));
  EXPECT_EQ(warnings_.size(), 2u);  // not more
}

TEST_F(RetracingWarning, CachedCallsKeepItAway) {
  auto f = gk::function([](const gk::Tensor& x) { return x + x; });
  for (int n = 1; n <= 10; ++n) {
    for (int i = 0; i < 4; ++i) f(OfSize(n));
  }
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(RetracingWarning, FunctionsMadeAnewInALoopCountTogether) {
  for (int i = 0; i < 5; ++i) {
    auto f = gk::function([](const gk::Tensor& x) { return x * x; },
                          {.name = "square"});
    f(OfSize(1));
  }
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("5 out of the last 5 calls to square"),
            std::string::npos);
  EXPECT_NE(warnings_[0].find("It is one of 5 gk::functions made at "),
            std::string::npos)
      << warnings_[0];
}

TEST_F(RetracingWarning, TracesAskedForOrNestedDoNotCount) {
  auto f = gk::function([](const gk::Tensor& x) { return x + x; });
  for (int n = 1; n <= 8; ++n) f.get_concrete_function(OfSize(n));
  auto inner = gk::function([](const gk::Tensor& x) { return x * x; });
  auto outer = gk::function([&](const gk::Tensor& x) {
    gk::Tensor y = x;
    for (int n = 1; n <= 8; ++n) {
      y = y + gk::reduce_sum(inner(gk::zeros({n})));
    }
    return y;
  });
  outer(OfSize(1));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(RetracingWarning, ThreadsMayRetraceAtOnce) {
  gk::set_retracing_warning_sink([](const std::string&) {});
  auto f = gk::function([](const gk::Tensor& x) { return x + x; });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int n = 1; n <= 10; ++n) f(OfSize(n + 10 * t));
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(f.tracing_count(), 40);
}

}  // namespace
