// ToldFunction: what is traced in the place of a Python function and says
// itself how it is called: there is no code of Python's to look at.
#ifndef GK_PYTHON_TOLD_FUNCTION_H_
#define GK_PYTHON_TOLD_FUNCTION_H_

#include <nanobind/nanobind.h>

#include <vector>

#include "python/src/function/function_signature.h"

namespace gk::py {

// Base of classes that Python calls: theirs have `__call__` and `__name__`.
class ToldFunction {
 public:
  virtual ~ToldFunction() = default;
  // Throws what Python raises.
  virtual std::vector<FunctionSignature::Parameter> Parameters() const = 0;
};

// Borrowed; null if `function` is none.
const ToldFunction* ToldFunctionIn(nanobind::handle function);

void AddToldFunction(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_TOLD_FUNCTION_H_
