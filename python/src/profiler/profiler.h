// What tf.profiler takes from the core.
#ifndef GK_PYTHON_PROFILER_H_
#define GK_PYTHON_PROFILER_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddProfiler(nanobind::module_& m);
void AddProfilerService(nanobind::module_& m);  // (profiler_service.cc)

}  // namespace gk::py

#endif  // GK_PYTHON_PROFILER_H_
