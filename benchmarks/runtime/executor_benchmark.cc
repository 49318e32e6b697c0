// What a plan costs: per op for chains of small ops, per element for large
// elementwise graphs, per call for a single op.
#include <benchmark/benchmark.h>

#include "graph/function_for_test.h"
#include "runtime/executor.h"

namespace gk {
namespace {

void Chain(benchmark::State& state) {
  constexpr int kOps = 300;
  const int64_t n = state.range(0);
  TestFunction b;
  const TensorShape shape = n == 1 ? TensorShape() : TensorShape({n});
  const Output x = b.Arg(DataType::kFloat, shape);
  Output y = x;
  const Output scale = b.Const(Tensor::Scalar(1.01f));
  const Output offset = b.Const(Tensor::Scalar(0.5f));
  for (int i = 0; i < kOps / 3; ++i) {
    y = b.Add("Sub", {x, b.Add("AddV2", {b.Add("Mul", {y, scale}), offset})});
  }
  const auto f = b.Finish({y});
  const Tensor in = ValueOrThrow(Tensor::Zeros(DataType::kFloat, shape));
  TensorVector out;
  for (auto _ : state) {
    ThrowIfError(RunFunction(*f, {&in, 1}, &out));
    out.clear();
  }
  state.counters["seconds_per_op"] =
      benchmark::Counter(kOps, benchmark::Counter::kIsIterationInvariantRate |
                                   benchmark::Counter::kInvert);
}
BENCHMARK(Chain)->Arg(1)->Arg(1000);

void OneOp(benchmark::State& state) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, TensorShape());
  const auto f = b.Finish({b.Add("AddV2", {x, x})});
  const Tensor in = Tensor::Scalar(1.0f);
  TensorVector out;
  for (auto _ : state) {
    ThrowIfError(RunFunction(*f, {&in, 1}, &out));
    out.clear();
  }
}
BENCHMARK(OneOp);

// relu(exp(-x*x)*.5 + x*.25 - 1) + sigmoid(x), or as much of it as there are
// ops for.
void Elementwise(benchmark::State& state) {
  const int64_t n = state.range(0);
  TestFunction b;
  const auto has = [](std::string_view op) {
    return OpRegistry::Get().Find(op) != nullptr;
  };
  const auto scalar = [&](float v) { return b.Const(Tensor::Scalar(v)); };
  const Output x = b.Arg(DataType::kFloat, TensorShape({n}));
  Output y = b.Add("Mul", {b.Add("Neg", {x}), x});
  if (has("Exp")) y = b.Add("Exp", {y});
  y = b.Add("AddV2", {b.Add("Mul", {y, scalar(0.5f)}),
                      b.Add("Mul", {x, scalar(0.25f)})});
  y = b.Add("Sub", {y, scalar(1)});
  if (has("Relu")) y = b.Add("Relu", {y});
  y = b.Add("AddV2", {y, has("Sigmoid") ? b.Add("Sigmoid", {x}) : x});
  const auto f = b.Finish({y});
  Tensor in = ValueOrThrow(Tensor::Zeros(DataType::kFloat, TensorShape({n})));
  for (int64_t i = 0; i < n; ++i) in.data<float>()[i] = i % 1000 * 1e-3f;
  TensorVector out;
  for (auto _ : state) {
    ThrowIfError(RunFunction(*f, {&in, 1}, &out));
    out.clear();
  }
}
BENCHMARK(Elementwise)->Arg(1 << 20)->UseRealTime();

}  // namespace
}  // namespace gk
