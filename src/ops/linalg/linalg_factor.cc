// Matrices as products of triangular and unitary ones.
#include "ops/fn/linalg_factor.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/linalg.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/MatrixTriangularSolve.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Real.h"
#include "ops/fn/Sub.h"
#include "ops/fn/ZerosLike.h"
#include "ops/linalg/matrix_algebra.h"
#include "ops/linalg/matrix_call.h"
#include "ops/linalg/matrix_shapes.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

// ---- Cholesky ----

Status ComputeCholesky(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckSquare(c.input(0), 0));
  MatrixCall call(c);
  const Tensor& x = call.in(0);
  Tensor* out;
  GK_RETURN_IF_ERROR(call.Out(0, x.dtype(), x.shape(), &out));
  if (x.num_elements() > 0) {
    const int64_t n = RowsOf(x), size = n * n;
    Status done;
    GK_RETURN_IF_ERROR(VisitMatrixType(c, x.dtype(), [&](auto tag) {
      using T = decltype(tag);
      done = ForMatrices(x.num_elements() / size, n * size / 6, [&](int64_t i) {
        T* l = out->data<T>() + i * size;
        if (CholeskyFactor(n, x.data<T>() + i * size, l)) return true;
        // The lower half is no number then, as TensorFlow's is.
        const T none(std::numeric_limits<double>::quiet_NaN());
        for (int64_t k = 0; k < n; ++k) {
          std::fill_n(l + k * n, k + 1, none);
          std::fill_n(l + k * n + k + 1, n - k - 1, T(0));
        }
        return true;
      });
    }));
    GK_RETURN_IF_ERROR(done);
  }
  return call.Finish();
}

// With P(x) the lower half of x with half its diagonal it is l^-H P(l^H dl)
// l^-1, made Hermitian.
void CholeskyGradient(GradContext& g) {
  using namespace matrix;
  if (!g.wants(0)) return;
  const Tensor &l = g.y(0), dl = g.dy(0);
  Tensor middle = Product(l, dl, true);
  const Tensor diagonal = DiagPart(middle);
  middle = WithDiagonal(middle, ops::Mul(ScalarLike(diagonal, 0.5), diagonal));
  middle = Triangle(middle, true);
  const Tensor inverse = ops::MatrixTriangularSolve(l, EyeLike(l));
  const Tensor da = Product(Product(inverse, middle, true), inverse);
  g.Set(0, ops::Mul(ops::AddV2(da, Adjoint(da)), ScalarLike(da, 0.5)));
}

Status CholeskyGradShape(InferenceContext& c) {
  PartialTensorShape grad;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(1, 2, &grad));
  return SquareResultShape(c);
}

Status ComputeCholeskyGrad(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckMatrix(c.input(0), 0));
  GK_RETURN_IF_ERROR(CheckMatrix(c.input(1), 1));
  GK_RETURN_IF_ERROR(CheckSquare(c.input(0), 0));
  if (c.input(0).shape() != c.input(1).shape()) {
    return InvalidArgument("Inputs (L and grad) must have the same shape.");
  }
  MatrixCall call(c);
  const Tensor &l = call.in(0), &dl = call.in(1);
  Tensor* out;
  GK_RETURN_IF_ERROR(call.Out(0, l.dtype(), l.shape(), &out));
  if (l.num_elements() > 0) {
    const int64_t n = RowsOf(l), size = n * n;
    Status done;
    VisitType<float, double>(l.dtype(), [&](auto tag) {
      using T = decltype(tag);
      done = ForMatrices(l.num_elements() / size, n * size, [&](int64_t i) {
        gk::CholeskyGradient(n, l.data<T>() + i * size, dl.data<T>() + i * size,
                             out->data<T>() + i * size);
        return true;
      });
    });
    GK_RETURN_IF_ERROR(done);
  }
  return call.Finish();
}

// ---- Lu ----

Status LuShape(InferenceContext& c) {
  MatrixShape m;
  GK_RETURN_IF_ERROR(SquareShapeOf(c, 0, &m));
  c.set_output(0, m.With({m.rows, m.columns}));
  c.set_output(1, m.With({m.rows}));
  return OkStatus();
}

Status ComputeLu(KernelContext& c) {
  const Tensor& given = c.input(0);
  if (given.rank() < 2) {
    return InvalidArgument("Input tensor must have rank >= 2, got {}",
                           given.rank());
  }
  GK_RETURN_IF_ERROR(CheckSquare(given, 0));
  MatrixCall call(c);
  const Tensor& x = call.in(0);
  const int64_t n = RowsOf(x), size = n * n;
  if (n > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("Matrices of {} rows are too large", n);
  }
  Tensor *lu, *p;
  const DataType index = c.attr<DataType>("output_idx_type");
  GK_RETURN_IF_ERROR(call.Out(0, x.dtype(), x.shape(), &lu));
  GK_RETURN_IF_ERROR(c.Allocate(1, index, BatchOf(x, {n}), &p));
  if (x.num_elements() > 0) {
    Status done;
    GK_RETURN_IF_ERROR(VisitMatrixType(c, x.dtype(), [&](auto tag) {
      using T = decltype(tag);
      const auto factor = [&](int64_t i) {
        std::vector<int64_t> perm(n);
        const bool found = LuFactor(n, x.data<T>() + i * size,
                                    lu->data<T>() + i * size, perm.data());
        VisitType<int32_t, int64_t>(index, [&](auto kind) {
          using Index = decltype(kind);
          std::copy(perm.begin(), perm.end(), p->data<Index>() + i * n);
        });
        return found;
      };
      done = ForMatrices(x.num_elements() / size, n * size / 3, factor,
                         "Input is not invertible.");
    }));
    GK_RETURN_IF_ERROR(done);
  }
  return call.Finish();
}

// ---- Qr ----

// The smaller of two dims of which either may be unknown.
int64_t MinDim(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a < 0 || b < 0 ? kUnknownDim : std::min(a, b);
}

Status QrShape(InferenceContext& c) {
  MatrixShape m;
  GK_RETURN_IF_ERROR(MatrixShapeOf(c, 0, &m));
  const int64_t p =
      c.attr<bool>("full_matrices") ? m.rows : MinDim(m.rows, m.columns);
  c.set_output(0, m.With({m.rows, p}));
  c.set_output(1, m.With({p, m.columns}));
  return OkStatus();
}

Status ComputeQr(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckMatrix(c.input(0), 0));
  MatrixCall call(c);
  const Tensor& x = call.in(0);
  const bool full = c.attr<bool>("full_matrices");
  const int64_t m = RowsOf(x), n = ColumnsOf(x);
  const int64_t p = full ? m : std::min(m, n);
  GK_ASSIGN_OR_RETURN(const TensorShape q_shape, BatchWith(x, {m, p}));
  GK_ASSIGN_OR_RETURN(const TensorShape r_shape, BatchWith(x, {p, n}));
  Tensor *q, *r;
  GK_RETURN_IF_ERROR(call.Out(0, x.dtype(), q_shape, &q));
  GK_RETURN_IF_ERROR(call.Out(1, x.dtype(), r_shape, &r));
  const int64_t batch =
      q_shape.num_elements() == 0 ? 0 : q_shape.num_elements() / (m * p);
  Status done;
  GK_RETURN_IF_ERROR(VisitMatrixType(c, x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    done = ForMatrices(batch, m * n * p, [&](int64_t i) {
      QrFactor(m, n, x.data<T>() + i * m * n, full, q->data<T>() + i * m * p,
               r->data<T>() + i * p * n);
      return true;
    });
  }));
  GK_RETURN_IF_ERROR(done);
  return call.Finish();
}

// x r^-H for an upper triangle r.
Tensor OverAdjoint(const Tensor& x, const Tensor& r) {
  return matrix::Adjoint(
      ops::MatrixTriangularSolve(r, matrix::Adjoint(x), /*lower=*/false));
}

// Of a matrix of no more columns than rows; after Roberts and Roberts
// (arXiv:2009.10071).
Tensor DeepQrGradient(const Tensor& q, const Tensor& r, const Tensor& dq,
                      const Tensor& dr) {
  using namespace matrix;
  const Tensor qdq = Product(q, dq, true);
  const Tensor rdr = Product(r, dr, false, true);
  const Tensor skew =
      ops::AddV2(ops::Sub(qdq, Adjoint(qdq)), ops::Sub(rdr, Adjoint(rdr)));
  const Tensor lower = OverAdjoint(Triangle(skew, true), r);
  const Tensor within = Product(q, ops::AddV2(dr, lower));
  const Tensor beside = OverAdjoint(ops::Sub(dq, Product(q, qdq)), r);
  Tensor da = ops::AddV2(within, beside);
  if (IsComplex(q.dtype())) {
    // Phases of the rows of r are free; the diagonal is taken as real.
    const Tensor diagonal = DiagPart(ops::Sub(rdr, Adjoint(qdq)));
    const Tensor real =
        ops::Cast(ops::Real(diagonal, RealType(q.dtype())), q.dtype());
    const Tensor turn = Diag(ops::Sub(diagonal, real));
    da = ops::AddV2(da, OverAdjoint(Product(q, Adjoint(turn)), r));
  }
  return da;
}

// With p the smaller size, a = [x, y] and r = [u, v] where x and u have p
// columns, if there are more; of a tall matrix y and v have none.
void QrGradient(GradContext& g) {
  using namespace matrix;
  if (!g.wants(0)) return;
  const Tensor &q = g.y(0), &r = g.y(1);
  const PartialTensorShape shape = r.partial_shape();
  const int rank = shape.rank();
  const int64_t rows = rank < 2 ? kUnknownDim : shape.dim(rank - 2);
  const int64_t columns = rank < 2 ? kUnknownDim : shape.dim(rank - 1);
  const bool known = rows >= 0 && columns >= 0;
  if (g.attr<bool>("full_matrices") && (!known || rows > columns)) {
    throw Error(Unimplemented(
        "QrGrad not implemented when nrows > ncols and full_matrices is true. "
        "Received r.shape={}",
        shape.PythonString()));
  }
  const Tensor dq = g.dy(0), dr = g.dy(1);
  if (known && rows == columns) {
    g.Set(0, DeepQrGradient(q, r, dq, dr));
    return;
  }
  const Tensor p = ColumnsFrom(ShapeTensor(r), -2, -1);
  const Tensor y = ColumnsBehind(g.x(0), p), u = FirstColumns(r, p);
  const Tensor dv = ColumnsBehind(dr, p), du = FirstColumns(dr, p);
  const Tensor dx =
      DeepQrGradient(q, u, ops::AddV2(dq, Product(y, dv, false, true)), du);
  g.Set(0, ops::ConcatV2(std::vector<Tensor>{dx, Product(q, dv)},
                         IntegerConstant(-1)));
}

#define MATRIX_TYPES "T: type in [double, float, half, complex64, complex128]"

const OpRecord kRecords[] = {
    {.name = "Cholesky",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = MATRIX_TYPES,
     .traits = kExpensive,
     .shape = SquareResultShape,
     .kernel = {.compute = ComputeCholesky},
     .gradient = CholeskyGradient,
     .python = {.names = "linalg.cholesky"},
     .doc = "The lower triangles l with l l^H = input, of which the lower "
            "halves alone are read; no numbers where a matrix is not positive "
            "definite.",
     .example = ">>> tf.linalg.cholesky([[4., 2.], [2., 5.]]).numpy()."
                "tolist()\n[[2.0, 0.0], [1.0, 2.0]]",
     // The gradient is that of a Hermitian matrix, made so.
     .test = {.skip_gradient = true}},

    {.name = "CholeskyGrad",
     .inputs = "l: T; grad: T",
     .outputs = "output: T",
     .attrs = "T: type in [half, float, double]",
     .traits = kExpensive | kNoGradient,
     .shape = CholeskyGradShape,
     .kernel = {.compute = ComputeCholeskyGrad},
     .doc = "The gradient of Cholesky's input, of its result l and the "
            "gradient of that."},

    {.name = "Lu",
     .inputs = "input: T",
     .outputs = "lu: T; p: output_idx_type",
     .attrs = MATRIX_TYPES "; output_idx_type: type in [int32, int64] = int32",
     .traits = kExpensive | kNoGradient,
     .shape = LuShape,
     .kernel = {.compute = ComputeLu},
     .python = {.names = "linalg.lu"},
     .doc = "A lower triangle with a diagonal of ones, which is left out, and "
            "an upper one, in one matrix: row i of their product is row p[i] "
            "of the input.",
     .example = ">>> lu, p = tf.linalg.lu([[1., 2.], [4., 4.]])\n"
                ">>> lu.numpy().tolist(), p.numpy().tolist()\n"
                "([[4.0, 4.0], [0.25, 1.0]], [1, 0])"},

    {.name = "Qr",
     .inputs = "input: T",
     .outputs = "q: T; r: T",
     .attrs = "full_matrices: bool = False; " MATRIX_TYPES,
     .traits = kExpensive,
     .shape = QrShape,
     .kernel = {.compute = ComputeQr},
     .gradient = QrGradient,
     .python = {.names = "linalg.qr"},
     .doc = "Matrices with orthonormal columns, q, and upper triangles, r, "
            "with q r = input; q is square if full_matrices is true.",
     .example = ">>> q, r = tf.linalg.qr([[3., 1.], [4., 2.]])\n"
                ">>> (q @ r).numpy().round(4).tolist()\n"
                "[[3.0, 1.0], [4.0, 2.0]]"},
};

}  // namespace

GK_REGISTER_OPS(linalg_factor)

}  // namespace gk
