// The algebra of batches of matrices that gradients are written in, made by
// the current builder. Functions throw Error.
#ifndef GK_OPS_LINALG_MATRIX_ALGEBRA_H_
#define GK_OPS_LINALG_MATRIX_ALGEBRA_H_

#include "framework/grad_context.h"

namespace gk::matrix {

// op(a) op(b), each adjoint on request.
Tensor Product(const Tensor& a, const Tensor& b, bool adjoint_a = false,
               bool adjoint_b = false);
Tensor Transpose(const Tensor& x);
Tensor Adjoint(const Tensor& x);
// The order of axes in which the last two have changed places.
Tensor SwappedLastAxes(const Tensor& x);
Tensor Diag(const Tensor& diagonal);
Tensor DiagPart(const Tensor& x);
Tensor WithDiagonal(const Tensor& x, const Tensor& diagonal);
// The lower half or, if not `lower`, the upper one; with the diagonal.
Tensor Triangle(const Tensor& x, bool lower);
// The identity of the matrices of `square`.
Tensor EyeLike(const Tensor& square);
// Numbers as matrices of one element, to be multiplied with.
Tensor AsMatrix(const Tensor& numbers);
// Element [..., i, j] is values[..., j] - values[..., i].
Tensor Differences(const Tensor& values);
// x / (x^2 + a tiny number): 0 for 0.
Tensor SafeReciprocal(const Tensor& x);
// Rows or columns `begin` to `end`; `end` of 0: up to the last one.
Tensor RowsFrom(const Tensor& x, int64_t begin, int64_t end);
Tensor ColumnsFrom(const Tensor& x, int64_t begin, int64_t end);
// The first `n`, and those behind; a size that the graph knows alone will do.
Tensor FirstColumns(const Tensor& x, const Tensor& n);
Tensor ColumnsBehind(const Tensor& x, const Tensor& n);
// Sets the gradients of an op of two matrices whose batches broadcast: gx and
// gy have the batch of the output; null: none.
void SetBatchGrads(GradContext& g, Tensor gx, Tensor gy);

}  // namespace gk::matrix

#endif  // GK_OPS_LINALG_MATRIX_ALGEBRA_H_
