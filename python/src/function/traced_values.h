// Arguments and results of traced Python functions: values around the
// placeholders of a trace, and what a function returned taken apart.
#ifndef GK_PYTHON_TRACED_VALUES_H_
#define GK_PYTHON_TRACED_VALUES_H_

#include <string>

#include "framework/attr_value.h"
#include "function/trace_type.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// A value of `type`; owner._add_argument gives its tensors. New reference.
PyObject* ValueOfType(PyObject* owner, const TraceTypeRef& type,
                      const std::string& name);

// Of a ConcreteFunction, or of the FuncGraph that it was traced into: what it
// returns, (args, kwargs) with specs for tensors, the variables captured in the
// order of first use, those of them that tapes watch.
PyObject* TracedOutputs(PyObject* traced, void*);
// The attributes of a trace that a file says the results or arguments of, as it
// says them.
inline constexpr char kSavedOutputs[] = "_saved_outputs";
inline constexpr char kSavedInputs[] = "_saved_inputs";
PyObject* TracedInputs(PyObject* traced, void*);
PyObject* TracedVariables(PyObject* traced, void*);
PyObject* TracedTrainableVariables(PyObject* traced, void*);

// The attributes of a function in graphs: those of a dict.
StatusOr<AttrMap> FunctionAttributes(PyObject* attributes);

bool AddTracedValues(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_TRACED_VALUES_H_
