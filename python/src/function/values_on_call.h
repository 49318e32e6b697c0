// ValuesOnCall: captured tensors that are asked for at each call of a
// function, together.
#ifndef GK_PYTHON_VALUES_ON_CALL_H_
#define GK_PYTHON_VALUES_ON_CALL_H_

#include <functional>
#include <map>
#include <memory>
#include <thread>

#include "framework/tensor.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/gil.h"

namespace gk::py {

class ValuesOnCall {
 public:
  virtual ~ValuesOnCall() = default;

  // Value `index`; they are asked for in their order, with or without the GIL.
  StatusOr<Tensor> Get(size_t index) {
    const ScopedGil gil;
    const std::thread::id here = std::this_thread::get_id();
    if (index == 0 || values_.count(here) == 0) {
      TensorVector values;
      if (!Evaluate(&values)) return PythonError();
      values_[here] = std::move(values);
    }
    const TensorVector& values = values_[here];
    const Tensor value = values[index];
    if (index + 1 == values.size()) values_.erase(here);
    return value;
  }

  // All of them, with the GIL. False with an exception set.
  virtual bool Evaluate(TensorVector* values) = 0;

 private:
  std::map<std::thread::id, TensorVector> values_;
};

// What gives value `index`: as FunctionCapture has it.
inline std::function<StatusOr<Tensor>()> ValueOf(
    std::shared_ptr<ValuesOnCall> values, size_t index) {
  return [values = std::move(values), index] { return values->Get(index); };
}

}  // namespace gk::py

#endif  // GK_PYTHON_VALUES_ON_CALL_H_
