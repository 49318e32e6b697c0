// What initializers draw weights from, as Keras defines it.
#ifndef GK_OPS_RANDOM_VARIANCE_SCALING_H_
#define GK_OPS_RANDOM_VARIANCE_SCALING_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "framework/tensor.h"

namespace gk {

// "uniform" in [first, second), or "untruncated_normal" or "truncated_normal"
// of mean `first` and deviation `second`.
struct WeightDistribution {
  std::string_view kind;
  double first = 0, second = 0;

  // The public function that draws it: "random.stateless_normal" of
  // "random.stateless_".
  std::string Function(std::string_view before) const;
};

// Initializers that say themselves what ScaledVariance asks for.
struct NamedScaling {
  double scale;
  const char* mode;
  const char* distribution;
};
inline constexpr NamedScaling kGlorotUniform = {1, "fan_avg", "uniform"},
                              kGlorotNormal = {1, "fan_avg",
                                               "truncated_normal"},
                              kHeUniform = {2, "fan_in", "uniform"},
                              kHeNormal = {2, "fan_in", "truncated_normal"},
                              kLecunUniform = {1, "fan_in", "uniform"},
                              kLecunNormal = {1, "fan_in", "truncated_normal"};

// ValueError for a scale, mode or distribution that there is not.
Status CheckVarianceScaling(double scale, std::string_view mode,
                            std::string_view distribution);
// Weights of shape [..., inputs, outputs] whose variance is `scale` divided by
// what `mode` says: "fan_in", "fan_out" or "fan_avg".
StatusOr<WeightDistribution> ScaledVariance(double scale, std::string_view mode,
                                            std::string_view distribution,
                                            std::span<const int64_t> shape);

// The seed of the stateless ops of an initializer that was given this one: of
// so many.
inline constexpr int64_t kInitializerSeeds = 0x7ffffffe;
int64_t InitializerSeed(int64_t seed);

// A limit of the uniform numbers of an initializer: as Keras has it, float32
// first. Made with the current builder.
Tensor InitializerLimit(double limit, DataType dtype);

}  // namespace gk

#endif  // GK_OPS_RANDOM_VARIANCE_SCALING_H_
