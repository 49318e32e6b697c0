#include "graphkiln/initializers.h"

#include <string>
#include <utility>

#include "api/inner.h"
#include "graphkiln/functions.h"
#include "ops/random/random_place.h"
#include "ops/random/variance_scaling.h"

namespace gk::api::initializers {
namespace {

// A seed that was not given is chosen once.
int64_t Chosen(Seed seed) {
  return InitializerSeed(
      seed ? *seed : static_cast<int64_t>(RandomSeed() >> 1));
}

Tensor Draw(const WeightDistribution& from, const Shape& shape, DataType dtype,
            int64_t seed) {
  const Argument pair = {seed, int64_t{0}};
  const std::string function = from.Function("random.stateless_");
  if (from.kind != "uniform") {
    return detail::CallPublicFunction(
        function, {shape, pair, from.first, from.second, dtype})[0];
  }
  const auto limit = [&](double v) {
    return MadeTensor([&] { return InitializerLimit(v, Inner(dtype)); });
  };
  return detail::CallPublicFunction(
      function, {shape, pair, limit(from.first), limit(from.second), dtype})[0];
}

Initializer Random(const WeightDistribution& from, Seed seed) {
  return Initializer(
      [from, chosen = Chosen(seed)](const Shape& shape, DataType dtype) {
        return Draw(from, shape, dtype, chosen);
      });
}

Initializer Scaled(const NamedScaling& named, Seed seed) {
  return variance_scaling(named.scale, named.mode, named.distribution, seed);
}

}  // namespace

Initializer zeros() {
  return Initializer([](const Shape& shape, DataType dtype) {
    return api::zeros(shape, dtype);
  });
}

Initializer ones() {
  return Initializer([](const Shape& shape, DataType dtype) {
    return api::ones(shape, dtype);
  });
}

Initializer constant(const Tensor& value) {
  return Initializer([value](const Shape& shape, DataType dtype) {
    const Tensor of_type = cast(value, dtype);
    return of_type.rank() == 0 ? fill(shape, of_type) : reshape(of_type, shape);
  });
}

Initializer random_uniform(double minval, double maxval, Seed seed) {
  return Random({"uniform", minval, maxval}, seed);
}

Initializer random_normal(double mean, double stddev, Seed seed) {
  return Random({"untruncated_normal", mean, stddev}, seed);
}

Initializer truncated_normal(double mean, double stddev, Seed seed) {
  return Random({"truncated_normal", mean, stddev}, seed);
}

Initializer variance_scaling(double scale, std::string_view mode,
                             std::string_view distribution, Seed seed) {
  return Guarded([&] {
    ThrowIfError(CheckVarianceScaling(scale, mode, distribution));
    return Initializer(
        [scale, mode = std::string(mode),
         distribution = std::string(distribution),
         chosen = Chosen(seed)](const Shape& shape, DataType dtype) {
          return Guarded([&] {
            return Draw(ValueOrThrow(ScaledVariance(scale, mode, distribution,
                                                    shape.dims())),
                        shape, dtype, chosen);
          });
        });
  });
}

Initializer glorot_uniform(Seed seed) { return Scaled(kGlorotUniform, seed); }
Initializer glorot_normal(Seed seed) { return Scaled(kGlorotNormal, seed); }
Initializer he_uniform(Seed seed) { return Scaled(kHeUniform, seed); }
Initializer he_normal(Seed seed) { return Scaled(kHeNormal, seed); }
Initializer lecun_uniform(Seed seed) { return Scaled(kLecunUniform, seed); }
Initializer lecun_normal(Seed seed) { return Scaled(kLecunNormal, seed); }

}  // namespace gk::api::initializers
