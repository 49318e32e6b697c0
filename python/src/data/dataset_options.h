// tf.data.Options: what a dataset is told about how it should be run.
#ifndef GK_PYTHON_DATASET_OPTIONS_H_
#define GK_PYTHON_DATASET_OPTIONS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// New ones of the class; what `others`, tf.data.Options or TypeError, say goes
// before what `options` do.
nanobind::object NewOptions();
nanobind::object CopyOfOptions(nanobind::handle options);
nanobind::object MergedOptions(nanobind::handle options,
                               nanobind::handle others);
void CheckOptions(nanobind::handle options);
// From now on nothing can be set.
void FreezeOptions(nanobind::handle options);

void AddDatasetOptions(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_DATASET_OPTIONS_H_
