// Systems of equations with triangles, full and banded.
#include "ops/fn/linalg_triangular.h"

#include <algorithm>
#include <cmath>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/triangular.h"
#include "ops/element_moves.h"
#include "ops/fn/MatrixDiagPartV3.h"
#include "ops/fn/Neg.h"
#include "ops/fn/Pack.h"
#include "ops/fn/StridedSlice.h"
#include "ops/fn/Sub.h"
#include "ops/linalg/matrix_algebra.h"
#include "ops/linalg/matrix_call.h"
#include "ops/linalg/matrix_shapes.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

// Batches broadcast; the matrix, of `rows` by this, is multiplied with the
// right side.
Status TriangleShape(InferenceContext& c, const MatrixShape& a,
                     const MatrixShape& b) {
  if (c.input(0).unknown_rank() || c.input(1).unknown_rank()) {
    return OkStatus();
  }
  int64_t rows;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(a.columns, b.rows, &rows));
  GK_ASSIGN_OR_RETURN(const PartialTensorShape batch,
                      BroadcastPartialShapes(a.batch, b.batch));
  const MatrixShape both{batch};
  c.set_output(0, both.With({rows, b.columns}));
  return OkStatus();
}

Status TriangularSolveShape(InferenceContext& c) {
  MatrixShape a, b;
  GK_RETURN_IF_ERROR(SquareShapeOf(c, 0, &a));
  GK_RETURN_IF_ERROR(MatrixShapeOf(c, 1, &b));
  return TriangleShape(c, a, b);
}

Status BandedSolveShape(InferenceContext& c) {
  MatrixShape a, b;
  GK_RETURN_IF_ERROR(MatrixShapeOf(c, 0, &a));
  GK_RETURN_IF_ERROR(MatrixShapeOf(c, 1, &b));
  return TriangleShape(c, a, b);
}

Status CheckTriangle(const Tensor& a, const Tensor& b, bool square) {
  for (int i = 0; i < 2; ++i) {
    const Tensor& t = i == 0 ? a : b;
    if (t.rank() < 2) {
      return InvalidArgument("In[{}] ndims must be >= 2: {}", i, t.rank());
    }
  }
  if (square && RowsOf(a) != ColumnsOf(a)) {
    return InvalidArgument(
        "In[0] matrices in the last dimensions must be square ({} =/= {})",
        ColumnsOf(a), RowsOf(a));
  }
  for (int i = 0; i < 2 && !square; ++i) {
    const Tensor& t = i == 0 ? a : b;
    if (t.num_elements() == 0) {
      return InvalidArgument("In[{}] must not be an empty tensor: {}", i,
                             t.shape().DebugString());
    }
  }
  if (ColumnsOf(a) != RowsOf(b)) {
    return InvalidArgument("In[0] mismatch In[1] shape: {} vs. {}: {} {} 1 0",
                           ColumnsOf(a), RowsOf(b), a.shape().DebugString(),
                           b.shape().DebugString());
  }
  return OkStatus();
}

StatusOr<TensorShape> SolutionShape(const BatchPairs& pairs, const Tensor& b) {
  InlinedVector<int64_t, 8> dims(pairs.batch.dims());
  dims.push_back(RowsOf(b));
  dims.push_back(ColumnsOf(b));
  return TensorShape::Make(dims);
}

Status ComputeTriangularSolve(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTriangle(c.input(0), c.input(1), true));
  MatrixCall call(c);
  const Tensor &a = call.in(0), &b = call.in(1);
  GK_ASSIGN_OR_RETURN(const BatchPairs pairs, PairBatches(a, b));
  GK_ASSIGN_OR_RETURN(const TensorShape shape, SolutionShape(pairs, b));
  Tensor* out;
  GK_RETURN_IF_ERROR(call.Out(0, a.dtype(), shape, &out));
  if (shape.num_elements() > 0) {
    const bool lower = c.attr<bool>("lower"), adjoint = c.attr<bool>("adjoint");
    const int64_t n = RowsOf(a), columns = ColumnsOf(b), size = n * columns;
    Status done;
    GK_RETURN_IF_ERROR(VisitMatrixType(c, a.dtype(), [&](auto tag) {
      using T = decltype(tag);
      const auto solve = [&](int64_t i) {
        T* x = out->data<T>() + i * size;
        std::copy_n(b.data<T>() + pairs.b[i] * size, size, x);
        SolveTriangleInParts(Triangle<T>{n, a.data<T>() + pairs.a[i] * n * n, n,
                                         lower, adjoint, false},
                             x, columns, columns);
        return true;
      };
      done = ForMatrices(pairs.batch.num_elements(), n * size / 16, solve);
    }));
    GK_RETURN_IF_ERROR(done);
  }
  return call.Finish();
}

// Of the whole matrix -db x^H, or its adjoint.
Tensor MatrixPart(const Tensor& db, const Tensor& x, bool adjoint) {
  return ops::Neg(adjoint ? matrix::Product(x, db, false, true)
                          : matrix::Product(db, x, false, true));
}

void TriangularSolveGradient(GradContext& g) {
  const bool adjoint = g.attr<bool>("adjoint"), lower = g.attr<bool>("lower");
  const Tensor db =
      ops::MatrixTriangularSolve(g.x(0), g.dy(0), lower, !adjoint);
  Tensor da;
  if (g.wants(0)) {
    da = matrix::Triangle(MatrixPart(db, g.y(0), adjoint), lower);
  }
  matrix::SetBatchGrads(g, da, g.wants(1) ? db : Tensor());
}

Status ComputeBandedSolve(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTriangle(c.input(0), c.input(1), false));
  MatrixCall call(c);
  const Tensor &a = call.in(0), &b = call.in(1);
  GK_ASSIGN_OR_RETURN(const BatchPairs pairs, PairBatches(a, b));
  GK_ASSIGN_OR_RETURN(const TensorShape shape, SolutionShape(pairs, b));
  Tensor* out;
  GK_RETURN_IF_ERROR(call.Out(0, a.dtype(), shape, &out));
  const bool lower = c.attr<bool>("lower"), adjoint = c.attr<bool>("adjoint");
  const int64_t k = RowsOf(a), n = ColumnsOf(a), columns = ColumnsOf(b);
  Status done;
  GK_RETURN_IF_ERROR(VisitMatrixType(c, a.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const auto solve = [&](int64_t i) {
      const T* bands = a.data<T>() + pairs.a[i] * k * n;
      const T* diagonal = bands + (lower ? 0 : k - 1) * n;
      // What is no number is no pivot either.
      const auto is_pivot = [](const T& x) { return std::abs(x) > 0; };
      if (!std::all_of(diagonal, diagonal + n, is_pivot)) return false;
      T* x = out->data<T>() + i * n * columns;
      std::copy_n(b.data<T>() + pairs.b[i] * n * columns, n * columns, x);
      SolveBandedTriangle(n, k, bands, lower, adjoint, x, columns);
      return true;
    };
    done = ForMatrices(pairs.batch.num_elements(), n * k * columns, solve,
                       "Input matrix is not invertible.");
  }));
  GK_RETURN_IF_ERROR(done);
  return call.Finish();
}

void BandedSolveGradient(GradContext& g) {
  const bool adjoint = g.attr<bool>("adjoint"), lower = g.attr<bool>("lower");
  const Tensor& bands = g.x(0);
  const Tensor db = ops::BandedTriangularSolve(bands, g.dy(0), lower, !adjoint);
  Tensor da;
  if (g.wants(0)) {
    const Tensor whole = MatrixPart(db, g.y(0), adjoint);
    const Tensor at = IntegerVector(std::vector<int64_t>{-2});
    const Tensor end = IntegerVector(std::vector<int64_t>{-1});
    const Tensor k =
        ops::StridedSlice(ShapeTensor(bands), at, end,
                          IntegerVector(std::vector<int64_t>{1}), 0, 0, 0, 0,
                          /*shrink_axis_mask=*/1);
    const Tensor one = IntegerConstant(1), zero = IntegerConstant(0);
    const std::vector<Tensor> range =
        lower ? std::vector<Tensor>{ops::Sub(one, k), zero}
              : std::vector<Tensor>{zero, ops::Sub(k, one)};
    const Tensor both = ops::Pack(range);
    da = ops::MatrixDiagPartV3(whole, both, ScalarLike(whole, 0), "LEFT_RIGHT");
  }
  matrix::SetBatchGrads(g, da, g.wants(1) ? db : Tensor());
}

const OpRecord kRecords[] = {
    {.name = "MatrixTriangularSolve",
     .inputs = "matrix: T; rhs: T",
     .outputs = "output: T",
     .attrs = "lower: bool = True; adjoint: bool = False; T: type in "
              "[bfloat16, double, float, half, complex64, complex128]",
     .traits = kExpensive,
     .shape = TriangularSolveShape,
     .kernel = {.compute = ComputeTriangularSolve},
     .gradient = TriangularSolveGradient,
     .python = {.names = "linalg.triangular_solve"},
     .doc = "The x with matrix x = rhs, or matrix^H x = rhs, where the lower "
            "half of the matrix counts, or the upper one. Batches broadcast.",
     .example = ">>> tf.linalg.triangular_solve([[2., 0.], [1., 1.]], [[4.], "
                "[5.]])\\\n...     .numpy().tolist()\n[[2.0], [3.0]]"},

    {.name = "BandedTriangularSolve",
     .inputs = "matrix: T; rhs: T",
     .outputs = "output: T",
     .attrs = "lower: bool = True; adjoint: bool = False; T: type in [double, "
              "float, half, complex64, complex128]",
     .traits = kExpensive,
     .shape = BandedSolveShape,
     .kernel = {.compute = ComputeBandedSolve},
     .gradient = BandedSolveGradient,
     .python = {.names = "linalg.banded_triangular_solve",
                .args = "bands, rhs"},
     .doc = "MatrixTriangularSolve of triangles that are zero but for some "
            "diagonals, which are the rows of `matrix`: of a lower triangle "
            "the main one first, of an upper one last."},
};

}  // namespace

GK_REGISTER_OPS(linalg_triangular)

}  // namespace gk
