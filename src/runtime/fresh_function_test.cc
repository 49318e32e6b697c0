#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "data/fresh_function.h"
#include "data/iteration.h"
#include "graph/function_for_test.h"
#include "runtime/error_origin.h"
#include "runtime/executor.h"
#include "runtime/interrupts_for_test.h"

namespace gk {
namespace {


std::vector<float> Drawn(const GraphFunction& f) {
  TensorVector out;
  const Tensor x = Tensor::Scalar(0.0f);
  ThrowIfError(RunFunction(f, {&x, 1}, &out));
  return {out[0].data<float>(), out[0].data<float>() + out[0].num_elements()};
}

// x plus two random numbers.
Output Noise(TestFunction& b, Output x, const char* seed, int64_t value) {
  const Output shape = b.Const(Tensor::Vector<int32_t>(std::vector{2}));
  return b.Add("AddV2", {x, b.Add("RandomUniform", {shape},
                                  {{"dtype", kF}, {seed, value}})});
}

FunctionAttr Function(
    const std::string& name,
    const std::function<Output(TestFunction&, Output)>& body) {
  InitRuntime();
  TestFunction b(name);
  const Output x = b.Arg(kF, TensorShape());
  return {name, b.Finish({body(b, x)})};
}
FunctionAttr Draws(const char* seed, int64_t value) {
  return Function("draws", [=](TestFunction& b, Output x) {
    return Noise(b, x, seed, value);
  });
}

// Both draw the same numbers, one after the other.
void ExpectBeginsAnew(const FunctionAttr& f) {
  const std::vector<float> first = Drawn(*f.definition),
                           second = Drawn(*f.definition);
  EXPECT_NE(first, second);
  const Ref<GraphFunction> fresh = FreshFunction(f.definition);
  ASSERT_NE(fresh.get(), f.definition.get());
  EXPECT_EQ(Drawn(*fresh), first);
  EXPECT_EQ(Drawn(*fresh), second);
  EXPECT_EQ(Drawn(*FreshFunction(f.definition)), first);
}

TEST(FreshFunction, StreamsOfSeedsBeginAnew) {
  ExpectBeginsAnew(Draws("seed", 3));
  ExpectBeginsAnew(Draws("seed2", 4));
}

TEST(FreshFunction, WhatNoSeedDeterminesStaysTheFunction) {
  const FunctionAttr unseeded = Draws("seed", 0);
  EXPECT_EQ(FreshFunction(unseeded.definition).get(),
            unseeded.definition.get());
  const FunctionAttr pure = Function(
      "pure", [](TestFunction& b, Output x) { return b.Add("Neg", {x}); });
  EXPECT_EQ(FreshFunction(pure.definition).get(), pure.definition.get());
}

TEST(FreshFunction, StreamsOfCalledFunctionsBeginAnew) {
  const FunctionAttr draws = Draws("seed", 3);
  const auto calls = [](const FunctionAttr& f) {
    return Function("calls", [&](TestFunction& b, Output x) {
      return b.Add("PartitionedCall", {x},
                   {{"Tout", std::vector{kF}}, {"f", f}});
    });
  };
  ExpectBeginsAnew(calls(draws));
  ExpectBeginsAnew(calls(calls(draws)));
  const FunctionAttr pure = Function("pure", [](TestFunction& b, Output x) {
    return b.Add("Pack", {x, x}, {{"N", int64_t{2}}});
  });
  // One of several branches draws; the others are the same functions.
  const FunctionAttr chooses =
      Function("chooses", [&](TestFunction& b, Output x) {
        const Output which = b.Add("Cast", {x}, {{"DstT", kI}});
        return b.Add("StatelessCase", {which, x},
                     {{"Tout", std::vector{kF}},
                      {"branches", std::vector{draws, pure}}});
      });
  ExpectBeginsAnew(chooses);
  const Ref<GraphFunction> fresh = FreshFunction(chooses.definition);
  for (const auto& node : fresh->graph().nodes()) {
    const auto* branches =
        node->attrs().Get<std::vector<FunctionAttr>>("branches");
    if (branches == nullptr) continue;
    EXPECT_NE((*branches)[0].definition.get(), draws.definition.get());
    EXPECT_EQ((*branches)[1].definition.get(), pure.definition.get());
  }
}

// What draws from one stream in two places does so in the copy.
TEST(FreshFunction, PlacesShareTheirFunctionsStream) {
  const FunctionAttr draws = Draws("seed", 3);
  const FunctionAttr twice = Function("twice", [&](TestFunction& b, Output x) {
    const Output which = b.Add("Cast", {x}, {{"DstT", kI}});
    const auto branch = [&] {
      return b.Add(
          "StatelessCase", {which, x},
          {{"Tout", std::vector{kF}}, {"branches", std::vector{draws, draws}}});
    };
    const Output first = branch();
    return b.Add("Pack", {first, branch()}, {{"N", int64_t{2}}});
  });
  ExpectBeginsAnew(twice);
}

// Each of forty functions calls the one before twice: few functions, and more
// ways to the first one than can be walked.
TEST(FreshFunction, FunctionsThatAreCalledOftenAreCopiedOnce) {
  for (const bool draws : {false, true}) {
    FunctionAttr f = draws
                         ? Draws("seed", 3)
                         : Function("sum", [](TestFunction& b, Output x) {
                             return b.Add("Pack", {x, x}, {{"N", int64_t{2}}});
                           });
    for (int i = 0; i < 40; ++i) {
      f = Function("calls", [&](TestFunction& b, Output x) {
        const auto call = [&] {
          return b.Add("PartitionedCall", {x},
                       {{"Tout", std::vector{kF}}, {"f", f}});
        };
        const Output first = call();
        return b.Add("AddV2", {first, call()});
      });
    }
    const Ref<GraphFunction> fresh = FreshFunction(f.definition);
    EXPECT_EQ(fresh.get() != f.definition.get(), draws);
  }
}

TEST(FreshFunction, ErrorsGoToOtherThreads) {
  InitRuntime();
  ClearErrorOrigin();
  EXPECT_EQ(TakeErrorSite(), nullptr);
  PutErrorSite(nullptr);
  EXPECT_EQ(LastErrorOrigin().node, "");
  const FunctionAttr fails = Function("fails", [](TestFunction& b, Output x) {
    const Output n = b.Add("Cast", {x}, {{"DstT", kI}});
    return b.Add("Cast", {b.Add("FloorDiv", {n, n})}, {{"DstT", kF}});
  });
  ErrorSite site;
  std::thread([&] {
    EXPECT_ANY_THROW(Drawn(*fails.definition));
    site = TakeErrorSite();
    EXPECT_EQ(LastErrorOrigin().node, "") << "it was taken";
  }).join();
  ASSERT_NE(site, nullptr);
  PutErrorSite(site);
  EXPECT_EQ(LastErrorOrigin().node, "FloorDiv");
  EXPECT_EQ(LastErrorOrigin().function, "fails");
  ClearErrorOrigin();
}

TEST(FreshFunction, IterationsAreInterrupted) {
  InitRuntime();
  EXPECT_EQ(CheckCancellation(nullptr).ToString(), "OK");
  CancellationToken token;
  EXPECT_EQ(CheckCancellation(&token).ToString(), "OK");
  int asked = 0;
  std::optional<InterruptsForTest> interrupts(
      [&] { return ++asked < 2 ? OkStatus() : Internal("enough"); });
  Status s;
  const auto begin = std::chrono::steady_clock::now();
  while (s.ok() &&
         std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)) {
    s = CheckCancellation(&token);
  }
  interrupts.reset();
  EXPECT_EQ(s.message(), "enough");
  EXPECT_EQ(asked, 2);
  token.Cancel();
  EXPECT_EQ(CheckCancellation(&token).code(), Code::kCancelled);
}

}  // namespace
}  // namespace gk
