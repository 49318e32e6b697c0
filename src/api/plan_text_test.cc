// What a traced function became, as text.
#include <graphkiln/graphkiln.h>
#include <gtest/gtest.h>

#include <string>

namespace {

TEST(PlanText, ShowsInstructionsOfTheFunctionAndWhatItCalls) {
  auto f = gk::function([](gk::Tensor x) {
    const gk::Tensor sum = gk::tanh(x) + 1.0f;
    return gk::while_loop(
        [](const gk::Tensor& v) { return gk::reduce_sum(v) < 100.0f; },
        [](const gk::Tensor& v) { return v * 2.0f; }, sum * 0.0f + sum);
  });
  const gk::ConcreteFunction concrete =
      f.get_concrete_function(gk::TensorSpec({4}, gk::DataType::kFloat));
  const std::string traced = concrete.to_string();
  const std::string optimized = concrete.optimized_text();
  const std::string plan = concrete.plan_text();
  EXPECT_EQ(optimized.substr(0, optimized.find('\n')), concrete.name());
  EXPECT_NE(traced.find("= Tanh"), std::string::npos) << traced;
  EXPECT_NE(optimized.find("= Tanh"), std::string::npos) << optimized;
  EXPECT_NE(plan.find("Tanh"), std::string::npos) << plan;
  EXPECT_NE(plan.find("arena of "), std::string::npos) << plan;
  // The loop's condition and body follow.
  for (const std::string& text : {optimized, plan}) {
    EXPECT_NE(text.find("_cond"), std::string::npos) << text;
    EXPECT_NE(text.find("_body"), std::string::npos) << text;
  }
}

}  // namespace
