// tf.DeviceSpec, and tf.config's devices.
#ifndef GK_PYTHON_DEVICE_TYPES_H_
#define GK_PYTHON_DEVICE_TYPES_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddDeviceTypes(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_DEVICE_TYPES_H_
