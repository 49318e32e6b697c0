// Saved models: reading and writing them, with Python's objects.
#ifndef GK_PYTHON_SAVED_MODEL_H_
#define GK_PYTHON_SAVED_MODEL_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddLoadedModel(nanobind::module_& m);
void AddRestoredFunction(nanobind::module_& m);
void AddExportedModel(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_SAVED_MODEL_H_
