// The specs of values: tensors, what has a spec of its own, variables, classes
// that a converter is registered for, and what becomes a tensor.
#ifndef GK_PYTHON_SPEC_OF_VALUE_H_
#define GK_PYTHON_SPEC_OF_VALUE_H_

#include <nanobind/nanobind.h>

#include "function/trace_type.h"

namespace gk::py {

// TypeError for what can be no tensor.
nanobind::object SpecOfValue(nanobind::handle value);

bool IsVariableSpec(nanobind::handle o);
// That of a trace type of a variable.
nanobind::object VariableSpecOf(const TraceType& type);

// type_spec_from_value and the registration of converters; VariableSpec.
void AddSpecsOfValues(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_SPEC_OF_VALUE_H_
