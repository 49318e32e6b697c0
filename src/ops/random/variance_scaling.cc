#include "ops/random/variance_scaling.h"

#include <algorithm>
#include <cmath>

#include "framework/op_builder.h"
#include "ops/element_moves.h"

namespace gk {

std::string WeightDistribution::Function(std::string_view before) const {
  std::string name(before);
  return name += kind == "untruncated_normal" ? "normal" : kind;
}

Status CheckVarianceScaling(double scale, std::string_view mode,
                            std::string_view distribution) {
  if (!(scale > 0)) {
    return ValueError("`scale` must be a positive number, got {}", scale);
  }
  if (mode != "fan_in" && mode != "fan_out" && mode != "fan_avg") {
    return ValueError("Invalid `mode` argument: {}", mode);
  }
  if (distribution != "normal" && distribution != "truncated_normal" &&
      distribution != "untruncated_normal" && distribution != "uniform") {
    return ValueError("Invalid `distribution` argument: {}", distribution);
  }
  return OkStatus();
}

StatusOr<WeightDistribution> ScaledVariance(double scale, std::string_view mode,
                                            std::string_view distribution,
                                            std::span<const int64_t> shape) {
  GK_RETURN_IF_ERROR(CheckVarianceScaling(scale, mode, distribution));
  double inputs = 1, outputs = 1;
  if (shape.size() == 1) {
    inputs = outputs = static_cast<double>(shape[0]);
  } else if (shape.size() > 1) {
    double field = 1;
    for (int64_t d : shape.first(shape.size() - 2)) {
      field *= static_cast<double>(d);
    }
    inputs = static_cast<double>(shape[shape.size() - 2]) * field;
    outputs = static_cast<double>(shape.back()) * field;
  }
  const double fan = mode == "fan_in"    ? inputs
                     : mode == "fan_out" ? outputs
                                         : (inputs + outputs) / 2;
  const double variance = scale / std::max(1.0, fan);
  if (distribution == "uniform") {
    const double limit = std::sqrt(3.0 * variance);
    return WeightDistribution{"uniform", -limit, limit};
  }
  if (distribution == "untruncated_normal") {
    return WeightDistribution{"untruncated_normal", 0, std::sqrt(variance)};
  }
  // The deviation of a normal distribution cut at two deviations.
  return WeightDistribution{"truncated_normal", 0,
                            std::sqrt(variance) / 0.87962566103423978};
}

int64_t InitializerSeed(int64_t seed) {
  return (seed % kInitializerSeeds + kInitializerSeeds) % kInitializerSeeds;
}

Tensor InitializerLimit(double limit, DataType dtype) {
  const Tensor number = Tensor::Scalar(static_cast<float>(limit));
  return CastTo(ValueOrThrow(OpBuilder::Current()->Constant(number, {})),
                dtype);
}

}  // namespace gk
