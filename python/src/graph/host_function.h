// Python functions that nodes of graphs call (function/host_call.h).
#ifndef GK_PYTHON_HOST_FUNCTION_H_
#define GK_PYTHON_HOST_FUNCTION_H_

#include <nanobind/nanobind.h>

#include <functional>

#include "function/host_call.h"

namespace gk::py {

// What a call does with the Python object that it was made for, under the GIL.
using PythonCall = std::function<TensorVector(
    nanobind::handle function, const std::string& token,
    const TensorVector& values, const std::vector<DataType>& types)>;

// A node of the graph being built that does `call`, which holds no Python
// object itself; the graph keeps `function`.
TensorVector AddPythonCall(nanobind::handle function, PythonCall call,
                           std::span<const Tensor> inputs,
                           const std::vector<DataType>& types,
                           HostCallKind kind, std::string_view name);

// The results of a list of arguments, which becomes a node if a graph is
// built, where it is the operation if there are none; a list if several
// `types`, dtypes or specs, are wanted. `kind` as HostCallKind.
nanobind::object CallOnHost(nanobind::object function, nanobind::handle given,
                            nanobind::handle types, int kind,
                            nanobind::handle name);

// call_on_host, and _stop_background_work for the end of the program.
void AddHostFunctions(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_HOST_FUNCTION_H_
