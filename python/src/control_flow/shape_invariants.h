// Shape invariants of loops as Python gives them: of tensors and TensorArrays
// shapes or specs, of composite tensors those of the whole.
#ifndef GK_PYTHON_SHAPE_INVARIANTS_H_
#define GK_PYTHON_SHAPE_INVARIANTS_H_

#include <nanobind/nanobind.h>

#include <vector>

#include "framework/tensor_shape.h"
#include "function/staged_value.h"

namespace gk::py {

// Those of the tensors of loop variables, of which `given` has one for each
// leaf. TypeError if a leaf does not fit.
std::vector<PartialTensorShape> InvariantShapes(
    const std::vector<nanobind::object>& leaves, nanobind::handle given);
// The value with which a loop begins that has invariants: parts do not know
// the shape of a whole that is only a value of the first iteration.
StagedValue OfAnyShape(StagedValue value);

}  // namespace gk::py

#endif  // GK_PYTHON_SHAPE_INVARIANTS_H_
