// Arithmetic of sparse matrices in compressed rows.
#include "ops/fn/sparse_csr_math.h"

#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/broadcast_gradient.h"
#include "ops/element_moves.h"
#include "ops/fn/CSRSparseMatrixToDense.h"
#include "ops/fn/Mul.h"
#include "ops/sparse/csr_gradient.h"
#include "ops/sparse/csr_matrix.h"

namespace gk {
namespace {

DataType CsrTypeOf(const GradContext& g, std::string_view attr) {
  return g.attr<DataType>(attr);
}

Status CheckTypeIs(const CsrMatrix& a, DataType type) {
  if (a.dtype() == type) return OkStatus();
  return InvalidArgument("dtype of input is not equal to 'type': {} vs. {}",
                         DataTypeString(a.dtype()), DataTypeString(type));
}

Status CheckSameCsr(const CsrMatrix& a, const CsrMatrix& b, DataType type) {
  GK_RETURN_IF_ERROR(CheckTypeIs(a, type));
  GK_RETURN_IF_ERROR(CheckTypeIs(b, type));
  if (a.shape() == b.shape()) return OkStatus();
  return InvalidArgument("Shapes of a and b must match, saw: {} vs. {}",
                         a.shape().DebugString(), b.shape().DebugString());
}

// A matrix with the shape of the one behind input 0.
Status SameCsrShape(InferenceContext& c) {
  const char* const type = c.attrs().Get<DataType>("T") ? "T" : "type";
  SetCsrOutput(c, 0, c.attr<DataType>(type), CsrShapeOf(c, 0));
  return OkStatus();
}

// ---- Sums ----

Status ComputeCsrSum(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const CsrMatrix* a, CsrMatrix::Of(c, 0));
  GK_ASSIGN_OR_RETURN(const CsrMatrix* b, CsrMatrix::Of(c, 1));
  const Tensor &alpha = c.input(2), &beta = c.input(3);
  for (int i = 2; i < 4; ++i) {
    if (c.input(i).rank() != 0) {
      return InvalidArgument("{} must be a scalar, but got shape {}",
                             i == 2 ? "alpha" : "beta",
                             c.input(i).shape().DebugString());
    }
  }
  GK_RETURN_IF_ERROR(CheckSameCsr(*a, *b, alpha.dtype()));
  GK_ASSIGN_OR_RETURN(Ref<CsrMatrix> sum,
                      CsrMatrix::Make(a->dtype(), a->shape()));
  GK_RETURN_IF_ERROR(VisitCsrType(c, a->dtype(), [&](auto tag) {
    using T = decltype(tag);
    return AddCsr<T>(*a, alpha.scalar<T>(), *b, beta.scalar<T>(), sum.get());
  }));
  c.set_output(0, CsrMatrix::Wrap(std::move(sum)));
  return OkStatus();
}

void CsrSumGradient(GradContext& g) {
  const DataType type = CsrTypeOf(g, "T");
  for (int i = 0; i < 2; ++i) {
    if (!g.wants(i)) continue;
    g.Set(i, ops::SparseMatrixMul(csr::PrunedTo(g.dy(0), g.x(i), type),
                                  Conjugate(g.x(i + 2))));
  }
}

// ---- Products with what has an element for each entry ----

Status ComputeCsrScaled(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const CsrMatrix* a, CsrMatrix::Of(c, 0));
  const Tensor& b = c.input(1);
  GK_RETURN_IF_ERROR(CheckTypeIs(*a, b.dtype()));
  // The steps of b along the dimensions of a.
  int64_t steps[3] = {};
  const int shift = a->rank() - b.rank();
  int64_t step = 1;
  for (int d = b.rank(); d-- > 0;) {
    if (shift < 0 || (b.dim(d) != 1 && b.dim(d) != a->shape().dim(d + shift))) {
      return InvalidArgument("b of shape {} does not broadcast to {}",
                             b.shape().DebugString(), a->shape().DebugString());
    }
    steps[d + shift + 3 - a->rank()] = b.dim(d) == 1 ? 0 : step;
    step *= b.dim(d);
  }
  GK_ASSIGN_OR_RETURN(Ref<CsrMatrix> out, CsrMatrix::WithPatternOf(*a));
  GK_RETURN_IF_ERROR(VisitCsrType(c, a->dtype(), [&](auto tag) {
    using T = decltype(tag);
    TurnPoll poll;
    for (int64_t i = 0; i < a->batches(); ++i) {
      const CsrView<T> x = a->View<T>(i);
      T* const to = out->values_of<T>(i);
      for (int64_t row = 0; row < x.rows; ++row) {
        poll();
        const T* const with = b.data<T>() + i * steps[0] + row * steps[1];
        for (int32_t k = x.first[row]; k < x.first[row + 1]; ++k) {
          to[k] = x.values[k] * with[x.columns[k] * steps[2]];
        }
      }
    }
    return OkStatus();
  }));
  c.set_output(0, CsrMatrix::Wrap(std::move(out)));
  return OkStatus();
}

void CsrScaledGradient(GradContext& g) {
  const DataType type = CsrTypeOf(g, "T");
  const Tensor dy = csr::PrunedTo(g.dy(0), g.x(0), type);
  const Tensor& b = g.x(1);
  if (g.wants(0)) g.Set(0, ops::SparseMatrixMul(dy, Conjugate(b)));
  if (!g.wants(1)) return;
  const Tensor a = ops::CSRSparseMatrixToDense(g.x(0), type);
  const Tensor all =
      ops::Mul(ops::CSRSparseMatrixToDense(dy, type), Conjugate(a));
  g.Set(1, SumToShape(all, b, a));
}

// ---- Transposes ----

Status ComputeCsrTranspose(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const CsrMatrix* a, CsrMatrix::Of(c, 0));
  GK_RETURN_IF_ERROR(CheckTypeIs(*a, c.attr<DataType>("type")));
  const bool conjugate = c.attr<bool>("conjugate");
  TensorShape shape({a->width(), a->rows()});
  if (a->rank() == 3)
    shape = TensorShape({a->batches(), a->width(), a->rows()});
  GK_ASSIGN_OR_RETURN(Ref<CsrMatrix> out, CsrMatrix::Make(a->dtype(), shape));
  GK_RETURN_IF_ERROR(VisitCsrType(c, a->dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < a->batches(); ++i) {
      CountColumns(a->View<T>(i), out->first_of(i));
    }
    GK_RETURN_IF_ERROR(out->MakeEntries());
    for (int64_t i = 0; i < a->batches(); ++i) {
      TransposeCsr(a->View<T>(i), conjugate, out->first_of(i),
                   out->columns_of(i), out->values_of<T>(i));
    }
    return OkStatus();
  }));
  c.set_output(0, CsrMatrix::Wrap(std::move(out)));
  return OkStatus();
}

Status CsrTransposeShape(InferenceContext& c) {
  PartialTensorShape shape = CsrShapeOf(c, 0);
  if (const int rank = shape.rank(); rank >= 2) {
    const int64_t rows = shape.dim(rank - 2);
    shape.SetDim(rank - 2, shape.dim(rank - 1));
    shape.SetDim(rank - 1, rows);
  }
  SetCsrOutput(c, 0, c.attr<DataType>("type"), shape);
  return OkStatus();
}

void CsrTransposeGradient(GradContext& g) {
  g.Set(0, ops::SparseMatrixTranspose(g.dy(0), CsrTypeOf(g, "type"),
                                      g.attr<bool>("conjugate")));
}

// ---- Softmax ----

template <class Fn>
Status VisitRealCsr(KernelContext& c, DataType t, Fn&& fn) {
  Status status;
  const bool known =
      VisitType<float, double>(t, [&](auto tag) { status = fn(tag); });
  return known ? status : c.NoKernel();
}

Status ComputeCsrSoftmax(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const CsrMatrix* a, CsrMatrix::Of(c, 0));
  GK_RETURN_IF_ERROR(CheckTypeIs(*a, c.attr<DataType>("type")));
  GK_ASSIGN_OR_RETURN(Ref<CsrMatrix> out, CsrMatrix::WithPatternOf(*a));
  GK_RETURN_IF_ERROR(VisitRealCsr(c, a->dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < a->batches(); ++i) {
      CsrSoftmax(a->View<T>(i), out->values_of<T>(i));
    }
    return OkStatus();
  }));
  c.set_output(0, CsrMatrix::Wrap(std::move(out)));
  return OkStatus();
}

void CsrSoftmaxGradient(GradContext& g) {
  g.Set(0, ops::SparseMatrixSoftmaxGrad(g.y(0), g.dy(0), CsrTypeOf(g, "type")));
}

Status ComputeCsrSoftmaxGrad(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const CsrMatrix* s, CsrMatrix::Of(c, 0));
  GK_ASSIGN_OR_RETURN(const CsrMatrix* dy, CsrMatrix::Of(c, 1));
  GK_RETURN_IF_ERROR(CheckSameCsr(*s, *dy, c.attr<DataType>("type")));
  GK_ASSIGN_OR_RETURN(Ref<CsrMatrix> out, CsrMatrix::WithPatternOf(*s));
  GK_RETURN_IF_ERROR(VisitRealCsr(c, s->dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < s->batches(); ++i) {
      CsrSoftmaxGrad(s->View<T>(i), dy->View<T>(i), out->values_of<T>(i));
    }
    return OkStatus();
  }));
  c.set_output(0, CsrMatrix::Wrap(std::move(out)));
  return OkStatus();
}

#define CSR_REALS "type: type in [float, double]"
#define CSR_ATTR "type: type in [float, double, complex64, complex128]"

const OpRecord kRecords[] = {
    {.name = "SparseMatrixAdd",
     .inputs = "a: variant; b: variant; alpha: T; beta: T",
     .outputs = "c: variant",
     .attrs = "T: type in [float, double, complex64, complex128]",
     .shape = SameCsrShape,
     .kernel = {.compute = ComputeCsrSum},
     .gradient = CsrSumGradient,
     .doc = "alpha * a + beta * b of sparse matrices."},

    {.name = "SparseMatrixMul",
     .inputs = "a: variant; b: T",
     .outputs = "output: variant",
     .attrs = "T: type",
     .shape = SameCsrShape,
     .kernel = {.compute = ComputeCsrScaled},
     .gradient = CsrScaledGradient,
     .doc = "The entries of a sparse matrix times the elements of b there, "
            "which is broadcast."},

    {.name = "SparseMatrixTranspose",
     .inputs = "input: variant",
     .outputs = "output: variant",
     .attrs = "conjugate: bool = False; " CSR_ATTR,
     .shape = CsrTransposeShape,
     .kernel = {.compute = ComputeCsrTranspose},
     .gradient = CsrTransposeGradient,
     .doc = "The transpose of a sparse matrix, or of each of a batch."},

    {.name = "SparseMatrixSoftmax",
     .inputs = "logits: variant",
     .outputs = "softmax: variant",
     .attrs = CSR_REALS,
     .shape = SameCsrShape,
     .kernel = {.compute = ComputeCsrSoftmax},
     .gradient = CsrSoftmaxGradient,
     .doc = "Softmax of the entries of each row of a sparse matrix."},

    {.name = "SparseMatrixSoftmaxGrad",
     .inputs = "softmax: variant; grad_softmax: variant",
     .outputs = "gradient: variant",
     .attrs = CSR_REALS,
     .shape = SameCsrShape,
     .kernel = {.compute = ComputeCsrSoftmaxGrad},
     .doc = "The gradient of SparseMatrixSoftmax."},
};

}  // namespace

GK_REGISTER_OPS(sparse_csr_math)

}  // namespace gk
