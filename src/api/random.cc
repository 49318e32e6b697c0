#include "graphkiln/random.h"

#include <mutex>
#include <optional>
#include <random>

#include "api/inner.h"
#include "framework/op_builder.h"
#include "function/func_graph.h"
#include "ops/composite.h"
#include "ops/random/random_place.h"

namespace gk::api::random {
namespace {

constexpr int64_t kMaxSeed = 0x7fffffff;

struct Seeds {
  std::mutex mutex;
  std::optional<int64_t> global;
  std::mt19937_64 stream;
};
Seeds& TheSeeds() {
  static auto* seeds = new Seeds;
  return *seeds;
}

// Attributes of a random op. In a graph the op's seed is its number there;
// eager ops draw theirs from a stream that the global seed starts.
AttrMap SeedAttrs() {
  Seeds& seeds = TheSeeds();
  std::lock_guard lock(seeds.mutex);
  if (!seeds.global) return {};
  FuncGraph* graph = FuncGraph::Current();
  int64_t seed = graph != nullptr
                     ? graph->TakeRandomSeed() % kMaxSeed
                     : static_cast<int64_t>(seeds.stream() % kMaxSeed);
  // Zero for both would mean: no seed.
  if (*seeds.global == 0 && seed == 0) seed = kMaxSeed;
  return {{"seed", *seeds.global}, {"seed2", seed}};
}

InnerTensor Dims(const Shape& shape) {
  if (!shape.is_fully_defined()) {
    throw ::gk::Error(ValueError("a random tensor needs a full shape, got {}",
                                 shape.to_string()));
  }
  return IntsTensor(shape.dims(), InnerType::kInt64);
}

InnerTensor Draw(const char* op, const Shape& shape, DataType dtype) {
  EnsureReady();
  AttrMap attrs = SeedAttrs();
  attrs.Set("dtype", Inner(dtype));
  return MakeOp1(op, {Dims(shape)}, std::move(attrs));
}

// x * scale + shift.
Tensor Affine(InnerTensor x, double scale, double shift) {
  const auto number = [&](double v) { return NumberOf(v, x.dtype()); };
  if (scale != 1) x = MakeOp1("Mul", {x, number(scale)});
  if (shift != 0) x = MakeOp1("AddV2", {x, number(shift)});
  return Outer(x);
}

}  // namespace

void set_seed(int64_t seed) {
  Seeds& seeds = TheSeeds();
  std::lock_guard lock(seeds.mutex);
  seeds.global = (seed % kMaxSeed + kMaxSeed) % kMaxSeed;
  seeds.stream.seed(static_cast<uint64_t>(seed));
  ForgetRandomPlaces();
}

Tensor uniform(const Shape& shape, double low, double high, DataType dtype) {
  return Guarded([&] {
    return Affine(Draw("RandomUniform", shape, dtype), high - low, low);
  });
}

Tensor normal(const Shape& shape, double mean, double stddev, DataType dtype) {
  return Guarded([&] {
    return Affine(Draw("RandomStandardNormal", shape, dtype), stddev, mean);
  });
}

Tensor uniform_int(const Shape& shape, int64_t low, int64_t high,
                   DataType dtype) {
  return Guarded([&] {
    EnsureReady();
    const Tensor from = Tensor::OfNumber(low, dtype);
    const Tensor to = Tensor::OfNumber(high, dtype);
    return Outer(MakeOp1("RandomUniformInt",
                         {Dims(shape), Inner(from), Inner(to)}, SeedAttrs()));
  });
}

Tensor shuffle(const Tensor& rows) {
  return Guarded([&] {
    return Outer(MakeOp1("RandomShuffle", {Inner(rows)}, SeedAttrs()));
  });
}

}  // namespace gk::api::random
