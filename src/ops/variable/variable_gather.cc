// Reading slices of variables.
#include "ops/fn/variable_gather.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/variable.h"
#include "framework/variant.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/ScatterNd.h"
#include "ops/fn/Slice.h"
#include "ops/fn/VariableShape.h"
#include "ops/index_slices.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

template <class T>
void Collect(const Tensor& value, const IndexSlices& slices, Tensor* out) {
  const T* from = value.data<T>();
  T* to = out->data<T>();
  for (const int64_t offset : slices.offsets) {
    to = std::copy_n(from + offset, slices.size, to);
  }
}

Status CollectAny(const Tensor& value, const IndexSlices& slices, Tensor* out) {
  if (value.dtype() == DataType::kString) {
    Collect<std::string>(value, slices, out);
  } else if (value.dtype() == DataType::kVariant) {
    Collect<Variant>(value, slices, out);
  } else if (const int bytes = DataTypeSize(value.dtype()); bytes > 0) {
    const char* from = static_cast<const char*>(value.raw_data());
    char* to = static_cast<char*>(out->raw_data());
    for (const int64_t offset : slices.offsets) {
      std::memcpy(to, from + offset * bytes, slices.size * bytes);
      to += slices.size * bytes;
    }
  } else {
    return Unimplemented("Gather of {}", DataTypeString(value.dtype()));
  }
  return OkStatus();
}

StatusOr<Tensor> ReadChecked(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(c.input(0)));
  const DataType dtype = c.attr<DataType>("dtype");
  if (v->dtype() != dtype) {
    return InvalidArgument(
        "Trying to read variable with wrong dtype. Expected {} got {}",
        DataTypeString(v->dtype()), DataTypeString(dtype));
  }
  return v->Read();
}

StatusOr<int> BatchDims(int64_t given, int value_rank, int indices_rank) {
  if (given < 0) return InvalidArgument("batch_dims is negative ({})", given);
  if (given > indices_rank) {
    return InvalidArgument("batch_dims ({}) must be in [0, {}]", given,
                           indices_rank);
  }
  if (given >= value_rank) {
    return InvalidArgument(
        "batch_dims ({}) must be less than rank(params) "
        "({})",
        given, value_rank);
  }
  return static_cast<int>(given);
}

Status ComputeGather(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Tensor value, ReadChecked(c));
  const Tensor& indices = c.input(1);
  if (value.rank() < 1) {
    return InvalidArgument("params must be at least 1 dimensional");
  }
  GK_ASSIGN_OR_RETURN(int batch, BatchDims(c.attr<int64_t>("batch_dims"),
                                           value.rank(), indices.rank()));
  std::vector<int64_t> dims;
  for (int d = 0; d < batch; ++d) {
    if (value.dim(d) != indices.dim(d)) {
      return InvalidArgument(
          "params.shape[{}]: {} should be equal to indices.shape[{}]: {}", d,
          value.dim(d), d, indices.dim(d));
    }
  }
  for (const int64_t d : indices.shape().dims()) dims.push_back(d);
  for (int d = batch + 1; d < value.rank(); ++d) dims.push_back(value.dim(d));
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  GK_ASSIGN_OR_RETURN(IndexSlices slices,
                      RowSlices(value.shape(), indices, batch));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, value.dtype(), shape, &out));
  return CollectAny(value, slices, out);
}

// `held`: what the handle says of the variable, kInvalid if nothing.
Status CheckReadType(InferenceContext& c, DataType held) {
  const DataType dtype = c.attr<DataType>("dtype");
  if (held == dtype || held == DataType::kInvalid) return OkStatus();
  return InvalidArgument(
      "Trying to read variable with wrong dtype. Expected {} got {}",
      DataTypeString(held), DataTypeString(dtype));
}

Status GatherShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"batch_dims"}));
  if (const int64_t given = c.attr<int64_t>("batch_dims"); given < 0) {
    return InvalidArgument("batch_dims is negative ({})", given);
  } else if (given == std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("Rank cannot exceed kint32max");
  }
  const HandleData* h = c.input_handle(0);
  if (!h || h->empty()) return OkStatus();
  GK_RETURN_IF_ERROR(CheckReadType(c, (*h)[0].dtype));
  const PartialTensorShape &value = (*h)[0].shape, indices = c.input(1);
  if (value.rank() == 0) {
    return InvalidArgument("Shape must be at least rank 1 but is rank 0");
  }
  if (value.unknown_rank() || indices.unknown_rank()) return OkStatus();
  GK_ASSIGN_OR_RETURN(int batch, BatchDims(c.attr<int64_t>("batch_dims"),
                                           value.rank(), indices.rank()));
  PartialTensorShape out = indices;
  for (int d = 0; d < batch; ++d) {
    // Dims that do not fit are told when it runs.
    if (value.dim(d) >= 0) out.SetDim(d, value.dim(d));
  }
  for (int d = batch + 1; d < value.rank(); ++d) out.AddDim(value.dim(d));
  c.set_output(0, out);
  return OkStatus();
}

constexpr int64_t kOne[] = {1}, kRest[] = {-1};

Tensor VariableShapeOf(const Tensor& handle) {
  return ops::VariableShape(handle, DataType::kInt32);
}

// The slices that were read, as slices of the variable's gradient.
void GatherGradient(GradContext& g) {
  const Tensor &handle = g.x(0), &indices = g.x(1);
  const Tensor shape = VariableShapeOf(handle);
  if (g.attr<int64_t>("batch_dims") != 0) {
    throw Error(Unimplemented(
        "The gradient of ResourceGather with batch_dims {} is not there: read "
        "the variable and gather from its value",
        g.attr<int64_t>("batch_dims")));
  }
  const Tensor begin = IntegerVector(kOne);
  const Tensor rest = ops::Slice(shape, begin, IntegerVector(kRest));
  const Tensor values =
      ops::Reshape(g.dy(0), Joined({IntegerVector(kRest), rest}));
  g.SetSlices(0, values, ops::Reshape(indices, IntegerVector(kRest)), shape);
}

Status ComputeGatherNd(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Tensor value, ReadChecked(c));
  const Tensor& indices = c.input(1);
  if (value.rank() < 1)
    return InvalidArgument(
        "params must be at least a "
        "vector");
  GK_ASSIGN_OR_RETURN(IndexSlices slices, NdSlices(value.shape(), indices));
  std::vector<int64_t> dims;
  int64_t rows = 1;
  for (int d = 0; d + 1 < indices.rank(); ++d) {
    dims.push_back(indices.dim(d));
    rows *= indices.dim(d);
  }
  if (rows > 0 && value.num_elements() == 0) {
    return InvalidArgument(
        "Requested more than 0 entries, but params is empty.  Params shape: {}",
        value.shape().DebugString());
  }
  for (int d = static_cast<int>(indices.dim(indices.rank() - 1));
       d < value.rank(); ++d) {
    dims.push_back(value.dim(d));
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, value.dtype(), shape, &out));
  return CollectAny(value, slices, out);
}

Status GatherNdShape(InferenceContext& c) {
  const HandleData* h = c.input_handle(0);
  if (!h || h->empty()) return OkStatus();
  GK_RETURN_IF_ERROR(CheckReadType(c, (*h)[0].dtype));
  const PartialTensorShape &value = (*h)[0].shape, indices = c.input(1);
  if (value.unknown_rank() || indices.unknown_rank()) return OkStatus();
  if (indices.rank() < 1) {
    return InvalidArgument("Shape must be at least rank 1 but is rank 0");
  }
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth < 0) return OkStatus();
  if (depth > value.rank()) {
    return InvalidArgument(
        "indices.shape[-1] must be <= params.rank, but saw "
        "indices shape: {} and params shape: {}",
        indices.DebugString(), value.DebugString());
  }
  PartialTensorShape out = indices;
  out.RemoveDim(indices.rank() - 1);
  for (int d = static_cast<int>(depth); d < value.rank(); ++d) {
    out.AddDim(value.dim(d));
  }
  c.set_output(0, out);
  return OkStatus();
}

void GatherNdGradient(GradContext& g) {
  const Tensor shape = VariableShapeOf(g.x(0));
  const Tensor indices = ops::Cast(g.x(1), DataType::kInt32);
  g.Set(0, ops::ScatterNd(indices, g.dy(0), shape));
}

const OpRecord kRecords[] = {
    {.name = "ResourceGather",
     .inputs = "resource: resource; indices: Tindices",
     .outputs = "output: dtype",
     .attrs = "batch_dims: int = 0; validate_indices: bool = True; dtype: "
              "type; Tindices: type in [int32, int64]",
     .traits = kStateful | kReadsResource,
     .of_constant = {.op = "GatherV2", .last_input = "batch_dims"},
     .shape = GatherShape,
     .kernel = {.compute = ComputeGather},
     .gradient = GatherGradient,
     .doc = "Slices of a variable, by index into a dimension."},

    {.name = "ResourceGatherNd",
     .inputs = "resource: resource; indices: Tindices",
     .outputs = "output: dtype",
     .attrs = "dtype: type; Tindices: type in [int32, int64]",
     .traits = kStateful | kReadsResource,
     .of_constant = {.op = "GatherNd"},
     .shape = GatherNdShape,
     .kernel = {.compute = ComputeGatherNd},
     .gradient = GatherNdGradient,
     .doc = "Slices of a variable, by rows of indices into its first "
            "dimensions."},
};

}  // namespace

GK_REGISTER_OPS(variable_gather)

}  // namespace gk
