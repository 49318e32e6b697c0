// The members of tf.data.Dataset that make datasets of it, and what stands
// beside them.
#ifndef GK_PYTHON_DATASET_METHODS_H_
#define GK_PYTHON_DATASET_METHODS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

PyMethodDef* SelectionMethods();
PyMethodDef* FunctionalMethods();
PyMethodDef* BatchingMethods();
PyMethodDef* WindowMethods();
PyMethodDef* ChoiceMethods();

// The class that they stand in, a base of tf.data.Dataset.
void AddDatasetMethods(nanobind::module_& m);
// The dataset that Dataset.from_generator stands on.
void AddGeneratedDataset(nanobind::module_& m);
// tf.data.experimental.
void AddDatasetExperimental(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_DATASET_METHODS_H_
