// SparseValue: the elements of a tensor that are not zero, and where they are.
//
// An immutable value of tensors, eager or of a graph. Whatever is computed is
// made with the current builder; functions throw Error.
#ifndef GK_FUNCTION_SPARSE_VALUE_H_
#define GK_FUNCTION_SPARSE_VALUE_H_

#include "framework/op_builder.h"
#include "framework/op_name.h"
#include "ops/operators.h"

namespace gk {

struct SparseValue {
  Tensor indices;      // int64 of shape [n, rank]
  Tensor values;       // of shape [n]
  Tensor dense_shape;  // int64 of shape [rank]
  PartialTensorShape shape;

  // Of tensors that fit, or ValueError; the shape is what is known of it.
  static SparseValue Make(Tensor indices, Tensor values, Tensor dense_shape);
  // What of `tensor` is not zero, false or empty.
  static SparseValue FromDense(const Tensor& tensor);

  // A tensor with `fill`, 0 if null, where nothing is. InvalidArgument for
  // indices out of the shape and, if `ordered`, for those that do not rise.
  Tensor ToDense(Tensor fill, bool ordered, OpName name = OpName({})) const;
  // With the indices in row-major order.
  SparseValue Reordered(OpName name = OpName({})) const;
  // The values by those of `other`, a scalar or of a shape that broadcasts, at
  // their places: kMultiply or kDivide.
  Tensor Scaled(Operator which, const Tensor& other) const;
};

}  // namespace gk

#endif  // GK_FUNCTION_SPARSE_VALUE_H_
