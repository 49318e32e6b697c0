// Initializers: what makes the first values of variables.
//
//   gk::Variable w(gk::initializers::glorot_uniform(/*seed=*/1)({3, 4}));
//
// Equal seeds give equal numbers in Python's tf.initializers. Each call of one
// initializer gives the same numbers for a shape.
#ifndef GRAPHKILN_INITIALIZERS_H_
#define GRAPHKILN_INITIALIZERS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <graphkiln/tensor.h>

namespace gk {
GK_API_NAMESPACE {
namespace initializers {

// Makes a tensor of a shape and an element type.
class Initializer {
 public:
  // Makes the tensor.
  using Make = std::function<Tensor(const Shape& shape, DataType dtype)>;
  explicit Initializer(Make make) : make_(std::move(make)) {}
  // A tensor of this shape.
  Tensor operator()(const Shape& shape,
                    DataType dtype = DataType::kFloat) const {
    return make_(shape, dtype);
  }

 private:
  Make make_;
};

// Without one the numbers are others for each initializer.
using Seed = std::optional<int64_t>;

// Zeros; ones.
GK_EXPORT Initializer zeros();
GK_EXPORT Initializer ones();
// A scalar fills the shape; others are reshaped to it.
GK_EXPORT Initializer constant(const Tensor& value);

// Uniform numbers in [minval, maxval).
GK_EXPORT Initializer random_uniform(double minval = -0.05,
                                     double maxval = 0.05, Seed seed = {});
GK_EXPORT Initializer random_normal(double mean = 0, double stddev = 0.05,
                                    Seed seed = {});
// Within two deviations.
GK_EXPORT Initializer truncated_normal(double mean = 0, double stddev = 0.05,
                                       Seed seed = {});

// Numbers of variance `scale` divided by the number of inputs of weights
// [..., inputs, outputs] ("fan_in"), of outputs ("fan_out") or their mean
// ("fan_avg"), which are drawn from "truncated_normal", "untruncated_normal"
// or "uniform". Throws Error for another mode or distribution, and for a scale
// that is not positive.
GK_EXPORT Initializer
variance_scaling(double scale = 1, std::string_view mode = "fan_in",
                 std::string_view distribution = "truncated_normal",
                 Seed seed = {});
// Of scale 1 and "fan_avg".
GK_EXPORT Initializer glorot_uniform(Seed seed = {});
GK_EXPORT Initializer glorot_normal(Seed seed = {});
// Of scale 2 and "fan_in".
GK_EXPORT Initializer he_uniform(Seed seed = {});
GK_EXPORT Initializer he_normal(Seed seed = {});
// Of scale 1 and "fan_in".
GK_EXPORT Initializer lecun_uniform(Seed seed = {});
GK_EXPORT Initializer lecun_normal(Seed seed = {});

}  // namespace initializers
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_INITIALIZERS_H_
