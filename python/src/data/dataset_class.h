// The part of tf.data.Dataset that is the extension's: what every dataset
// knows, and datasets of given values.
#ifndef GK_PYTHON_DATASET_CLASS_H_
#define GK_PYTHON_DATASET_CLASS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddDatasetClass(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_DATASET_CLASS_H_
