#include "runtime/kept_reads.h"

#include <atomic>
#include <thread>

#include "runtime/plan_checker_for_test.h"
#include "runtime/variable_update_for_test.h"

namespace gk::variable_update {
namespace {

class KeptReadsTest : public testing::Test {
 protected:
  KeptReadsTest() { InitRuntime(); }

  // 2 v - w, of two variables.
  static Ref<GraphFunction> Difference() {
    Program b;
    const Output v = b.Variable(), w = b.Variable();
    const Output twice = b.Add("Mul", {b.Read(v), b.Number(2)});
    return b.Finish({b.Add("Sub", {twice, b.Read(w)})});
  }
  static Ref<Plan> Make(const GraphFunction& f) {
    return ValueOrThrow(Plan::Make(RewriteGraph::CloneOf(f)));
  }
  static StatusOr<Tensor> Run(const Plan& plan, const TensorVector& captures) {
    TensorVector out;
    GK_RETURN_IF_ERROR(RunPlan(plan, captures, &out, nullptr, captures.size()));
    return out[0];
  }
  static float First(const StatusOr<Tensor>& t) {
    return ValueOrThrow(t).data<float>()[0];
  }
  static const void* Memory(const Tensor& handle) {
    return ValueOrThrow(Of(handle)->Read()).raw_data();
  }

  const Ref<GraphFunction> f_ = Difference();
};

TEST_F(KeptReadsTest, EveryWriteShows) {
  for (const bool checked : {false, true}) {
    const ChecksScope checks(checked);
    const Ref<Plan> plan = Make(*f_);
    ASSERT_EQ(plan->kept_reads.size(), 2u) << plan->DebugString();
    const Tensor v = NewVariable(Ramp(1)), w = NewVariable(Ramp(10));
    const auto settle = [&](float want) {
      for (int i = 0; i < 10; ++i) EXPECT_EQ(First(Run(*plan, {v, w})), want);
    };
    settle(-8);
    ThrowIfError(Of(v)->Assign(Ramp(2)));
    settle(-6);
    ThrowIfError(Of(w)->Update([](Tensor& value) {
      value.data<float>()[0] = 20;
      return OkStatus();
    }));
    settle(-16);
    ThrowIfError(Of(w)->Replace([](const Tensor&, Tensor* value) {
      *value = Ramp(5);
      return OkStatus();
    }));
    settle(-1);
    Tensor taken = Of(v)->Take();
    taken.data<float>()[0] = 7;
    Of(v)->Put(std::move(taken));
    settle(9);
    Of(v)->Clear();
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(Run(*plan, {v, w}).status().code(), Code::kFailedPrecondition);
    }
    ThrowIfError(Of(v)->Assign(Ramp(3)));
    settle(1);
  }
}

TEST_F(KeptReadsTest, WritersFindTheirMemoryFree) {
  const Ref<Plan> plan = Make(*f_);
  const Tensor v = NewVariable(Ramp(1)), w = NewVariable(Ramp(10));
  for (int i = 0; i < 10; ++i) ThrowIfError(Run(*plan, {v, w}).status());
  // In place, although a frame has kept the value.
  const void* const before = Memory(v);
  ThrowIfError(Of(v)->Update([](Tensor& value) {
    value.data<float>()[0] = 5;
    return OkStatus();
  }));
  EXPECT_EQ(Memory(v), before);
  EXPECT_EQ(First(Run(*plan, {v, w})), 0);
  // What was assigned before is let go at once.
  for (int i = 0; i < 10; ++i) ThrowIfError(Run(*plan, {v, w}).status());
  const Tensor old = ValueOrThrow(Of(w)->Read());
  EXPECT_FALSE(old.IsExclusive());
  ThrowIfError(Of(w)->Assign(Ramp(1)));
  EXPECT_TRUE(old.IsExclusive());
}

TEST_F(KeptReadsTest, WhatIsWrittenDuringARunIsLetGoAfterIt) {
  const Ref<Plan> plan = Make(*f_);
  const StatusOr<std::unique_ptr<Frame>> made = Frame::Make(*plan);
  Frame& frame = **made;
  const TensorVector captures{NewVariable(Ramp(1)), NewVariable(Ramp(10))};
  TensorVector out;
  const auto begin = [&] {
    frame.Begin(0);
    for (int i = 0; i < 2; ++i) {
      frame.SetArgument(plan->arguments[i], captures[i]);
    }
  };
  const auto run = [&] {
    begin();
    ThrowIfError(RunInFrame(*plan, frame, &out, nullptr));
  };
  for (int i = 0; i < 10; ++i) run();
  const Tensor old = ValueOrThrow(Of(captures[0])->Read());
  begin();
  ThrowIfError(Of(captures[0])->Assign(Ramp(2)));
  EXPECT_FALSE(old.IsExclusive());  // the run may be reading it
  frame.End(*plan);
  EXPECT_TRUE(old.IsExclusive());
  run();
  EXPECT_EQ(out[0].data<float>()[0], -6);
}

TEST_F(KeptReadsTest, OtherCapturesAndNone) {
  const Ref<Plan> plan = Make(*f_);
  const Tensor w = NewVariable(Ramp(10)), other = NewVariable(Ramp(2));
  {
    Tensor v = NewVariable(Ramp(1));
    for (int i = 0; i < 10; ++i) EXPECT_EQ(First(Run(*plan, {v, w})), -8);
    EXPECT_GT(v.impl()->RefCount(), 1);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(First(Run(*plan, {other, w})), -6);
    EXPECT_EQ(v.impl()->RefCount(), 1);
    EXPECT_EQ(First(Run(*plan, {w, v})), 19);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(First(Run(*plan, {v, v})), 1);
    EXPECT_EQ(First(Run(*plan, {w, w})), 10);
  }
  // Arguments that are no captures are not held, even where captures were.
  for (int i = 0; i < 10; ++i) ThrowIfError(Run(*plan, {other, w}).status());
  const Tensor passing = NewVariable(Ramp(4));
  TensorVector out;
  for (int i = 0; i < 10; ++i) {
    const TensorVector both{passing, other};
    ThrowIfError(RunPlan(*plan, both, &out, nullptr));
    EXPECT_EQ(out[0].data<float>()[0], 6);
  }
  EXPECT_EQ(passing.impl()->RefCount(), 1);
  EXPECT_EQ(other.impl()->RefCount(), 1);
}

TEST_F(KeptReadsTest, WhatIsWrittenOrLeavesIsNotKept) {
  Program writes;
  const Output v = writes.Variable();
  const Output read = writes.Read(v);
  writes.Write("AssignAddVariableOp", v, read, {read.node});
  const Output result = writes.Add("Neg", {read});
  EXPECT_TRUE(Make(*writes.Finish({result}))->kept_reads.empty());

  Program gives;
  const Ref<Plan> plan = Make(*gives.Finish({gives.Read(gives.Variable())}));
  EXPECT_TRUE(plan->kept_reads.empty());
}

TEST_F(KeptReadsTest, ManyThreadsReadWhileOneWrites) {
  const Ref<Plan> plan = Make(*f_);
  const auto all = [](float x) {
    return Tensor::OfValues<float>(std::vector<float>(kSize, x), {kSize});
  };
  const Tensor v = NewVariable(all(0)), w = NewVariable(all(0));
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0}, runs{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 4; ++t) {
    readers.emplace_back([&] {
      float last = 0;
      while (!stop) {
        const Tensor out = ValueOrThrow(Run(*plan, {v, w}));
        const float first = out.data<float>()[0];
        // Whole values, and never an older one again.
        for (int64_t i = 0; i < kSize; ++i) {
          if (out.data<float>()[i] != first) ++wrong;
        }
        if (first < last) ++wrong;
        last = first;
        ++runs;
      }
    });
  }
  for (int i = 1; i <= 150; ++i) {
    if (i % 3 == 0) {
      ThrowIfError(Of(v)->Assign(all(i)));
    } else {
      ThrowIfError(Of(v)->Update([&](Tensor& value) {
        std::fill_n(value.data<float>(), kSize, static_cast<float>(i));
        return OkStatus();
      }));
    }
    const int until = runs + (i % 10 == 0 ? 40 : 1);
    while (runs < until) std::this_thread::yield();
  }
  stop = true;
  for (std::thread& t : readers) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(First(Run(*plan, {v, w})), 300);
}

class KeptReadsCheckerTest : public PlanCheckerTest {};

TEST_F(KeptReadsCheckerTest, TheHandleIsThatOfTheInstruction) {
  Program b;
  const Output v = b.Variable(), w = b.Variable();
  const Ref<GraphFunction> f = b.Finish({b.Add("Sub", {b.Read(v), b.Read(w)})});
  const TensorVector captures{NewVariable(Ramp(1)), NewVariable(Ramp(10))};
  const auto run = [&](const Plan& plan) {
    TensorVector out;
    Status status;
    for (int i = 0; i < 10 && status.ok(); ++i) {
      status = RunPlan(plan, captures, &out, nullptr, 2);
    }
    return status;
  };
  EXPECT_EQ(run(*Make(*f)).ToString(), "OK");
  const auto swapped = [&] {
    Ref<Plan> plan = Make(*f);
    std::swap(plan->kept_reads[0].handle, plan->kept_reads[1].handle);
    return plan;
  };
  ExpectBroken(run(*swapped()), "kept", "ReadVariableOp");
  ExpectBroken(run(*Unproven(swapped())), "kept", "ReadVariableOp");
  Ref<Plan> leaves = Make(*f);
  leaves->results[0] = leaves->kept_reads[0].value;
  leaves->instructions[0].may_forward = 0;
  ExpectBroken(run(*leaves), "kept", "it leaves the run");
}

}  // namespace
}  // namespace gk::variable_update
