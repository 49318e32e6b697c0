// Systems of linear equations, inverses and determinants.
#include "ops/fn/linalg_solve.h"

#include <algorithm>
#include <array>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/linalg.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Cholesky.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/MatrixTriangularSolve.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Neg.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sub.h"
#include "ops/linalg/matrix_algebra.h"
#include "ops/linalg/matrix_call.h"
#include "ops/linalg/matrix_shapes.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

// ---- Two inputs ----

// Of the matrices of an equation, and of the numbers on its right.
Status EquationShape(InferenceContext& c, bool square) {
  MatrixShape a, b;
  GK_RETURN_IF_ERROR(square ? SquareShapeOf(c, 0, &a)
                            : MatrixShapeOf(c, 0, &a));
  GK_RETURN_IF_ERROR(MatrixShapeOf(c, 1, &b));
  if (c.input(0).unknown_rank() || c.input(1).unknown_rank()) {
    // What is known of one batch holds for the other.
    const MatrixShape& known = c.input(0).unknown_rank() ? b : a;
    c.set_output(0, known.With({a.columns, b.columns}));
    return OkStatus();
  }
  StatusOr<PartialTensorShape> batch = a.batch.MergeWith(b.batch);
  GK_RETURN_IF_ERROR(batch.status());
  int64_t rows;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(a.rows, b.rows, &rows));
  const MatrixShape merged{*batch};
  c.set_output(0, merged.With({square ? rows : a.columns, b.columns}));
  return OkStatus();
}

Status SolveShape(InferenceContext& c) { return EquationShape(c, true); }

Status LeastSquaresShape(InferenceContext& c) {
  PartialTensorShape scalar;
  GK_RETURN_IF_ERROR(c.WithRank(2, 0, &scalar));
  return EquationShape(c, false);
}

Status CheckEquation(const Tensor& a, const Tensor& b, bool square) {
  GK_RETURN_IF_ERROR(CheckMatrix(a, 0));
  if (a.rank() != b.rank()) {
    return InvalidArgument("All input tensors must have the same rank.");
  }
  if (BatchOf(a) != BatchOf(b)) {
    return InvalidArgument(
        "All input tensors must have the same outer dimensions.");
  }
  if (square && RowsOf(a) != ColumnsOf(a)) {
    return InvalidArgument("First input (lhs) must be a square matrix.");
  }
  if (RowsOf(a) != RowsOf(b)) {
    return InvalidArgument("Input matrix and rhs are incompatible.");
  }
  return OkStatus();
}

Status ComputeSolve(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckEquation(c.input(0), c.input(1), true));
  MatrixCall call(c);
  const Tensor &a = call.in(0), &b = call.in(1);
  Tensor* out;
  GK_RETURN_IF_ERROR(call.Out(0, b.dtype(), b.shape(), &out));
  if (b.num_elements() > 0) {
    const bool adjoint = c.attr<bool>("adjoint");
    const int64_t n = RowsOf(a), columns = ColumnsOf(b), right = n * columns;
    Status done;
    GK_RETURN_IF_ERROR(VisitMatrixType(c, a.dtype(), [&](auto tag) {
      using T = decltype(tag);
      const auto solve = [&](int64_t i) {
        return SolveSystem(n, columns, a.data<T>() + i * n * n, adjoint,
                           b.data<T>() + i * right, out->data<T>() + i * right);
      };
      done = ForMatrices(b.num_elements() / right, n * n * (n / 3 + columns),
                         solve, "Input matrix is not invertible.");
    }));
    GK_RETURN_IF_ERROR(done);
  }
  return call.Finish();
}

// Of the right side it is db, the solution of the adjoint system; of the matrix
// -db x^H, or its adjoint.
void SolveGradient(GradContext& g) {
  const bool adjoint = g.attr<bool>("adjoint");
  const Tensor db = ops::MatrixSolve(g.x(0), g.dy(0), !adjoint);
  const Tensor& x = g.y(0);
  if (g.wants(0)) {
    g.Set(0, ops::Neg(adjoint ? matrix::Product(x, db, false, true)
                              : matrix::Product(db, x, false, true)));
  }
  if (g.wants(1)) g.Set(1, db);
}

// ---- Least squares ----

Status ComputeLeastSquares(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckEquation(c.input(0), c.input(1), false));
  if (c.input(2).rank() != 0) {
    return InvalidArgument("l2_regularizer must be scalar, got shape {}",
                           c.input(2).shape().DebugString());
  }
  MatrixCall call(c);
  const Tensor &a = call.in(0), &b = call.in(1);
  const double l2 = *c.input(2).data<double>();
  // So not of NaN.
  if (!(l2 >= 0)) return InvalidArgument("l2_regularizer must be >= 0.");
  const bool fast = c.attr<bool>("fast");
  const int64_t m = RowsOf(a), n = ColumnsOf(a), columns = ColumnsOf(b);
  GK_ASSIGN_OR_RETURN(const TensorShape shape, BatchWith(a, {n, columns}));
  Tensor* out;
  GK_RETURN_IF_ERROR(call.Out(0, a.dtype(), shape, &out));
  if (shape.num_elements() > 0 && m > 0) {
    Status done;
    GK_RETURN_IF_ERROR(VisitMatrixType(c, a.dtype(), [&](auto tag) {
      using T = decltype(tag);
      const auto solve = [&](int64_t i) {
        const T* matrix = a.data<T>() + i * m * n;
        const T* right = b.data<T>() + i * m * columns;
        T* x = out->data<T>() + i * n * columns;
        if (fast) {
          return RegularizedLeastSquares(m, n, columns, matrix, right, l2, x);
        }
        LeastSquares(m, n, columns, matrix, right, x);
        return true;
      };
      done = ForMatrices(
          shape.num_elements() / (n * columns),
          m * n * (std::min(m, n) + columns), solve,
          m >= n ? "Input matrix was rank deficient or ill-conditioned. Try "
                   "setting fast=False or provide a larger l2_regularizer > 0."
                 : "Input matrix was rank deficient or ill-conditioned. Try "
                   "setting fast=False or provide an l2_regularizer > 0.");
    }));
    GK_RETURN_IF_ERROR(done);
  }
  return call.Finish();
}

// s with s s^H x = b.
Tensor CholeskySolve(const Tensor& s, const Tensor& b) {
  const Tensor half = ops::MatrixTriangularSolve(s, b);
  return ops::MatrixTriangularSolve(s, half, /*lower=*/true, /*adjoint=*/true);
}

// What the gradients of least squares share.
struct LeastSquaresGrads {
  const Tensor &a, &b, &x, &dx;
  Tensor l2;

  // The factor of a^H a + l2, or of a a^H + l2; with `more` on the diagonal.
  Tensor Factor(bool tall, const Tensor& more) const {
    const Tensor gramian = matrix::Product(a, a, tall, !tall);
    Tensor diagonal = ops::AddV2(matrix::DiagPart(gramian), l2);
    if (more) diagonal = ops::AddV2(diagonal, more);
    return ops::Cholesky(matrix::WithDiagonal(gramian, diagonal));
  }
  // Of x = (a^H a + l2)^-1 a^H b
  std::array<Tensor, 2> Tall(const Tensor& more) const {
    using matrix::Product;
    const Tensor z = CholeskySolve(Factor(true, more), dx);
    const Tensor xz = Product(x, z, false, true);
    // Without a conjugate, as in TensorFlow.
    const Tensor both = ops::AddV2(xz, matrix::Transpose(xz));
    return {ops::Sub(Product(b, z, false, true), Product(a, both)),
            Product(a, z)};
  }
  // Of x = a^H (a a^H + l2)^-1 b
  std::array<Tensor, 2> Wide(const Tensor& more) const {
    using matrix::Product;
    const Tensor factor = Factor(false, more);
    const Tensor db = CholeskySolve(factor, Product(a, dx));
    const Tensor inner = CholeskySolve(factor, b);
    const Tensor left = Product(db, Product(inner, a, true));
    const Tensor rest = ops::Sub(dx, Product(a, db, true));
    return {ops::Sub(Product(inner, rest, false, true), left), db};
  }
};

void LeastSquaresGradient(GradContext& g) {
  if (!g.attr<bool>("fast")) {
    throw Error(ValueError("Gradient not defined for fast=False"));
  }
  const Tensor& a = g.x(0);
  const Tensor dx = g.dy(0);
  const LeastSquaresGrads grads{a, g.x(1), g.y(0), dx,
                                CastTo(g.x(2), a.dtype())};
  const PartialTensorShape shape = a.partial_shape();
  const int rank = shape.rank();
  std::array<Tensor, 2> found;
  if (rank >= 2 && shape.dim(rank - 1) >= 0 && shape.dim(rank - 2) >= 0) {
    found = shape.dim(rank - 2) >= shape.dim(rank - 1) ? grads.Tall({})
                                                       : grads.Wide({});
  } else {
    // The graph alone knows: both are computed, the one that does not count
    // with a matrix that has a factor.
    const Tensor sizes = ShapeTensor(a);
    const Tensor tall =
        ops::Reshape(ops::GreaterEqual(matrix::ColumnsFrom(sizes, -2, -1),
                                       matrix::ColumnsFrom(sizes, -1, 0)),
                     IntegerVector(std::vector<int64_t>{}));
    const Tensor none = ScalarLike(a, 0), one = ScalarLike(a, 1);
    found = grads.Tall(ops::SelectV2(tall, none, one));
    const std::array<Tensor, 2> wide =
        grads.Wide(ops::SelectV2(tall, one, none));
    for (int i = 0; i < 2; ++i) {
      found[i] = ops::SelectV2(tall, found[i], wide[i]);
    }
  }
  for (int i = 0; i < 2; ++i) {
    if (g.wants(i)) g.Set(i, found[i]);
  }
}

// ---- Inverses and determinants ----

Status ComputeInverse(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckSquare(c.input(0), 0));
  MatrixCall call(c);
  const Tensor& x = call.in(0);
  Tensor* out;
  GK_RETURN_IF_ERROR(call.Out(0, x.dtype(), x.shape(), &out));
  if (x.num_elements() > 0) {
    const bool adjoint = c.attr<bool>("adjoint");
    const int64_t n = RowsOf(x), size = n * n;
    Status done;
    GK_RETURN_IF_ERROR(VisitMatrixType(c, x.dtype(), [&](auto tag) {
      using T = decltype(tag);
      const auto invert = [&](int64_t i) {
        return InvertMatrix(n, x.data<T>() + i * size, adjoint,
                            out->data<T>() + i * size);
      };
      done = ForMatrices(x.num_elements() / size, n * size, invert,
                         "Input is not invertible.");
    }));
    GK_RETURN_IF_ERROR(done);
  }
  return call.Finish();
}

// -y^H dy y^H, with y as it would be without the adjoint.
void InverseGradient(GradContext& g) {
  const bool adjoint = g.attr<bool>("adjoint");
  const Tensor& y = g.y(0);
  if (!g.wants(0)) return;
  const Tensor right = matrix::Product(g.dy(0), y, adjoint, !adjoint);
  g.Set(0, ops::Neg(matrix::Product(y, right, !adjoint)));
}

// The determinants as `numbers`, or their signs and the logarithms.
template <bool kLog>
Status ComputeDeterminant(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckSquare(c.input(0), 0));
  MatrixCall call(c);
  const Tensor& x = call.in(0);
  const int64_t n = RowsOf(x), size = n * n;
  const TensorShape shape = BatchOf(x);
  Tensor *first, *log = nullptr;
  GK_RETURN_IF_ERROR(call.Out(0, x.dtype(), shape, &first));
  if (kLog) GK_RETURN_IF_ERROR(call.Out(1, x.dtype(), shape, &log));
  Status done;
  GK_RETURN_IF_ERROR(VisitMatrixType(c, x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const auto compute = [&](int64_t i) {
      T* out = first->data<T>() + i;
      const T* a = x.data<T>() + i * size;
      if (n == 0) {
        *out = T(1);
      } else if constexpr (kLog) {
        LogDeterminantOf(n, a, out, log->data<T>() + i);
      } else {
        *out = DeterminantOf(n, a);
      }
      return true;
    };
    done = ForMatrices(shape.num_elements(), n * size / 3, compute);
  }));
  GK_RETURN_IF_ERROR(done);
  return call.Finish();
}

void DeterminantGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor inverse = ops::MatrixInverse(g.x(0), /*adjoint=*/true);
  const Tensor y = g.y(0);
  g.Set(0, ops::Mul(matrix::AsMatrix(ops::Mul(g.dy(0), y)), inverse));
}

void LogDeterminantGradient(GradContext& g) {
  if (!g.wants(0) || !g.has_dy(1)) return;
  const Tensor inverse = ops::MatrixInverse(g.x(0), /*adjoint=*/true);
  g.Set(0, ops::Mul(matrix::AsMatrix(g.dy(1)), inverse));
}

#define MATRIX_TYPES "T: type in [double, float, half, complex64, complex128]"

const OpRecord kRecords[] = {
    {.name = "MatrixSolve",
     .inputs = "matrix: T; rhs: T",
     .outputs = "output: T",
     .attrs = "adjoint: bool = False; " MATRIX_TYPES,
     .traits = kExpensive,
     .shape = SolveShape,
     .kernel = {.compute = ComputeSolve},
     .gradient = SolveGradient,
     .python = {.names = "linalg.solve"},
     .doc = "The x with matrix x = rhs, or matrix^H x = rhs.",
     .example = ">>> tf.linalg.solve([[2., 0.], [1., 1.]], [[4.], [5.]])."
                "numpy().tolist()\n[[2.0], [3.0]]"},

    {.name = "MatrixSolveLs",
     .inputs = "matrix: T; rhs: T; l2_regularizer: double",
     .outputs = "output: T",
     .attrs = MATRIX_TYPES "; fast: bool = True",
     .traits = kExpensive,
     .shape = LeastSquaresShape,
     .kernel = {.compute = ComputeLeastSquares},
     .gradient = LeastSquaresGradient,
     .doc = "The x of least |matrix x - rhs|^2 + l2_regularizer |x|^2, by "
            "Cholesky factors if `fast`, else, without the regularizer, by "
            "orthogonal ones."},

    {.name = "MatrixInverse",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "adjoint: bool = False; " MATRIX_TYPES,
     .traits = kExpensive,
     .shape = SquareResultShape,
     .kernel = {.compute = ComputeInverse},
     .gradient = InverseGradient,
     .python = {.names = "linalg.inv"},
     .doc = "The inverse matrices, or those of the adjoint ones.",
     .example = ">>> tf.linalg.inv([[2., 0.], [0., 4.]]).numpy().tolist()\n"
                "[[0.5, 0.0], [0.0, 0.25]]"},

    {.name = "MatrixDeterminant",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type in [half, float, double, complex64, complex128]",
     .traits = kExpensive,
     .shape = NumberOfMatrixShape,
     .kernel = {.compute = ComputeDeterminant<false>},
     .gradient = DeterminantGradient,
     .python = {.names = "linalg.det"},
     .doc = "The determinants of matrices.",
     .example = ">>> tf.linalg.det([[2., 0.], [0., 4.]]).numpy().item()\n8.0"},

    {.name = "LogMatrixDeterminant",
     .inputs = "input: T",
     .outputs = "sign: T; log_abs_determinant: T",
     .attrs = "T: type in [half, float, double, complex64, complex128]",
     .traits = kExpensive,
     .shape = NumberOfMatrixShape,
     .kernel = {.compute = ComputeDeterminant<true>},
     .gradient = LogDeterminantGradient,
     .python = {.names = "linalg.slogdet"},
     .doc = "The signs of the determinants, and the logarithms of their "
            "absolute values.",
     .example = ">>> sign, log = tf.linalg.slogdet([[-1., 0.], [0., 1.]])\n"
                ">>> sign.numpy().item(), log.numpy().item()\n(-1.0, 0.0)"},
};

}  // namespace

GK_REGISTER_OPS(linalg_solve)

}  // namespace gk
