#include "profiler/memory_report.h"

#include <gtest/gtest.h>

#include "eager/eager_context.h"
#include "graph/function_for_test.h"

namespace gk {
namespace {

// softmax(x x) x: the first product and the softmax are in use at once.
Ref<GraphFunction> Chain(const PartialTensorShape& shape) {
  InitEager();
  TestFunction b("chain");
  const Output x = b.Arg(kF, shape);
  const Output product = b.Add("MatMul", {x, x});
  return b.Finish({b.Add("MatMul", {b.Add("Softmax", {product}), x})});
}

TEST(MemoryReport, TellsValuesAndTheirLives) {
  const MemoryReport report =
      ValueOrThrow(ReportMemory(*Chain(TensorShape{32, 32})));
  EXPECT_EQ(report.name, "chain");
  ASSERT_EQ(report.plans.size(), 1u);
  const PlanMemory& plan = report.plans[0];
  constexpr int64_t kBytes = 32 * 32 * 4;
  EXPECT_EQ(plan.num_instructions, 3);
  EXPECT_EQ(plan.argument_bytes, kBytes);
  EXPECT_EQ(plan.unknown, 0);
  ASSERT_EQ(plan.buffers.size(), 3u);
  int64_t own = 0, at_peak = 0;
  for (const MemoryBuffer& b : plan.buffers) {
    EXPECT_EQ(b.bytes, kBytes);
    EXPECT_EQ(b.type, "float32[32,32]");
    EXPECT_LE(b.first, b.last);
    if (b.place == "own") own += b.bytes;
    if (b.at_peak) at_peak += b.bytes;
  }
  EXPECT_EQ(own, kBytes) << "the result leaves the plan";
  EXPECT_EQ(at_peak, 2 * kBytes);
  EXPECT_EQ(plan.sum_bytes, 2 * kBytes);
  EXPECT_EQ(plan.peak_bytes, plan.arena_bytes + kBytes);
  EXPECT_EQ(report.PeakBytes(), plan.peak_bytes);
  const std::string text = MemoryText(report);
  for (const char* word : {"chain: ", "MatMul", "Softmax", "4.00 KiB",
                           "float32[32,32]", "arena", "own"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
  }
  EXPECT_NE(MemoryHtml(report).find("<table"), std::string::npos);
}

TEST(MemoryReport, CountsWhatIsNotKnown) {
  const MemoryReport report =
      ValueOrThrow(ReportMemory(*Chain(PartialTensorShape{-1, -1})));
  const PlanMemory& plan = report.plans[0];
  EXPECT_EQ(plan.unknown, 3);
  EXPECT_EQ(plan.peak_bytes, 0);
  EXPECT_NE(MemoryText(report).find("3 values of sizes that are not known"),
            std::string::npos);
}

}  // namespace
}  // namespace gk
