// Sparse matrices in compressed rows, made of others and made into others.
#include "ops/fn/sparse_csr_convert.h"

#include <algorithm>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/fn/GatherNd.h"
#include "ops/list/list_access.h"
#include "ops/sparse/csr_gradient.h"
#include "ops/sparse/csr_matrix.h"
#include "ops/sparse/sparse_parts.h"

namespace gk {
namespace {

// ---- Made of places and values ----

// The matrix with these entries, row by row as they come.
Status BuildCsr(KernelContext& c, const Places& places, const Tensor& values,
                const TensorShape& shape) {
  GK_ASSIGN_OR_RETURN(Ref<CsrMatrix> made,
                      CsrMatrix::Make(values.dtype(), shape));
  const bool batched = shape.rank() == 3;
  const int64_t rows = made->rows();
  const auto row_at = [&](int64_t i) {
    const std::span<const int64_t> at = places[i];
    return batched ? at[0] * rows + at[1] : at[0];
  };
  std::vector<int64_t> counts(made->batches() * rows);
  TurnPoll poll;
  for (int64_t i = 0; i < places.n; ++i) {
    poll();
    ++counts[row_at(i)];
  }
  GK_RETURN_IF_ERROR(made->MakeEntries(counts));
  // Where the next entry of each row goes.
  std::vector<int64_t>& next = counts;
  for (int64_t b = 0; b < made->batches(); ++b) {
    for (int64_t row = 0; row < rows; ++row) {
      next[b * rows + row] = made->begins()[b] + made->first_of(b)[row];
    }
  }
  int32_t* const columns = made->columns_of(0);
  GK_RETURN_IF_ERROR(VisitCsrType(c, values.dtype(), [&](auto tag) {
    using T = decltype(tag);
    T* const to = made->values_of<T>(0);
    for (int64_t i = 0; i < places.n; ++i) {
      poll();
      const int64_t at = next[row_at(i)]++;
      columns[at] = static_cast<int32_t>(places[i].back());
      to[at] = values.data<T>()[i];
    }
    return OkStatus();
  }));
  c.set_output(0, CsrMatrix::Wrap(std::move(made)));
  return OkStatus();
}

Status ComputeFromSparse(KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1), &shape = c.input(2);
  GK_RETURN_IF_ERROR(CheckSparseParts(indices, values, shape));
  const Places places = PlacesOf(indices);
  if (places.rank != 2 && places.rank != 3) {
    return InvalidArgument(
        "SparseTensor must have rank 2 or 3; but indices has rank: {}",
        places.rank);
  }
  const std::span<const int64_t> sizes = shape.flat<int64_t>();
  GK_RETURN_IF_ERROR(CheckPlacesInside(places, sizes));
  GK_ASSIGN_OR_RETURN(const TensorShape dense, TensorShape::Make(sizes));
  return BuildCsr(c, places, values, dense);
}

Status FromSparseShape(InferenceContext& c) {
  SparseShapes parts;
  GK_RETURN_IF_ERROR(InferSparseParts(c, 0, &parts));
  PartialTensorShape shape = c.ValueAsShape(2);
  const int64_t rank = std::max(parts.shape.dim(0), parts.indices.dim(1));
  if (shape.unknown_rank() && rank >= 0) {
    shape = PartialTensorShape::UnknownOfRank(static_cast<int>(rank));
  }
  if (!shape.unknown_rank() && shape.rank() != 2 && shape.rank() != 3) {
    return InvalidArgument(
        "Invalid rank: {}.  Expected a known rank of either 2 or 3.",
        shape.rank());
  }
  SetCsrOutput(c, 0, c.input_type(1), shape);
  return OkStatus();
}

void FromSparseGradient(GradContext& g) {
  if (g.wants(1)) {
    g.Set(1, csr::ValuesAt(g.dy(0), g.x(1).dtype(), g.x(0), g.x(2)));
  }
}

Status ComputeFromDense(KernelContext& c) {
  const Tensor &dense = c.input(0), &indices = c.input(1);
  if (dense.rank() != 2 && dense.rank() != 3) {
    return InvalidArgument("params must have rank == 2 or 3; but saw shape: {}",
                           dense.shape().DebugString());
  }
  if (indices.rank() != 2) {
    return InvalidArgument("indices must be a matrix, but saw shape: {}",
                           indices.shape().DebugString());
  }
  if (indices.dim(1) != dense.rank()) {
    return InvalidArgument(
        "indices.shape[1] must be equal to the rank of params, but saw: {} vs. "
        "{}",
        indices.dim(1), dense.rank());
  }
  const Places places = PlacesOf(indices);
  const std::span<const int64_t> sizes = dense.shape().dims();
  if (const int64_t bad = FirstOutside(places, sizes); bad >= 0) {
    return InvalidArgument(
        "indices[{}] = {} does not index into param shape {}", bad,
        ShownSizes(places[bad]), dense.shape().DebugString());
  }
  std::vector<int64_t> flat(places.n);
  FlatPlaces(places, sizes, flat.data());
  GK_ASSIGN_OR_RETURN(Tensor values,
                      Tensor::Allocate(dense.dtype(), TensorShape({places.n})));
  GK_RETURN_IF_ERROR(VisitMoved(dense.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    PickRows(static_cast<const T*>(dense.raw_data()), flat, 1,
             static_cast<T*>(values.raw_data()));
  }));
  return BuildCsr(c, places, values, dense.shape());
}

Status FromDenseShape(InferenceContext& c) {
  PartialTensorShape indices;
  GK_RETURN_IF_ERROR(c.WithRank(1, 2, &indices));
  const PartialTensorShape& dense = c.input(0);
  if (!dense.unknown_rank() && dense.rank() != 2 && dense.rank() != 3) {
    return InvalidArgument(
        "Invalid rank: {}.  Expected a known rank of either 2 or 3.",
        dense.rank());
  }
  SetCsrOutput(c, 0, c.input_type(0), dense);
  return OkStatus();
}

// What is at other places than those of the matrix does not count.
void FromDenseGradient(GradContext& g) {
  if (g.wants(0)) {
    g.Set(0, ops::CSRSparseMatrixToDense(g.dy(0), g.x(0).dtype()));
  }
}

// ---- Made into others ----

// What is said where a matrix has another type than was asked for.
Status CheckCsrType(KernelContext& c, const CsrMatrix& a, std::string_view said,
                    std::string_view saw) {
  const auto type = c.attr<DataType>("type");
  if (a.dtype() == type) return OkStatus();
  return InvalidArgument("{} a CSRSparseMatrix of type {} but saw {}: {}", said,
                         DataTypeString(type), saw, DataTypeString(a.dtype()));
}

Status ComputeCsrToDense(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const CsrMatrix* a, CsrMatrix::Of(c, 0));
  GK_RETURN_IF_ERROR(CheckCsrType(c, *a, "Asked for", "dtype"));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, a->dtype(), a->shape(), &out));
  ZeroElements(out);
  return VisitCsrType(c, a->dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (int64_t b = 0; b < a->batches(); ++b) {
      CsrToDense(a->View<T>(b), out->data<T>() + b * a->rows() * a->width());
    }
    return OkStatus();
  });
}

Status CsrToDenseShape(InferenceContext& c) {
  c.set_output(0, CsrShapeOf(c, 0));
  return OkStatus();
}

void CsrToDenseGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor dy = g.dy(0);
  const TensorVector at =
      ops::CSRSparseMatrixToSparseTensor(g.x(0), dy.dtype());
  g.Set(0, ops::SparseTensorToCSRSparseMatrix(at[0], ops::GatherNd(dy, at[0]),
                                              at[2]));
}

Status ComputeToSparse(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const CsrMatrix* a, CsrMatrix::Of(c, 0));
  GK_RETURN_IF_ERROR(CheckCsrType(c, *a, "Expected", "type"));
  const int rank = a->rank();
  Tensor *indices, *shape;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt64,
                                TensorShape({a->entries(), rank}), &indices));
  GK_RETURN_IF_ERROR(
      c.Allocate(2, DataType::kInt64, TensorShape({rank}), &shape));
  std::ranges::copy(a->shape().dims(), shape->data<int64_t>());
  int64_t* to = indices->data<int64_t>();
  TurnPoll poll;
  for (int64_t b = 0; b < a->batches(); ++b) {
    const int32_t* const first =
        a->first().data<int32_t>() + b * (a->rows() + 1);
    const int32_t* const columns =
        a->columns().data<int32_t>() + a->begins()[b];
    for (int64_t row = 0; row < a->rows(); ++row) {
      poll();
      for (int32_t k = first[row]; k < first[row + 1]; ++k) {
        if (rank == 3) *to++ = b;
        *to++ = row;
        *to++ = columns[k];
      }
    }
  }
  c.set_output(1, a->values().Alias());
  return OkStatus();
}

Status ToSparseShape(InferenceContext& c) {
  const PartialTensorShape shape = CsrShapeOf(c, 0);
  const int64_t rank = shape.unknown_rank() ? kUnknownDim : shape.rank();
  c.set_output(0, {kUnknownDim, rank});
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {rank});
  return OkStatus();
}

void ToSparseGradient(GradContext& g) {
  if (!g.wants(0)) return;
  g.Set(0, ops::SparseTensorToCSRSparseMatrix(g.y(0), g.dy(1), g.y(2)));
}

Status ComputeComponents(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const CsrMatrix* a, CsrMatrix::Of(c, 0));
  const auto type = c.attr<DataType>("type");
  if (a->dtype() != type) {
    return InvalidArgument("dtype of input is not equal to 'type': {} vs. {}",
                           DataTypeString(a->dtype()), DataTypeString(type));
  }
  if (c.input(1).rank() != 0) {
    return InvalidArgument("index must be a scalar, but got shape {}",
                           c.input(1).shape().DebugString());
  }
  const int64_t b = c.input(1).scalar<int32_t>();
  if (b < 0 || b >= a->batches()) {
    return InvalidArgument("index ({}) not in [0, {})", b, a->batches());
  }
  const auto part = [&](int i, const Tensor& from, int64_t begin, int64_t n) {
    GK_ASSIGN_OR_RETURN(Tensor copy, CopyPart(from, begin, TensorShape({n})));
    c.set_output(i, std::move(copy));
    return OkStatus();
  };
  const int64_t begin = a->begins()[b], n = a->begins()[b + 1] - begin;
  GK_RETURN_IF_ERROR(part(0, a->first(), b * (a->rows() + 1), a->rows() + 1));
  GK_RETURN_IF_ERROR(part(1, a->columns(), begin, n));
  return part(2, a->values(), begin, n);
}

Status ComponentsShape(InferenceContext& c) {
  PartialTensorShape index;
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &index));
  const PartialTensorShape shape = CsrShapeOf(c, 0);
  const int64_t rows =
      shape.unknown_rank() ? kUnknownDim : shape.dim(shape.rank() - 2);
  c.set_output(0, {rows < 0 ? kUnknownDim : rows + 1});
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {kUnknownDim});
  return OkStatus();
}

Status ComputeEntryCount(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const CsrMatrix* a, CsrMatrix::Of(c, 0));
  TensorShape shape;
  if (a->rank() == 3) shape = TensorShape({a->batches()});
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt32, shape, &out));
  for (int64_t b = 0; b < a->batches(); ++b) {
    out->data<int32_t>()[b] =
        static_cast<int32_t>(a->begins()[b + 1] - a->begins()[b]);
  }
  return OkStatus();
}

Status EntryCountShape(InferenceContext& c) {
  PartialTensorShape shape = CsrShapeOf(c, 0);
  if (!shape.unknown_rank()) {
    shape = shape.rank() == 3 ? PartialTensorShape({shape.dim(0)})
                              : PartialTensorShape(TensorShape());
  }
  c.set_output(0, shape);
  return OkStatus();
}

Status ComputeZeros(KernelContext& c) {
  const Tensor& sizes = c.input(0);
  if (sizes.rank() != 1) {
    return InvalidArgument("dense_shape must be a vector, but got shape {}",
                           sizes.shape().DebugString());
  }
  if (sizes.dim(0) != 2 && sizes.dim(0) != 3) {
    return InvalidArgument("dense_shape must have 2 or 3 elements, but has {}",
                           sizes.dim(0));
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make(sizes.flat<int64_t>()));
  GK_ASSIGN_OR_RETURN(Ref<CsrMatrix> made,
                      CsrMatrix::Make(c.attr<DataType>("type"), shape));
  c.set_output(0, CsrMatrix::Wrap(std::move(made)));
  return OkStatus();
}

Status ZerosShape(InferenceContext& c) {
  PartialTensorShape sizes;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &sizes));
  const int64_t rank = sizes.dim(0);
  if (rank >= 0 && rank != 2 && rank != 3) {
    return InvalidArgument(
        "Invalid rank: {}.  Expected a known rank of either 2 or 3.", rank);
  }
  SetCsrOutput(c, 0, c.attr<DataType>("type"), c.ValueAsShape(0));
  return OkStatus();
}

#define CSR_TYPE "type: type in [float, double, complex64, complex128]"
#define CSR_T "T: type in [float, double, complex64, complex128]"

const OpRecord kRecords[] = {
    {.name = "SparseTensorToCSRSparseMatrix",
     .inputs = "indices: int64; values: T; dense_shape: int64",
     .outputs = "sparse_matrix: variant",
     .attrs = CSR_T,
     .shape = FromSparseShape,
     .kernel = {.compute = ComputeFromSparse},
     .gradient = FromSparseGradient,
     .doc = "A sparse matrix, or a batch of them, in compressed rows."},

    {.name = "DenseToCSRSparseMatrix",
     .inputs = "dense_input: T; indices: int64",
     .outputs = "sparse_output: variant",
     .attrs = CSR_T,
     .shape = FromDenseShape,
     .kernel = {.compute = ComputeFromDense},
     .gradient = FromDenseGradient,
     .doc = "A sparse matrix of the elements of a dense one at `indices`."},

    {.name = "CSRSparseMatrixToDense",
     .inputs = "sparse_input: variant",
     .outputs = "dense_output: type",
     .attrs = CSR_TYPE,
     .shape = CsrToDenseShape,
     .kernel = {.compute = ComputeCsrToDense},
     .gradient = CsrToDenseGradient,
     .doc = "A matrix in compressed rows as a dense one."},

    {.name = "CSRSparseMatrixToSparseTensor",
     .inputs = "sparse_matrix: variant",
     .outputs = "indices: int64; values: type; dense_shape: int64",
     .attrs = CSR_TYPE,
     .shape = ToSparseShape,
     .kernel = {.compute = ComputeToSparse},
     .gradient = ToSparseGradient,
     .doc = "A matrix in compressed rows as the parts of a sparse tensor."},

    {.name = "CSRSparseMatrixComponents",
     .inputs = "csr_sparse_matrix: variant; index: int32",
     .outputs = "row_ptrs: int32; col_inds: int32; values: type",
     .attrs = CSR_TYPE,
     .shape = ComponentsShape,
     .kernel = {.compute = ComputeComponents},
     .doc = "Where the rows of matrix `index` of a batch begin, and the column "
            "and value of each entry."},

    {.name = "SparseMatrixNNZ",
     .inputs = "sparse_matrix: variant",
     .outputs = "nnz: int32",
     .attrs = "",
     .traits = kNoGradient,
     .shape = EntryCountShape,
     .kernel = {.compute = ComputeEntryCount},
     .doc = "How many entries a sparse matrix has, or each of a batch."},

    {.name = "SparseMatrixZeros",
     .inputs = "dense_shape: int64",
     .outputs = "sparse_matrix: variant",
     .attrs = CSR_TYPE,
     .traits = kNoGradient,
     .shape = ZerosShape,
     .kernel = {.compute = ComputeZeros},
     .doc = "A sparse matrix, or a batch of them, without entries."},
};

}  // namespace

GK_REGISTER_OPS(sparse_csr_convert)

}  // namespace gk
