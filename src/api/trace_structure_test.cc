// Structs, maps and optionals as arguments and results; signatures, caches
// and explanations of public functions.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <thread>

#include "base/sanitizer.h"
#include "graphkiln/graphkiln.h"

namespace {

struct Batch {
  gk::Tensor images, labels;
};
struct LayerOfTensors {
  std::vector<gk::Tensor> weights;
  float rate = 0.5f;
  std::optional<gk::Tensor> bias;
};
struct ModelOfLayers {
  LayerOfTensors first, second;
  gk::Variable step{0};
  std::string mode = "train";
};

class Private {
 public:
  explicit Private(gk::Tensor t) : tensor_(std::move(t)) {}
  const gk::Tensor& tensor() const { return tensor_; }
  int unlisted = 7;

 private:
  friend gk::TraceStructure<Private>;
  gk::Tensor tensor_;
};

}  // namespace

GK_TRACE_STRUCTURE(Batch, images, labels)
GK_TRACE_STRUCTURE(Private, tensor_)

namespace {

TEST(TraceStructureTest, CountsFields) {
  using gk::detail::kNumFields;
  struct One {
    gk::Tensor a;
  };
  struct Mixed {
    std::array<gk::Tensor, 2> a;
    std::string b;
    std::vector<int> c;
    std::map<std::string, gk::Tensor> d;
    double e;
  };
  struct Sixteen {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
  };
  EXPECT_EQ(kNumFields<One>, 1u);
  EXPECT_EQ(kNumFields<Mixed>, 5u);
  EXPECT_EQ(kNumFields<Sixteen>, 16u);
  EXPECT_EQ(kNumFields<ModelOfLayers>, 4u);
  EXPECT_EQ(kNumFields<Private>, 1u);
  struct None {};
  EXPECT_EQ(kNumFields<None>, 0u);
}

TEST(TraceStructureTest, StructsInAndOut) {
  auto f = gk::function([](const Batch& b) {
    EXPECT_TRUE(b.images.is_symbolic());
    return Batch{b.images * 2, b.labels + 1};
  });
  const Batch out = f(Batch{gk::Tensor(3.0f), gk::Tensor(4)});
  EXPECT_EQ(out.images.item<float>(), 6);
  EXPECT_EQ(out.labels.item<int32_t>(), 5);
  f(Batch{gk::Tensor(5.0f), gk::Tensor(6)});
  EXPECT_EQ(f.tracing_count(), 1);
  f(Batch{gk::Tensor{1.0f}, gk::Tensor(6)});
  EXPECT_EQ(f.tracing_count(), 2);
  const auto explanation = f.explain_retraces();
  ASSERT_EQ(explanation.retraces.size(), 1u);
  EXPECT_EQ(explanation.retraces[0].reasons.at(0).argument, "args_0.images");
  EXPECT_EQ(explanation.retraces[0].reasons.at(0).cause, "rank");
}

TEST(TraceStructureTest, NestedStructsWithLiteralsAndVariables) {
  auto f = gk::function([](const ModelOfLayers& m) {
    m.step.assign_add(1);
    gk::Tensor sum = m.first.weights[0] * m.first.rate;
    for (const gk::Tensor& w : m.second.weights) sum = sum + w;
    if (m.second.bias) sum = sum + *m.second.bias;
    return m.mode == "train" ? sum : -sum;
  });
  const gk::Tensor one = 1.0f;
  ModelOfLayers m{{{one}, 2.0f, {}}, {{one, one}, 0.5f, one}};
  EXPECT_EQ(f(m).item<float>(), 5);
  EXPECT_EQ(f(m).item<float>(), 5);
  EXPECT_EQ(m.step.value().item<int32_t>(), 2);
  EXPECT_EQ(f.tracing_count(), 1);
  m.second.bias.reset();
  EXPECT_EQ(f(m).item<float>(), 4);
  m.mode = "test";
  EXPECT_EQ(f(m).item<float>(), -4);
  EXPECT_EQ(f.tracing_count(), 3);
}

TEST(TraceStructureTest, PrivateFieldsAndWhatIsNotListed) {
  auto f = gk::function(
      [](const Private& p) { return p.tensor() * p.unlisted; });
  Private p(gk::Tensor(2));
  EXPECT_EQ(f(p).item<int32_t>(), 14);
  p.unlisted = 8;
  EXPECT_EQ(f(p).item<int32_t>(), 14);
  EXPECT_EQ(f.tracing_count(), 1);
}

TEST(TraceStructureTest, StructsOfOtherTypesAreOtherCalls) {
  struct A {
    gk::Tensor x;
  };
  struct B {
    gk::Tensor x;
  };
  auto f = gk::function([](const auto& s) {
    return std::is_same_v<std::decay_t<decltype(s)>, A> ? s.x : -s.x;
  });
  EXPECT_EQ(f(A{gk::Tensor(1)}).template item<int32_t>(), 1);
  EXPECT_EQ(f(B{gk::Tensor(1)}).template item<int32_t>(), -1);
  EXPECT_EQ(f.tracing_count(), 2);
}

TEST(TraceStructureTest, MapsAndOptionals) {
  using Map = std::map<std::string, gk::Tensor>;
  auto f = gk::function([](const Map& m, std::optional<int> n) {
    Map out;
    for (const auto& [key, value] : m) {
      out["new " + key] = value + n.value_or(0);
    }
    return std::pair(out, n ? std::optional(m.begin()->second) : std::nullopt);
  });
  const auto [map, first] =
      f(Map{{"a", gk::Tensor(1)}, {"b", gk::Tensor(2)}}, std::optional(5));
  EXPECT_EQ(map.at("new a").item<int32_t>(), 6);
  EXPECT_EQ(map.at("new b").item<int32_t>(), 7);
  EXPECT_EQ(first->item<int32_t>(), 1);
  const auto [other, none] = f(Map{{"c", gk::Tensor(1)}}, std::optional<int>());
  EXPECT_EQ(other.at("new c").item<int32_t>(), 1);
  EXPECT_FALSE(none);
  const auto retraces = f.explain_retraces().retraces;
  ASSERT_EQ(retraces.size(), 1u);
  EXPECT_EQ(retraces[0].reasons.at(0).cause, "keys");
  EXPECT_EQ(retraces[0].reasons.at(1).cause, "length");
}

TEST(TraceStructureTest, ReduceRetracingReachesIntoStructs) {
  auto f = gk::function([](const Batch& b) { return b.images; },
                        {.reduce_retracing = true});
  for (int n = 1; n < 6; ++n) f(Batch{gk::zeros({n}), gk::Tensor(1)});
  EXPECT_EQ(f.tracing_count(), 2);
  EXPECT_NE(f.explain_retraces().to_string().find("traced for "),
            std::string::npos);
}

TEST(TraceStructureTest, InputSignaturesReachIntoStructs) {
  const gk::TensorSpec row{.shape = {gk::kUnknown}};
  auto f = gk::function(
      [](const Batch& b, int n) { return b.images * b.labels * (0.0f + n); },
      {.input_signature = {{row, row}}});
  const gk::Tensor two = gk::ones({2}), three = gk::ones({3});
  EXPECT_EQ(f(Batch{two, two}, 2).to_vector<float>()[1], 2);
  EXPECT_EQ(f(Batch{three, three}, 2).to_vector<float>()[2], 2);
  EXPECT_EQ(f.tracing_count(), 1);
  EXPECT_THROW(f(Batch{two, gk::Tensor(1)}, 2), gk::Error);
  auto g = gk::function([](const gk::Tensor& x) { return x; },
                        {.input_signature = {{row, row}}});
  EXPECT_THROW(g(two), gk::Error);
}

TEST(ConcreteFunctionTest, TellsItsSignature) {
  auto f = gk::function(
      [](const Batch& b, int n) { return std::pair(b.images * n, b.labels); },
      {.name = "scale", .argument_names = {"batch", "n"}});
  const gk::ConcreteFunction c =
      f.get_concrete_function(Batch{gk::Tensor(1), gk::Tensor(2.0f)}, 3);
  const std::string tensor = "TensorSpec(shape=(), dtype=tf.int32, name=None)";
  EXPECT_EQ(c.signature().find("(batch: Batch[['images', " + tensor), 0u)
      << c.signature();
  EXPECT_NE(c.signature().find("n: Literal[3], /) -> Tuple[" + tensor),
            std::string::npos)
      << c.signature();
  std::ostringstream out;
  out << c;
  EXPECT_EQ(out.str().find("ConcreteFunction Input Parameters:\n  batch "), 0u);
  ASSERT_EQ(c.inputs().size(), 2u);
  EXPECT_EQ(c.Call({gk::Tensor(4), gk::Tensor(5.0f)})[0].item<int32_t>(), 12);
  const std::string images = c.inputs()[0].name, labels = c.inputs()[1].name;
  EXPECT_EQ(
      c.CallByName({{labels, gk::Tensor(5.0f)}, {images, gk::Tensor(4)}})[0]
          .item<int32_t>(),
      12);
  const std::map<std::string, gk::TensorOrVariable> too_few = {
      {images, gk::Tensor(4)}};
  EXPECT_THROW(c.CallByName(too_few), gk::Error);
}

TEST(CacheTest, CountsAndEvicts) {
  auto f = gk::function([](const gk::Tensor& x, int n) { return x * n; },
                        {.max_traces = 2});
  const gk::Tensor one = 1;
  for (int n : {1, 2, 1, 3, 1, 2}) {
    EXPECT_EQ(f(one, n).item<int32_t>(), n);
  }
  gk::CacheInfo info = f.cache_info();
  EXPECT_EQ(info.hits, 2);
  EXPECT_EQ(info.misses, 4);
  EXPECT_EQ(info.evictions, 2);
  EXPECT_EQ(info.size, 2u);
  EXPECT_EQ(info.max_traces, 2u);
  const auto retraces = f.explain_retraces().retraces;
  EXPECT_EQ(retraces.back().reasons.at(0).cause, "evicted");
  f.clear_traces();
  info = f.cache_info();
  EXPECT_EQ(info.hits + info.misses + info.evictions, 0);
  EXPECT_EQ(info.size, 0u);
  EXPECT_EQ(f(one, 2).item<int32_t>(), 2);
  EXPECT_EQ(f.tracing_count(), 5);
}

// Megabytes of this process in memory.
double Resident() {
  long pages = 0;
  std::ifstream statm("/proc/self/statm");
  statm >> pages >> pages;
  return pages * 4096e-6;
}

TEST(CacheTest, DroppedTracesFreeWhatTheyCaptured) {
  gk::Tensor big;
  const auto use = [&](int n) { return gk::reduce_sum(big) * (0.0f + n); };
  auto bounded = gk::function(use, {.max_traces = 1});
  auto cleared = gk::function(use);
  double before = 0;
  for (int n = 0; n < 60; ++n) {
    big = gk::ones({1 << 20});  // 4 MB
    bounded(n);
    big = gk::ones({1 << 20});
    cleared(n);
    cleared.clear_traces();
    if (n == 10) before = Resident();
  }
  // Sanitizers keep what was freed.
  if (!gk::kSanitized) {
    EXPECT_LT(Resident() - before, 60);  // of 400 that went through
  }
}

TEST(CacheTest, OtherHostTypesShareTheLimit) {
  auto f = gk::function([](auto n) { return gk::Tensor(n); },
                        {.max_traces = 1});
  EXPECT_EQ(f(1).dtype(), gk::DataType::kInt32);
  EXPECT_EQ(f(1.0).dtype(), gk::DataType::kDouble);
  EXPECT_EQ(f(1).dtype(), gk::DataType::kInt32);
  EXPECT_EQ(f.cache_info().evictions, 2);
}

// Every thread calls both functions, one through the other, with all types
// at once and in another order.
TEST(ThreadsTest, OneTraceATypeWhileManyTraceAndCall) {
  constexpr int kTypes = 12, kThreads = 8;
  std::array<std::atomic<int>, kTypes + 1> outer_runs{}, inner_runs{};
  auto inner = gk::function([&](const gk::Tensor& x) {
    ++inner_runs[x.shape().dims()[0]];
    return x * 2;
  });
  auto outer = gk::function([&](const Batch& b) {
    ++outer_runs[b.images.shape().dims()[0]];
    return inner(b.images) + b.labels;
  });
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5 * kTypes; ++i) {
        const int n = (t * 5 + i * 7) % kTypes + 1;
        const gk::Tensor x = gk::ones({n});
        const gk::Tensor y = t % 2 ? outer(Batch{x, x}) : inner(x) + x;
        if (y.to_vector<float>() != std::vector<float>(n, 3)) ++wrong;
        if (i % 16 == 0) {
          outer.cache_info();
          inner.explain_retraces();
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  for (int n = 1; n <= kTypes; ++n) {
    EXPECT_EQ(outer_runs[n], 1) << n;
    EXPECT_EQ(inner_runs[n], 1) << n;
  }
  EXPECT_EQ(outer.cache_info().misses, kTypes);
}

TEST(ThreadsTest, CallsWhileTracesAreEvictedAndCleared) {
  auto f = gk::function(
      [](const gk::Tensor& x, int n) { return x * static_cast<float>(n); },
      {.max_traces = 2});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const int n = (t + i * 3) % 5;
        if (f(gk::Tensor(2.0f), n).item<float>() != 2 * n) ++wrong;
        if (i % 25 == 24) f.clear_traces();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(f.cache_info().size, 2u);
}

TEST(CacheTest, ManyFunctionsMadeAndDropped) {
  const gk::Tensor w = gk::ones({10});
  auto bounded = gk::function([&](int n) { return w * static_cast<float>(n); },
                              {.max_traces = 4});
  double before = 0;
  for (int n = 0; n < (gk::kSanitized ? 2500 : 10000); ++n) {
    auto f = gk::function([&](const gk::Tensor& x) { return x + w; });
    f(w);
    bounded(n);
    if (n == 2000) before = Resident();
  }
  EXPECT_EQ(bounded.cache_info().size, 4u);
  if (!gk::kSanitized) {
    EXPECT_LT(Resident() - before, 8);
  }
}

}  // namespace
