// Ragged and sparse tensors as arguments and results of composites.
#ifndef GK_PYTHON_ROWS_VALUE_H_
#define GK_PYTHON_ROWS_VALUE_H_

#include <optional>

#include "ops/composition.h"
#include "python/src/binding/errors.h"

namespace gk::py {

// The parts of a ragged or sparse tensor; nothing of anything else.
StatusOr<std::optional<RowsValue>> RowsOf(PyObject* value);
// A tf.SparseTensor. New reference.
PyObject* WrapSparse(const Tensor& indices, const Tensor& values,
                     const Tensor& dense_shape);
// What a composition gives as "RaggedTensor" (function/ragged/ragged_parts.h),
// a tf.RaggedTensor or a tensor. New reference.
PyObject* WrapRows(const TensorVector& parts);

}  // namespace gk::py

#endif  // GK_PYTHON_ROWS_VALUE_H_
