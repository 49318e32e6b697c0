// Checkpoints: their tensors, and Python's objects as they are in them.
#ifndef GK_PYTHON_CHECKPOINT_H_
#define GK_PYTHON_CHECKPOINT_H_

#include <nanobind/nanobind.h>

#include "checkpoint/trackable.h"

namespace gk::py {

// A Python object as the core sees it, held weakly where that can be, by the
// answers of a protocol object; and the object, None once it is gone.
TrackablePtr DescribedObject(nanobind::object object,
                             nanobind::object protocol);
nanobind::object ObjectOfTrackable(const Trackable& described);

void AddCheckpointReader(nanobind::module_& m);
void AddKeptCheckpoints(nanobind::module_& m);
void AddObjectGraphs(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_CHECKPOINT_H_
