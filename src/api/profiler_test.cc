// Profiles that C++ programs make.
#include "graphkiln/profiler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>

#include "graphkiln/dataset.h"
#include "graphkiln/error.h"
#include "graphkiln/function.h"
#include "graphkiln/functions.h"
#include "graphkiln/ops.h"

namespace {

using gk::ErrorCode;
using gk::Tensor;
namespace profiler = gk::profiler;

class ProfilerTest : public testing::Test {
 protected:
  ProfilerTest()
      : folder_(testing::TempDir() + "profiler_test/" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
  }
  ~ProfilerTest() override { std::filesystem::remove_all(folder_); }

  // Of all runs, by name.
  std::vector<std::filesystem::path> Files() const {
    std::vector<std::filesystem::path> all;
    if (!std::filesystem::exists(folder_)) return all;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) all.push_back(entry.path());
    }
    std::ranges::sort(all);
    return all;
  }
  // The events of the one profile, whose names stand in it as they are.
  std::string Bytes() const {
    for (const auto& file : Files()) {
      if (!file.string().ends_with(".xplane.pb")) continue;
      std::ifstream in(file, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(in), {});
    }
    return "";
  }
  void ExpectWords(std::initializer_list<std::string> words) const {
    const std::string bytes = Bytes();
    for (const std::string& word : words) {
      EXPECT_NE(bytes.find(word), std::string::npos) << word;
    }
  }

  const std::string folder_;
};

std::optional<ErrorCode> CodeOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const gk::Error& error) {
    return error.code();
  }
  return std::nullopt;
}

Tensor Ones(int64_t n) { return gk::ones({n, n}); }

TEST_F(ProfilerTest, WritesWhatRan) {
  auto f = gk::function(
      [](Tensor x) { return gk::nn::relu(gk::matmul(x, x) + 1.0f); },
      {.name = "layer"});
  profiler::start(folder_);
  for (int step = 0; step < 3; ++step) {
    profiler::Trace trace("train", {{"step_num", step}, {"_r", 1}});
    trace.set_metadata("mode", "fast");
    f(Ones(16));
  }
  gk::matmul(Ones(8), Ones(8));
  for (const Tensor x : gk::Dataset::range(5).batch(2)) (void)x;
  profiler::stop();
  ASSERT_EQ(Files().size(), 2u);
  EXPECT_TRUE(Files()[0].string().ends_with(".trace.json.gz"));
  EXPECT_TRUE(Files()[1].string().ends_with(".xplane.pb"));
  EXPECT_EQ(Files()[0].parent_path().parent_path(),
            std::filesystem::path(folder_) / "plugins" / "profile");
  ExpectWords({"/host:CPU", "train", "step_num", "fast", "trace layer",
               "MatMul:MatMul", "Fused", "Iterator::Batch", "Iterator::Range",
               "float32[16,16]", "flops", "Task Environment"});
}

TEST_F(ProfilerTest, OneAtATime) {
  EXPECT_EQ(CodeOf([] { profiler::stop(); }), ErrorCode::kUnavailable);
  profiler::start(folder_);
  EXPECT_EQ(CodeOf([&] { profiler::start(folder_); }),
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(CodeOf([&] { profiler::Profile again(folder_); }),
            ErrorCode::kAlreadyExists);
  auto f = gk::function([](Tensor x) { return x + x; });
  EXPECT_EQ(CodeOf([&] { f.profile(Ones(2)); }), ErrorCode::kAlreadyExists);
  profiler::stop(/*save=*/false);
  EXPECT_TRUE(Files().empty());
  EXPECT_EQ(CodeOf([] { profiler::stop(false); }), ErrorCode::kUnavailable);
}

TEST_F(ProfilerTest, EndsWithItsScope) {
  {
    const profiler::Profile profile(folder_);
    const profiler::Trace trace("inside");
  }
  ExpectWords({"inside"});
  EXPECT_EQ(CodeOf([] { profiler::stop(); }), ErrorCode::kUnavailable);
  profiler::Profile profile(folder_);
  profile.stop();
  EXPECT_EQ(Files().size(), 4u) << "a folder of its own, in the same second";
}

TEST_F(ProfilerTest, EndsWhereItCannotBeWritten) {
  profiler::start("/proc/there/is/no/such/folder");
  EXPECT_NE(CodeOf([] { profiler::stop(); }), std::nullopt);
  EXPECT_EQ(CodeOf([] { profiler::stop(); }), ErrorCode::kUnavailable);
}

TEST_F(ProfilerTest, RecordsAsMuchAsItIsTold) {
  {
    const profiler::Profile profile(folder_, {.host_tracer_level = 1});
    const profiler::Trace trace("inside");
    gk::matmul(Ones(8), Ones(8));
  }
  ExpectWords({"inside"});
  EXPECT_EQ(Bytes().find("MatMul"), std::string::npos);
  std::filesystem::remove_all(folder_);
  {
    const profiler::Profile profile(folder_, {.delay_ms = 100'000});
    const profiler::Trace trace("too early");
  }
  EXPECT_EQ(Bytes().find("too early"), std::string::npos);
}

TEST_F(ProfilerTest, OfOneCallOfAFunction) {
  int traced = 0;
  auto f = gk::function(
      [&traced](Tensor x) {
        ++traced;
        return gk::reduce_sum(gk::nn::relu(gk::matmul(x, x) + 1.0f));
      },
      {.name = "layer"});
  const profiler::FunctionProfile profile = f.profile(Ones(32));
  EXPECT_EQ(traced, 1);
  EXPECT_GT(profile.seconds, 0);
  EXPECT_GT(profile.peak_flops, 0);
  const auto product = std::ranges::find(
      profile.rows, "MatMul", [](const auto& row) { return row.name; });
  ASSERT_NE(product, profile.rows.end()) << profile;
  EXPECT_EQ(product->calls, 1);
  EXPECT_EQ(product->flops, 2.0 * 32 * 32 * 32);
  EXPECT_EQ(product->shapes,
            "(float32[32,32], float32[32,32]) -> float32[32,32]");
  EXPECT_GT(product->attained, 0);
  std::ostringstream text;
  text << profile;
  EXPECT_NE(text.str().find("attained"), std::string::npos);
  EXPECT_NE(profile.to_html().find("<table"), std::string::npos);
  // The function's only trace, called by itself.
  const profiler::FunctionProfile again =
      f.get_concrete_function(Ones(32)).profile({Ones(32)});
  EXPECT_EQ(again.planning_seconds, 0);
  EXPECT_EQ(traced, 1);
}

TEST_F(ProfilerTest, AnswersToOtherProcesses) {
  EXPECT_EQ(CodeOf([] { profiler::answer("GetSnapshot", ""); }),
            ErrorCode::kUnimplemented);
  EXPECT_EQ(CodeOf([] { profiler::answer("Profile", ""); }),
            ErrorCode::kInvalidArgument);
  // A profile of an hour for somebody who goes: MonitorRequest.duration_ms.
  int asked = 0;
  const std::string told = profiler::answer(
      "Monitor", "\x08\x80\xdd\xdb\x01", [&] { return ++asked < 3; });
  EXPECT_NE(told.find("Device idle time: "), std::string::npos);
  EXPECT_EQ(asked, 3);
}

TEST_F(ProfilerTest, MemoryOfAFunction) {
  auto f = gk::function([](Tensor x) {
    return gk::matmul(gk::nn::softmax(gk::linalg::matmul(x, x)), x);
  });
  EXPECT_EQ(CodeOf([&] { f.memory_report(); }), ErrorCode::kValueError);
  f(Ones(32));
  const profiler::MemoryReport report = f.memory_report();
  ASSERT_EQ(report.plans.size(), 1u);
  ASSERT_FALSE(report.plans[0].buffers.empty());
  EXPECT_EQ(report.plans[0].buffers[0].bytes, 32 * 32 * 4);
  EXPECT_GE(report.peak_bytes, 2 * 32 * 32 * 4);
  std::ostringstream text;
  text << report;
  EXPECT_NE(text.str().find("MatMul"), std::string::npos);
}

}  // namespace
