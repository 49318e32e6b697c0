// Event files that C++ programs write.
#include "graphkiln/summary.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "graphkiln/function.h"
#include "graphkiln/functions.h"
#include "graphkiln/ops.h"

namespace {

using gk::Tensor;
namespace summary = gk::summary;

class SummaryTest : public testing::Test {
 protected:
  SummaryTest()
      : folder_(testing::TempDir() + "summary_test/" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
  }
  ~SummaryTest() override { std::filesystem::remove_all(folder_); }

  // The records of the one file, without the first.
  std::vector<std::string> Events() const {
    const std::filesystem::directory_iterator files(folder_);
    std::ifstream in(files->path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    std::vector<std::string> events;
    for (size_t at = 0; at < bytes.size();) {
      uint64_t size;
      std::memcpy(&size, &bytes[at], sizeof(size));
      events.push_back(bytes.substr(at + 12, size));
      at += 12 + size + 4;
    }
    EXPECT_NE(events[0].find("brain.Event:2"), std::string::npos);
    events.erase(events.begin());
    return events;
  }
  // Event i has all of these words in it.
  static void ExpectWords(const std::vector<std::string>& events, size_t i,
                          std::initializer_list<std::string> words) {
    ASSERT_LT(i, events.size());
    for (const std::string& word : words) {
      EXPECT_NE(events[i].find(word), std::string::npos) << i << " " << word;
    }
  }
  // Field 2, a varint: the step.
  static int StepOf(const std::string& event) {
    return event[9] == 0x10 ? event[10] : 0;
  }

  const std::string folder_;
};

TEST_F(SummaryTest, EveryKind) {
  const auto writer = summary::create_file_writer(folder_);
  {
    const auto writing = writer.as_default();
    const gk::name_scope model("model");
    EXPECT_TRUE(summary::scalar("loss", 0.5f, 1).item<bool>());
    summary::text("note", "*third*", Tensor(int64_t{2}));
    summary::histogram("spread", Tensor{1.0f, 2.0f, 2.0f}, 3);
    summary::image("grey", gk::ops::Fill(Tensor{1, 2, 3, 1}, 0.5f), 4);
    summary::audio("tone", gk::ops::Fill(Tensor{1, 80, 1}, 0.5f), 8000, 5);
    summary::write("sizes", Tensor{3, 4}, 6);
    EXPECT_THROW(summary::scalar("loss", Tensor{1.0f}, 1), gk::Error);
    EXPECT_THROW(summary::scalar("loss", 1.0f), gk::Error);
  }
  writer.close();
  const auto events = Events();
  ASSERT_EQ(events.size(), 6u);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(StepOf(events[i]), i + 1);
  ExpectWords(events, 0, {"model/loss", "scalars"});
  ExpectWords(events, 1, {"model/note", "text", "*third*"});
  ExpectWords(events, 2, {"model/spread", "histograms"});
  ExpectWords(events, 3, {"model/grey", "images", "PNG"});
  ExpectWords(events, 4, {"model/tone", "audio", "WAVE"});
  ExpectWords(events, 5, {"sizes"});
}

TEST_F(SummaryTest, FunctionsWriteWheneverTheyRun) {
  const auto writer = summary::create_file_writer(folder_);
  const gk::Variable step(int64_t{0});
  auto f = gk::function([&](Tensor x) {
    const auto writing = writer.as_default(step);
    const auto even = summary::record_if(
        [&] { return gk::equal(step.value() % int64_t{2}, int64_t{0}); });
    summary::histogram("x", x);
    return x;
  });
  for (int64_t i = 0; i < 4; ++i) {
    f(Tensor{1.0f, 2.0f});
    step.assign_add(int64_t{1});
  }
  writer.close();
  const auto events = Events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(StepOf(events[0]), 0);
  EXPECT_EQ(StepOf(events[1]), 2);
}

TEST_F(SummaryTest, WithoutAWriterNothingIsWritten) {
  EXPECT_FALSE(summary::should_record_summaries().item<bool>());
  EXPECT_FALSE(summary::scalar("loss", 0.5f).item<bool>());
  const auto writing = summary::create_noop_writer().as_default(3);
  EXPECT_FALSE(summary::scalar("loss", 0.5f).item<bool>());
  EXPECT_FALSE(summary::experimental::get_step().given());
}

TEST_F(SummaryTest, GraphsOfWhatWasCalled) {
  auto f = gk::function([](Tensor x) { return gk::sin(x) * 2.0f; });
  const auto writer = summary::create_file_writer(folder_);
  summary::trace_on();
  f(1.0f);
  {
    const auto writing = writer.as_default();
    summary::trace_export("f", 0);
    EXPECT_THROW(summary::trace_export("f", 0), gk::Error);
  }
  writer.close();
  const auto events = Events();
  ASSERT_EQ(events.size(), 1u);
  ExpectWords(events, 0, {"graph_run_metadata_graph", "Sin", "Mul"});
}

TEST_F(SummaryTest, GraphsWithAProfile) {
  auto f = gk::function([](Tensor x) { return gk::sin(x) * 2.0f; });
  const std::string logdir = folder_ + "/logs";
  summary::trace_on({.profiler_outdir = logdir});
  EXPECT_THROW(summary::trace_on({.profiler_outdir = logdir}), gk::Error);
  f(1.0f);
  summary::trace_export("f", 0);
  EXPECT_TRUE(std::filesystem::exists(logdir + "/plugins/profile"));
  EXPECT_THROW(summary::trace_export("f", 0), gk::Error);
}

}  // namespace
