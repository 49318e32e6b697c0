// Tensors some of whose rows are replaced, in place where nobody else sees
// them, and tensors that are made to be filled.
#include "ops/fn/array_inplace.h"

#include <algorithm>
#include <vector>

#include "framework/op_registry.h"
#include "kernels/scatter.h"
#include "kernels/strided_copy.h"
#include "ops/control/truth.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// What becomes output 0: input 0, or a copy where others see it.
StatusOr<Tensor> OwnInput(KernelContext& c) {
  if (c.MayOverwrite(0)) return c.input(0);
  return c.input(0).Copy();
}

// ---- Rows by number ----

Status CheckRows(const Tensor& x, const Tensor& rows, const Tensor& v) {
  if (rows.rank() != 1) {
    return InvalidArgument("i must be a vector. {}",
                           rows.shape().DebugString());
  }
  if (x.rank() != v.rank() || x.rank() == 0) {
    return InvalidArgument(
        "x and v shape doesn't match (ranks differ): {} vs. {}",
        x.shape().DebugString(), v.shape().DebugString());
  }
  if (rows.dim(0) != v.dim(0)) {
    return InvalidArgument("i and x shape doesn't match at index 0: {} vs. {}",
                           rows.shape().DebugString(), v.shape().DebugString());
  }
  for (int d = 1; d < x.rank(); ++d) {
    if (x.dim(d) == v.dim(d)) continue;
    return InvalidArgument(
        "x and v shape doesn't match at index {} : {} vs. {}", d,
        x.shape().DebugString(), v.shape().DebugString());
  }
  if (x.dim(0) == 0 && rows.dim(0) > 0) {
    return InvalidArgument("i has {} rows to change, but x has none",
                           rows.dim(0));
  }
  return OkStatus();
}

template <ScatterOp kOp>
Status ChangeRows(std::span<const int64_t> offsets, int64_t width,
                  const Tensor& v, Tensor* out) {
  if constexpr (kOp == ScatterOp::kUpdate) {
    return VisitMoved(out->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ScatterSlices<kOp, 1>(offsets, width, static_cast<const T*>(v.raw_data()),
                            static_cast<T*>(out->raw_data()));
    });
  } else {
    const bool known =
        VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                  int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
                  complex128>(out->dtype(), [&](auto tag) {
          using T = decltype(tag);
          ScatterSlices<kOp, 1>(offsets, width, v.data<T>(), out->data<T>());
        });
    if (known) return OkStatus();
    return InvalidArgument("Unsupported data type: {}",
                           DataTypeString(out->dtype()));
  }
}

template <ScatterOp kOp>
Status ComputeRows(KernelContext& c) {
  const Tensor &x = c.input(0), &rows = c.input(1), &v = c.input(2);
  GK_RETURN_IF_ERROR(CheckRows(x, rows, v));
  const int64_t n = x.dim(0), width = n == 0 ? 0 : x.num_elements() / n;
  std::vector<int64_t> offsets;
  offsets.reserve(rows.num_elements());
  for (const int64_t row : rows.flat<int32_t>()) {
    offsets.push_back((row % n + n) % n * width);
  }
  GK_ASSIGN_OR_RETURN(Tensor out, OwnInput(c));
  GK_RETURN_IF_ERROR(ChangeRows<kOp>(offsets, width, v, &out));
  c.set_output(0, std::move(out));
  return OkStatus();
}

// ---- A box at a place ----

Status UpdateShape(InferenceContext& c) {
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ComputeUpdateSlice(KernelContext& c) {
  const Tensor &x = c.input(0), &update = c.input(1), &indices = c.input(2);
  const int rank = x.rank();
  if (indices.rank() != 1 || indices.dim(0) != rank) {
    return InvalidArgument(
        "index must be a vector with length equal to the number of input "
        "dimensions");
  }
  if (update.rank() != rank) {
    return InvalidArgument(
        "input and update must have the same rank, input shape is {}; update "
        "shape is {}",
        x.shape().DebugString(), update.shape().DebugString());
  }
  std::vector<int64_t> begin;
  GK_RETURN_IF_ERROR(IntegerValues(indices, &begin));
  const auto strides = StridesOf(x.shape()), own = StridesOf(update.shape());
  int64_t at = 0;
  StridedBox box;
  for (int d = 0; d < rank; ++d) {
    const int64_t room = x.dim(d) - update.dim(d);
    if (room < 0) {
      return InvalidArgument(
          "Update dim size {} greater than dynamic slice dimension: {}.",
          update.dim(d), x.dim(d));
    }
    // What would stand out is moved in.
    at += std::clamp<int64_t>(begin[d], 0, room) * strides[d];
    box.AddAxis(update.dim(d), own[d], strides[d]);
  }
  GK_ASSIGN_OR_RETURN(Tensor out, OwnInput(c));
  if (update.num_elements() > 0) {
    GK_RETURN_IF_ERROR(CopyBox(box, update, 0, &out, at));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

// ---- Made to be filled ----

Status EmptyShape(InferenceContext& c) {
  PartialTensorShape sizes;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &sizes));
  if (const auto dims = c.ValueAsInts(0)) {
    for (const int64_t d : *dims) {
      if (d < 0) return InvalidArgument("Dimension {} must be >= 0", d);
    }
  }
  c.set_output(0, c.ValueAsShape(0));
  return OkStatus();
}

// Zeros whatever `init` says: nobody sees what memory held before.
Status ComputeEmpty(KernelContext& c) {
  const Tensor& sizes = c.input(0);
  if (sizes.rank() != 1) {
    return InvalidArgument("shape must be a vector of int32, got shape {}",
                           sizes.shape().DebugString());
  }
  std::vector<int64_t> dims;
  GK_RETURN_IF_ERROR(IntegerValues(sizes, &dims));
  for (const int64_t d : dims) {
    if (d < 0) return InvalidArgument("Dimension {} must be >= 0", d);
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.attr<DataType>("dtype"), shape, &out));
  ZeroElements(out);
  return OkStatus();
}

Status RowsShape(InferenceContext& c) {
  PartialTensorShape shape = c.attr<PartialTensorShape>("shape");
  if (!shape.IsFullyDefined()) {
    return InvalidArgument("shape attr must be fully defined.");
  }
  PartialTensorShape row = shape;
  for (int i = 0; i < c.num_inputs(); ++i) {
    PartialTensorShape value = c.input(i);
    if (value.unknown_rank()) continue;
    if (value.rank() == 0) {
      return InvalidArgument(
          "The rank of all input shapes must be greater than 0, but input {} "
          "had rank 0.",
          i);
    }
    if (value.dim(0) >= 0 && value.dim(0) != 1) {
      return InvalidArgument("Size of first dimension must be 1.");
    }
    if (shape.rank() == 0) {
      return InvalidArgument("shape must have a dimension for its {} values",
                             c.num_inputs());
    }
    row.SetDim(0, 1);
    GK_RETURN_IF_ERROR(value.MergeWith(row).status());
  }
  if (shape.rank() > 0 && shape.dim(0) != c.num_inputs()) {
    return InvalidArgument("shape is of {} rows, but there are {} values",
                           shape.dim(0), c.num_inputs());
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ComputeRowsConcat(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      c.attr<PartialTensorShape>("shape").AsTensorShape());
  if (shape.rank() == 0 || shape.dim(0) != c.num_inputs()) {
    return InvalidArgument("shape {} has no row for each of {} values",
                           shape.DebugString(), c.num_inputs());
  }
  TensorShape row = shape;
  row.RemoveDim(0);
  row.InsertDim(0, 1);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.input(0).dtype(), shape, &out));
  const int64_t n = row.num_elements();
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Tensor& value = c.input(i);
    if (!(value.shape() == row)) {
      return InvalidArgument("values[{}] must be of shape {}, but is of {}", i,
                             row.DebugString(), value.shape().DebugString());
    }
    GK_RETURN_IF_ERROR(VisitMoved(out->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::copy_n(static_cast<const T*>(value.raw_data()), n,
                  static_cast<T*>(out->raw_data()) + i * n);
    }));
  }
  return OkStatus();
}

// ---- A truth ----

Status ComputeTruth(KernelContext& c) {
  const DataType type = c.input(0).dtype();
  if (IsComplex(type)) {
    return InvalidArgument("{} cannot be converted to a boolean",
                           DataTypeString(type));
  }
  GK_ASSIGN_OR_RETURN(const bool truth, TruthOf(c.input(0)));
  c.set_output(0, Tensor::Scalar(truth));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "InplaceUpdate",
     .inputs = "x: T; i: int32; v: T",
     .outputs = "y: T",
     .attrs = "T: type",
     .traits = kUpdatesInput,
     .shape = UpdateShape,
     .kernel = {.compute = ComputeRows<ScatterOp::kUpdate>},
     .doc = "x with the rows `i`, counted round and round, replaced by those "
            "of `v`."},

    {.name = "InplaceAdd",
     .inputs = "x: T; i: int32; v: T",
     .outputs = "y: T",
     .attrs = "T: type",
     .traits = kUpdatesInput,
     .shape = UpdateShape,
     .kernel = {.compute = ComputeRows<ScatterOp::kAdd>},
     .doc = "x with the rows of `v` added to the rows `i`, counted round and "
            "round."},

    {.name = "InplaceSub",
     .inputs = "x: T; i: int32; v: T",
     .outputs = "y: T",
     .attrs = "T: type",
     .traits = kUpdatesInput,
     .shape = UpdateShape,
     .kernel = {.compute = ComputeRows<ScatterOp::kSub>},
     .doc = "x with the rows of `v` subtracted from the rows `i`, counted "
            "round and round."},

    {.name = "XlaDynamicUpdateSlice",
     .inputs = "input: T; update: T; indices: Tindices",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: type in [int32, int64]",
     .traits = kUpdatesInput,
     .shape = UpdateShape,
     .kernel = {.compute = ComputeUpdateSlice},
     .doc = "A tensor with a box at `indices` replaced by `update`; a box that "
            "would stand out is moved in."},

    {.name = "Empty",
     .inputs = "shape: int32",
     .outputs = "output: dtype",
     .attrs = "dtype: type; init: bool = False",
     .traits = kStateful | kNoGradient,
     .shape = EmptyShape,
     .kernel = {.compute = ComputeEmpty},
     .doc = "A tensor to be filled; its elements are zeros."},

    {.name = "ParallelConcat",
     .inputs = "values: N * T",
     .outputs = "output: T",
     .attrs = "N: int >= 1; T: type; shape: shape",
     .shape = RowsShape,
     .kernel = {.compute = ComputeRowsConcat},
     .doc = "Tensors of one row each as the rows of one, whose shape is told."},

    {.name = "ToBool",
     .inputs = "input: T",
     .outputs = "output: bool",
     .attrs = "T: type",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeTruth},
     .doc = "Is a number other than zero, a string not empty, and of any other "
            "shape: are there elements?"},
};

}  // namespace

GK_REGISTER_OPS(array_inplace)

}  // namespace gk
