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
PyMethodDef* SavingMethods();
// Static ones, of what is in files.
PyMethodDef* FileSources();
PyMethodDef* SavedSources();

// The class that they stand in, a base of tf.data.Dataset.
void AddDatasetMethods(nanobind::module_& m);
// The dataset that Dataset.from_generator stands on.
void AddGeneratedDataset(nanobind::module_& m);
// tf.data.experimental.
void AddDatasetExperimental(nanobind::module_& m);
// What the classes of datasets of files stand on, and functions that write
// files.
void AddDatasetFiles(nanobind::module_& m);
void AddCsvFunctions(nanobind::module_& m);
void AddSavingFunctions(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_DATASET_METHODS_H_
