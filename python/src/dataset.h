// Datasets whose elements the core chooses by chance.
#ifndef GK_PYTHON_DATASET_H_
#define GK_PYTHON_DATASET_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddDatasets(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_DATASET_H_
