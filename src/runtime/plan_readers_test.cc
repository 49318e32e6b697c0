// What a unit makes for others: results, and what another unit reads.
#include "runtime/plan_draft_for_test.h"

namespace gk {
namespace {


TEST(PlanReaders, WithinAUnitNobodyElseReads) {
  const TensorShape shape{5000};
  TestFunction b;
  const Output x = b.Arg(kF, shape);
  const Output inner = b.Add("Neg", {x});
  const Output outer = b.Add("Exp", {inner});
  const Output sum = b.Add("Softmax", {outer});
  const Output last = b.Add("Tanh", {sum});
  const PlanDraft draft =
      DraftAfter(FindReaders, *b.Finish({last, b.Add("Neg", {last})}));
  const auto read = [&](const Output& o) {
    return draft.read_outside[NodeOf(draft, o.node->name())->id()];
  };
  EXPECT_FALSE(read(inner));
  EXPECT_TRUE(read(outer)) << "Softmax is a unit of its own";
  EXPECT_TRUE(read(sum));
  EXPECT_TRUE(read(last)) << "a result, though its reader goes with it";
  EXPECT_TRUE(read(x));
}

}  // namespace
}  // namespace gk
