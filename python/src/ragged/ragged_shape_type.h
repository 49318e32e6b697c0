// tf.experimental.DynamicRaggedShape <-> the core's value.
#ifndef GK_PYTHON_RAGGED_SHAPE_TYPE_H_
#define GK_PYTHON_RAGGED_SHAPE_TYPE_H_

#include <nanobind/nanobind.h>

#include "function/ragged/ragged_shape.h"

namespace gk::py {

bool IsRaggedShape(nanobind::handle value);
RaggedShape AsRaggedShape(nanobind::handle value);
nanobind::object Wrapped(const RaggedShape& shape);

}  // namespace gk::py

#endif  // GK_PYTHON_RAGGED_SHAPE_TYPE_H_
