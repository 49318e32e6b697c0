// Rows of sparse tensors that hold nothing, and sparse tensors side by side.
#include "ops/fn/sparse_rows.h"

#include <algorithm>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/sparse.h"
#include "ops/element_moves.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Shape.h"
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
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kInt64, TensorShape({n, places.rank}), &out));
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

void FillGradient(GradContext& g) {
  const TensorVector found = ops::SparseFillEmptyRowsGrad(g.y(3), g.dy(1));
  g.Set(1, found[0]);
  g.Set(3, found[1]);
}

// ---- SparseFillEmptyRowsGrad ----

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
  for (int64_t at : moved.flat<int64_t>()) {
    if (at < 0 || at >= grad.dim(0)) {
      return InvalidArgument(
          "Elements in reverse index must be in [0, {}) but got {}",
          grad.dim(0), at);
    }
  }
  Tensor *values, *otherwise;
  GK_RETURN_IF_ERROR(c.Allocate(0, grad.dtype(), moved.shape(), &values));
  GK_RETURN_IF_ERROR(c.Allocate(1, grad.dtype(), TensorShape(), &otherwise));
  const bool known =
      VisitType<float, double, half, bfloat16, int8_t, uint8_t, int16_t,
                uint16_t, int32_t, uint32_t, int64_t, uint64_t, complex64,
                complex128>(grad.dtype(), [&](auto tag) {
        using T = decltype(tag);
        PickRows(grad.data<T>(), moved.flat<int64_t>(), 1, values->data<T>());
        *otherwise->data<T>() =
            SumOfOthers(grad.flat<T>(), moved.flat<int64_t>());
      });
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
     .gradient = FillGradient,
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
