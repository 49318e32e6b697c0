// Datasets as Python gives them to the core.
#ifndef GK_PYTHON_DATASET_H_
#define GK_PYTHON_DATASET_H_

#include <nanobind/nanobind.h>

#include "function/dataset_builder.h"

namespace gk::py {

// Of (variant, types, shapes).
TypedDataset DatasetOf(nanobind::handle dataset);

ElementSignature Elements(nanobind::handle types, nanobind::handle shapes);

}  // namespace gk::py

#endif  // GK_PYTHON_DATASET_H_
