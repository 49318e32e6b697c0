// The options of tf.function.
#ifndef GK_PYTHON_FUNCTION_OPTIONS_H_
#define GK_PYTHON_FUNCTION_OPTIONS_H_

#include <nanobind/nanobind.h>

#include <string>

#include "function/polymorphic_function.h"

namespace gk::py {

// Of a function `name` that was given these. Throws what Python raises.
PolymorphicFunctionOptions OptionsOf(std::string name,
                                     const nanobind::dict& options);

// What tf.function was given, checked, and each under one name.
nanobind::dict CheckedOptions(const nanobind::dict& given);

void AddFunctionOptions(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_FUNCTION_OPTIONS_H_
