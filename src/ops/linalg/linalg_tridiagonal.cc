// Products and systems of equations of tridiagonal matrices.
#include "ops/fn/linalg_tridiagonal.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/triangular.h"
#include "ops/broadcast_gradient.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Neg.h"
#include "ops/fn/Sum.h"
#include "ops/fn/ZerosLike.h"
#include "ops/linalg/matrix_algebra.h"
#include "ops/linalg/matrix_call.h"
#include "ops/linalg/matrix_shapes.h"

namespace gk {
namespace {

// Inputs of one rank, with the same dims before the matrices.
Status CheckTogether(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckMatrix(c.input(0), 0));
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.input(i).rank() != c.input(0).rank()) {
      return InvalidArgument("All input tensors must have the same rank.");
    }
    if (BatchOf(c.input(i)) != BatchOf(c.input(0))) {
      return InvalidArgument(
          "All input tensors must have the same outer dimensions.");
    }
  }
  return OkStatus();
}

// ---- TridiagonalSolve ----

Status TridiagonalSolveShape(InferenceContext& c) {
  MatrixShape a, b;
  GK_RETURN_IF_ERROR(MatrixShapeOf(c, 0, &a));
  GK_RETURN_IF_ERROR(MatrixShapeOf(c, 1, &b));
  if (c.input(0).unknown_rank() || c.input(1).unknown_rank()) {
    const MatrixShape& known = c.input(0).unknown_rank() ? b : a;
    c.set_output(0, known.With({c.input(0).unknown_rank() ? b.rows : a.columns,
                                b.columns}));
    return OkStatus();
  }
  StatusOr<PartialTensorShape> batch = a.batch.MergeWith(b.batch);
  GK_RETURN_IF_ERROR(batch.status());
  int64_t three, n;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(a.rows, 3, &three));
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(a.columns, b.rows, &n));
  const MatrixShape both{*batch};
  c.set_output(0, both.With({n, b.columns}));
  return OkStatus();
}

Status ComputeTridiagonalSolve(KernelContext& c) {
  const bool pivot = c.attr<bool>("partial_pivoting");
  const bool perturb = c.attr<bool>("perturb_singular");
  if (perturb && !pivot) {
    return InvalidArgument(
        "Setting perturb_singular requires also setting partial_pivoting.");
  }
  GK_RETURN_IF_ERROR(CheckTogether(c));
  const Tensor &a = c.input(0), &b = c.input(1);
  if (RowsOf(a) != 3) {
    return InvalidArgument(
        "Expected diagonals to be provided as a matrix with 3 rows, got {} "
        "rows.",
        RowsOf(a));
  }
  const int64_t n = ColumnsOf(a), width = ColumnsOf(b);
  if (n != RowsOf(b)) {
    return InvalidArgument(
        "Expected the same number of left-hand sides and right-hand sides, got "
        "{} and {}.",
        n, RowsOf(b));
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, b.dtype(), b.shape(), &out));
  if (b.num_elements() == 0) return OkStatus();
  Status done;
  GK_RETURN_IF_ERROR(VisitMatrixType(c, a.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const auto solve = [&](int64_t i) {
      std::vector<T> work(3 * n);
      T* x = out->data<T>() + i * n * width;
      std::copy_n(b.data<T>() + i * n * width, n * width, x);
      if (!SolveTridiagonal(n, a.data<T>() + i * 3 * n, pivot, perturb, x,
                            width, work.data())) {
        // TensorFlow gives no numbers for a singular matrix.
        std::fill_n(x, n * width, T(std::numeric_limits<double>::quiet_NaN()));
      }
      return true;
    };
    done = ForMatrices(b.num_elements() / (n * width), n * (width + 4), solve);
  }));
  return done;
}

// Rows i + 1 (or, if not `up`, i - 1) in the place of row i, of an axis counted
// from the end; zeros come in.
Tensor Shifted(const Tensor& x, bool up, bool of_rows) {
  const auto part = [&](int64_t begin, int64_t end) {
    return of_rows ? matrix::RowsFrom(x, begin, end)
                   : matrix::ColumnsFrom(x, begin, end);
  };
  const Tensor zeros = ops::ZerosLike(part(0, 1));
  const Tensor axis = IntegerConstant(of_rows ? -2 : -1);
  if (up) {
    return ops::ConcatV2(std::vector<Tensor>{part(1, 0), zeros}, axis);
  }
  return ops::ConcatV2(std::vector<Tensor>{zeros, part(0, -1)}, axis);
}

Tensor SumOfColumns(const Tensor& x, bool keep) {
  return ops::Sum(x, IntegerVector(std::vector<int64_t>{-1}), keep);
}

// Row `i` of the three, kept as a row.
Tensor DiagonalRow(const Tensor& diagonals, int64_t i) {
  return matrix::RowsFrom(diagonals, i, i == 2 ? 0 : i + 1);
}

Tensor StackedRows(const Tensor& above, const Tensor& main,
                   const Tensor& below) {
  return ops::ConcatV2(std::vector<Tensor>{above, main, below},
                       IntegerConstant(-2));
}

void TridiagonalSolveGradient(GradContext& g) {
  const Tensor& diagonals = g.x(0);
  // Without conjugates, as TensorFlow's.
  const Tensor transposed =
      StackedRows(Shifted(DiagonalRow(diagonals, 2), true, false),
                  DiagonalRow(diagonals, 1),
                  Shifted(DiagonalRow(diagonals, 0), false, false));
  const Tensor db = ops::TridiagonalSolve(transposed, g.dy(0),
                                          g.attr<bool>("partial_pivoting"),
                                          g.attr<bool>("perturb_singular"));
  if (g.wants(0)) {
    // The three diagonals of db x^T.
    const Tensor& x = g.y(0);
    const auto diagonal = [&](const Tensor& other) {
      return ops::ExpandDims(SumOfColumns(ops::Mul(db, other), false),
                             IntegerConstant(-2));
    };
    const Tensor above = diagonal(Shifted(x, true, true));
    const Tensor main = diagonal(x);
    const Tensor below = diagonal(Shifted(x, false, true));
    g.Set(0, ops::Neg(StackedRows(above, main, below)));
  }
  if (g.wants(1)) g.Set(1, db);
}

// ---- TridiagonalMatMul ----

Status TridiagonalProductShape(InferenceContext& c) {
  MatrixShape x;
  GK_RETURN_IF_ERROR(MatrixShapeOf(c, 3, &x));
  PartialTensorShape batch = x.batch;
  int64_t n = x.rows;
  for (int i = 0; i < 3; ++i) {
    MatrixShape diagonal;
    GK_RETURN_IF_ERROR(MatrixShapeOf(c, i, &diagonal));
    if (c.input(i).unknown_rank()) continue;
    int64_t one;
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(diagonal.rows, 1, &one));
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(n, diagonal.columns, &n));
    StatusOr<PartialTensorShape> merged = batch.MergeWith(diagonal.batch);
    GK_RETURN_IF_ERROR(merged.status());
    batch = *merged;
  }
  const MatrixShape both{batch};
  c.set_output(0, both.With({n, x.columns}));
  return OkStatus();
}

Status ComputeTridiagonalProduct(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTogether(c));
  const Tensor& x = c.input(3);
  const int64_t n = RowsOf(x), width = ColumnsOf(x);
  constexpr const char* kNames[] = {"superdiagonal", "main diagonal",
                                    "subdiagonal"};
  for (int i = 0; i < 3; ++i) {
    if (RowsOf(c.input(i)) != 1 || ColumnsOf(c.input(i)) != n) {
      return InvalidArgument("Invalid {} shape.", kNames[i]);
    }
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &out));
  if (x.num_elements() == 0) return OkStatus();
  Status done;
  GK_RETURN_IF_ERROR(VisitMatrixType(c, x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const auto multiply = [&](int64_t i) {
      MultiplyTridiagonal(
          n, c.input(0).data<T>() + i * n, c.input(1).data<T>() + i * n,
          c.input(2).data<T>() + i * n, x.data<T>() + i * n * width, width,
          out->data<T>() + i * n * width);
      return true;
    };
    done = ForMatrices(x.num_elements() / (n * width), n * width, multiply);
  }));
  return done;
}

void TridiagonalProductGradient(GradContext& g) {
  const Tensor x = Conjugate(g.x(3)), dy = g.dy(0);
  const auto diagonal = [&](int i, const Tensor& other) {
    if (!g.wants(i)) return;
    const Tensor sum = SumOfColumns(ops::Mul(other, dy), false);
    g.Set(i, ops::ExpandDims(sum, IntegerConstant(-2)));
  };
  diagonal(0, Shifted(x, true, true));
  diagonal(1, x);
  diagonal(2, Shifted(x, false, true));
  if (!g.wants(3)) return;
  // Rows of the diagonals as columns, that go along with the rows of dy.
  const auto scaled = [&](int i) {
    return ops::Mul(matrix::Adjoint(g.x(i)), dy);
  };
  const Tensor above = Shifted(scaled(0), false, true);
  const Tensor below = Shifted(scaled(2), true, true);
  g.Set(3, ops::AddV2(ops::AddV2(above, scaled(1)), below));
}

const OpRecord kRecords[] = {
    {.name = "TridiagonalSolve",
     .inputs = "diagonals: T; rhs: T",
     .outputs = "output: T",
     .attrs = "partial_pivoting: bool = True; perturb_singular: bool = False; "
              "T: type in [double, float, complex64, complex128]",
     .traits = kExpensive,
     .shape = TridiagonalSolveShape,
     .kernel = {.compute = ComputeTridiagonalSolve},
     .gradient = TridiagonalSolveGradient,
     .doc = "The x with A x = rhs of tridiagonal matrices A. `diagonals` has "
            "the one above the main one (its last element does not count), the "
            "main one, and the one below (its first element does not count)."},

    {.name = "TridiagonalMatMul",
     .inputs = "superdiag: T; maindiag: T; subdiag: T; rhs: T",
     .outputs = "output: T",
     .attrs = "T: type in [double, float, complex64, complex128]",
     .shape = TridiagonalProductShape,
     .kernel = {.compute = ComputeTridiagonalProduct},
     .gradient = TridiagonalProductGradient,
     .doc =
         "The product of tridiagonal matrices and `rhs`. Diagonals are rows "
         "of one length: the last element of the one above the main one, and "
         "the first of the one below, do not count."},
};

}  // namespace

GK_REGISTER_OPS(linalg_tridiagonal)

}  // namespace gk
