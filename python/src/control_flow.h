// _make_if, _make_case, _make_while: control flow over parts that Python
// traced into FuncGraphs.
#ifndef GK_PYTHON_CONTROL_FLOW_H_
#define GK_PYTHON_CONTROL_FLOW_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddControlFlow(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_CONTROL_FLOW_H_
