// Python values that traces froze: what a function reads, and what of it is
// another value now. `_src/function/read_walker.py` finds and reads them.
#ifndef GK_PYTHON_BAKED_VALUES_H_
#define GK_PYTHON_BAKED_VALUES_H_

#include <nanobind/nanobind.h>

#include "function/baked_values.h"
#include "function/function_type.h"
#include "python/src/function/python_function.h"

namespace gk::py {

class PythonBakedValues final : public BakedValues {
 public:
  StatusOr<std::vector<BakedChange>> ChangesOf(const Trace& trace) override;
  Status Warn(const std::string& text) override;
};

// Those that tracing `function` for parameters of `type` now would freeze.
// Throws what Python raises.
nanobind::object ValuesReadBy(const PythonFunction& function,
                              const FunctionType& type);

}  // namespace gk::py

#endif  // GK_PYTHON_BAKED_VALUES_H_
