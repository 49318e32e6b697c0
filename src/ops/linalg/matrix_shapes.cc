#include "ops/linalg/matrix_shapes.h"

namespace gk {

PartialTensorShape MatrixShape::With(
    std::initializer_list<int64_t> dims) const {
  PartialTensorShape out = batch;
  if (out.unknown_rank()) return out;
  for (int64_t d : dims) out.AddDim(d);
  return out;
}

Status MatrixShapeOf(InferenceContext& c, int i, MatrixShape* out) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(i, 2, &s));
  *out = {};
  if (s.unknown_rank()) return OkStatus();
  const int rank = s.rank();
  out->batch = PartialTensorShape(s.dims().first(rank - 2));
  out->rows = s.dim(rank - 2);
  out->columns = s.dim(rank - 1);
  return OkStatus();
}

Status SquareShapeOf(InferenceContext& c, int i, MatrixShape* out) {
  GK_RETURN_IF_ERROR(MatrixShapeOf(c, i, out));
  int64_t n;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(out->rows, out->columns, &n));
  out->rows = out->columns = n;
  return OkStatus();
}

Status SquareResultShape(InferenceContext& c) {
  MatrixShape m;
  GK_RETURN_IF_ERROR(SquareShapeOf(c, 0, &m));
  c.set_output(0, m.With({m.rows, m.columns}));
  return OkStatus();
}

Status NumberOfMatrixShape(InferenceContext& c) {
  MatrixShape m;
  GK_RETURN_IF_ERROR(SquareShapeOf(c, 0, &m));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, m.With({}));
  return OkStatus();
}

}  // namespace gk
