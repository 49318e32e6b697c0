#include "framework/variable_group.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/interrupt.h"

namespace gk {
namespace {

// The values of variables while nobody else has them; back at the end.
class Taken {
 public:
  // In one order for all threads, so that none waits for another in a circle.
  explicit Taken(std::span<VariableResource* const> variables)
      : variables_(variables.begin(), variables.end()) {
    std::ranges::sort(variables_, std::less<>());
    const auto twice = std::ranges::unique(variables_);
    variables_.erase(twice.begin(), twice.end());
    values_.reserve(variables_.size());
    for (VariableResource* variable : variables_) {
      values_.push_back(variable->Take());
    }
  }
  ~Taken() {
    for (size_t i = 0; i < values_.size(); ++i) {
      variables_[i]->Put(std::move(values_[i]));
    }
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

  Tensor& Of(VariableResource* variable) {
    const auto at =
        std::ranges::lower_bound(variables_, variable, std::less<>());
    return values_[at - variables_.begin()];
  }
  // Their own memory, for all.
  Status MakeExclusive() {
    for (size_t i = 0; i < values_.size(); ++i) {
      if (!values_[i]) return variables_[i]->Uninitialized();
      if (values_[i].IsExclusive()) continue;
      GK_ASSIGN_OR_RETURN(values_[i], values_[i].Copy());
    }
    return OkStatus();
  }

 private:
  std::vector<VariableResource*> variables_;
  std::vector<Tensor> values_;
};

}  // namespace

Status UpdateTogether(std::span<VariableResource* const> variables,
                      FunctionRef<Status(std::span<Tensor> values)> update) {
  const WholeWork whole;
  const NoInterrupts to_the_end;
  Taken taken(variables);
  GK_RETURN_IF_ERROR(taken.MakeExclusive());
  std::vector<Tensor> values;
  for (VariableResource* variable : variables) {
    values.push_back(taken.Of(variable));
  }
  return update(values);
}

}  // namespace gk
