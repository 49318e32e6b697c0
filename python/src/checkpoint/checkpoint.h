// Checkpoints: their tensors, and Python's objects as they are in them.
#ifndef GK_PYTHON_CHECKPOINT_H_
#define GK_PYTHON_CHECKPOINT_H_

#include <nanobind/nanobind.h>

#include "checkpoint/sharding.h"

namespace gk::py {

// A Python object as the core sees it, held weakly where that can be, by the
// answers of a protocol object; and the object, None once it is gone.
TrackablePtr DescribedObject(nanobind::object object,
                             nanobind::object protocol);
nanobind::object ObjectOfTrackable(const Trackable& described);

// None, the most bytes of a data file, or a function of [(key, tensor, owner)]
// that gives shards, [[(key, slice spec, tensor)]], with its description.
ShardingPolicy ShardingPolicyOf(nanobind::object policy);

void AddCheckpointReader(nanobind::module_& m);
void AddKeptCheckpoints(nanobind::module_& m);
void AddObjectGraphs(nanobind::module_& m);
void AddSharding(nanobind::module_& m);
void AddTrackedAttributes(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_CHECKPOINT_H_
