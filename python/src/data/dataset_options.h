// tf.data.Options: classes of what the core's table has.
#ifndef GK_PYTHON_DATASET_OPTIONS_H_
#define GK_PYTHON_DATASET_OPTIONS_H_

#include <nanobind/nanobind.h>

#include "data/dataset_options.h"

namespace gk::py {

// What tf.data.Options say; TypeError if it is something else.
DatasetOptions CoreOptions(nanobind::handle options);
// tf.data.Options of which nothing can be set.
nanobind::object FrozenOptions(const DatasetOptions& said);

void AddDatasetOptions(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_DATASET_OPTIONS_H_
