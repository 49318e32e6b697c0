// The builders of If, Case and While nodes as Python uses them: it traces the
// parts into FuncGraphs.
#ifndef GK_PYTHON_CONTROL_FLOW_H_
#define GK_PYTHON_CONTROL_FLOW_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddControlFlow(nanobind::module_& m);
// Folds, scans and maps over rows.
void AddRowLoops(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_CONTROL_FLOW_H_
