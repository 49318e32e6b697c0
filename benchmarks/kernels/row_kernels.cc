// Fork-join, reductions, transposes and softmax on the global pool.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/thread_pool.h"
#include "kernels/reduce.h"
#include "kernels/softmax.h"
#include "kernels/transpose.h"

namespace gk {
namespace {

void ForkJoin(benchmark::State& state) {
  for (auto _ : state) {
    ThreadPool::Global().ParallelFor(
        4, [](int64_t i) { benchmark::DoNotOptimize(i); });
  }
}
BENCHMARK(ForkJoin)->UseRealTime();

void SumFloat(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::vector<float> in(n, 1.0f);
  const bool reduced[] = {true};
  float out;
  for (auto _ : state) {
    const ReduceLayout layout =
        CollapseReduction(std::span<const int64_t>(&n, 1), reduced);
    Reduce(ReduceKind::kSum, layout, in.data(), &out);
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(SumFloat)->Arg(1000)->Arg(1 << 20)->UseRealTime();

void SumColumns(benchmark::State& state) {
  const int64_t extents[] = {1024, 1024};
  const bool reduced[] = {true, false};
  const std::vector<float> in(1 << 20, 1.0f);
  std::vector<float> out(1024);
  const ReduceLayout layout = CollapseReduction(extents, reduced);
  for (auto _ : state) {
    Reduce(ReduceKind::kSum, layout, in.data(), out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(SumColumns)->UseRealTime();

void TransposeBatch(benchmark::State& state) {
  const int64_t extents[] = {32, 128, 256}, perm[] = {0, 2, 1};
  const std::vector<char> in(extents[0] * extents[1] * extents[2] * 8);
  std::vector<char> out(in.size());
  for (auto _ : state) {
    Transpose(extents, perm, state.range(0), in.data(), out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(TransposeBatch)->Arg(1)->Arg(4)->Arg(8)->UseRealTime();

void SoftmaxFloat(benchmark::State& state) {
  const std::vector<float> in(512 * 1024, 0.5f);
  std::vector<float> out(in.size());
  for (auto _ : state) {
    Softmax(512, 1024, in.data(), out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(SoftmaxFloat)->UseRealTime();

}  // namespace
}  // namespace gk
