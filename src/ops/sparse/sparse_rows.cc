// Rows of sparse and ragged tensors that hold nothing, filled.
#include "ops/fn/sparse_rows.h"

#include <algorithm>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/sparse.h"
#include "ops/element_moves.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/RaggedFillEmptyRowsGrad.h"
#include "ops/fn/Shape.h"
#include "ops/fn/SparseFillEmptyRowsGrad.h"
#include "ops/fn/TensorScatterUpdate.h"

namespace gk {
namespace {

// ---- SparseFillEmptyRows ----

Status FillShape(InferenceContext& c) {
  PartialTensorShape indices, values, shape, scalar;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &indices));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &values));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &shape));
  GK_RETURN_IF_ERROR(c.WithRank(3, 0, &scalar));
  int64_t n, rank;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(indices.dim(0), values.dim(0), &n));
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(indices.dim(1), shape.dim(0), &rank));
  const PartialTensorShape sizes = c.ValueAsShape(2);
  const bool known = !sizes.unknown_rank() && sizes.rank() > 0;
  c.set_output(0, {kUnknownDim, rank});
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {known ? sizes.dim(0) : kUnknownDim});
  c.set_output(3, {n});
  return OkStatus();
}

Status CheckFill(const Tensor& indices, const Tensor& values,
                 const Tensor& shape, const Tensor& otherwise) {
  if (shape.rank() != 1) {
    return InvalidArgument("dense_shape must be a vector, saw: {}",
                           shape.shape().DebugString());
  }
  if (indices.rank() != 2) {
    return InvalidArgument("indices must be a matrix, saw: {}",
                           indices.shape().DebugString());
  }
  if (values.rank() != 1) {
    return InvalidArgument("values must be a vector, saw: {}",
                           values.shape().DebugString());
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument(
        "The length of `values` ({}) must match the first dimension of "
        "`indices` ({}).",
        values.dim(0), indices.dim(0));
  }
  if (indices.dim(1) != shape.dim(0)) {
    return InvalidArgument(
        "The length of `dense_shape` ({}) must match the second dimension of "
        "`indices` ({}).",
        shape.dim(0), indices.dim(1));
  }
  if (otherwise.rank() != 0) {
    return InvalidArgument("default_value must be a scalar, saw: {}",
                           otherwise.shape().DebugString());
  }
  if (shape.dim(0) == 0) {
    return InvalidArgument("Dense shape cannot be empty.");
  }
  return OkStatus();
}

// Inputs and outputs of both ops are alike but for the places: a matrix of
// them, or the rows alone.
Status FillRows(KernelContext& c, const Places& places, int64_t rows,
                bool rows_alone) {
  const Tensor &values = c.input(1), &otherwise = c.input(3);
  Tensor* empty;
  GK_RETURN_IF_ERROR(
      c.Allocate(2, DataType::kBool, TensorShape({rows}), &empty));
  std::vector<int64_t> first(rows + 1);
  if (const int64_t bad = FirstOfRows(places, rows, first.data()); bad >= 0) {
    return InvalidArgument("indices({}, 0) is invalid: {} >= {}", bad,
                           places[bad][0], rows);
  }
  const int64_t n = first[rows];
  Tensor *out, *filled, *moved;
  GK_RETURN_IF_ERROR(c.Allocate(
      0, DataType::kInt64,
      rows_alone ? TensorShape({n}) : TensorShape({n, places.rank}), &out));
  GK_RETURN_IF_ERROR(c.Allocate(1, values.dtype(), TensorShape({n}), &filled));
  GK_RETURN_IF_ERROR(
      c.Allocate(3, DataType::kInt64, TensorShape({places.n}), &moved));
  GK_RETURN_IF_ERROR(FillElements(otherwise, filled));
  FillEmptyRows(places, rows, first.data(), empty->data<bool>(),
                out->data<int64_t>(), moved->data<int64_t>());
  return VisitMoved(values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    PutElements(static_cast<const T*>(values.raw_data()), 1,
                moved->flat<int64_t>(), static_cast<T*>(filled->raw_data()));
  });
}

Status ComputeFill(KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1), &shape = c.input(2),
               &otherwise = c.input(3);
  GK_RETURN_IF_ERROR(CheckFill(indices, values, shape, otherwise));
  const int64_t rows = shape.data<int64_t>()[0];
  const Places places{indices.data<int64_t>(), indices.dim(0), indices.dim(1)};
  if (rows < 0) {
    return InvalidArgument("dense_shape has a negative size: {}", rows);
  }
  if (rows == 0 && places.n > 0) {
    return InvalidArgument(
        "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = "
        "{}",
        places.n);
  }
  return FillRows(c, places, rows, false);
}

template <TensorVector (*kGrad)(const Tensor&, const Tensor&)>
void FillGradient(GradContext& g) {
  const TensorVector found = kGrad(g.y(3), g.dy(1));
  g.Set(1, found[0]);
  g.Set(3, found[1]);
}

// ---- RaggedFillEmptyRows ----

Status FillRowsShape(InferenceContext& c) {
  PartialTensorShape ids, values, nrows, otherwise;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &ids));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &values));
  GK_RETURN_IF_ERROR(c.WithRank(2, 0, &nrows));
  GK_RETURN_IF_ERROR(c.WithRank(3, 0, &otherwise));
  int64_t n;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(ids.dim(0), values.dim(0), &n));
  const auto rows = c.ValueAsInts(2);
  c.set_output(0, {kUnknownDim});
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {rows && (*rows)[0] >= 0 ? (*rows)[0] : kUnknownDim});
  c.set_output(3, {n});
  return OkStatus();
}

Status CheckFillRows(const KernelContext& c) {
  const Tensor &ids = c.input(0), &values = c.input(1), &nrows = c.input(2),
               &otherwise = c.input(3);
  if (nrows.rank() != 0) {
    return InvalidArgument("nrows must be a scalar, saw: {}",
                           nrows.shape().DebugString());
  }
  if (ids.rank() != 1) {
    return InvalidArgument("value_rowids must be a vector, saw: {}",
                           ids.shape().DebugString());
  }
  if (values.rank() != 1) {
    return InvalidArgument("values must be a vector, saw: {}",
                           values.shape().DebugString());
  }
  if (values.dim(0) != ids.dim(0)) {
    return InvalidArgument(
        "The length of `values` ({}) must match the first dimension of "
        "`value_rowids` ({}).",
        values.dim(0), ids.dim(0));
  }
  if (otherwise.rank() != 0) {
    return InvalidArgument("default_value must be a scalar, saw: {}",
                           otherwise.shape().DebugString());
  }
  const int64_t rows = *nrows.data<int64_t>();
  if (rows < 0) {
    return InvalidArgument(
        "Expected shape dimensions to be non-negative, got {}", rows);
  }
  if (rows == 0 && ids.dim(0) > 0) {
    return InvalidArgument("Received nrows = 0 but {} value_rowids",
                           ids.dim(0));
  }
  return OkStatus();
}

Status ComputeFillRows(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckFillRows(c));
  const Tensor& ids = c.input(0);
  const int64_t rows = *c.input(2).data<int64_t>();
  const Places places{ids.data<int64_t>(), ids.dim(0), 1};
  return FillRows(c, places, rows, true);
}

// ---- SparseFillEmptyRowsGrad, RaggedFillEmptyRowsGrad ----

Status FillGradShape(InferenceContext& c) {
  PartialTensorShape moved, grad;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &moved));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &grad));
  c.set_output(0, std::move(moved));
  c.set_output(1, PartialTensorShape(TensorShape()));
  return OkStatus();
}

Status ComputeFillGrad(KernelContext& c) {
  const Tensor &moved = c.input(0), &grad = c.input(1);
  if (moved.rank() != 1) {
    return InvalidArgument("reverse_index_map must be a vector, saw: {}",
                           moved.shape().DebugString());
  }
  if (grad.rank() != 1) {
    return InvalidArgument("grad_values must be a vector, saw: {}",
                           grad.shape().DebugString());
  }
  Tensor *values, *otherwise;
  GK_RETURN_IF_ERROR(c.Allocate(0, grad.dtype(), moved.shape(), &values));
  GK_RETURN_IF_ERROR(c.Allocate(1, grad.dtype(), TensorShape(), &otherwise));
  int64_t bad = -1;
  const bool known =
      VisitType<float, double, half, bfloat16, int8_t, uint8_t, int16_t,
                uint16_t, int32_t, uint32_t, int64_t, uint64_t, complex64,
                complex128>(grad.dtype(), [&](auto tag) {
        using T = decltype(tag);
        bad = PickAndSumOthers<T>(grad.flat<T>(), moved.flat<int64_t>(),
                                  values->data<T>(), otherwise->data<T>());
      });
  if (bad >= 0) {
    return InvalidArgument(
        "Elements in reverse index must be in [0, {}) but got {}", grad.dim(0),
        moved.data<int64_t>()[bad]);
  }
  return known ? OkStatus() : c.NoKernel();
}

// All that is not asked for counts as the default's.
void FillGradGradient(GradContext& g) {
  const Tensor all =
      ops::BroadcastTo(g.dy(1), ops::Shape(g.x(1), DataType::kInt64));
  g.Set(1, ops::TensorScatterUpdate(
               all, ops::ExpandDims(g.x(0), IntegerConstant(1)), g.dy(0)));
}

const OpRecord kRecords[] = {
    {.name = "SparseFillEmptyRows",
     .inputs = "indices: int64; values: T; dense_shape: int64; default_value: "
               "T",
     .outputs = "output_indices: int64; output_values: T; empty_row_indicator: "
                "bool; reverse_index_map: int64",
     .attrs = "T: type",
     .shape = FillShape,
     .kernel = {.compute = ComputeFill},
     .gradient = FillGradient<ops::SparseFillEmptyRowsGrad>,
     .doc = "A sparse tensor, row by row, with default_value first in each row "
            "that was empty; which rows those are, and where its values are "
            "now."},

    {.name = "SparseFillEmptyRowsGrad",
     .inputs = "reverse_index_map: int64; grad_values: T",
     .outputs = "d_values: T; d_default_value: T",
     .attrs = "T: type",
     .shape = FillGradShape,
     .kernel = {.compute = ComputeFillGrad},
     .gradient = FillGradGradient,
     .doc = "Gradients of SparseFillEmptyRows."},

    {.name = "RaggedFillEmptyRows",
     .inputs = "value_rowids: int64; values: T; nrows: int64; default_value: T",
     .outputs = "output_value_rowids: int64; output_values: T; "
                "empty_row_indicator: bool; reverse_index_map: int64",
     .attrs = "T: type",
     .shape = FillRowsShape,
     .kernel = {.compute = ComputeFillRows},
     .gradient = FillGradient<ops::RaggedFillEmptyRowsGrad>,
     .python = {.names = "ragged_fill_empty_rows"},
     .doc = "The values of rows with default_value in each row that was empty; "
            "which rows those are, and where the values are now.",
     .example = ">>> tf.ragged_fill_empty_rows([0, 2], [5, 6], 3, 9)[1]."
                "numpy().tolist()\n[5, 9, 6]"},

    {.name = "RaggedFillEmptyRowsGrad",
     .inputs = "reverse_index_map: int64; grad_values: T",
     .outputs = "d_values: T; d_default_value: T",
     .attrs = "T: type",
     .shape = FillGradShape,
     .kernel = {.compute = ComputeFillGrad},
     .gradient = FillGradGradient,
     .python = {.names = "ragged_fill_empty_rows_grad"},
     .doc = "Gradients of RaggedFillEmptyRows.",
     .example = ">>> values, rest = tf.ragged_fill_empty_rows_grad([0, 2], [1, "
                "2, 3])\n>>> values.numpy().tolist(), int(rest)\n([1, 3], "
                "2)"},
};

}  // namespace

GK_REGISTER_OPS(sparse_rows)

}  // namespace gk
