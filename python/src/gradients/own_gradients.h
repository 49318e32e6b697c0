// Functions whose gradient is another one, and gradients by name.
#ifndef GK_PYTHON_OWN_GRADIENTS_H_
#define GK_PYTHON_OWN_GRADIENTS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddOwnGradients(nanobind::module_& m);
void AddGradientRegistry(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_OWN_GRADIENTS_H_
