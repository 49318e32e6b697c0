// Values by their trace types: taken apart into the tensors that a trace
// takes, put together again, and cast to the types of an input signature.
#ifndef GK_PYTHON_TYPED_VALUES_H_
#define GK_PYTHON_TYPED_VALUES_H_

#include <span>
#include <vector>

#include "base/function_ref.h"
#include "framework/tensor.h"
#include "function/trace_type.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// What a call that does not fit raises inside of the binding: its text is the
// reason alone. A Python exception class.
extern PyObject* BindingErrorType;

// All of these return false or null with an exception set.

// Calls visit(type, value) for each part of a value of a container type, in the
// order of flattening, until that returns false.
bool ForEachPart(const TraceType& type, PyObject* value,
                 FunctionRef<bool(const TraceType&, PyObject*)> visit);

// Appends what an iterable gives.
bool AppendItems(PyObject* iterable, std::vector<PyRef>* items);

// Appends what the tensors and variables of `type` get from `value`; each
// variable once, by the aliases in `seen`.
bool FlattenInputs(const TraceType& type, PyObject* value,
                   std::vector<int>* seen, std::vector<PyRef>* inputs);

// A container of a type; `parts` in the order of flattening. New reference.
PyObject* Assemble(const TraceType& type, std::span<const PyRef> parts);

// `value` as one of a type. BindingError if it is none. New reference.
PyObject* CastValue(const TraceType& type, PyObject* value);

// Arguments as the inputs of a trace: variables by their handles.
bool ToInputs(const std::vector<PyRef>& values, TensorVector* inputs);
// The same, null where something only stands for a tensor.
bool ToKnownInputs(const std::vector<PyRef>& values, TensorVector* inputs);

}  // namespace gk::py

#endif  // GK_PYTHON_TYPED_VALUES_H_
