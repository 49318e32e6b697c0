// Datasets as Python has them: variant tensors that know the spec of their
// elements and keep what they were made of.
//
// All throw Python's error.
#ifndef GK_PYTHON_MADE_DATASET_H_
#define GK_PYTHON_MADE_DATASET_H_

#include <nanobind/nanobind.h>

#include <string>

#include "function/dataset_builder.h"

namespace gk::py {

// tf.data.Dataset.
nanobind::handle DatasetClass();
bool IsDataset(nanobind::handle value);  // (dataset_class.cc)
// As the core takes one.
TypedDataset DatasetOf(nanobind::handle dataset);

// A dataset of the class that TensorFlow calls `kind`. It keeps what it was
// made of.
nanobind::object MakeDataset(const std::string& kind, nanobind::handle variant,
                             nanobind::handle spec,
                             nanobind::object parts = nanobind::tuple());

}  // namespace gk::py

#endif  // GK_PYTHON_MADE_DATASET_H_
