#include "runtime/plan_profile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "graph/function_for_test.h"
#include "runtime/executor.h"
#include "runtime/plan.h"

namespace gk {
namespace {


// A product of matrices and the softmax of it, of `shape` or whatever comes.
Ref<Plan> Products(const PartialTensorShape& shape) {
  InitRuntime();
  TestFunction b("products");
  const Output x = b.Arg(kF, shape);
  const auto f = b.Finish({b.Add("Softmax", {b.Add("MatMul", {x, x})})});
  return ValueOrThrow(Plan::Make(RewriteGraph::CloneOf(*f)));
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(PlanProfile, CountsRunsAndTime) {
  const Ref<Plan> plan = Products(TensorShape{4, 4});
  PlanProfile profile(*plan);
  EXPECT_EQ(profile.Table(), "") << "nothing ran";
  for (int run = 0; run < 3; ++run) {
    const PlanProfile::Timer timer(profile, 0);
    usleep(2000);
  }
  const std::vector<std::string> lines = Lines(profile.Table());
  ASSERT_EQ(lines.size(), 3u) << profile.Table();
  EXPECT_EQ(lines[0].substr(0, 18), "products: 3 runs, ");
  double wall, share, cpu;
  std::string rest;
  char percent;
  std::istringstream first(lines[1]);
  first >> wall >> share >> percent >> cpu;
  std::getline(first, rest);
  EXPECT_GE(wall, 2000) << "microseconds a run";
  EXPECT_EQ(share, 100);
  EXPECT_LT(cpu, wall) << "it slept";
  EXPECT_NE(rest.find("MatMul"), std::string::npos) << rest;
  EXPECT_NE(rest.find("[4,4]"), std::string::npos) << rest;
  // What never ran took no time.
  std::istringstream second(lines[2]);
  second >> wall >> share >> percent >> cpu;
  EXPECT_EQ(wall + share + cpu, 0);
  EXPECT_NE(lines[2].find("Softmax"), std::string::npos) << lines[2];
}

TEST(PlanProfile, ShapesThatAreNotKnown) {
  const Ref<Plan> plan = Products({-1, -1});
  PlanProfile profile(*plan);
  { const PlanProfile::Timer timer(profile, 1); }
  const std::vector<std::string> lines = Lines(profile.Table());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[2].find("[?]"), std::string::npos) << lines[2];
}

TEST(PlanProfile, KeptOnlyWhereItIsWanted) {
  // Whoever runs the tests wants profiles of all plans: there is none without.
  if (std::getenv("GK_PLAN_PROFILE") != nullptr) GTEST_SKIP();
  EXPECT_EQ(Products(TensorShape{4, 4})->profile, nullptr);
}

// A process that is told to, to its end.
[[noreturn]] void RunWithProfile(const std::string& file) {
  setenv("GK_PLAN_PROFILE", file.c_str(), 1);
  const Ref<Plan> plan = Products(TensorShape{2, 2});
  const Tensor x = Tensor::OfValues<float>(std::vector<float>(4, 1.0f), {2, 2});
  TensorVector out;
  for (int run = 0; run < 5; ++run) {
    ThrowIfError(RunPlan(*plan, {&x, 1}, &out, nullptr));
  }
  std::exit(0);
}

TEST(PlanProfileDeathTest, IsWrittenWhenTheProcessEnds) {
  // A new process, which has asked for no profile yet.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string file =
      std::filesystem::temp_directory_path() / "gk_plan_profile_test.txt";
  std::filesystem::remove(file);
  EXPECT_EXIT(RunWithProfile(file), testing::ExitedWithCode(0), "");
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(text.str().substr(0, 18), "products: 5 runs, ") << text.str();
  EXPECT_NE(text.str().find("MatMul"), std::string::npos) << text.str();
  std::filesystem::remove(file);
  EXPECT_EXIT(RunWithProfile("/no/such/folder/profile"),
              testing::ExitedWithCode(0),
              "GK_PLAN_PROFILE: /no/such/folder/profile");
}

}  // namespace
}  // namespace gk
