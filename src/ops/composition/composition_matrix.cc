// Functions of matrices that are made of their factors.
#include <algorithm>
#include <limits>
#include <vector>

#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/BroadcastArgs.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Cholesky.h"
#include "ops/fn/Eig.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Greater.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/InvertPermutation.h"
#include "ops/fn/Log.h"
#include "ops/fn/MatrixSolveLs.h"
#include "ops/fn/MatrixTriangularSolve.h"
#include "ops/fn/Max.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/OneHot.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Range.h"
#include "ops/fn/Real.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/SelfAdjointEigV2.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/Svd.h"
#include "ops/linalg/matrix_algebra.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

using matrix::ColumnsFrom;
using matrix::Product;

Tensor LastAxis() { return IntegerVector(std::vector<int64_t>{-1}); }

Tensor RealPart(const Tensor& x) {
  return IsComplex(x.dtype()) ? ops::Real(x, RealType(x.dtype())) : x;
}

// The size of dimension `i`, counted from the end, if it is known.
int64_t KnownSize(const Tensor& x, int i) {
  const PartialTensorShape shape = x.partial_shape();
  const int at = shape.rank() + i;
  return shape.unknown_rank() || at < 0 ? kUnknownDim : shape.dim(at);
}

// ---- Eigenvalues and singular values ----

DataType ComplexTypeOf(const Tensor& x) {
  const DataType t = x.dtype();
  if (t == DataType::kFloat || t == DataType::kComplex64) {
    return DataType::kComplex64;
  }
  if (t == DataType::kDouble || t == DataType::kComplex128) {
    return DataType::kComplex128;
  }
  throw Error(
      TypeError("Eigenvalues are computed of float32, float64, complex64 and "
                "complex128, got {}",
                DataTypeString(t)));
}

TensorVector GeneralEigen(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  return ops::Eig(OpName(c.name()), x, ComplexTypeOf(x));
}

TensorVector GeneralEigenvalues(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  return {ops::Eig(OpName(c.name()), x, ComplexTypeOf(x), false)[0]};
}

TensorVector SelfAdjointEigen(CompositionCall& c) {
  return ops::SelfAdjointEigV2(OpName(c.name()), c.tensor(0));
}

TensorVector SelfAdjointEigenvalues(CompositionCall& c) {
  return {ops::SelfAdjointEigV2(OpName(c.name()), c.tensor(0), false)[0]};
}

TensorVector SingularValues(CompositionCall& c) {
  const bool full = c.flag(1), with_uv = c.flag(2);
  TensorVector out = ops::Svd(OpName(c.name()), c.tensor(0), with_uv, full);
  out[0] = RealPart(out[0]);
  if (!with_uv) out.resize(1);
  return out;
}

// ---- Of Cholesky factors ----

// x with l l^H x = b.
Tensor SolveByCholesky(const Tensor& l, const Tensor& b) {
  const Tensor half = ops::MatrixTriangularSolve(l, b);
  return ops::MatrixTriangularSolve(l, half, true, true);
}

TensorVector CholeskySolve(CompositionCall& c) {
  return {SolveByCholesky(c.tensor(0), c.tensor(1))};
}

TensorVector LogDeterminant(CompositionCall& c) {
  const Tensor diagonal =
      RealPart(matrix::DiagPart(ops::Cholesky(c.tensor(0))));
  const Tensor sum = ops::Sum(ops::Log(diagonal), LastAxis());
  return {ops::Mul(ScalarLike(sum, 2), sum)};
}

// By the normal equations, of the first kind where there are more rows than
// columns. Where the graph alone knows, both are solved; the one that does not
// count is made one that has a solution.
Tensor NormalEquations(const Tensor& a, const Tensor& b, const Tensor& l2) {
  const int64_t rows = KnownSize(a, -2), columns = KnownSize(a, -1);
  const bool known = rows >= 0 && columns >= 0;
  const auto factor = [&](bool tall, const Tensor& extra) {
    const Tensor gramian = Product(a, a, tall, !tall);
    const Tensor more = extra ? ops::AddV2(l2, extra) : l2;
    const Tensor diagonal = ops::AddV2(matrix::DiagPart(gramian), more);
    return ops::Cholesky(matrix::WithDiagonal(gramian, diagonal));
  };
  const auto solve_tall = [&](const Tensor& extra) {
    return SolveByCholesky(factor(true, extra), Product(a, b, true));
  };
  const auto solve_wide = [&](const Tensor& extra) {
    return Product(a, SolveByCholesky(factor(false, extra), b), true);
  };
  if (known) return rows >= columns ? solve_tall({}) : solve_wide({});
  const Tensor sizes = ops::Shape(a);
  const Tensor zero = IntegerVector(std::vector<int64_t>{0});
  const Tensor tall = ops::Reshape(
      ops::GreaterEqual(ColumnsFrom(sizes, -2, -1), ColumnsFrom(sizes, -1, 0)),
      IntegerVector(std::vector<int64_t>{}));
  const Tensor none = ScalarLike(a, 0), one = ScalarLike(a, 1);
  const Tensor first = solve_tall(ops::SelectV2(tall, none, one));
  const Tensor second = solve_wide(ops::SelectV2(tall, one, none));
  return ops::SelectV2(tall, first, second);
}

TensorVector LeastSquares(CompositionCall& c) {
  const Tensor &a = c.tensor(0), &b = c.tensor(1);
  Tensor l2;
  if (const double* x = c.get<double>(2)) {
    l2 = NumberOf(*x, DataType::kDouble);
  } else if (const int64_t* n = c.get<int64_t>(2)) {
    l2 = NumberOf(*n, DataType::kDouble);
  } else {
    l2 = c.tensor(2);
  }
  if (!c.flag(3)) {
    return {ops::MatrixSolveLs(OpName(c.name()), a, b,
                               CastTo(l2, DataType::kDouble), false)};
  }
  return {NormalEquations(a, b, CastTo(l2, a.dtype()))};
}

// ---- Of singular values ----

void CheckRealMatrix(const Tensor& a) {
  if (!IsFloating(a.dtype())) {
    throw Error(TypeError("Input `a` must have `float`-like `dtype` (saw {}).",
                          DataTypeString(a.dtype())));
  }
  const PartialTensorShape shape = a.partial_shape();
  if (!shape.unknown_rank() && shape.rank() < 2) {
    throw Error(ValueError(
        "Input `a` must have at least 2 dimensions (saw: {}).", shape.rank()));
  }
}

double EpsilonOf(DataType t) {
  switch (t) {
    case DataType::kDouble:
      return std::numeric_limits<double>::epsilon();
    case DataType::kHalf:
      return 0x1p-10;
    case DataType::kBfloat16:
      return 0x1p-7;
    default:
      return std::numeric_limits<float>::epsilon();
  }
}

// The larger size of the matrices, times `factor`.
Tensor LargerSize(const Tensor& a, double factor) {
  const int64_t rows = KnownSize(a, -2), columns = KnownSize(a, -1);
  if (rows >= 0 && columns >= 0) {
    return NumberOf(factor * std::max(rows, columns), a.dtype());
  }
  const Tensor sizes = ColumnsFrom(ops::Shape(a), -2, 0);
  const Tensor larger = ops::Max(sizes, IntegerConstant(0));
  return ops::Mul(CastTo(larger, a.dtype()), NumberOf(factor, a.dtype()));
}

Tensor LimitArgument(const CompositionCall& c, int i, DataType dtype) {
  if (const double* x = c.get<double>(i)) return NumberOf(*x, dtype);
  if (const int64_t* n = c.get<int64_t>(i)) return NumberOf(*n, dtype);
  return CastTo(c.tensor(i), dtype);
}

TensorVector MatrixRank(CompositionCall& c) {
  const Tensor& a = c.tensor(0);
  CheckRealMatrix(a);
  const Tensor s = ops::Svd(a, false)[0];
  const Tensor limit = c.has(1) ? LimitArgument(c, 1, a.dtype())
                                : ops::Mul(LargerSize(a, EpsilonOf(a.dtype())),
                                           ops::Max(s, LastAxis(), true));
  const Tensor counted = ops::Cast(ops::Greater(s, limit), DataType::kInt32);
  return {ops::Sum(counted, LastAxis())};
}

TensorVector Pseudoinverse(CompositionCall& c) {
  const Tensor& a = c.tensor(0);
  CheckRealMatrix(a);
  const Tensor limit = c.has(1) ? LimitArgument(c, 1, a.dtype())
                                : LargerSize(a, 10 * EpsilonOf(a.dtype()));
  const TensorVector svd = ops::Svd(a);
  const Tensor &s = svd[0], &u = svd[1], &v = svd[2];
  const Tensor least = ops::ExpandDims(ops::Mul(limit, ops::Max(s, LastAxis())),
                                       IntegerConstant(-1));
  // What is too small to count has no inverse.
  const Tensor kept = ops::SelectV2(
      ops::Greater(s, least), s,
      NumberOf(std::numeric_limits<double>::infinity(), a.dtype()));
  const Tensor row = ops::ExpandDims(kept, IntegerConstant(-2));
  return {Product(ops::RealDiv(v, row), u, false, true)};
}

// ---- Of LU factors ----

void CheckFactors(const Tensor& lu, const Tensor& perm) {
  const PartialTensorShape a = lu.partial_shape(), p = perm.partial_shape();
  if (a.unknown_rank()) return;
  if (a.rank() < 2) {
    throw Error(
        ValueError("Input `lower_upper` must have at least 2 dimensions."));
  }
  if (!p.unknown_rank() && a.rank() != p.rank() + 1) {
    throw Error(ValueError("`rank(lower_upper)` must equal `rank(perm) + 1`"));
  }
  const int64_t rows = a.dim(a.rank() - 2), columns = a.dim(a.rank() - 1);
  if (rows >= 0 && columns >= 0 && rows != columns) {
    throw Error(ValueError("`lower_upper` must be square."));
  }
}

Tensor LowerFactor(const Tensor& lu) {
  return matrix::WithDiagonal(matrix::Triangle(lu, true),
                              ops::OnesLike(matrix::DiagPart(lu)));
}

bool AreSingle(const Tensor& matrix, const Tensor& perm) {
  return matrix.partial_shape().rank() == 2 && perm.partial_shape().rank() == 1;
}

// The rows of the matrices in the orders of `perm`; batches broadcast.
Tensor RowsInOrder(const Tensor& x, const Tensor& perm) {
  if (AreSingle(x, perm)) return ops::GatherV2(x, perm, IntegerConstant(0));
  const Tensor sizes = ops::Shape(x);
  const Tensor batch = ops::BroadcastArgs(ColumnsFrom(sizes, 0, -2),
                                          ColumnsFrom(ops::Shape(perm), 0, -1));
  const Tensor rows = ColumnsFrom(sizes, -2, -1);
  const Tensor shape = Joined({batch, ColumnsFrom(sizes, -2, 0)});
  const Tensor any = LastAxis();
  const Tensor flat = ops::Reshape(ops::BroadcastTo(x, shape),
                                   Joined({any, ColumnsFrom(sizes, -2, 0)}));
  const Tensor orders = ops::Reshape(
      ops::BroadcastTo(perm, Joined({batch, rows})), Joined({any, rows}));
  return ops::Reshape(ops::GatherV2(flat, orders, IntegerConstant(1), 1),
                      shape);
}

Tensor SolveByLu(const Tensor& lu, const Tensor& perm, const Tensor& b) {
  const Tensor y =
      ops::MatrixTriangularSolve(LowerFactor(lu), RowsInOrder(b, perm));
  return ops::MatrixTriangularSolve(lu, y, false);
}

TensorVector LuSolve(CompositionCall& c) {
  const Tensor &lu = c.tensor(0), &b = c.tensor(2);
  CheckFactors(lu, c.tensor(1));
  const PartialTensorShape right = b.partial_shape();
  if (!right.unknown_rank() && right.rank() < 2) {
    throw Error(ValueError("Input `rhs` must have at least 2 dimensions."));
  }
  const int64_t n = KnownSize(lu, -1), rows = KnownSize(b, -2);
  if (n >= 0 && rows >= 0 && n != rows) {
    throw Error(
        ValueError("`lower_upper.shape[-1]` must equal `rhs.shape[-1]`."));
  }
  return {SolveByLu(lu, c.tensor(1), b)};
}

TensorVector LuInverse(CompositionCall& c) {
  const Tensor& lu = c.tensor(0);
  CheckFactors(lu, c.tensor(1));
  return {SolveByLu(lu, c.tensor(1), matrix::EyeLike(lu))};
}

// Where each number is in the permutations.
Tensor InverseOrders(const Tensor& perm) {
  if (perm.partial_shape().rank() == 1) return ops::InvertPermutation(perm);
  const Tensor size = ops::Reshape(ColumnsFrom(ops::Shape(perm), -1, 0),
                                   IntegerVector(std::vector<int64_t>{}));
  const Tensor hot =
      ops::OneHot(perm, size, ScalarLike(perm, 1), ScalarLike(perm, 0));
  const Tensor zero = IntegerConstant(0);
  const Tensor places =
      CastTo(ops::Range(zero, size, IntegerConstant(1)), perm.dtype());
  const Tensor column = ops::ExpandDims(places, IntegerConstant(-1));
  return ops::Sum(ops::Mul(hot, column),
                  IntegerVector(std::vector<int64_t>{-2}));
}

TensorVector LuReconstruct(CompositionCall& c) {
  const Tensor &lu = c.tensor(0), &perm = c.tensor(1);
  CheckFactors(lu, perm);
  const Tensor product = Product(LowerFactor(lu), matrix::Triangle(lu, false));
  return {RowsInOrder(product, InverseOrders(perm))};
}

#define VALIDATE_DOC " What is known of the shapes is checked in any case."

const CompositionRecord kRecords[] = {
    {.names = "linalg.eig|eig",
     .args = "tensor: tensor",
     .scope = "Eig",
     .build = GeneralEigen,
     .result = "tuple",
     .doc = "The eigenvalues, in no order, and eigenvectors, as columns, of "
            "matrices; both are complex.",
     .example = ">>> e, v = tf.linalg.eig([[2., 0.], [0., 3.]])\n"
                ">>> e.numpy().tolist()\n[(2+0j), (3+0j)]"},
    {.names = "linalg.eigvals|eigvals",
     .args = "tensor: tensor",
     .scope = "Eig",
     .build = GeneralEigenvalues,
     .doc = "The eigenvalues of matrices, which are complex, in no order.",
     .example = ">>> tf.linalg.eigvals([[0., -1.], [1., 0.]]).numpy().shape\n"
                "(2,)"},
    {.names = "linalg.eigh",
     .args = "tensor: tensor",
     .scope = "SelfAdjointEigV2",
     .build = SelfAdjointEigen,
     .result = "tuple",
     .doc = "The eigenvalues, in rising order, and eigenvectors, as columns, "
            "of Hermitian matrices, of which the lower halves alone are read.",
     .example = ">>> e, v = tf.linalg.eigh([[3., 0.], [0., 2.]])\n"
                ">>> e.numpy().tolist()\n[2.0, 3.0]"},
    {.names = "linalg.eigvalsh",
     .args = "tensor: tensor",
     .scope = "SelfAdjointEigV2",
     .build = SelfAdjointEigenvalues,
     .doc = "The eigenvalues, in rising order, of Hermitian matrices, of which "
            "the lower halves alone are read.",
     .example = ">>> tf.linalg.eigvalsh([[3., 0.], [0., 2.]]).numpy()."
                "tolist()\n[2.0, 3.0]"},
    {.names = "linalg.svd",
     .args = "tensor: tensor; full_matrices: bool = False; compute_uv: bool = "
             "True",
     .scope = "Svd",
     .build = SingularValues,
     .result = "tuple or tensor",
     .doc = "Singular values s, in falling order, and orthonormal columns u "
            "and v with u diag(s) v^H = tensor.\n\nArgs:\n  full_matrices: "
            "shall u and v be square?\n  compute_uv: if false, s alone is "
            "returned.",
     .example = ">>> s = tf.linalg.svd([[3., 0.], [0., 4.]], "
                "compute_uv=False)\n>>> s.numpy().round(4).tolist()\n"
                "[4.0, 3.0]"},
    {.names = "linalg.cholesky_solve",
     .args = "chol: tensor(T); rhs: tensor(T)",
     .scope = "cholesky_solve",
     .build = CholeskySolve,
     .doc = "The x with chol chol^H x = rhs, `chol` being lower triangles.",
     .example = ">>> chol = tf.linalg.cholesky([[4., 0.], [0., 1.]])\n"
                ">>> tf.linalg.cholesky_solve(chol, [[8.], [3.]]).numpy()."
                "tolist()\n[[2.0], [3.0]]"},
    {.names = "linalg.logdet",
     .args = "matrix: tensor",
     .scope = "logdet",
     .build = LogDeterminant,
     .doc = "The logarithms of the determinants of Hermitian positive definite "
            "matrices.",
     .example = ">>> tf.linalg.logdet([[1., 0.], [0., 1.]]).numpy().item()\n"
                "0.0"},
    {.names = "linalg.lstsq",
     .args = "matrix: tensor(T); rhs: tensor(T); l2_regularizer: native = 0.0; "
             "fast: bool = True",
     .scope = "matrix_solve_ls",
     .build = LeastSquares,
     .doc = "The x of least |matrix x - rhs|^2 + l2_regularizer |x|^2.\n\n"
            "Args:\n  fast: by Cholesky factors, which squares errors; else "
            "by singular\n    values, and without the regularizer: x is the "
            "least one if there are many.",
     .example = ">>> tf.linalg.lstsq([[1.], [1.]], [[2.], [4.]]).numpy()."
                "round(4).tolist()\n[[3.0]]"},
    {.names = "linalg.matrix_rank",
     .args = "a: tensor(float32); tol: native = None; validate_args: bool = "
             "False",
     .scope = "matrix_rank",
     .build = MatrixRank,
     .doc = "The number of singular values above `tol`; None: above what "
            "rounding makes of the largest one." VALIDATE_DOC,
     .example = ">>> tf.linalg.matrix_rank([[1., 2.], [2., 4.]]).numpy()."
                "item()\n1"},
    {.names = "linalg.pinv",
     .args = "a: tensor; rcond: native = None; validate_args: bool = False",
     .scope = "pinv",
     .build = Pseudoinverse,
     .doc = "Pseudoinverses of matrices, after Moore and Penrose. Singular "
            "values up to `rcond` times the largest one count as "
            "zero." VALIDATE_DOC,
     .example = ">>> tf.linalg.pinv([[2., 0.], [0., 0.]]).numpy().round(4)."
                "tolist()\n[[0.5, 0.0], [0.0, 0.0]]"},
    {.names = "linalg.lu_solve",
     .args = "lower_upper: tensor(float32); perm: tensor(int32); rhs: tensor; "
             "validate_args: bool = False",
     .scope = "lu_solve",
     .build = LuSolve,
     .doc = "The x with matrix x = rhs, of what tf.linalg.lu gives for the "
            "matrix." VALIDATE_DOC,
     .example = ">>> lu, p = tf.linalg.lu([[0., 2.], [1., 0.]])\n"
                ">>> tf.linalg.lu_solve(lu, p, [[4.], [3.]]).numpy().tolist()\n"
                "[[3.0], [2.0]]"},
    {.names = "linalg.lu_matrix_inverse",
     .args = "lower_upper: tensor(float32); perm: tensor(int32); "
             "validate_args: bool = False",
     .scope = "lu_matrix_inverse",
     .build = LuInverse,
     .doc = "The inverse of the matrix that tf.linalg.lu gave this "
            "for." VALIDATE_DOC,
     .example = ">>> lu, p = tf.linalg.lu([[0., 2.], [1., 0.]])\n"
                ">>> tf.linalg.lu_matrix_inverse(lu, p).numpy().tolist()\n"
                "[[0.0, 1.0], [0.5, 0.0]]"},
    {.names = "linalg.lu_reconstruct",
     .args = "lower_upper: tensor(float32); perm: tensor(int32); "
             "validate_args: bool = False",
     .scope = "lu_reconstruct",
     .build = LuReconstruct,
     .doc = "The matrix that tf.linalg.lu gave this for." VALIDATE_DOC,
     .example = ">>> lu, p = tf.linalg.lu([[0., 2.], [1., 0.]])\n"
                ">>> tf.linalg.lu_reconstruct(lu, p).numpy().tolist()\n"
                "[[0.0, 2.0], [1.0, 0.0]]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_matrix)

}  // namespace gk
