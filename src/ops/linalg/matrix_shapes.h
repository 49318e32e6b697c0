// Shape functions of ops of matrices.
#ifndef GK_OPS_LINALG_MATRIX_SHAPES_H_
#define GK_OPS_LINALG_MATRIX_SHAPES_H_

#include <initializer_list>

#include "framework/inference_context.h"

namespace gk {

// What is known of the dims of batches of matrices: `rows` and `columns` may be
// unknown, and `batch` may have no rank.
struct MatrixShape {
  PartialTensorShape batch;
  int64_t rows = kUnknownDim, columns = kUnknownDim;

  // The batch's dims and these; of no rank where the batch has none.
  PartialTensorShape With(std::initializer_list<int64_t> dims) const;
};

Status MatrixShapeOf(InferenceContext& c, int i, MatrixShape* out);
// Rows and columns are equal.
Status SquareShapeOf(InferenceContext& c, int i, MatrixShape* out);

// Output 0 is a matrix like the square input.
Status SquareResultShape(InferenceContext& c);
// All outputs are numbers of the square input.
Status NumberOfMatrixShape(InferenceContext& c);

}  // namespace gk

#endif  // GK_OPS_LINALG_MATRIX_SHAPES_H_
