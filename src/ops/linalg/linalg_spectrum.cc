// Eigenvalues and singular values.
#include "ops/fn/linalg_spectrum.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/linalg.h"
#include "ops/broadcast_gradient.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Complex.h"
#include "ops/fn/MatrixSolve.h"
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

// ---- Eigenvalues ----

Status EigenShape(InferenceContext& c) {
  MatrixShape m;
  GK_RETURN_IF_ERROR(SquareShapeOf(c, 0, &m));
  c.set_output(0, m.With({m.rows}));
  c.set_output(1, c.attr<bool>("compute_v") ? m.With({m.rows, m.rows})
                                            : PartialTensorShape({0}));
  return OkStatus();
}

// Runs solve<T>(n, matrix, values, vectors or null) -> bool.
template <class Solve>
Status ComputeEigen(KernelContext& c, DataType values, DataType vectors,
                    const Tensor& x, MatrixCall& call, Solve&& solve) {
  const int64_t n = RowsOf(x);
  const bool with_vectors = c.attr<bool>("compute_v");
  Tensor *e, *v;
  GK_RETURN_IF_ERROR(call.Out(0, values, BatchOf(x, {n}), &e));
  GK_RETURN_IF_ERROR(
      call.Out(1, vectors, with_vectors ? x.shape() : TensorShape({0}), &v));
  if (x.num_elements() > 0) {
    GK_RETURN_IF_ERROR(
        solve(x.num_elements() / (n * n), n, e, with_vectors ? v : nullptr));
  }
  return call.Finish();
}

// The outputs have the dtype of the matrices: of complex ones the eigenvalues
// are complex too.
Status ComputeSelfAdjointEigen(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckSquare(c.input(0), 0));
  MatrixCall call(c);
  const Tensor& x = call.in(0);
  const auto solve = [&](int64_t batch, int64_t n, Tensor* e, Tensor* v) {
    Status done;
    GK_RETURN_IF_ERROR(VisitMatrixType(c, x.dtype(), [&](auto tag) {
      using T = decltype(tag);
      const auto one = [&](int64_t i) {
        std::vector<typename RealOf<T>::type> values(n);
        const bool found =
            SelfAdjointEigen(n, x.data<T>() + i * n * n, values.data(),
                             v ? v->data<T>() + i * n * n : nullptr);
        std::copy(values.begin(), values.end(), e->data<T>() + i * n);
        return found;
      };
      done = ForMatrices(batch, 4 * n * n * n, one,
                         "Self-adjoint eigen decomposition was not "
                         "successful. The input might not be valid.");
    }));
    return done;
  };
  return ComputeEigen(c, x.dtype(), x.dtype(), x, call, solve);
}

Status ComputeGeneralEigen(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckSquare(c.input(0), 0));
  MatrixCall call(c);
  const Tensor& x = call.in(0);
  const DataType out = c.attr<DataType>("Tout");
  const auto solve = [&](int64_t batch, int64_t n, Tensor* e, Tensor* v) {
    Status done;
    GK_RETURN_IF_ERROR(VisitMatrixType(c, x.dtype(), [&](auto tag) {
      using T = decltype(tag);
      using C = ComplexOf<T>;
      if (kTypeOf<C> != out) {
        done = c.NoKernel();
        return;
      }
      const auto one = [&](int64_t i) {
        return GeneralEigen(n, x.data<T>() + i * n * n, e->data<C>() + i * n,
                            v ? v->data<C>() + i * n * n : nullptr);
      };
      done = ForMatrices(batch, 25 * n * n * n, one,
                         "Eigen decomposition was not successful. The input "
                         "might not be valid.");
    }));
    return done;
  };
  return ComputeEigen(c, out, out, x, call, solve);
}

// 1 / (e_j - e_i), zero on the diagonal. With equal eigenvalues their vectors
// are free, and the gradient is that of no change of them.
Tensor InverseGaps(const Tensor& values) {
  return matrix::WithDiagonal(
      matrix::SafeReciprocal(matrix::Differences(values)),
      ops::ZerosLike(values));
}

void SelfAdjointEigenGradient(GradContext& g) {
  using namespace matrix;
  if (!g.wants(0)) return;
  const Tensor& x = g.x(0);
  Tensor v = g.y(1), inner;
  if (g.attr<bool>("compute_v")) {
    inner = Diag(g.dy(0));
    if (g.has_dy(1)) {
      const Tensor turned = Product(v, g.dy(1), true);
      inner = ops::AddV2(inner, ops::Mul(InverseGaps(g.y(0)), turned));
    }
  } else {
    v = ops::SelfAdjointEigV2(x)[1];
    inner = Diag(g.dy(0));
  }
  Tensor dx = Product(v, Product(inner, v, false, true));
  // Only the lower half is read.
  dx = Triangle(ops::AddV2(dx, Adjoint(dx)), true);
  const Tensor diagonal = DiagPart(dx);
  g.Set(0, WithDiagonal(dx, ops::Mul(ScalarLike(diagonal, 0.5), diagonal)));
}

// A real matrix takes the real part.
Tensor PartOf(const Tensor& x, DataType dtype) {
  if (x.dtype() == dtype) return x;
  return IsComplex(dtype) ? ops::Cast(x, dtype) : ops::Real(x, dtype);
}

void GeneralEigenGradient(GradContext& g) {
  using namespace matrix;
  if (!g.wants(0)) return;
  const Tensor &x = g.x(0), &e = g.y(0);
  const bool with_vectors = g.attr<bool>("compute_v");
  const Tensor v =
      with_vectors ? g.y(1) : ops::Eig(x, e.dtype(), /*compute_v=*/true)[1];
  const Tensor vh = Adjoint(v);
  Tensor inner = Diag(g.dy(0));
  if (with_vectors && g.has_dy(1)) {
    const Tensor gaps = Conjugate(InverseGaps(e));
    const Tensor turned = Product(vh, g.dy(1));
    const Tensor real = ops::Real(DiagPart(turned), RealType(turned.dtype()));
    const Tensor lengths =
        Product(Product(vh, v), Diag(ops::Cast(real, turned.dtype())));
    inner = ops::AddV2(inner, ops::Mul(gaps, ops::Sub(turned, lengths)));
  }
  g.Set(0, PartOf(ops::MatrixSolve(vh, Product(inner, vh)), x.dtype()));
}

// ---- Singular values ----

int64_t SmallerDim(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a < 0 || b < 0 ? kUnknownDim : std::min(a, b);
}

Status SvdShape(InferenceContext& c) {
  MatrixShape m;
  GK_RETURN_IF_ERROR(MatrixShapeOf(c, 0, &m));
  const int64_t p = SmallerDim(m.rows, m.columns);
  c.set_output(0, m.With({p}));
  const PartialTensorShape none({0});
  const bool with_uv = c.attr<bool>("compute_uv");
  const bool full = c.attr<bool>("full_matrices");
  c.set_output(1, with_uv ? m.With({m.rows, full ? m.rows : p}) : none);
  c.set_output(2, with_uv ? m.With({m.columns, full ? m.columns : p}) : none);
  return OkStatus();
}

template <class T>
void MakeIdentity(Tensor* t) {
  if (t->num_elements() == 0) return;
  const int64_t rows = RowsOf(*t), columns = ColumnsOf(*t);
  for (int64_t i = 0; i < t->num_elements(); ++i) {
    const int64_t at = i % (rows * columns);
    t->data<T>()[i] = T(at / columns == at % columns ? 1 : 0);
  }
}

Status ComputeSvd(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckMatrix(c.input(0), 0));
  MatrixCall call(c);
  const Tensor& x = call.in(0);
  const int64_t m = RowsOf(x), n = ColumnsOf(x), p = std::min(m, n);
  const bool full = c.attr<bool>("full_matrices");
  const bool with_uv = c.attr<bool>("compute_uv");
  const int64_t pu = full ? m : p, pv = full ? n : p;
  TensorShape us({0}), vs({0});
  if (with_uv) {
    GK_ASSIGN_OR_RETURN(us, BatchWith(x, {m, pu}));
    GK_ASSIGN_OR_RETURN(vs, BatchWith(x, {n, pv}));
  }
  Tensor *s, *u, *v;
  GK_RETURN_IF_ERROR(call.Out(0, x.dtype(), BatchOf(x, {p}), &s));
  GK_RETURN_IF_ERROR(call.Out(1, x.dtype(), us, &u));
  GK_RETURN_IF_ERROR(call.Out(2, x.dtype(), vs, &v));
  Status done;
  GK_RETURN_IF_ERROR(VisitMatrixType(c, x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    if (x.num_elements() == 0) {
      // Without singular values any vectors will do.
      if (with_uv) MakeIdentity<T>(u), MakeIdentity<T>(v);
      return;
    }
    const auto one = [&](int64_t i) {
      using Real = typename RealOf<T>::type;
      std::vector<Real> values(p);
      T* own_u = with_uv ? u->data<T>() + i * m * pu : nullptr;
      T* own_v = with_uv ? v->data<T>() + i * n * pv : nullptr;
      if (!SingularValues(m, n, x.data<T>() + i * m * n, full, values.data(),
                          own_u, own_v)) {
        const Real none = std::numeric_limits<Real>::quiet_NaN();
        std::fill(values.begin(), values.end(), none);
        if (with_uv) {
          std::fill_n(own_u, m * pu, T(none));
          std::fill_n(own_v, n * pv, T(none));
        }
      }
      std::copy(values.begin(), values.end(), s->data<T>() + i * p);
      return true;
    };
    done = ForMatrices(x.num_elements() / (m * n), 8 * m * n * p, one);
  }));
  GK_RETURN_IF_ERROR(done);
  return call.Finish();
}

// Of the singular values, and of the vectors within their spaces.
Tensor SvdWithin(const Tensor& s, const Tensor& ds, const Tensor& udu,
                 const Tensor& vdv) {
  using namespace matrix;
  const Tensor s_matrix = Diag(s);
  const Tensor gaps = InverseGaps(ops::Mul(s, s));
  const Tensor fu = ops::Mul(gaps, udu), fv = ops::Mul(gaps, vdv);
  const Tensor left = Product(ops::AddV2(fu, Adjoint(fu)), s_matrix);
  const Tensor right = Product(s_matrix, ops::AddV2(fv, Adjoint(fv)));
  const Tensor inner = ops::AddV2(ops::AddV2(Diag(ds), left), right);
  if (!IsComplex(s.dtype())) return inner;
  // Phases of pairs of vectors are free.
  const Tensor own = Diag(DiagPart(vdv));
  const Tensor turn =
      Product(Diag(SafeReciprocal(s)), ops::Sub(Adjoint(own), own));
  return ops::AddV2(inner, ops::Mul(turn, ScalarLike(turn, 0.5)));
}

// What of `dv` is beyond the space of the columns of `v`.
Tensor Beyond(const Tensor& dv, const Tensor& v, const Tensor& vdv) {
  return ops::Sub(dv, matrix::Product(v, vdv));
}

// Of s, u and v of a matrix of any sizes.
Tensor ThinSvdGradient(const Tensor& s, const Tensor& ds, const Tensor& u,
                       const Tensor& v, const Tensor& du, const Tensor& dv,
                       int64_t m, int64_t n) {
  using namespace matrix;
  const Tensor udu = Product(u, du, true), vdv = Product(v, dv, true);
  Tensor da = Product(u, Product(SvdWithin(s, ds, udu, vdv), v, false, true));
  const Tensor s_inverse = Diag(SafeReciprocal(s));
  const bool known = m >= 0 && n >= 0;
  if (!known || m > n) {
    const Tensor left = Product(Beyond(du, u, udu), s_inverse);
    da = ops::AddV2(da, Product(left, v, false, true));
  }
  if (!known || n > m) {
    const Tensor right = Product(Beyond(dv, v, vdv), s_inverse);
    da = ops::AddV2(da, Product(u, right, false, true));
  }
  return da;
}

// Of a matrix of n = m + 1 with a square v, the last column of which is what
// the others leave.
Tensor FullSvdGradient(const Tensor& s, const Tensor& ds, const Tensor& u,
                       const Tensor& v, const Tensor& du, const Tensor& dv,
                       int64_t m, int64_t n) {
  using namespace matrix;
  const Tensor v1 = ColumnsFrom(v, 0, m), dv1 = ColumnsFrom(dv, 0, m);
  const Tensor v2 = ColumnsFrom(v, m, n), dv2 = ColumnsFrom(dv, m, n);
  const Tensor da = ThinSvdGradient(s, ds, u, v1, du, dv1, m, n);
  const Tensor last = Product(Product(v1, dv2, true), v2, false, true);
  const Tensor s_inverse = Diag(SafeReciprocal(s));
  return ops::Sub(da, Product(Product(u, s_inverse), last));
}

void SvdGradient(GradContext& g) {
  using namespace matrix;
  if (!g.wants(0)) return;
  const Tensor& x = g.x(0);
  const Tensor ds = g.dy(0);
  if (!g.attr<bool>("compute_uv")) {
    const TensorVector all = ops::Svd(x);
    g.Set(0, Product(all[1], Product(Diag(ds), all[2], false, true)));
    return;
  }
  const PartialTensorShape shape = x.partial_shape();
  const int rank = shape.rank();
  const int64_t m = rank < 2 ? kUnknownDim : shape.dim(rank - 2);
  const int64_t n = rank < 2 ? kUnknownDim : shape.dim(rank - 1);
  const Tensor &s = g.y(0), &u = g.y(1), &v = g.y(2);
  const Tensor du = g.dy(1), dv = g.dy(2);
  if (!g.attr<bool>("full_matrices") || (m >= 0 && m == n)) {
    g.Set(0, ThinSvdGradient(s, ds, u, v, du, dv, m, n));
    return;
  }
  if (m < 0 || n < 0) {
    throw Error(
        Unimplemented("SVD gradient has not been implemented for input with "
                      "unknown inner matrix shape."));
  }
  if (std::abs(m - n) > 1) {
    throw Error(Unimplemented(
        "svd gradient is not implemented for abs(m - n) > 1 when full_matrices "
        "is True. Received: m={} and n={} from op input with shape={}.",
        m, n, shape.PythonString()));
  }
  g.Set(0, m > n ? Adjoint(FullSvdGradient(s, ds, v, u, dv, du, n, m))
                 : FullSvdGradient(s, ds, u, v, du, dv, m, n));
}

#define MATRIX_TYPES "T: type in [double, float, half, complex64, complex128]"

const OpRecord kRecords[] = {
    {.name = "SelfAdjointEigV2",
     .inputs = "input: T",
     .outputs = "e: T; v: T",
     .attrs = "compute_v: bool = True; " MATRIX_TYPES,
     .traits = kExpensive,
     .shape = EigenShape,
     .kernel = {.compute = ComputeSelfAdjointEigen},
     .gradient = SelfAdjointEigenGradient,
     .doc = "The eigenvalues, in rising order, and eigenvectors, as columns, "
            "of Hermitian matrices, of which the lower halves alone are read."},

    {.name = "Eig",
     .inputs = "input: T",
     .outputs = "e: Tout; v: Tout",
     .attrs = "compute_v: bool = True; T: type in [float, double, complex64, "
              "complex128]; Tout: type in [complex64, complex128]",
     .traits = kExpensive,
     .shape = EigenShape,
     .kernel = {.compute = ComputeGeneralEigen},
     .gradient = GeneralEigenGradient,
     .doc = "The eigenvalues, in no order, and eigenvectors, as columns, of "
            "matrices.",
     // Vectors are unique but for their phases, which are not smooth.
     .test = {.skip_gradient = true}},

    {.name = "Svd",
     .inputs = "input: T",
     .outputs = "s: T; u: T; v: T",
     .attrs =
         "compute_uv: bool = True; full_matrices: bool = False; " MATRIX_TYPES,
     .traits = kExpensive,
     .shape = SvdShape,
     .kernel = {.compute = ComputeSvd},
     .gradient = SvdGradient,
     .doc = "Singular values s, in falling order, and orthonormal columns u "
            "and v with u diag(s) v^H = input; u and v are square if "
            "full_matrices is true."},
};

}  // namespace

GK_REGISTER_OPS(linalg_spectrum)

}  // namespace gk
