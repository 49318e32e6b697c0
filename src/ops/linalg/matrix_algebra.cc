#include "ops/linalg/matrix_algebra.h"

#include <numeric>
#include <vector>

#include "ops/broadcast_gradient.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/BatchMatMulV2.h"
#include "ops/fn/BroadcastGradientArgs.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/ConjugateTranspose.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/MatrixBandPart.h"
#include "ops/fn/MatrixDiagPartV3.h"
#include "ops/fn/MatrixDiagV3.h"
#include "ops/fn/MatrixSetDiagV3.h"
#include "ops/fn/Mul.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Range.h"
#include "ops/fn/Rank.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/StridedSlice.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/Transpose.h"
#include "ops/fn/ZerosLike.h"
#include "ops/scalar_constant.h"

namespace gk::matrix {
namespace {

// x[..., begin:end, :] or x[..., begin:end], masks as in StridedSlice: bit 0 is
// the ellipsis.
Tensor Sliced(const Tensor& x, bool rows, const Tensor* begin,
              const Tensor* end) {
  const Tensor zero = IntegerVector(std::vector<int64_t>{0});
  std::vector<Tensor> from{zero, begin ? *begin : zero};
  std::vector<Tensor> to{zero, end ? *end : zero};
  std::vector<int64_t> steps{1, 1};
  int64_t begin_mask = begin ? 0 : 2, end_mask = end ? 0 : 2;
  if (rows) {
    from.push_back(zero);
    to.push_back(zero);
    steps.push_back(1);
    begin_mask |= 4;
    end_mask |= 4;
  }
  const Tensor axis = IntegerConstant(0);
  const Tensor starts = ops::ConcatV2(from, axis);
  const Tensor ends = ops::ConcatV2(to, axis);
  return ops::StridedSlice(x, starts, ends, IntegerVector(steps), begin_mask,
                           end_mask, /*ellipsis_mask=*/1);
}

Tensor Between(const Tensor& x, bool rows, int64_t begin, int64_t end) {
  const Tensor from = IntegerVector(std::vector<int64_t>{begin});
  if (end == 0) return Sliced(x, rows, &from, nullptr);
  const Tensor to = IntegerVector(std::vector<int64_t>{end});
  return Sliced(x, rows, &from, &to);
}

Tensor BatchSizes(const Tensor& x) {
  const Tensor begin = IntegerVector(std::vector<int64_t>{0});
  const Tensor end = IntegerVector(std::vector<int64_t>{-2});
  return ops::StridedSlice(ShapeTensor(x), begin, end,
                           IntegerVector(std::vector<int64_t>{1}));
}

// Summed over the batch dims in which `x` was broadcast.
Tensor SumBatch(const Tensor& grad, const Tensor& x, const Tensor& other) {
  const PartialTensorShape sx = x.partial_shape(), so = other.partial_shape();
  if (!sx.unknown_rank() && !so.unknown_rank()) {
    const int n = sx.rank() - 2, m = so.rank() - 2;
    if (n == 0 && m == 0) return grad;
    const PartialTensorShape px(sx.dims().first(n)), po(so.dims().first(m));
    if (px.IsFullyDefined() && px == po) return grad;
  }
  const Tensor own = BatchSizes(x);
  const Tensor axes = ops::BroadcastGradientArgs(own, BatchSizes(other))[0];
  return ops::Reshape(ops::Sum(grad, axes, false), ShapeTensor(x));
}

}  // namespace

Tensor Product(const Tensor& a, const Tensor& b, bool adjoint_a,
               bool adjoint_b) {
  return ops::BatchMatMulV2(a, b, adjoint_a, adjoint_b);
}

Tensor SwappedLastAxes(const Tensor& x) {
  const PartialTensorShape shape = x.partial_shape();
  if (!shape.unknown_rank()) {
    if (shape.rank() < 2) {
      throw Error(ValueError("Shape {} must have rank at least 2",
                             shape.PythonString()));
    }
    std::vector<int64_t> perm(shape.rank());
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return IntegerVector(perm);
  }
  const Tensor before = ops::Sub(ops::Rank(x), IntegerConstant(2));
  const Tensor start = IntegerConstant(0);
  const Tensor outer = ops::Range(start, before, IntegerConstant(1));
  const Tensor last =
      ops::AddV2(before, IntegerVector(std::vector<int64_t>{1, 0}));
  return ops::ConcatV2(std::vector<Tensor>{outer, last}, IntegerConstant(0));
}

Tensor Transpose(const Tensor& x) {
  return ops::Transpose(x, SwappedLastAxes(x));
}

Tensor Adjoint(const Tensor& x) {
  if (!IsComplex(x.dtype())) return Transpose(x);
  return ops::ConjugateTranspose(x, SwappedLastAxes(x));
}

Tensor Diag(const Tensor& diagonal) {
  const Tensor k = IntegerConstant(0), any = IntegerConstant(-1);
  return ops::MatrixDiagV3(diagonal, k, any, any, ScalarLike(diagonal, 0));
}

Tensor DiagPart(const Tensor& x) {
  return ops::MatrixDiagPartV3(x, IntegerConstant(0), ScalarLike(x, 0));
}

Tensor WithDiagonal(const Tensor& x, const Tensor& diagonal) {
  return ops::MatrixSetDiagV3(x, diagonal, IntegerConstant(0));
}

Tensor Triangle(const Tensor& x, bool lower) {
  const Tensor all = IntegerConstant(-1), none = IntegerConstant(0);
  return lower ? ops::MatrixBandPart(x, all, none)
               : ops::MatrixBandPart(x, none, all);
}

Tensor EyeLike(const Tensor& square) {
  return WithDiagonal(ops::ZerosLike(square), ops::OnesLike(DiagPart(square)));
}

Tensor AsMatrix(const Tensor& numbers) {
  const Tensor last = IntegerConstant(-1);
  return ops::ExpandDims(ops::ExpandDims(numbers, last), last);
}

Tensor Differences(const Tensor& values) {
  const Tensor row = ops::ExpandDims(values, IntegerConstant(-2));
  return ops::Sub(row, ops::ExpandDims(values, IntegerConstant(-1)));
}

Tensor SafeReciprocal(const Tensor& x) {
  return ops::RealDiv(x, ops::AddV2(ops::Mul(x, x), ScalarLike(x, 1e-20)));
}

Tensor RowsFrom(const Tensor& x, int64_t begin, int64_t end) {
  return Between(x, true, begin, end);
}

Tensor ColumnsFrom(const Tensor& x, int64_t begin, int64_t end) {
  return Between(x, false, begin, end);
}

Tensor FirstColumns(const Tensor& x, const Tensor& n) {
  const Tensor to = ops::Reshape(n, IntegerVector(std::vector<int64_t>{1}));
  return Sliced(x, false, nullptr, &to);
}

Tensor ColumnsBehind(const Tensor& x, const Tensor& n) {
  const Tensor from = ops::Reshape(n, IntegerVector(std::vector<int64_t>{1}));
  return Sliced(x, false, &from, nullptr);
}

void SetBatchGrads(GradContext& g, Tensor gx, Tensor gy) {
  if (gx) g.Set(0, SumBatch(gx, g.x(0), g.x(1)));
  if (gy) g.Set(1, SumBatch(gy, g.x(1), g.x(0)));
}

}  // namespace gk::matrix
