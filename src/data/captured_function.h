// CapturedFunction: a function that a dataset calls with its elements, and
// the values that it captured. A value; constant; thread-safe.
#ifndef GK_DATA_CAPTURED_FUNCTION_H_
#define GK_DATA_CAPTURED_FUNCTION_H_

#include <string>

#include "data/dataset.h"
#include "framework/attr_value.h"

namespace gk {

class CapturedFunction {
 public:
  CapturedFunction() = default;
  // `user`: the op whose function it is ("MapDataset"), for messages; those of
  // a function that makes elements of nothing name no transformation.
  CapturedFunction(FunctionAttr function, TensorVector captured,
                   std::string_view user, bool transforms = true)
      : function_(std::move(function)),
        captured_(std::move(captured)),
        user_(user),
        transforms_(transforms) {}

  // NotFound if the function is not defined, InvalidArgument if it does not
  // take `arguments` besides what it captured.
  Status Check(size_t num_arguments) const;
  // The function as the iterators of a pass call it.
  CapturedFunction In(const ContextRef& context) const {
    CapturedFunction f = *this;
    f.function_.definition = context->Own(function_.definition);
    return f;
  }
  // Appends the captured values to `arguments`. Errors name the
  // transformation.
  Status Run(TensorVector arguments, const CancellationToken* cancellation,
             TensorVector* results) const {
    return RunOn(&arguments, cancellation, results);
  }
  // The same; `arguments` are afterwards what they were. `results`: empty.
  Status RunOn(TensorVector* arguments, const CancellationToken* cancellation,
               TensorVector* results) const;

  const GraphFunction& definition() const { return *function_.definition; }

 private:
  FunctionAttr function_;
  TensorVector captured_;
  std::string user_;
  bool transforms_ = true;
};

}  // namespace gk

#endif  // GK_DATA_CAPTURED_FUNCTION_H_
