#include "graphkiln/moving_average.h"

#include <map>
#include <mutex>
#include <utility>

#include "api/inner.h"
#include "graphkiln/graph.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Sub.h"

namespace gk::api {

struct ExponentialMovingAverage::Rep {
  Tensor decay;
  MovingAverageOptions options;
  std::mutex mutex;
  // By what all copies of a variable share; the variables are kept.
  std::map<const Variable::Facts*, std::pair<Variable, Variable>> averages;

  std::optional<Variable> Find(const Variable& v) {
    const std::lock_guard lock(mutex);
    const auto it = averages.find(&v.facts());
    if (it == averages.end()) return std::nullopt;
    return it->second.second;
  }
  std::string NameOf(const Variable& v) const {
    return v.name() + "/" + options.name;
  }
  Variable FindOrMake(const Variable& v) {
    if (const auto known = Find(v)) return *known;
    const init_scope outside;
    VariableOptions how;
    how.name = NameOf(v);
    how.trainable = false;
    const Variable made(v.value(), how);
    const std::lock_guard lock(mutex);
    return averages.try_emplace(&v.facts(), v, made).first->second.second;
  }
};

namespace {

Status CheckReal(const Variable& v) {
  if (v.dtype() == DataType::kHalf || v.dtype() == DataType::kBfloat16 ||
      v.dtype() == DataType::kFloat || v.dtype() == DataType::kDouble) {
    return OkStatus();
  }
  return TypeError("The variables must be half, float, or double: {}",
                   v.name());
}

InnerTensor Constant(float value) { return InnerTensor::Scalar(value); }

}  // namespace

ExponentialMovingAverage::ExponentialMovingAverage(
    const Tensor& decay, const MovingAverageOptions& options)
    : rep_(std::make_shared<Rep>()) {
  rep_->decay = decay;
  rep_->options = options;
}

void ExponentialMovingAverage::apply(
    const std::vector<Variable>& variables) const {
  using namespace ::gk::ops;
  Guarded([&] {
    for (const Variable& v : variables) ThrowIfError(CheckReal(v));
    InnerTensor decay = Inner(rep_->decay);
    if (rep_->options.num_updates) {
      const InnerTensor n =
          Cast(Inner(*rep_->options.num_updates), InnerType::kFloat);
      decay = Minimum(decay,
                      RealDiv(AddV2(Constant(1), n), AddV2(Constant(10), n)));
    }
    const InnerTensor rate = Sub(Cast(Constant(1), decay.dtype()), decay);
    for (const Variable& v : variables) {
      const Variable average = rep_->FindOrMake(v);
      const Tensor own = Outer(Cast(rate, Inner(v.dtype())));
      average.assign_sub((average.value() - v.value()) * own);
    }
  });
}

std::optional<Variable> ExponentialMovingAverage::average(
    const Variable& variable) const {
  return rep_->Find(variable);
}
std::string ExponentialMovingAverage::average_name(
    const Variable& variable) const {
  const std::optional<Variable> known = rep_->Find(variable);
  return known ? known->name() : rep_->NameOf(variable);
}
const std::string& ExponentialMovingAverage::name() const {
  return rep_->options.name;
}

}  // namespace gk::api
