// Event files and what tf.summary takes from the core.
#ifndef GK_PYTHON_SUMMARY_H_
#define GK_PYTHON_SUMMARY_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddSummaries(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_SUMMARY_H_
