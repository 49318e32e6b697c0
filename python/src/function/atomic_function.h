// ConcreteFunction.inference_fn: the function of flat tensors that a trace
// became, its captures among its arguments.
#ifndef GK_PYTHON_ATOMIC_FUNCTION_H_
#define GK_PYTHON_ATOMIC_FUNCTION_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// New reference.
PyObject* NewAtomicFunction(PyObject* concrete);

void AddAtomicFunction(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_ATOMIC_FUNCTION_H_
