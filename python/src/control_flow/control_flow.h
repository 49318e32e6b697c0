// Branches and loops of Python: functions, statements, loops over rows. It
// traces the parts into FuncGraphs.
#ifndef GK_PYTHON_CONTROL_FLOW_H_
#define GK_PYTHON_CONTROL_FLOW_H_

#include <nanobind/nanobind.h>

#include <string>

#include "function/loop_builder.h"

namespace gk::py {

// `limit`: of the iterations, or None.
LoopOptions LoopOptionsOf(nanobind::handle limit, int64_t parallel_iterations,
                          std::string name);

// tf.cond. (control_flow_functions.cc)
nanobind::object CondOf(nanobind::handle pred, nanobind::handle true_fn,
                        nanobind::handle false_fn,
                        nanobind::handle name = Py_None);

// What statements that AutoGraph has converted become.
void AddControlFlow(nanobind::module_& m);
// tf.cond, tf.case, tf.switch_case, tf.while_loop.
void AddControlFlowFunctions(nanobind::module_& m);
// Folds and scans over rows.
void AddRowLoops(nanobind::module_& m);
// tf.map_fn, tf.vectorized_map.
void AddMapFunctions(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_CONTROL_FLOW_H_
