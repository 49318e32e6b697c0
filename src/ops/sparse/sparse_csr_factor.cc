// Cholesky factors of sparse matrices in compressed rows, and the orders of
// rows that keep them sparse.
#include "ops/fn/sparse_csr_factor.h"

#include <limits>
#include <vector>

#include "framework/op_registry.h"
#include "kernels/csr_factor.h"
#include "ops/sparse/csr_matrix.h"

namespace gk {
namespace {

Status CheckSquareCsr(const CsrMatrix& a) {
  if (a.rows() == a.width()) return OkStatus();
  return InvalidArgument("sparse matrix must be square; got: {} != {}",
                         a.rows(), a.width());
}

// A vector for each matrix of the batch.
Status OrderShape(InferenceContext& c) {
  PartialTensorShape shape = CsrShapeOf(c, 0);
  if (shape.rank() >= 2) shape.RemoveDim(shape.rank() - 1);
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ComputeOrder(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const CsrMatrix* a, CsrMatrix::Of(c, 0));
  GK_RETURN_IF_ERROR(CheckSquareCsr(*a));
  TensorShape shape = a->shape();
  shape.RemoveDim(a->rank() - 1);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt32, shape, &out));
  const int64_t n = a->rows();
  ThreadPool::Global().ParallelRange(
      a->batches(), 200 * (n + a->entries()), [&](int64_t i, int64_t last) {
        for (; i < last; ++i) {
          MinimumDegreeOrder(n, a->first().data<int32_t>() + i * (n + 1),
                             a->columns().data<int32_t>() + a->begins()[i],
                             out->data<int32_t>() + i * n);
        }
      });
  return OkStatus();
}

Status CheckPermutation(const CsrMatrix& a, const Tensor& order) {
  if (order.rank() + 1 != a.rank()) {
    return InvalidArgument(
        "sparse matrix must have the same rank as permutation; got: {} != {} + "
        "1.",
        a.rank(), order.rank());
  }
  const int64_t n = a.rows();
  if (order.dim(order.rank() - 1) != n) {
    return InvalidArgument(
        "permutation must have the same number of elements in each batch as "
        "the number of rows in sparse matrix; got: {} != {}",
        order.dim(order.rank() - 1), n);
  }
  if (a.rank() == 3 && order.dim(0) != a.batches()) {
    return InvalidArgument(
        "permutation must have the same batch size as sparse matrix; got: {} "
        "!= {}",
        order.dim(0), a.batches());
  }
  std::vector<bool> named(n);
  for (int64_t b = 0; b < a.batches(); ++b) {
    named.assign(n, false);
    for (int64_t i = 0; i < n; ++i) {
      const int32_t row = order.data<int32_t>()[b * n + i];
      if (row < 0 || row >= n || named[row]) {
        return InvalidArgument(
            "permutation must name each of {} rows once; got {} at {}", n, row,
            b * n + i);
      }
      named[row] = true;
    }
  }
  return OkStatus();
}

template <class T>
Status FactorCsr(const CsrMatrix& a, const Tensor& order, CsrMatrix* out) {
  const int64_t n = a.rows();
  std::vector<SparseCholesky<T>> factors;
  for (int64_t b = 0; b < a.batches(); ++b) {
    factors.emplace_back(a.View<T>(b), order.data<int32_t>() + b * n);
    const int64_t entries = factors.back().Entries();
    if (entries > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("The factor of input would have {} entries",
                             entries);
    }
    out->first_of(b)[n] = static_cast<int32_t>(entries);
  }
  GK_RETURN_IF_ERROR(out->MakeEntries());
  for (int64_t b = 0; b < a.batches(); ++b) {
    if (!factors[b].Factor(out->first_of(b), out->columns_of(b),
                           out->values_of<T>(b))) {
      return InvalidArgument(
          "Sparse Cholesky factorization failed for batch index {}. The input "
          "might not be valid.",
          b);
    }
  }
  return OkStatus();
}

Status ComputeFactor(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const CsrMatrix* a, CsrMatrix::Of(c, 0));
  const auto type = c.attr<DataType>("type");
  if (a->dtype() != type) {
    return InvalidArgument("dtype of input is not equal to 'type': {} vs. {}",
                           DataTypeString(a->dtype()), DataTypeString(type));
  }
  GK_RETURN_IF_ERROR(CheckSquareCsr(*a));
  GK_RETURN_IF_ERROR(CheckPermutation(*a, c.input(1)));
  GK_ASSIGN_OR_RETURN(Ref<CsrMatrix> out, CsrMatrix::Make(type, a->shape()));
  GK_RETURN_IF_ERROR(VisitCsrType(c, type, [&](auto tag) {
    return FactorCsr<decltype(tag)>(*a, c.input(1), out.get());
  }));
  c.set_output(0, CsrMatrix::Wrap(std::move(out)));
  return OkStatus();
}

Status FactorShape(InferenceContext& c) {
  SetCsrOutput(c, 0, c.attr<DataType>("type"), CsrShapeOf(c, 0));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "SparseMatrixOrderingAMD",
     .inputs = "input: variant",
     .outputs = "output: int32",
     .attrs = "",
     .shape = OrderShape,
     .kernel = {.compute = ComputeOrder},
     .doc = "An order of the rows of a sparse matrix, of which the lower half "
            "counts, that leaves its Cholesky factor few entries."},

    {.name = "SparseMatrixSparseCholesky",
     .inputs = "input: variant; permutation: int32",
     .outputs = "output: variant",
     .attrs = "type: type in [float, double, complex64, complex128]",
     .shape = FactorShape,
     .kernel = {.compute = ComputeFactor},
     .doc = "The Cholesky factor of a sparse matrix whose rows and columns are "
            "put in another order."},
};

}  // namespace

GK_REGISTER_OPS(sparse_csr_factor)

}  // namespace gk
