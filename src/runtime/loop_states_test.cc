// Which bodies of loops run in one frame, what their states do from turn to
// turn, and whose memory is used again.
#include <gtest/gtest.h>

#include "framework/variable.h"
#include "graph/function_for_test.h"
#include "runtime/executor.h"
#include "runtime/frame.h"

namespace gk {
namespace {

const TensorShape kSquare{4, 4};


Ref<Plan> BodyPlan(const GraphFunction& f) {
  InitRuntime();
  return ValueOrThrow(Plan::MakeLoopBody(RewriteGraph::CloneOf(f)));
}
bool IsClosed(TestFunction& b, std::vector<Output> results) {
  const Ref<Plan> plan = BodyPlan(*b.Finish(std::move(results)));
  EXPECT_TRUE(plan->is_closed || plan->next_states.empty());
  return plan->is_closed;
}

TEST(LoopStates, BodiesThatTakeWhatTheyGiveAreClosed) {
  {
    TestFunction b;
    const Output x = b.Arg(kF, TensorShape{3});
    EXPECT_TRUE(IsClosed(b, {b.Add("Neg", {x})}));
    EXPECT_FALSE(IsClosed(b, {x, b.Add("Neg", {x})}));
  }
  {
    TestFunction b;
    const Output x = b.Arg(kF, TensorShape{3});
    EXPECT_FALSE(IsClosed(b, {b.Add("Cast", {x}, {{"DstT", kI}})}));
    const Output axis = b.Const(Tensor::Scalar<int32_t>(0));
    EXPECT_FALSE(
        IsClosed(b, {b.Add("ConcatV2", {x, x, axis}, {{"N", int64_t{2}}})}));
  }
  {
    TestFunction b;
    const Output x = b.Arg(kF, PartialTensorShape({-1}));
    EXPECT_FALSE(IsClosed(b, {b.Add("Neg", {x})}));
    EXPECT_FALSE(IsClosed(b, {b.Const(Tensor::Scalar(1.0f))}));
  }
  {
    TestFunction b;
    const Output x = b.Arg(kF, TensorShape{3});
    const Output y = b.Add("Softmax", {x});
    y.node->mutable_output(0).shape = PartialTensorShape({-1});
    EXPECT_FALSE(IsClosed(b, {y}));
  }
}

// They take the values of variables out, and give them back, as a call does.
TEST(LoopStates, BodiesThatUpdateVariablesAreNotClosed) {
  const TensorShape shape{5000};
  TestFunction b;
  const Output v = b.Arg(DataType::kResource, TensorShape());
  v.node->mutable_output(0).handle_data = {{kF, shape}};
  const Output x = b.Arg(kF, shape);
  const Output y = b.Add("Neg", {x});
  const Output write = b.Add("AssignAddVariableOp", {v, y});
  const Ref<Plan> plan = BodyPlan(*b.Finish({v, y}, {write.node}));
  EXPECT_FALSE(plan->updates.empty());
  EXPECT_FALSE(plan->is_closed);
}

TEST(LoopStates, OnlyChangedStatesMove) {
  TestFunction b;
  const Output x = b.Arg(kF, kSquare);
  b.Arg(kF, kSquare);
  const Output w = b.Arg(kF, kSquare),
               l = b.Arg(DataType::kVariant, TensorShape()),
               large = b.Arg(kF, TensorShape{1 << 19});
  const Output next = b.Add("MatMul", {b.Add("Softmax", {x}), w});
  const Output pushed =
      b.Add("TensorListPushBack", {l, next}, {{"element_dtype", kF}});
  const Ref<Plan> plan = BodyPlan(*b.Finish(
      {next, next, w, pushed,
       b.Add("Reverse",
             {large, b.Const(*Tensor::Zeros(DataType::kBool, {1}))})}));
  ASSERT_TRUE(plan->is_closed) << plan->DebugString();
  ASSERT_EQ(plan->next_states.size(), 4u) << "w stays";
  // The copy is made before what it is a copy of moves.
  EXPECT_EQ(plan->next_states[0].to, plan->arguments[0]);
  EXPECT_FALSE(plan->next_states[0].moves);
  EXPECT_TRUE(plan->next_states[1].moves);
  EXPECT_TRUE(plan->next_states[1].spares);
  EXPECT_TRUE(plan->next_states[2].moves);
  EXPECT_FALSE(plan->next_states[2].spares) << "objects are not memory";
  EXPECT_TRUE(plan->next_states[3].moves);
  EXPECT_FALSE(plan->next_states[3].spares) << "large: others may want it";
}

// Turns of a body in one frame.
class Turns {
 public:
  Turns(const Plan& plan, const TensorVector& states)
      : plan_(plan), frame_(ValueOrThrow(Frame::Make(plan))) {
    for (size_t i = 0; i < states.size(); ++i) {
      const SlotId s = plan.arguments[i];
      frame_->slots[s] = ValueOrThrow(states[i].Copy());
      frame_->data[s] = frame_->slots[s].raw_data();
    }
  }
  void Run() {
    const Status s = RunTurnInFrame(plan_, *frame_, &scratch_, nullptr,
                                    first_ ? Turn::kFirst : Turn::kLater);
    ASSERT_TRUE(s.ok()) << s.ToString() << "\n" << plan_.DebugString();
    first_ = false;
  }
  const Tensor& state(int i) const { return frame_->slots[plan_.arguments[i]]; }
  void Clear() { frame_->Clear(plan_); }
  // What waits for the result that is to be state i.
  const Tensor& spare(int i) const { return frame_->planned[plan_.results[i]]; }

 private:
  const Plan& plan_;
  std::unique_ptr<Frame> frame_;
  TensorVector scratch_;
  bool first_ = true;
};

// Results of a kernel that may not lie where they came from, as everybody
// reads the old state until then, change places with it.
TEST(LoopStates, OldStatesAreMemoryForTheNextTurn) {
  TestFunction b;
  const Output x = b.Arg(kF, kSquare), w = b.Arg(kF, kSquare);
  const Ref<Plan> plan =
      BodyPlan(*b.Finish({b.Add("MatMul", {b.Add("Softmax", {x}), w}), w}));
  Turns turns(*plan, {Ramp(kSquare), Ramp(kSquare, 1)});
  std::vector<const void*> places;
  for (int i = 0; i < 5; ++i) {
    places.push_back(turns.state(0).raw_data());
    turns.Run();
    ASSERT_TRUE(turns.spare(0));
    EXPECT_EQ(turns.spare(0).raw_data(), places.back());
  }
  turns.Clear();
  EXPECT_FALSE(turns.spare(0)) << "the loop is over";
  EXPECT_EQ(places[0], places[2]);
  EXPECT_EQ(places[1], places[3]);
}

Output Update(TestFunction& b, Output x, int32_t row) {
  const Output at =
      b.Const(Tensor::OfValues<int32_t>(std::vector{row}, {1, 1}));
  const Output ones =
      b.Const(Tensor::OfValues<float>(std::vector<float>(4, row), {1, 4}));
  return b.Add("TensorScatterUpdate", {x, at, ones});
}

// A state whose memory a kernel hands on is let go there: else the next one
// that changes it would have to copy it, in every turn.
TEST(LoopStates, StatesChangeWhereTheyAre) {
  TestFunction b;
  const Output x = b.Arg(kF, kSquare);
  const Ref<Plan> plan = BodyPlan(*b.Finish({Update(b, Update(b, x, 1), 2)}));
  Turns turns(*plan, {Ramp(kSquare)});
  const void* const place = turns.state(0).raw_data();
  for (int i = 0; i < 3; ++i) {
    turns.Run();
    EXPECT_EQ(turns.state(0).raw_data(), place);
  }
  EXPECT_EQ(turns.state(0).data<float>()[4], 1);
  EXPECT_EQ(turns.state(0).data<float>()[8], 2);
}

TEST(LoopStates, StatesChangeWhereABranchLeavesThem) {
  TestFunction g("first");
  const Output first = g.Arg(kF, kSquare);
  g.Arg(kF, kSquare);
  const FunctionAttr branch{"first", g.Finish({first})};
  TestFunction b;
  const Output x = b.Arg(kF, kSquare),
               c = b.Arg(DataType::kBool, TensorShape());
  const Output same = b.Add("StatelessIf", {c, x, x},
                            {{"Tout", std::vector{kF}},
                             {"then_branch", branch},
                             {"else_branch", branch}});
  const Ref<Plan> plan = BodyPlan(*b.Finish({Update(b, same, 2), c}));
  ASSERT_NE(plan->DebugString().find("branch"), std::string::npos)
      << plan->DebugString();
  Turns turns(*plan, {Ramp(kSquare), Tensor::Scalar(true)});
  const void* const place = turns.state(0).raw_data();
  for (int i = 0; i < 3; ++i) {
    turns.Run();
    EXPECT_EQ(turns.state(0).raw_data(), place);
  }
  EXPECT_EQ(turns.state(0).data<float>()[8], 2);
}

// A branch may change the state that moves into it.
TEST(LoopStates, StatesChangeWithinBranches) {
  TestFunction g("update");
  const FunctionAttr update{"update",
                            g.Finish({Update(g, g.Arg(kF, kSquare), 1)})};
  TestFunction b;
  const Output x = b.Arg(kF, kSquare),
               c = b.Arg(DataType::kBool, TensorShape());
  const Output next = b.Add("StatelessIf", {c, x},
                            {{"Tout", std::vector{kF}},
                             {"then_branch", update},
                             {"else_branch", update}});
  const Ref<Plan> plan = BodyPlan(*b.Finish({next, c}));
  Turns turns(*plan, {Ramp(kSquare), Tensor::Scalar(true)});
  const void* const place = turns.state(0).raw_data();
  for (int i = 0; i < 3; ++i) {
    turns.Run();
    EXPECT_EQ(turns.state(0).raw_data(), place);
  }
}

// The memory that waits for a result is given away once: in a turn whose old
// state another one keeps, none waits, and the next result is in memory of its
// own.
void ExpectSparesAreTakenOnce(bool by_kernel) {
  const auto one_of = [&](bool first) {
    TestFunction g(first ? "first" : "second");
    const Output x = g.Arg(kF, kSquare), y = g.Arg(kF, kSquare);
    return FunctionAttr{first ? "first" : "second", g.Finish({first ? x : y})};
  };
  TestFunction b;
  const Output x = b.Arg(kF, kSquare), sum = b.Arg(kF, kSquare),
               old = b.Arg(kF, kSquare), i = b.Arg(kI, TensorShape()),
               keep = b.Arg(DataType::kBool, TensorShape());
  const Output one = b.Const(Ramp(kSquare, 1));
  Output next = b.Add("AddV2", {x, one});
  if (by_kernel) {
    const Output axis = b.Const(Tensor::Vector<int32_t>(std::vector{0}));
    next = b.Add("ReverseV2", {b.Add("ReverseV2", {next, axis}), axis});
  }
  const Output now = b.Add("AddV2", {i, b.Const(Tensor::Scalar<int32_t>(1))});
  const Output late =
      b.Add("GreaterEqual", {now, b.Const(Tensor::Scalar<int32_t>(3))});
  const Output kept = b.Add("StatelessIf", {keep, x, old},
                            {{"Tout", std::vector{kF}},
                             {"then_branch", one_of(true)},
                             {"else_branch", one_of(false)}});
  // x is read after the next state was computed.
  const Output product = b.Add("MatMul", {x, next});
  const Ref<Plan> plan = BodyPlan(
      *b.Finish({next, b.Add("AddV2", {sum, product}), kept, now, late}));
  ASSERT_TRUE(plan->is_closed) << plan->DebugString();
  Turns turns(*plan, {Ramp(kSquare), Ramp(kSquare), Ramp(kSquare, -1),
                      Tensor::Scalar<int32_t>(0), Tensor::Scalar(false)});
  for (int turn = 0; turn < 8; ++turn) {
    turns.Run();
    EXPECT_EQ(bool(turns.spare(0)), turn < 3) << turn << plan->DebugString();
    EXPECT_EQ(turns.state(0).data<float>()[0], turn + 1);
    EXPECT_EQ(turns.state(2).data<float>()[0], turn < 3 ? -1 : turn);
  }
}

TEST(LoopStates, SparesAreTakenOnce) {
  ExpectSparesAreTakenOnce(/*by_kernel=*/false);
  ExpectSparesAreTakenOnce(/*by_kernel=*/true);
}

}  // namespace
}  // namespace gk
