// Functions of loaded models as Python calls them.
#ifndef GK_PYTHON_RESTORED_FUNCTION_H_
#define GK_PYTHON_RESTORED_FUNCTION_H_

#include <nanobind/nanobind.h>

#include <memory>

#include "saved_model/loaded_model.h"

namespace gk::py {

// The Function of an object of the file, with the traces that were saved; of a
// single trace its ConcreteFunction. Throws DataLoss of what is damaged, and
// what Python raises.
nanobind::object RestoredFunctionOf(const std::shared_ptr<LoadedModel>& model,
                                    int object);

}  // namespace gk::py

#endif  // GK_PYTHON_RESTORED_FUNCTION_H_
