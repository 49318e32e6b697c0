#include "function/variant_cache.h"

#include <atomic>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "graph/function_for_test.h"

namespace gk {
namespace {

class Made final : public DifferentiableNode {
 public:
  explicit Made(int* alive) : alive_(alive) { ++*alive_; }
  ~Made() override { --*alive_; }
  std::vector<Gradient> Backward(std::span<const Tensor>,
                                 std::span<const Tensor>,
                                 std::span<const Gradient>,
                                 const std::vector<bool>&) override {
    return {};
  }

 private:
  int* alive_;
};

Ref<GraphFunction> Function() {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, TensorShape());
  return b.Finish({b.Add("AddV2", {x, x})});
}

TEST(VariantCacheTest, EachRequestIsMadeOnceAndDiesWithAnyFunction) {
  int alive = 0, made = 0;
  Ref<GraphFunction> f = Function(), g = Function();
  const auto get = [&](const GraphFunction& a, const GraphFunction& b,
                       bool wanted) {
    const GraphFunction* both[] = {&a, &b};
    return ValueOrThrow(VariantCache::Get(
        {VariantRequest::Kind::kIf, both, {wanted}, false},
        [&]() -> StatusOr<Ref<DifferentiableNode>> {
          ++made;
          return Ref<DifferentiableNode>(MakeRef<Made>(&alive));
        }));
  };
  const auto* first = get(*f, *g, true).get();
  EXPECT_EQ(get(*f, *g, true).get(), first);
  EXPECT_EQ(made, 1);
  get(*f, *g, false);
  get(*g, *f, true);
  get(*f, *f, true);
  EXPECT_EQ(made, 4);
  EXPECT_EQ(alive, 4);
  g = nullptr;
  EXPECT_EQ(alive, 1);
  Ref<GraphFunction> h = Function();
  get(*f, *h, true);
  EXPECT_EQ(made, 5);
  f = nullptr;
  EXPECT_EQ(alive, 0);
}

TEST(VariantCacheTest, WhatFailsIsTriedAgain) {
  int alive = 0;
  const Ref<GraphFunction> f = Function();
  const GraphFunction* functions[] = {f.get()};
  const VariantRequest request{VariantRequest::Kind::kCall, functions, {}};
  EXPECT_FALSE(VariantCache::Get(request, []() -> StatusOr<
                                                  Ref<DifferentiableNode>> {
                 return Internal("no");
               }).ok());
  EXPECT_FALSE(VariantCache::Get(request, []() -> StatusOr<
                                                  Ref<DifferentiableNode>> {
                 throw Error(Internal("no"));
               }).ok());
  EXPECT_TRUE(VariantCache::Get(request, [&]() -> StatusOr<
                                                   Ref<DifferentiableNode>> {
                return Ref<DifferentiableNode>(MakeRef<Made>(&alive));
              }).ok());
}

TEST(VariantCacheTest, WhatNeedsItselfIsRefused) {
  const Ref<GraphFunction> f = Function();
  const GraphFunction* functions[] = {f.get()};
  const VariantRequest request{VariantRequest::Kind::kCall, functions, {}};
  const auto again = [&]() -> StatusOr<Ref<DifferentiableNode>> {
    return VariantCache::Get(request, []() -> StatusOr<
                                              Ref<DifferentiableNode>> {
      return Internal("never made");
    });
  };
  const auto result = VariantCache::Get(request, again);
  EXPECT_EQ(result.status().code(), Code::kInvalidArgument);
}

TEST(VariantCacheTest, ThreadsWaitForTheFirst) {
  int alive = 0;
  std::atomic<int> made{0};
  {
    const Ref<GraphFunction> f = Function(), g = Function();
    std::vector<std::thread> threads;
    std::atomic<int> ready{0};
    for (int k = 0; k < 8; ++k) {
      threads.emplace_back([&, k] {
        ++ready;
        while (ready < 8) std::this_thread::yield();
        const GraphFunction* both[] = {k % 2 ? f.get() : g.get(),
                                       k % 2 ? g.get() : f.get()};
        ValueOrThrow(VariantCache::Get(
            {VariantRequest::Kind::kIf, both, {}, false},
            [&]() -> StatusOr<Ref<DifferentiableNode>> {
              ++made;
              std::this_thread::sleep_for(std::chrono::milliseconds(20));
              static std::mutex one_at_a_time;
              std::lock_guard<std::mutex> lock(one_at_a_time);
              return Ref<DifferentiableNode>(MakeRef<Made>(&alive));
            }));
      });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(made, 2);
    EXPECT_EQ(alive, 2);
  }
  EXPECT_EQ(alive, 0);
}

// Each of two threads makes what the other needs: one makes it itself.
TEST(VariantCacheTest, ThreadsDoNotWaitForEachOther) {
  int alive = 0;
  const Ref<GraphFunction> f = Function(), g = Function();
  std::mutex mutex;
  std::atomic<int> inside{0};
  const auto leaf = [&]() -> StatusOr<Ref<DifferentiableNode>> {
    std::lock_guard<std::mutex> lock(mutex);
    return Ref<DifferentiableNode>(MakeRef<Made>(&alive));
  };
  const auto cross = [&](const GraphFunction& mine, const GraphFunction& its) {
    const GraphFunction* first[] = {&mine};
    const GraphFunction* second[] = {&its};
    const VariantRequest other{VariantRequest::Kind::kCall, second, {}};
    ValueOrThrow(VariantCache::Get(
        {VariantRequest::Kind::kCall, first, {}, false},
        [&]() -> StatusOr<Ref<DifferentiableNode>> {
          ++inside;
          while (inside < 2) std::this_thread::yield();
          return VariantCache::Get(other, leaf);
        }));
  };
  std::thread one([&] { cross(*f, *g); }), two([&] { cross(*g, *f); });
  one.join();
  two.join();
  EXPECT_GE(alive, 1);
}

}  // namespace
}  // namespace gk
