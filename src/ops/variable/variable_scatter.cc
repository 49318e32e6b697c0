// Writing slices of variables.
//
// Writers resolve and check every index before they write anything, so a
// failed op leaves the variable as it was; duplicates apply in order.
#include "ops/fn/variable_scatter.h"

#include <algorithm>

#include "framework/op_registry.h"
#include "framework/variable.h"
#include "kernels/scatter.h"
#include "ops/element_moves.h"
#include "ops/fn/variable_resource.h"
#include "ops/index_slices.h"

namespace gk {
namespace {

template <ScatterOp kOp, class T>
void Apply(const IndexSlices& slices, const T* updates, bool one, T* value) {
  if (one) {
    ScatterSlices<kOp, 0>(slices.offsets, slices.size, updates, value);
  } else {
    ScatterSlices<kOp, 1>(slices.offsets, slices.size, updates, value);
  }
}

template <ScatterOp kOp, class T>
Status Apply(Tensor& value, const IndexSlices& slices, const Tensor& updates) {
  if constexpr (kOp == ScatterOp::kDiv && std::is_integral_v<T>) {
    for (const T v : updates.flat<T>()) {
      if (v == T(0)) return InvalidArgument("Integer division by zero");
    }
  }
  Apply<kOp>(slices, updates.data<T>(), updates.rank() == 0, value.data<T>());
  return OkStatus();
}

// kBool: sums of bools are "or", differences "xor".
template <ScatterOp kOp, bool kBool = false>
Status ScatterInto(const KernelContext& c, Tensor& value,
                   const IndexSlices& slices, const Tensor& updates) {
  if constexpr (kOp == ScatterOp::kUpdate) {
    return VisitMoved(value.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      Apply<kOp>(slices, static_cast<const T*>(updates.raw_data()),
                 updates.rank() == 0, static_cast<T*>(value.raw_data()));
    });
  } else {
    Status status;
    bool known =
        VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                  int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
            value.dtype(), [&](auto tag) {
              status = Apply<kOp, decltype(tag)>(value, slices, updates);
            });
    if constexpr (kOp != ScatterOp::kMin && kOp != ScatterOp::kMax) {
      known = known ||
              VisitType<complex64, complex128>(value.dtype(), [&](auto tag) {
                status = Apply<kOp, decltype(tag)>(value, slices, updates);
              });
    }
    if constexpr (kOp == ScatterOp::kAdd || kOp == ScatterOp::kSub) {
      if (kBool && value.dtype() == DataType::kBool) {
        return Apply<kOp, bool>(value, slices, updates);
      }
    }
    return known ? status : c.NoKernel();
  }
}

Status CheckTypes(const VariableResource& v, DataType dtype) {
  if (v.dtype() == dtype) return OkStatus();
  return InvalidArgument(
      "DType of variable handle and updates does not match; expected {} got {}",
      DataTypeString(v.dtype()), DataTypeString(dtype));
}

// updates has the dims of indices, then those of a row of the variable; or it
// is a scalar.
Status CheckRowUpdates(const TensorShape& value, const TensorShape& indices,
                       const TensorShape& updates) {
  const auto misfit = [&] {
    return InvalidArgument(
        "Must have updates.shape = indices.shape + params.shape[1:] or "
        "updates.shape = [], got updates.shape {}, indices.shape {}, "
        "params.shape {}",
        updates.DebugString(), indices.DebugString(), value.DebugString());
  };
  if (value.rank() < 1) return misfit();
  if (updates.rank() == 0 || indices.num_elements() == 0) return OkStatus();
  if (updates.rank() != indices.rank() + value.rank() - 1) return misfit();
  for (int d = 0; d < indices.rank(); ++d) {
    if (updates.dim(d) == indices.dim(d)) continue;
    return InvalidArgument(
        "The shape of indices ({}) must be a prefix of the shape of updates "
        "({})",
        indices.DebugString(), updates.DebugString());
  }
  for (int d = 1; d < value.rank(); ++d) {
    if (updates.dim(indices.rank() + d - 1) != value.dim(d)) return misfit();
  }
  return OkStatus();
}

template <ScatterOp kOp>
Status ComputeScatter(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(c.input(0)));
  const Tensor &indices = c.input(1), &updates = c.input(2);
  if (v->dtype() != updates.dtype()) {
    return InvalidArgument(
        "DType of scatter resource and updates does not match.");
  }
  return v->Update([&](Tensor& value) -> Status {
    GK_RETURN_IF_ERROR(
        CheckRowUpdates(value.shape(), indices.shape(), updates.shape()));
    GK_ASSIGN_OR_RETURN(IndexSlices slices,
                        RowSlices(value.shape(), indices, 0));
    return ScatterInto<kOp>(c, value, slices, updates);
  });
}

Status CheckSliceUpdates(const TensorShape& value, const TensorShape& indices,
                         const TensorShape& updates) {
  if (value.rank() < 1) {
    return InvalidArgument("Output must be at least 1-D, got shape: {}",
                           value.DebugString());
  }
  const bool nothing =
      indices.num_elements() == 0 && updates.num_elements() == 0;
  if (!nothing && (value.num_elements() == 0 || indices.num_elements() == 0 ||
                   updates.num_elements() == 0)) {
    return InvalidArgument(
        "Indices and updates specified for empty output.  "
        "indices shape: {}",
        indices.DebugString());
  }
  if (indices.rank() < 1) {
    return InvalidArgument("indices must be at least a vector");
  }
  const int batch = indices.rank() - 1;
  const int64_t depth = indices.dim(batch);
  bool outer = updates.rank() >= batch;
  for (int d = 0; outer && d < batch; ++d) {
    outer = updates.dim(d) == indices.dim(d);
  }
  if (!outer) {
    return InvalidArgument(
        "Dimensions [0,{0}) of indices[shape={1}] must match dimensions "
        "[0,{0}) "
        "of updates[shape={2}]",
        batch, indices.DebugString(), updates.DebugString());
  }
  bool inner =
      depth <= value.rank() && updates.rank() == batch + value.rank() - depth;
  for (int d = batch; inner && d < updates.rank(); ++d) {
    inner = updates.dim(d) == value.dim(static_cast<int>(depth) + d - batch);
  }
  if (inner) return OkStatus();
  return InvalidArgument(
      "Dimensions [{},{}) of input[shape={}] must match dimensions [{},{}) of "
      "updates[shape={}]",
      depth, value.rank(), value.DebugString(), batch, updates.rank(),
      updates.DebugString());
}

template <ScatterOp kOp>
Status ComputeScatterNd(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(c.input(0)));
  const Tensor &indices = c.input(1), &updates = c.input(2);
  GK_RETURN_IF_ERROR(CheckTypes(*v, updates.dtype()));
  return v->Update([&](Tensor& value) -> Status {
    GK_RETURN_IF_ERROR(
        CheckSliceUpdates(value.shape(), indices.shape(), updates.shape()));
    GK_ASSIGN_OR_RETURN(IndexSlices slices, NdSlices(value.shape(), indices));
    return ScatterInto<kOp, true>(c, value, slices, updates);
  });
}

Status ScatterShape(InferenceContext& c) {
  const HandleData* h = c.input_handle(0);
  if (!h || h->empty() || (*h)[0].dtype == c.input_type(2)) return OkStatus();
  return InvalidArgument(
      "Trying to read variable with wrong dtype. Expected {} got {}",
      DataTypeString((*h)[0].dtype), DataTypeString(c.input_type(2)));
}

constexpr uint32_t kWrites =
    kStateful | kReadsResource | kWritesResource | kNoGradient;

const OpRecord kRecords[] = {
    {.name = "ResourceScatterAdd",
     .inputs = "resource: resource; indices: Tindices; updates: dtype",
     .outputs = "",
     .attrs = "dtype: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; Tindices: "
              "type in [int32, int64]",
     .traits = kWrites,
     .shape = ScatterShape,
     .kernel = {.compute = ComputeScatter<ScatterOp::kAdd>},
     .doc = "Adds updates to slices of a variable."},

    {.name = "ResourceScatterSub",
     .inputs = "resource: resource; indices: Tindices; updates: dtype",
     .outputs = "",
     .attrs = "dtype: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; Tindices: "
              "type in [int32, int64]",
     .traits = kWrites,
     .shape = ScatterShape,
     .kernel = {.compute = ComputeScatter<ScatterOp::kSub>},
     .doc = "Subtracts updates from slices of a variable."},

    {.name = "ResourceScatterMul",
     .inputs = "resource: resource; indices: Tindices; updates: dtype",
     .outputs = "",
     .attrs = "dtype: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; Tindices: "
              "type in [int32, int64]",
     .traits = kWrites,
     .shape = ScatterShape,
     .kernel = {.compute = ComputeScatter<ScatterOp::kMul>},
     .doc = "Multiplies slices of a variable."},

    {.name = "ResourceScatterDiv",
     .inputs = "resource: resource; indices: Tindices; updates: dtype",
     .outputs = "",
     .attrs = "dtype: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; Tindices: "
              "type in [int32, int64]",
     .traits = kWrites,
     .shape = ScatterShape,
     .kernel = {.compute = ComputeScatter<ScatterOp::kDiv>},
     .doc = "Divides slices of a variable."},

    {.name = "ResourceScatterMin",
     .inputs = "resource: resource; indices: Tindices; updates: dtype",
     .outputs = "",
     .attrs = "dtype: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; Tindices: "
              "type in [int32, int64]",
     .traits = kWrites,
     .shape = ScatterShape,
     .kernel = {.compute = ComputeScatter<ScatterOp::kMin>},
     .doc = "Takes the minimum of slices of a variable and updates."},

    {.name = "ResourceScatterMax",
     .inputs = "resource: resource; indices: Tindices; updates: dtype",
     .outputs = "",
     .attrs = "dtype: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; Tindices: "
              "type in [int32, int64]",
     .traits = kWrites,
     .shape = ScatterShape,
     .kernel = {.compute = ComputeScatter<ScatterOp::kMax>},
     .doc = "Takes the maximum of slices of a variable and updates."},

    {.name = "ResourceScatterUpdate",
     .inputs = "resource: resource; indices: Tindices; updates: dtype",
     .outputs = "",
     .attrs = "dtype: type; Tindices: type in [int32, int64]",
     .traits = kWrites,
     .shape = ScatterShape,
     .kernel = {.compute = ComputeScatter<ScatterOp::kUpdate>},
     .doc = "Gives slices of a variable new values."},

    {.name = "ResourceScatterNdAdd",
     .inputs = "ref: resource; indices: Tindices; updates: T",
     .outputs = "",
     .attrs = "T: type; Tindices: type in [int32, int64]; use_locking: bool = "
              "True; bad_indices_policy: string = ''",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeScatterNd<ScatterOp::kAdd>},
     .doc = "Adds updates to slices of a variable, each named by a row."},

    {.name = "ResourceScatterNdSub",
     .inputs = "ref: resource; indices: Tindices; updates: T",
     .outputs = "",
     .attrs = "T: type; Tindices: type in [int32, int64]; use_locking: bool = "
              "True; bad_indices_policy: string = ''",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeScatterNd<ScatterOp::kSub>},
     .doc = "Subtracts updates from slices named by rows of indices."},

    {.name = "ResourceScatterNdMin",
     .inputs = "ref: resource; indices: Tindices; updates: T",
     .outputs = "",
     .attrs = "T: type; Tindices: type in [int32, int64]; use_locking: bool = "
              "True; bad_indices_policy: string = ''",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeScatterNd<ScatterOp::kMin>},
     .doc = "Takes the minimum of updates and slices named by rows."},

    {.name = "ResourceScatterNdMax",
     .inputs = "ref: resource; indices: Tindices; updates: T",
     .outputs = "",
     .attrs = "T: type; Tindices: type in [int32, int64]; use_locking: bool = "
              "True; bad_indices_policy: string = ''",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeScatterNd<ScatterOp::kMax>},
     .doc = "Takes the maximum of updates and slices named by rows."},

    {.name = "ResourceScatterNdUpdate",
     .inputs = "ref: resource; indices: Tindices; updates: T",
     .outputs = "",
     .attrs = "T: type; Tindices: type in [int32, int64]; use_locking: bool = "
              "True; bad_indices_policy: string = ''",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeScatterNd<ScatterOp::kUpdate>},
     .doc = "Gives the slices named by rows of indices new values."},
};

}  // namespace

GK_REGISTER_OPS(variable_scatter)

}  // namespace gk
