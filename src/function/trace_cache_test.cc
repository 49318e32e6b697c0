#include "function/trace_cache.h"

#include <gtest/gtest.h>

#include <array>
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

Ref<KnownCall> Remembered(TraceCache& cache, uint64_t word, Ref<Trace> trace) {
  cache.Remember(
      MakeRef<KnownCall>(std::vector<uint64_t>{word}, std::move(trace)));
  return cache.FindCall(std::array{word});
}

TEST(TraceCache, CountsLookUps) {
  TraceCache cache;
  const uint64_t unknown[] = {7};
  EXPECT_FALSE(cache.FindCall(unknown));
  Ref<Trace> one = Get(cache, Floats({1}));
  Get(cache, Floats({1}));
  EXPECT_TRUE(Remembered(cache, 1, one));
  EXPECT_EQ(cache.info().hits, 2);
  EXPECT_EQ(cache.info().misses, 1);
  EXPECT_EQ(cache.info().size, 1u);
  cache.Clear();
  EXPECT_EQ(cache.info().hits, 0);
  EXPECT_EQ(cache.info().misses, 0);
}

TEST(TraceCache, EvictsTheLeastRecentlyUsed) {
  TraceCache cache;
  cache.SetMaxTraces(2);
  Ref<Trace> one = Get(cache, Floats({1}));
  EXPECT_TRUE(Remembered(cache, 1, one));
  Ref<Trace> two = Get(cache, Floats({2}));
  EXPECT_TRUE(Remembered(cache, 2, two));
  EXPECT_TRUE(cache.FindCall(std::array{uint64_t{1}}));
  Get(cache, Floats({3}));
  EXPECT_EQ(cache.info().evictions, 1);
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_FALSE(cache.FindCall(std::array{uint64_t{2}}));
  EXPECT_EQ(cache.FindCall(std::array{uint64_t{1}})->trace().get(), one.get());
  // What was dropped is not remembered again.
  EXPECT_FALSE(Remembered(cache, 2, two));
  cache.SetMaxTraces(1);
  EXPECT_EQ(cache.traces().at(0).get(), one.get());
}

TEST(TraceCache, DropsWhatItHeld) {
  static int alive = 0;
  struct Counted : Trace {
    using Trace::Trace;
    ~Counted() override { --alive; }
  };
  auto make = [](const Ref<FunctionType>& type) -> StatusOr<Ref<Trace>> {
    ++alive;
    return Ref<Trace>(MakeRef<Counted>(type));
  };
  TraceCache cache;
  cache.SetMaxTraces(3);
  for (uint64_t n = 1; n <= 10; ++n) {
    Ref<Trace> t = ValueOrThrow(cache.FindOrTrace(
        Floats({static_cast<int64_t>(n)}), false, false, make));
    EXPECT_TRUE(Remembered(cache, n, t));
  }
  EXPECT_EQ(alive, 3);
  EXPECT_TRUE(cache.Drop(cache.traces().at(0).get()));
  EXPECT_EQ(alive, 2);
  cache.Clear();
  EXPECT_EQ(alive, 0);
}

// Readers, tracers, evictions and clearing at once.
TEST(TraceCache, ManyThreadsOnABoundedCache) {
  TraceCache cache;
  cache.SetMaxTraces(3);
  std::vector<std::thread> threads;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&cache, seed] {
      for (uint64_t i = 0; i < 2000; ++i) {
        const uint64_t n = (seed + i * 7) % 6 + 1;
        const uint64_t words[] = {n};
        Ref<KnownCall> known = cache.FindCall(words);
        if (!known) {
          Ref<Trace> t = Get(cache, Floats({static_cast<int64_t>(n)}));
          cache.Remember(
              MakeRef<KnownCall>(std::vector<uint64_t>(words, words + 1), t));
          continue;
        }
        ASSERT_EQ(known->words()[0], n);
        ASSERT_TRUE(known->trace()->type().Equals(
            *Floats({static_cast<int64_t>(n)})));
        if (i % 500 == 499) cache.Clear();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_LE(cache.size(), 3u);
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
