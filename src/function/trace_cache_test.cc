#include "function/trace_cache.h"

#include <gtest/gtest.h>

#include <thread>

namespace gk {
namespace {

Ref<FunctionType> Takes(TraceTypeRef t) {
  return MakeRef<FunctionType>(std::vector<FunctionParameter>{
      {"x", ParameterKind::kPositionalOrKeyword, false, std::move(t)}});
}
Ref<FunctionType> Floats(std::initializer_list<int64_t> dims) {
  return Takes(TraceType::Tensor(DataType::kFloat, PartialTensorShape(dims)));
}
constexpr auto MakeTrace =
    [](const Ref<FunctionType>& type) -> StatusOr<Ref<Trace>> {
  return MakeRef<Trace>(type);
};
Ref<Trace> Get(TraceCache& cache, const Ref<FunctionType>& type,
               bool reduce = false) {
  return ValueOrThrow(cache.FindOrTrace(type, reduce, false, MakeTrace));
}

TEST(TraceCache, OneTraceAType) {
  TraceCache cache;
  Ref<Trace> a = Get(cache, Floats({2}));
  EXPECT_EQ(a.get(), Get(cache, Floats({2})).get());
  EXPECT_NE(a.get(), Get(cache, Floats({3})).get());
  EXPECT_EQ(cache.size(), 2u);
}

TEST(TraceCache, MostSpecificServes) {
  TraceCache cache;
  Ref<Trace> any = Get(
      cache, Takes(TraceType::Tensor(DataType::kFloat, PartialTensorShape())));
  EXPECT_EQ(Get(cache, Floats({2})).get(), any.get());
  Ref<Trace> vec = cache.Add(MakeRef<Trace>(Floats({kUnknownDim})));
  EXPECT_EQ(Get(cache, Floats({2})).get(), vec.get());
  EXPECT_EQ(Get(cache, Floats({2, 2})).get(), any.get());
}

TEST(TraceCache, ReduceRetracingGeneralises) {
  TraceCache cache;
  Ref<Trace> one = Get(cache, Floats({1}), true);
  Ref<Trace> any = Get(cache, Floats({2}), true);
  EXPECT_EQ(any->type().Text(),
            "(x: TensorSpec(shape=(None,), dtype=tf.float32, name=None))");
  EXPECT_EQ(Get(cache, Floats({3}), true).get(), any.get());
  EXPECT_EQ(Get(cache, Floats({1}), true).get(), one.get());
  EXPECT_EQ(cache.size(), 2u);
}

TEST(TraceCache, FailureKeepsNothing) {
  TraceCache cache;
  auto fail = [](const Ref<FunctionType>&) -> StatusOr<Ref<Trace>> {
    return ValueError("no");
  };
  EXPECT_FALSE(cache.FindOrTrace(Floats({1}), false, false, fail).ok());
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_TRUE(Get(cache, Floats({1})));
}

TEST(TraceCache, RemembersManyCalls) {
  TraceCache cache;
  Ref<Trace> trace = Get(cache, Floats({1}));
  for (uint64_t i = 0; i < 3000; ++i) {
    cache.Remember(MakeRef<KnownCall>(std::vector<uint64_t>{i, i}, trace));
    const uint64_t words[] = {i, i};
    ASSERT_TRUE(cache.FindCall(words)) << i;
  }
  const uint64_t unknown[] = {1, 2};
  EXPECT_FALSE(cache.FindCall(unknown));
  const uint64_t early[] = {2999, 2999};
  EXPECT_TRUE(cache.FindCall(early));
  cache.Clear();
  EXPECT_FALSE(cache.FindCall(early));
}

TEST(TraceCache, ThreadsShareOneTracing) {
  TraceCache cache;
  std::atomic<int> traced{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 1; n < 50; ++n) {
        auto trace = [&](const Ref<FunctionType>& type) {
          ++traced;
          std::this_thread::yield();
          return MakeTrace(type);
        };
        Ref<Trace> t =
            ValueOrThrow(cache.FindOrTrace(Floats({n}), false, false, trace));
        const uint64_t words[] = {static_cast<uint64_t>(n)};
        if (!cache.FindCall(words)) {
          cache.Remember(
              MakeRef<KnownCall>(std::vector<uint64_t>(words, words + 1), t));
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(traced, 49);
  EXPECT_EQ(cache.size(), 49u);
}

// Two functions that call each other, begun from both ends at once.
TEST(TraceCache, NoCycleOfWaits) {
  TraceCache f, g;
  auto run = [](TraceCache& first, TraceCache& second) {
    auto inner = [&](const Ref<FunctionType>& type) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return MakeTrace(type);
    };
    auto outer = [&](const Ref<FunctionType>& type) -> StatusOr<Ref<Trace>> {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      GK_RETURN_IF_ERROR(
          second.FindOrTrace(type, false, false, inner).status());
      return MakeTrace(type);
    };
    EXPECT_TRUE(first.FindOrTrace(Floats({7}), false, false, outer).ok());
  };
  std::thread a([&] { run(f, g); });
  std::thread b([&] { run(g, f); });
  a.join();
  b.join();
  EXPECT_EQ(f.size(), 1u);
  EXPECT_EQ(g.size(), 1u);
}

}  // namespace
}  // namespace gk
