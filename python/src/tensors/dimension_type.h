// Dimension: one dimension as an object, as `TensorShape.dims` holds them.
#ifndef GK_PYTHON_DIMENSION_TYPE_H_
#define GK_PYTHON_DIMENSION_TYPE_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddDimension(nanobind::module_& m);
bool IsDimension(PyObject* o);

}  // namespace gk::py

#endif  // GK_PYTHON_DIMENSION_TYPE_H_
