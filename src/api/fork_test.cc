// Processes that fork while other threads call functions: what those threads
// hold is free in the child, and whole.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "base/forked_child_for_test.h"
#include "graphkiln/graphkiln.h"

namespace {

// `child` says whether all is well; `busy` is run by two threads again and
// again.
void ForkWhile(const std::function<void(int)>& busy,
               const std::function<bool()>& child) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "allocators of sanitizers stay locked in children of "
                  "processes whose other threads allocate (gcc 12)";
#endif
  // What is made at the first use of all is made: a thread that makes a static
  // variable while another forks never ends that in the child.
  for (int i = 0; i < 4; ++i) busy(i);
  EXPECT_TRUE(child());
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; !stop; ++i) busy(i);
    });
  }
  for (int i = 0; i < 200 && !testing::Test::HasFailure(); ++i) {
    EXPECT_EQ(gk::StatusOfForkedChild(child), 0) << "fork " << i;
  }
  stop = true;
  for (std::thread& t : threads) t.join();
}

TEST(Fork, ChildrenCallFunctionsThatOthersTrace) {
  const gk::Variable captured(1.0f), given(2.0f);
  auto f = gk::function([&](const gk::Variable& v,
                            const gk::Tensor& x) { return captured + v + x; },
                        {.max_traces = 2});
  f(given, gk::zeros({1}));
  ForkWhile([&](int i) { f(given, gk::zeros({i % 4 + 1})); },
            [&] {
              return gk::reduce_sum(f(given, gk::zeros({5}))).item<float>() ==
                     15;
            });
}

TEST(Fork, ChildrenFindVariablesWholeThatOthersChange) {
  const gk::Variable numbers(gk::zeros({100}));
  const auto step = gk::function([&](const gk::Tensor& x) {
    numbers.assign_add(x);
    return numbers * 1.0f;
  });
  const gk::Tensor one = gk::ones({100});
  const auto all_equal = [&] {
    const gk::Tensor now = numbers.read_value();
    return gk::reduce_min(now).item<float>() ==
           gk::reduce_max(now).item<float>();
  };
  ForkWhile(
      [&](int i) {
        if (i % 3 == 0) {
          numbers.assign(gk::zeros({100}));
        } else if (i % 3 == 1) {
          numbers.assign_add(one);
        } else {
          step(one);
        }
      },
      [&] {
        if (!all_equal()) return false;
        step(one);
        numbers.assign_sub(one);
        return all_equal();
      });
}

TEST(Fork, ChildrenDifferentiateWhatOthersDifferentiate) {
  const auto cube = [](const gk::Tensor& x) { return x * x * x; };
  const auto slope = [&](const gk::Tensor& x) {
    auto f = gk::function(cube);
    gk::GradientTape tape;
    tape.watch(x);
    return tape.gradient(f(x), x);
  };
  ForkWhile([&](int) { slope(2.0f); },
            [&] { return slope(2.0f).item<float>() == 12; });
}

TEST(Fork, ChildrenDrawFromPlacesThatOthersDrawFrom) {
  auto f = gk::function([](const gk::Tensor& x) {
    return x + gk::random::uniform({3}, 1, 2, gk::DataType::kFloat, 7);
  });
  ForkWhile([&](int) { f(0.0f); },
            [&] { return gk::reduce_min(f(0.0f)).item<float>() >= 1; });
}

TEST(Fork, ChildrenUseTheGeneratorThatOthersSet) {
  const auto made = gk::random::Generator::from_seed(7);
  ForkWhile(
      [&](int) {
        gk::random::set_global_generator(made);
        gk::random::get_global_generator();
      },
      [&] {
        const auto generator = gk::random::get_global_generator();
        return generator.uniform({2}).dim(0) == 2;
      });
}

TEST(Fork, ChildrenReadArraysThatOthersRead) {
  const auto array = gk::TensorArray(gk::DataType::kFloat, 1,
                                     {.clear_after_read = false})
                         .write(0, 2.0f);
  ForkWhile([&](int) { array.read(0); },
            [&] { return array.read(0).item<float>() == 2; });
}

TEST(Fork, ChildrenUseArraysAndStacksOfVersionOneThatOthersUse) {
  const gk::Tensor flow = 0.0f;
  const gk::Tensor array = gk::ops::TensorArrayV3(
      1, gk::DataType::kFloat, gk::Shape::UnknownRank(), false, false)[0];
  gk::ops::TensorArrayWriteV3(array, 0, gk::ones({1000}), flow);
  const gk::Tensor sums =
      gk::ops::TensorArrayGradV3(array, flow, "sums")[0];
  const gk::Tensor stack = gk::ops::StackV2(-1, gk::DataType::kFloat);
  const gk::Tensor ones = gk::ones({1000});
  ForkWhile(
      [&](int) {
        gk::ops::TensorArrayWriteV3(sums, 0, ones, flow);
        gk::ops::StackPushV2(stack, flow);
        gk::ops::StackPopV2(stack, gk::DataType::kFloat);
      },
      [&] {
        gk::ops::TensorArrayWriteV3(sums, 0, ones, flow);
        gk::ops::StackPushV2(stack, flow);
        gk::ops::StackPopV2(stack, gk::DataType::kFloat);
        const gk::Tensor x =
            gk::ops::TensorArrayReadV3(array, 0, flow, gk::DataType::kFloat);
        return x.dim(0) == 1000;
      });
}

TEST(Fork, ChildrenAskIteratorsThatOthersAsk) {
  const gk::Iterator it(gk::Dataset::range(1'000'000'000));
  ForkWhile([&](int) { it.get_next(); },
            [&] {
              try {
                it.get_next();
              } catch (const gk::Error& e) {
                return e.code() == gk::ErrorCode::kFailedPrecondition;
              }
              return true;
            });
}

TEST(Fork, ChildrenGoOverDatasetsThatOthersGoOver) {
  const gk::Dataset data = gk::Dataset::range(3).cache().shuffle(3);
  const auto sum = [&] {
    int64_t sum = 0;
    const gk::Iterator it(data);
    for (int i = 0; i < 3; ++i) {
      sum += it.get_next().get<gk::Tensor>().item<int64_t>();
    }
    return sum;
  };
  ForkWhile([&](int) { sum(); }, [&] { return sum() == 3; });
}

TEST(Fork, ChildrenCallTheProgramAsOthersDo) {
  const auto twice = [](const gk::Tensor& x) {
    return gk::py_function(
        [](const std::vector<gk::Tensor>& in) {
          return std::vector<gk::Tensor>{in[0] + in[0]};
        },
        {x}, {gk::DataType::kFloat})[0];
  };
  gk::GradientTape tape({.persistent = true});
  const gk::Tensor x = 3.0f;
  tape.watch(x);
  const gk::Tensor y = twice(x);
  ForkWhile([&](int) { twice(2.0f); },
            [&] {
              return twice(2.0f).item<float>() == 4 &&
                     tape.gradient(y, x).item<float>() == 2;
            });
}

TEST(Fork, ChildrenHoldGraphsThatOthersHold) {
  const gk::Graph graph;
  const gk::Tensor x = [&] {
    const auto scope = graph.as_default();
    return gk::zeros({2});
  }();
  const auto known = [&] { return gk::Operation(x).graph() == graph; };
  ForkWhile([&](int) { known(); }, known);
}

}  // namespace
