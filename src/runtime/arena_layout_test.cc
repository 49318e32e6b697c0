// Where values lie in the arena.
#include "runtime/plan_draft_for_test.h"

namespace gk {
namespace {


struct Place {
  int64_t begin = 0, end = 0;
  bool Meets(const Place& o) const { return begin < o.end && o.begin < end; }
};

Place PlaceOf(const PlanDraft& draft, const Output& o) {
  const SlotInfo& slot =
      draft.plan->slots[SlotOf(draft, o.node->name(), o.index)];
  EXPECT_EQ(slot.home, Home::kArena) << o.node->name();
  EXPECT_GE(slot.offset, 0);
  EXPECT_LE(slot.offset + slot.num_bytes(), draft.plan->arena_bytes);
  return {slot.offset, slot.offset + slot.num_bytes()};
}

TEST(ArenaLayout, WhatIsNeededTogetherLiesApart) {
  const TensorShape shape{10, 10};
  TestFunction b;
  const Output x = b.Arg(kF, shape);
  const Output p = b.Add("MatMul", {x, x}), q = b.Add("MatMul", {p, x}),
               r = b.Add("MatMul", {q, p}), s = b.Add("MatMul", {r, x});
  const PlanDraft draft =
      DraftAfter(PlaceArena, *b.Finish({b.Add("MatMul", {s, x})}));
  EXPECT_FALSE(PlaceOf(draft, p).Meets(PlaceOf(draft, q)));
  EXPECT_FALSE(PlaceOf(draft, q).Meets(PlaceOf(draft, r)));
  EXPECT_FALSE(PlaceOf(draft, p).Meets(PlaceOf(draft, r)));
  EXPECT_FALSE(PlaceOf(draft, r).Meets(PlaceOf(draft, s)));
  // p and q are over when s is made: three places are enough.
  const int64_t one = PlaceOf(draft, p).end - PlaceOf(draft, p).begin;
  EXPECT_LT(draft.plan->arena_bytes, 4 * one);
}

TEST(ArenaLayout, ElementwiseResultsLieOverWhatDies) {
  const TensorShape shape{10, 10};
  const auto lies_over = [&](bool read_later) {
    TestFunction b;
    const Output x = b.Arg(kF, shape);
    const Output p = b.Add("MatMul", {x, x}), n = b.Add("Tanh", {p});
    const Output q = b.Add("MatMul", {n, read_later ? p : x});
    const PlanDraft draft = DraftAfter(PlaceArena, *b.Finish({q}));
    const Place from = PlaceOf(draft, p), to = PlaceOf(draft, n);
    if (from.Meets(to)) {
      EXPECT_EQ(from.begin, to.begin);
    }
    return from.Meets(to);
  };
  EXPECT_TRUE(lies_over(false));
  EXPECT_FALSE(lies_over(true));
}

TEST(ArenaLayout, ViewsLieWhereTheyAreViewsOf) {
  TestFunction b;
  const Output x = b.Arg(kF, TensorShape{4, 4});
  const Output p = b.Add("MatMul", {x, x});
  const Output flat = b.Add(
      "Reshape", {p, b.Const(Tensor::Vector<int32_t>(std::vector{2, 8}))});
  const PlanDraft draft =
      DraftAfter(PlaceArena, *b.Finish({b.Add("Softmax", {flat})}));
  EXPECT_EQ(PlaceOf(draft, flat).begin, PlaceOf(draft, p).begin);
}

// What the first turn of a loop computes is there in all others, before the
// instruction that made it as well.
TEST(ArenaLayout, WhatIsDoneOnceLiesAlone) {
  const TensorShape shape{10, 10};
  TestFunction b;
  const Output state = b.Arg(kF, shape), same = b.Arg(kF, shape);
  const Output early = b.Add("Softmax", {b.Add("MatMul", {state, state})});
  const Output fixed = b.Add("MatMul", {same, same});
  const Output next = b.Add("MatMul", {early, fixed});
  const PlanDraft draft =
      DraftAfter(PlaceArena, *b.Finish({next, same}), {.loop_body = true});
  const Plan& plan = *draft.plan;
  const SlotId kept = SlotOf(draft, fixed.node->name());
  ASSERT_TRUE(plan.instructions[MakerOf(plan, kept)].once)
      << plan.DebugString();
  const Place place = PlaceOf(draft, fixed);
  for (size_t s = 0; s < plan.slots.size(); ++s) {
    const SlotInfo& slot = plan.slots[s];
    if (slot.home != Home::kArena || static_cast<SlotId>(s) == kept) continue;
    EXPECT_FALSE(place.Meets({slot.offset, slot.offset + slot.num_bytes()}))
        << plan.DebugString();
  }
}

}  // namespace
}  // namespace gk
