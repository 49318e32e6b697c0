// ExponentialMovingAverage: averages of variables, in which what is older
// weighs less.
//
//   gk::ExponentialMovingAverage ema(0.999);
//   ema.apply({w, b});            // after each step of training
//   w.assign(ema.average(w)->value());
#ifndef GRAPHKILN_MOVING_AVERAGE_H_
#define GRAPHKILN_MOVING_AVERAGE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <graphkiln/tensor.h>
#include <graphkiln/variable.h>

namespace gk {
GK_API_NAMESPACE {

// How averages move, and what they are called.
struct MovingAverageOptions {
  // How often the variables have changed. Where it is given the decay is at
  // most (1 + num_updates) / (10 + num_updates), so that averages move faster
  // in the beginning.
  std::optional<Tensor> num_updates;
  // The last part of the averages' names.
  std::string name = "ExponentialMovingAverage";
};

// Copies share the averages.
class GK_EXPORT ExponentialMovingAverage {
 public:
  // `decay` is a scalar from 0 to 1; the nearer to 1, the slower.
  explicit ExponentialMovingAverage(const Tensor& decay,
                                    const MovingAverageOptions& options = {});

  // Moves the averages: average -= (1 - decay) * (average - variable). They
  // begin as the variables are when they are first seen. Throws Error, and
  // moves none, unless all hold floating point numbers.
  void apply(const std::vector<Variable>& variables) const;
  // Nothing if `apply` has not seen the variable.
  std::optional<Variable> average(const Variable& variable) const;
  // The name of its average, which need not be there yet.
  std::string average_name(const Variable& variable) const;
  // The last part of the averages' names.
  const std::string& name() const;

 private:
  struct Rep;
  std::shared_ptr<Rep> rep_;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_MOVING_AVERAGE_H_
