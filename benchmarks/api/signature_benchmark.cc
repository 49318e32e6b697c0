// What a call of a loaded signature costs in C++ and in C, and what of it runs
// the plan. Models are those of benchmarks/saved_models.py, in the folder that
// the environment variable GK_MODELS names.
// Public names stand in gk::api here, beside the inner ones.
#define GRAPHKILN_BUILDING 1

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "function/concrete_function.h"
#include "graphkiln/c_api.h"
#include "graphkiln/graphkiln.h"
#include "runtime/executor.h"
#include "saved_model/loaded_signature.h"

namespace gk {
namespace {

std::string Folder(const std::string& model) {
  const char* folder = std::getenv("GK_MODELS");
  return std::string(folder == nullptr ? "/tmp/gk-models" : folder) + "/" +
         model;
}

api::Tensor InputOf(const api::saved_model::Signature& signature) {
  std::vector<int64_t> dims = signature.inputs()[0].shape.dims();
  for (int64_t& d : dims) d = d < 0 ? 1 : d;
  const api::Shape shape(dims);
  return api::Tensor(std::vector<float>(shape.num_elements(), 0.5f), shape);
}

void BM_Cpp(benchmark::State& state, const std::string& model) {
  const auto signature = api::saved_model::load(Folder(model)).signature();
  const std::vector<api::Tensor> inputs{InputOf(signature)};
  signature.Call(inputs);
  for (auto _ : state) benchmark::DoNotOptimize(signature.Call(inputs));
}

void BM_C(benchmark::State& state, const std::string& model) {
  gk_model* loaded = nullptr;
  gk_signature* signature = nullptr;
  gk_tensor *input = nullptr, *output = nullptr;
  if (gk_model_load(Folder(model).c_str(), nullptr, 0, &loaded) != nullptr ||
      gk_model_signature(loaded, nullptr, &signature) != nullptr) {
    return state.SkipWithError("the model cannot be loaded");
  }
  std::vector<int64_t> dims;
  size_t n = 1;
  for (int i = 0; i < gk_signature_input_rank(signature, 0); ++i) {
    const int64_t dim = gk_signature_input_dim(signature, 0, i);
    dims.push_back(dim < 0 ? 1 : dim);
    n *= dims.back();
  }
  const std::vector<float> data(n, 0.5f);
  gk_tensor_copy(GK_FLOAT, static_cast<int>(dims.size()), dims.data(),
                 data.data(), n * sizeof(float), &input);
  for (auto _ : state) {
    if (gk_signature_run(signature, &input, 1, &output, 1, nullptr) !=
        nullptr) {
      return state.SkipWithError("the run failed");
    }
    gk_tensor_delete(output);
  }
  gk_tensor_delete(input);
  gk_signature_delete(signature);
  gk_model_delete(loaded);
}

// All threads call one signature; the rate is that of all together.
void BM_Threads(benchmark::State& state, const std::string& model) {
  static const api::saved_model::Signature* signature = nullptr;
  if (state.thread_index() == 0) {
    signature = new api::saved_model::Signature(
        api::saved_model::load(Folder(model)).signature());
  }
  std::vector<api::Tensor> inputs;
  for (auto _ : state) {
    if (inputs.empty()) inputs.push_back(InputOf(*signature));
    benchmark::DoNotOptimize(signature->Call(inputs));
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() == 0) delete std::exchange(signature, nullptr);
}

// The plan alone, with inputs and captures at hand: kernels and little more.
void BM_Plan(benchmark::State& state, const std::string& model) {
  const auto signature = api::saved_model::load(Folder(model)).signature();
  const api::Tensor input = InputOf(signature);
  const auto loaded = ValueOrThrow(LoadedModel::Load(Folder(model)));
  const LoadedSignature found =
      ValueOrThrow(FindSignature(loaded.get(), "serving_default"));
  TensorVector inputs{Tensor(input.impl())};
  for (const FunctionCapture& c : found.function->captures()) {
    inputs.push_back(c.external);
  }
  for (auto _ : state) {
    TensorVector outputs;
    ThrowIfError(RunFunction(*found.function->function(), inputs, &outputs,
                             nullptr, inputs.size() - 1));
    benchmark::DoNotOptimize(outputs);
  }
}

#define GK_BENCHMARK_MODEL(name)             \
  BENCHMARK_CAPTURE(BM_Plan, name, #name);   \
  BENCHMARK_CAPTURE(BM_Cpp, name, #name);    \
  BENCHMARK_CAPTURE(BM_C, name, #name);      \
  BENCHMARK_CAPTURE(BM_Threads, name, #name) \
      ->Threads(1)                           \
      ->Threads(2)                           \
      ->Threads(8)                           \
      ->UseRealTime()
GK_BENCHMARK_MODEL(add);
GK_BENCHMARK_MODEL(mlp);
GK_BENCHMARK_MODEL(cnn);
GK_BENCHMARK_MODEL(transformer);
#undef GK_BENCHMARK_MODEL

}  // namespace
}  // namespace gk
