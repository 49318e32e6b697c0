// Who reads a value last, whose memory may be written over, what is let go.
#include "runtime/plan_draft_for_test.h"

namespace gk {
namespace {

const TensorShape kShape{4, 4};

std::vector<SlotId> Releases(const Plan& plan, int pc) {
  const Instruction& i = plan.instructions[pc];
  const auto first = plan.releases.begin() + i.first_release;
  return {first, first + i.num_releases};
}

TEST(Lifetimes, LastReadersAndResults) {
  TestFunction b;
  const Output x = b.Arg(kF, kShape);
  const Output p = b.Add("MatMul", {x, x}), q = b.Add("MatMul", {p, x}),
               r = b.Add("MatMul", {q, p});
  const PlanDraft draft = DraftAfter(FindLifetimes, *b.Finish({r}));
  const auto last = [&](const Output& o) {
    return draft.last_use[SlotOf(draft, o.node->name())];
  };
  EXPECT_EQ(last(x), 1);
  EXPECT_EQ(last(p), 2);
  EXPECT_EQ(last(q), 2);
  EXPECT_EQ(last(r), 3) << "needed after all of them";
}

TEST(Lifetimes, ViewsAreReadsOfWhatTheyAreViewsOf) {
  TestFunction b;
  const Output x = b.Arg(kF, kShape);
  const Output p = b.Add("MatMul", {x, x});
  const Output flat = b.Add(
      "Reshape", {p, b.Const(Tensor::Vector<int32_t>(std::vector{2, 8}))});
  const Output q = b.Add("MatMul", {x, x});
  const auto f = b.Finish({b.Add("MatMul", {b.Add("Softmax", {flat}), flat},
                                 {{"transpose_b", true}}),
                           b.Add("Neg", {q})});
  const PlanDraft draft = DraftAfter(FindLifetimes, *f);
  const SlotId root = SlotOf(draft, p.node->name());
  const int reader =
      MakerOf(*draft.plan, draft.plan->results[0]);  // the product of views
  EXPECT_EQ(draft.last_use[root], reader);
}

// A value of the run's own goes where it is read last, once; it is offered
// there only under one name.
TEST(Lifetimes, OffersAndReleases) {
  TestFunction b;
  const Output x = b.Arg(kF, PartialTensorShape({-1, -1}));
  const Output p = b.Add("MatMul", {x, x});
  const Output once = b.Add("Neg", {p}), twice = b.Add("MatMul", {once, once});
  const PlanDraft draft = DraftAfter(FindLifetimes, *b.Finish({twice}));
  const Plan& plan = *draft.plan;
  ASSERT_EQ(plan.instructions.size(), 3u) << plan.DebugString();
  const auto slot = [&](const Output& o) {
    return SlotOf(draft, o.node->name());
  };
  EXPECT_EQ(plan.instructions[0].may_forward, 0u) << "x twice";
  EXPECT_EQ(plan.instructions[1].may_forward, 1u) << "p dies there";
  EXPECT_EQ(plan.instructions[2].may_forward, 0u) << "one value twice";
  EXPECT_EQ(Releases(plan, 0), std::vector<SlotId>{slot(x)});
  EXPECT_EQ(Releases(plan, 1), std::vector<SlotId>{slot(p)});
  EXPECT_EQ(Releases(plan, 2), std::vector<SlotId>{slot(once)});
}

TEST(Lifetimes, ResultsTakeWhatDies) {
  const auto takes = [](TensorShape shape, bool reads_again) {
    TestFunction b;
    const Output x = b.Arg(kF, TensorShape{8}), y = b.Arg(kF, std::move(shape));
    std::vector<Output> results{b.Add("AddV2", {x, y})};
    if (reads_again) results.push_back(x);
    const PlanDraft draft =
        DraftAfter(FindLifetimes, *b.Finish(std::move(results)));
    const Instruction& i = draft.plan->instructions[0];
    if (i.take_from < 0) return -1;
    EXPECT_EQ(i.take_to, i.first_output);
    return static_cast<int>(i.take_from);
  };
  EXPECT_EQ(takes({8}, false), 0);
  EXPECT_EQ(takes({8}, true), 1) << "x is a result: y is what dies";
  EXPECT_EQ(takes({1}, true), -1) << "of another shape";
}

}  // namespace
}  // namespace gk
