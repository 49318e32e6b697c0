// Functions of matrices, and products of vectors.
#include "ops/fn/linalg_function.h"

#include <vector>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/linalg.h"
#include "ops/broadcast_gradient.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/MatrixSolve.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Reshape.h"
#include "ops/linalg/matrix_algebra.h"
#include "ops/linalg/matrix_call.h"
#include "ops/linalg/matrix_shapes.h"

namespace gk {
namespace {

// ---- Square roots and logarithms ----

Status ComputeSquareRoot(KernelContext& c) {
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
      done =
          ForMatrices(x.num_elements() / size, 25 * n * size, [&](int64_t i) {
            MatrixSquareRootOf(n, x.data<T>() + i * size,
                               out->data<T>() + i * size);
            return true;
          });
    }));
    GK_RETURN_IF_ERROR(done);
  }
  return call.Finish();
}

// The sizes of the batch and these.
Tensor SizesWith(const Tensor& batch, std::initializer_list<Tensor> more) {
  std::vector<Tensor> parts{batch};
  const Tensor one = IntegerVector(std::vector<int64_t>{1});
  for (const Tensor& size : more) parts.push_back(size ? size : one);
  return ops::ConcatV2(parts, IntegerConstant(0));
}

// With y y = x it solves y^H dx + dx y^H = dy, written as one system of n n
// equations: of dx's rows, one after the other, the matrix is the sum of the
// Kronecker products y^H x 1 and 1 x conj(y).
void SquareRootGradient(GradContext& g) {
  using namespace matrix;
  if (!g.wants(0)) return;
  const Tensor &y = g.y(0), dy = g.dy(0);
  const Tensor shape = ShapeTensor(y);
  const auto sizes = [&](int64_t begin, int64_t end) {
    return ColumnsFrom(shape, begin, end);
  };
  const Tensor batch = sizes(0, -2), n = sizes(-1, 0), none;
  const Tensor eye = EyeLike(y), all = ops::Mul(n, n);
  const auto kronecker = [&](const Tensor& a, const Tensor& b) {
    const Tensor outer = ops::Reshape(a, SizesWith(batch, {n, none, n, none}));
    const Tensor inner = ops::Reshape(b, SizesWith(batch, {none, n, none, n}));
    return ops::Reshape(ops::Mul(outer, inner), SizesWith(batch, {all, all}));
  };
  const Tensor system =
      ops::AddV2(kronecker(Adjoint(y), eye), kronecker(eye, Conjugate(y)));
  const Tensor right = ops::Reshape(dy, SizesWith(batch, {all, none}));
  g.Set(0, ops::Reshape(ops::MatrixSolve(system, right), shape));
}

Status ComputeLogarithm(KernelContext& c) {
  const Tensor& x = c.input(0);
  GK_RETURN_IF_ERROR(CheckSquare(x, 0));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &out));
  if (x.num_elements() == 0) return OkStatus();
  const int64_t n = RowsOf(x), size = n * n;
  Status done;
  VisitType<complex64, complex128>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    done = ForMatrices(x.num_elements() / size, 100 * n * size, [&](int64_t i) {
      MatrixLogarithmOf(n, x.data<T>() + i * size, out->data<T>() + i * size);
      return true;
    });
  });
  return done;
}

// ---- Cross ----

Status CrossShape(InferenceContext& c) {
  PartialTensorShape a, b;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &a));
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1, &b));
  for (const PartialTensorShape* s : {&a, &b}) {
    if (s->unknown_rank()) continue;
    int64_t three;
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(s->dim(s->rank() - 1), 3, &three));
  }
  GK_ASSIGN_OR_RETURN(PartialTensorShape both, a.MergeWith(b));
  c.set_output(0, std::move(both));
  return OkStatus();
}

template <class T>
void CrossOf(int64_t n, const T* a, const T* b, T* out) {
  for (int64_t i = 0; i < 3 * n; i += 3) {
    const T u[] = {a[i], a[i + 1], a[i + 2]}, v[] = {b[i], b[i + 1], b[i + 2]};
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3, m = (k + 2) % 3;
      out[i + k] = static_cast<T>(u[l] * v[m] - u[m] * v[l]);
    }
  }
}

Status ComputeCross(KernelContext& c) {
  const Tensor &a = c.input(0), &b = c.input(1);
  if (a.shape() != b.shape()) {
    return InvalidArgument("Both inputs must be of same shape: {} vs. {}",
                           a.shape().DebugString(), b.shape().DebugString());
  }
  if (a.rank() < 1) {
    return InvalidArgument("Input must be at least 1D{}",
                           a.shape().DebugString());
  }
  if (a.dim(a.rank() - 1) != 3) {
    return FailedPrecondition(
        "Cross-products are only defined for 3-element vectors.");
  }
  MatrixCall call(c);
  Tensor* out;
  GK_RETURN_IF_ERROR(call.Out(0, call.in(0).dtype(), a.shape(), &out));
  const bool known = VisitType<float, double, int8_t, int16_t, int32_t, int64_t,
                               uint8_t, uint16_t, uint32_t, uint64_t>(
      call.in(0).dtype(), [&](auto tag) {
        using T = decltype(tag);
        const T *x = call.in(0).data<T>(), *y = call.in(1).data<T>();
        ThreadPool::Global().ParallelRange(
            a.num_elements() / 3, 3, [&](int64_t begin, int64_t end) {
              CrossOf(end - begin, x + 3 * begin, y + 3 * begin,
                      out->data<T>() + 3 * begin);
            });
      });
  return known ? call.Finish() : c.NoKernel();
}

void CrossGradient(GradContext& g) {
  const Tensor dy = g.dy(0);
  if (g.wants(0)) g.Set(0, ops::Cross(g.x(1), dy));
  if (g.wants(1)) g.Set(1, ops::Cross(dy, g.x(0)));
}

const OpRecord kRecords[] = {
    {.name = "MatrixSquareRoot",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type in [double, float, half, complex64, complex128]",
     .traits = kExpensive,
     .shape = SquareResultShape,
     .kernel = {.compute = ComputeSquareRoot},
     .gradient = SquareRootGradient,
     .python = {.names = "linalg.sqrtm|matrix_square_root"},
     .doc =
         "The matrices y with y y = input whose eigenvalues have no negative "
         "real parts; no numbers where there is none.",
     .example = ">>> tf.linalg.sqrtm([[4., 0.], [0., 9.]]).numpy().tolist()\n"
                "[[2.0, 0.0], [0.0, 3.0]]"},

    {.name = "MatrixLogarithm",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type in [complex64, complex128]",
     .traits = kExpensive | kNoGradient,
     .shape = SquareResultShape,
     .kernel = {.compute = ComputeLogarithm},
     .python = {.names = "linalg.logm"},
     .doc = "The principal logarithms of complex matrices.",
     .example = ">>> x = tf.constant([[1, 0], [0, 1]], tf.complex64)\n"
                ">>> tf.linalg.logm(x).numpy().real.tolist()\n"
                "[[0.0, 0.0], [0.0, 0.0]]"},

    {.name = "Cross",
     .inputs = "a: T; b: T",
     .outputs = "product: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]",
     .shape = CrossShape,
     .kernel = {.compute = ComputeCross},
     .gradient = CrossGradient,
     .python = {.names = "linalg.cross"},
     .doc = "The cross products of vectors of three elements in the last "
            "dimension.",
     .example = ">>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy().tolist()\n"
                "[0, 0, 1]"},
};

}  // namespace

GK_REGISTER_OPS(linalg_function)

}  // namespace gk
