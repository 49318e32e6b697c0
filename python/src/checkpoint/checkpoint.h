// Checkpoints: their tensors, and Python's objects as they are in them.
#ifndef GK_PYTHON_CHECKPOINT_H_
#define GK_PYTHON_CHECKPOINT_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddCheckpointReader(nanobind::module_& m);
void AddObjectGraphs(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_CHECKPOINT_H_
