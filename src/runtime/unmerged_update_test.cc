// Updates of variables that are not, or only in part, merged into a cluster,
// and several threads at the same variables.
#include "runtime/variable_update.h"

#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "runtime/variable_update_for_test.h"

namespace gk::variable_update {
namespace {

// A read that waits for the write of another variable, or for more than the
// cluster of its write, reads for itself.
TEST(VariableUpdate, ReadsThatAreNotOfTheCluster) {
  {
    Program b;
    const Output v = b.Variable(), w = b.Variable(), u = b.Variable();
    Node* first = b.Write("AssignAddVariableOp", v,
                          b.Add("Neg", {b.Arg(DataType::kFloat, {kSize})}));
    const Output read = b.Read(w, {first});
    Node* second =
        b.Write("AssignAddVariableOp", u, b.Add("Neg", {read}), {first});
    const auto f = b.Finish({read}, {first, second});
    ExpectSame(*f, {Ramp(1), Ramp(2), Ramp(3)}, {Ramp(4)}, "AddVariableOp %0");
  }
  {
    Program b;
    const Output v = b.Variable();
    const Output y = b.Add("Neg", {b.Arg(DataType::kFloat, {kSize})});
    Node* write = b.Write("AssignAddVariableOp", v, y);
    const Output later = b.Add("Softmax", {y});
    const Output read = b.Read(v, {write, later.node});
    const auto f = b.Finish({b.Add("Neg", {read}), later}, {write});
    ExpectSame(*f, {Ramp(1)}, {Ramp(-1)}, "AddVariableOp %0");
  }
}

// A read of another type than what was written fails, as it does by itself.
TEST(VariableUpdate, ReadsOfOtherTypesAreNotOfTheCluster) {
  InitRuntime();
  Program b;
  const Output v = b.Variable();
  v.node->mutable_output(0).handle_data.clear();
  Node* write = b.Write("AssignAddVariableOp", v,
                        b.Add("Neg", {b.Arg(DataType::kFloat, {kSize})}));
  const Output read = b.Read(v, {write}, DataType::kInt32);
  read.node->mutable_output(0).shape = TensorShape{kSize};
  v.node->mutable_output(0).handle_data = {
      {DataType::kFloat, TensorShape{kSize}}};
  const auto f = b.Finish({b.Add("Neg", {read})}, {write});
  const Ref<Plan> plan =
      ValueOrThrow(Plan::Make(RewriteGraph::CloneOf(*f)));
  EXPECT_EQ(plan->updates.size(), 1u) << plan->DebugString();
  TensorVector out;
  const Status s = RunPlan(
      *plan, TensorVector{NewVariable(Ramp(1)), Ramp(2)}, &out, nullptr);
  EXPECT_EQ(s.code(), Code::kInvalidArgument) << s.ToString();
}

// More steps than one cluster takes, with updates between them.
TEST(VariableUpdate, LongComputationsBetweenUpdates) {
  Program b;
  const Output v = b.Variable(), w = b.Variable();
  const Output x = b.Arg(DataType::kFloat, {kSize});
  Output y = x;
  const auto longer = [&] {
    for (int i = 0; i < 300; ++i) {
      y = b.Add(i % 2 ? "Mul" : "Sub", {y, b.Number(i % 2 ? 0.99f : 0.5f)});
    }
  };
  longer();
  Node* first = b.Write("AssignAddVariableOp", v, y);
  longer();
  Node* second = b.Write("AssignSubVariableOp", w, y, {first});
  const Output u = b.Variable();
  Node* other = b.Write("AssignAddVariableOp", u,
                        b.Add("Neg", {b.Arg(DataType::kFloat, {kSize})}));
  const auto f = b.Finish({b.Add("Neg", {y})}, {first, second, other});
  ExpectSame(*f, {Ramp(1), Ramp(2)}, {Ramp(3), NewVariable(Ramp(4)), Ramp(5)},
             "AddVariableOp");
}

// Where it is not known that the variable is another one, or takes the value.
TEST(VariableUpdate, WhatIsNotMerged) {
  InitRuntime();
  // With what is declared of the variable when the plan is made.
  const auto merged = [](bool is_argument, int64_t size, HandleData data,
                         PartialTensorShape value = {}) {
    Program b;
    const Output v =
        is_argument ? b.Variable()
                    : b.Add("VarHandleOp", {},
                            {{"dtype", DataType::kFloat},
                             {"shape", PartialTensorShape({size})}});
    v.node->mutable_output(0).handle_data = {
        {DataType::kFloat, PartialTensorShape({size})}};
    const Output x = b.Arg(DataType::kFloat, {size});
    Node* write = b.Write("AssignAddVariableOp", v, b.Add("Neg", {x}));
    v.node->mutable_output(0).handle_data = std::move(data);
    if (!value.unknown_rank()) {
      write->input(1).node->mutable_output(0).shape = value;
    }
    const auto f = b.Finish({}, {write});
    const Ref<Plan> plan =
        ValueOrThrow(Plan::Make(RewriteGraph::CloneOf(*f)));
    return !plan->updates.empty();
  };
  const auto is = [](DataType t, PartialTensorShape shape) {
    return HandleData{{t, std::move(shape)}};
  };
  constexpr DataType kF = DataType::kFloat;
  EXPECT_TRUE(merged(true, kSize, is(kF, {kSize})));
  EXPECT_FALSE(merged(false, kSize, is(kF, {kSize})));
  EXPECT_FALSE(merged(true, 100, is(kF, {100}))) << "small";
  EXPECT_FALSE(merged(true, kSize, is(kF, {kSize, 1})));
  EXPECT_FALSE(merged(true, kSize, is(kF, {-1})));
  EXPECT_FALSE(merged(true, kSize, is(DataType::kDouble, {kSize})));
  EXPECT_FALSE(merged(true, kSize, {}));
  EXPECT_FALSE(merged(true, kSize, is(kF, {kSize}), {-1}));
  constexpr int64_t kHuge = int64_t{1} << 60;
  EXPECT_FALSE(merged(true, kSize, is(kF, {kHuge}), {kHuge}));
}

// Texts are taken over, not computed: each variable has its own.
TEST(VariableUpdate, VariablesOfStrings) {
  InitRuntime();
  Program b;
  const Output v = b.Variable(DataType::kString), w = b.Variable();
  const Output text = b.Arg(DataType::kString, TensorShape{kSize});
  const Output x = b.Arg(DataType::kFloat, TensorShape{kSize});
  Node* assign = b.Write("AssignVariableOp", v, text);
  Node* add = b.Write("AssignAddVariableOp", w, b.Add("Neg", {x}));
  const auto f = b.Finish({}, {assign, add});
  Tensor words = ValueOrThrow(
      Tensor::Zeros(DataType::kString, TensorShape{kSize}));
  const Tensor of_words = NewVariable(words), of_numbers = NewVariable(Ramp(1));
  words.data<std::string>()[kSize - 1] = "last";
  TensorVector out;
  ASSERT_EQ(RunFunction(*f, TensorVector{of_words, of_numbers, words, Ramp(1)},
                        &out)
                .ToString(),
            "OK");
  const Tensor now = ValueOrThrow(Of(of_words)->Read());
  EXPECT_EQ(now.data<std::string>()[kSize - 1], "last");
  EXPECT_EQ(FloatsOf(ValueOrThrow(Of(of_numbers)->Read())),
            std::vector<float>(kSize, 0.0f));
}

// Values are taken out of their variables in the order of addresses: who waits
// for the first of them holds none of the others.
TEST(VariableUpdate, WhoWaitsForAVariableHoldsNoLaterOne) {
  Program b;
  const Output v = b.Variable(), w = b.Variable();
  const Output delta =
      b.Add("Neg", {b.Arg(DataType::kFloat, TensorShape{kSize})});
  Node* first = b.Write("AssignSubVariableOp", v, delta);
  Node* second = b.Write("AssignSubVariableOp", w, delta);
  const auto f = b.Finish({}, {first, second});
  InitRuntime();
  Tensor low = NewVariable(Ramp(1)), high = NewVariable(Ramp(2));
  if (std::less<>()(Of(high), Of(low))) std::swap(low, high);
  // Both orders of arguments; a plan that is there already is quick.
  TensorVector out;
  ASSERT_TRUE(RunFunction(*f, TensorVector{low, high, Ramp(0)}, &out).ok());
  for (const bool swapped : {false, true}) {
    Tensor value = Of(low)->Take();
    std::atomic<bool> done{false};
    std::thread runs([&] {
      TensorVector none;
      const TensorVector in{swapped ? high : low, swapped ? low : high,
                            Ramp(0)};
      EXPECT_TRUE(RunFunction(*f, in, &none).ok());
      done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_FALSE(done);
    std::future<bool> read =
        std::async(std::launch::async, [&] { return Of(high)->Read().ok(); });
    EXPECT_EQ(read.wait_for(std::chrono::seconds(10)),
              std::future_status::ready);
    Of(low)->Put(std::move(value));
    runs.join();
    EXPECT_TRUE(read.get());
  }
}

// Two functions that update the same variables in opposite orders.
TEST(VariableUpdate, ThreadsLoseNoUpdate) {
  Ref<GraphFunction> f[2];
  for (int k = 0; k < 2; ++k) {
    Program b;
    const Output v[2] = {b.Variable(), b.Variable()};
    const Output x = b.Arg(DataType::kFloat, TensorShape{kSize});
    const Output delta = b.Add("Neg", {x});
    Node* first = b.Write("AssignSubVariableOp", v[k], delta);
    Node* second = b.Write("AssignSubVariableOp", v[1 - k], delta);
    f[k] = b.Finish({}, {first, second});
  }
  InitRuntime();
  const Tensor ones = Tensor::OfValues<float>(std::vector<float>(kSize, 1.0f),
                                              TensorShape{kSize});
  const Tensor zeros = ValueOrThrow(Tensor::Zeros(DataType::kFloat, {kSize}));
  const Tensor h[2] = {NewVariable(zeros), NewVariable(zeros)};
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      TensorVector out;
      for (int i = 0; i < 100; ++i) {
        const int k = t / 2;  // under names that have changed places
        const TensorVector in{h[k], h[1 - k], ones};
        if (!RunFunction(*f[t % 2], in, &out).ok()) {
          ++failed;
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(failed, 0);
  for (const Tensor& handle : h) {
    for (float x : FloatsOf(ValueOrThrow(Of(handle)->Read()))) {
      ASSERT_EQ(x, 400);
    }
  }
}

}  // namespace
}  // namespace gk::variable_update
