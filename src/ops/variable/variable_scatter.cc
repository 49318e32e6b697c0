// Reading and writing slices of variables.
//
// Writers resolve and check every index before they write anything, so a
// failed op leaves the variable as it was; duplicates apply in order.
#include "ops/fn/variable_scatter.h"

#include <algorithm>
#include <cstring>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/variable.h"
#include "framework/variant.h"
#include "kernels/elementwise.h"
#include "ops/element_moves.h"
#include "ops/fn/variable_resource.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

enum class Scatter { kUpdate, kAdd, kSub, kMul, kDiv, kMin, kMax };

int64_t IndexAt(const Tensor& indices, int64_t i) {
  return indices.dtype() == DataType::kInt32 ? indices.data<int32_t>()[i]
                                             : indices.data<int64_t>()[i];
}

// Element offsets of the slices that are read or written.
struct Slices {
  std::vector<int64_t> offsets;
  int64_t size = 1;  // elements of a slice
};

std::string Position(const TensorShape& shape, int64_t flat) {
  std::string text;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    text = Format("{}{}{}", flat % shape.dim(d), text.empty() ? "" : ",", text);
    flat /= shape.dim(d);
  }
  return text;
}

// Indices of the dimension after `batch_dims` dims that both have.
StatusOr<Slices> RowSlices(const TensorShape& value, const Tensor& indices,
                           int batch_dims) {
  Slices slices;
  const int64_t limit = value.dim(batch_dims);
  for (int d = batch_dims + 1; d < value.rank(); ++d) {
    slices.size *= value.dim(d);
  }
  int64_t batches = 1;
  for (int d = 0; d < batch_dims; ++d) batches *= value.dim(d);
  const int64_t n = indices.num_elements();
  const int64_t per_batch = batches > 0 ? n / batches : 0;
  slices.offsets.resize(n);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = IndexAt(indices, i);
    if (at < 0 || at >= limit) {
      return InvalidArgument("indices[{}] = {} is not in [0, {})",
                             Position(indices.shape(), i), at, limit);
    }
    slices.offsets[i] = (i / per_batch * limit + at) * slices.size;
  }
  return slices;
}

// Each row of `indices` names a slice by its first dims.
StatusOr<Slices> NdSlices(const TensorShape& value, const Tensor& indices) {
  if (indices.rank() < 1) {
    return InvalidArgument("indices must be at least a vector");
  }
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > value.rank()) {
    return InvalidArgument(
        "index innermost dimension length must be <= params rank; saw: {} vs. "
        "{}",
        depth, value.rank());
  }
  Slices slices;
  for (int d = depth; d < value.rank(); ++d) slices.size *= value.dim(d);
  int64_t n = 1;
  for (int d = 0; d + 1 < indices.rank(); ++d) n *= indices.dim(d);
  slices.offsets.resize(n);
  for (int64_t i = 0; i < n; ++i) {
    int64_t flat = 0;
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t at = IndexAt(indices, i * depth + d);
      if (at < 0 || at >= value.dim(d)) {
        std::string tuple;
        for (int64_t k = 0; k < depth; ++k) {
          tuple += Format("{}{}", k > 0 ? ", " : "",
                          IndexAt(indices, i * depth + k));
        }
        const TensorShape outer(
            indices.shape().dims().first(indices.rank() - 1));
        return InvalidArgument("indices[{}] = [{}] does not index into shape "
                               "{}",
                               Position(outer, i), tuple, value.DebugString());
      }
      flat = flat * value.dim(d) + at;
    }
    slices.offsets[i] = flat * slices.size;
  }
  return slices;
}

template <Scatter kOp, class C>
C Combine(C a, C b) {
  if constexpr (kOp == Scatter::kAdd) return C(a + b);
  if constexpr (kOp == Scatter::kSub) return C(a - b);
  if constexpr (kOp == Scatter::kMul) return C(a * b);
  if constexpr (kOp == Scatter::kDiv) {
    if constexpr (std::is_integral_v<C> && std::is_signed_v<C>) {
      if (b == C(-1)) return C(C(0) - a);
    }
    return C(a / b);
  }
  if constexpr (kOp == Scatter::kMin) return b < a ? b : a;
  if constexpr (kOp == Scatter::kMax) return a < b ? b : a;
}

template <Scatter kOp, class T>
Status Apply(Tensor& value, const Slices& slices, const Tensor& updates) {
  using C = ComputeType<T>;
  const T* from = updates.data<T>();
  if constexpr (kOp == Scatter::kDiv && std::is_integral_v<T>) {
    for (const T v : updates.flat<T>()) {
      if (v == T(0)) return InvalidArgument("Integer division by zero");
    }
  }
  T* to = value.data<T>();
  const int64_t step = updates.rank() == 0 ? 0 : 1;
  for (const int64_t offset : slices.offsets) {
    T* row = to + offset;
    for (int64_t i = 0; i < slices.size; ++i) {
      row[i] = Convert<T>(
          Combine<kOp, C>(Convert<C>(row[i]), Convert<C>(from[i * step])));
    }
    from += step * slices.size;
  }
  return OkStatus();
}

template <class T>
void Replace(Tensor& value, const Slices& slices, const Tensor& updates) {
  const T* from = updates.data<T>();
  T* to = value.data<T>();
  const int64_t step = updates.rank() == 0 ? 0 : 1;
  for (const int64_t offset : slices.offsets) {
    for (int64_t i = 0; i < slices.size; ++i) to[offset + i] = from[i * step];
    from += step * slices.size;
  }
}

struct Bits128 {
  uint64_t words[2];
};

Status ReplaceAny(Tensor& value, const Slices& slices, const Tensor& updates) {
  if (value.dtype() == DataType::kString) {
    Replace<std::string>(value, slices, updates);
    return OkStatus();
  }
  if (value.dtype() == DataType::kVariant) {
    Replace<Variant>(value, slices, updates);
    return OkStatus();
  }
  switch (DataTypeSize(value.dtype())) {
    case 1:
      Replace<uint8_t>(value, slices, updates);
      return OkStatus();
    case 2:
      Replace<uint16_t>(value, slices, updates);
      return OkStatus();
    case 4:
      Replace<uint32_t>(value, slices, updates);
      return OkStatus();
    case 8:
      Replace<uint64_t>(value, slices, updates);
      return OkStatus();
    case 16:
      Replace<Bits128>(value, slices, updates);
      return OkStatus();
  }
  return Unimplemented("Scatter of {}", DataTypeString(value.dtype()));
}

// kBool: sums of bools are "or", differences "xor".
template <Scatter kOp, bool kBool = false>
Status ScatterInto(const KernelContext& c, Tensor& value, const Slices& slices,
                   const Tensor& updates) {
  if constexpr (kOp == Scatter::kUpdate) {
    return ReplaceAny(value, slices, updates);
  } else {
    Status status;
    bool known = VisitType<float, double, half, bfloat16, int8_t, int16_t,
                           int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                           uint64_t>(value.dtype(), [&](auto tag) {
      status = Apply<kOp, decltype(tag)>(value, slices, updates);
    });
    if constexpr (kOp != Scatter::kMin && kOp != Scatter::kMax) {
      known = known || VisitType<complex64, complex128>(
                           value.dtype(), [&](auto tag) {
                             status = Apply<kOp, decltype(tag)>(value, slices,
                                                                updates);
                           });
    }
    if constexpr (kOp == Scatter::kAdd || kOp == Scatter::kSub) {
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
  const Status misfit = InvalidArgument(
      "Must have updates.shape = indices.shape + params.shape[1:] or "
      "updates.shape = [], got updates.shape {}, indices.shape {}, "
      "params.shape {}",
      updates.DebugString(), indices.DebugString(), value.DebugString());
  if (value.rank() < 1) return misfit;
  if (updates.rank() == 0 || indices.num_elements() == 0) return OkStatus();
  if (updates.rank() != indices.rank() + value.rank() - 1) return misfit;
  for (int d = 0; d < indices.rank(); ++d) {
    if (updates.dim(d) == indices.dim(d)) continue;
    return InvalidArgument(
        "The shape of indices ({}) must be a prefix of the shape of updates "
        "({})",
        indices.DebugString(), updates.DebugString());
  }
  for (int d = 1; d < value.rank(); ++d) {
    if (updates.dim(indices.rank() + d - 1) != value.dim(d)) return misfit;
  }
  return OkStatus();
}

template <Scatter kOp>
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
    GK_ASSIGN_OR_RETURN(Slices slices,
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

template <Scatter kOp>
Status ComputeScatterNd(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(c.input(0)));
  const Tensor &indices = c.input(1), &updates = c.input(2);
  GK_RETURN_IF_ERROR(CheckTypes(*v, updates.dtype()));
  return v->Update([&](Tensor& value) -> Status {
    GK_RETURN_IF_ERROR(
        CheckSliceUpdates(value.shape(), indices.shape(), updates.shape()));
    GK_ASSIGN_OR_RETURN(Slices slices, NdSlices(value.shape(), indices));
    return ScatterInto<kOp, true>(c, value, slices, updates);
  });
}

template <class T>
void Collect(const Tensor& value, const Slices& slices, Tensor* out) {
  const T* from = value.data<T>();
  T* to = out->data<T>();
  for (const int64_t offset : slices.offsets) {
    to = std::copy_n(from + offset, slices.size, to);
  }
}

Status CollectAny(const Tensor& value, const Slices& slices, Tensor* out) {
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
  GK_ASSIGN_OR_RETURN(Slices slices, RowSlices(value.shape(), indices, batch));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, value.dtype(), shape, &out));
  return CollectAny(value, slices, out);
}

Status ScatterShape(InferenceContext& c) {
  const HandleData* h = c.input_handle(0);
  if (!h || h->empty() || (*h)[0].dtype == c.input_type(2)) return OkStatus();
  return InvalidArgument(
      "Trying to read variable with wrong dtype. Expected {} got {}",
      DataTypeString((*h)[0].dtype), DataTypeString(c.input_type(2)));
}

Status GatherShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"batch_dims"}));
  if (const int64_t given = c.attr<int64_t>("batch_dims"); given < 0) {
    return InvalidArgument("batch_dims is negative ({})", given);
  }
  const HandleData* h = c.input_handle(0);
  if (!h || h->empty()) return OkStatus();
  const PartialTensorShape &value = (*h)[0].shape, indices = c.input(1);
  if (value.rank() == 0) {
    return InvalidArgument("Shape must be at least rank 1 but is rank 0");
  }
  if (value.unknown_rank() || indices.unknown_rank()) return OkStatus();
  GK_ASSIGN_OR_RETURN(int batch, BatchDims(c.attr<int64_t>("batch_dims"),
                                           value.rank(), indices.rank()));
  PartialTensorShape out = indices;
  for (int d = 0; d < batch; ++d) {
    int64_t both;
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(value.dim(d), indices.dim(d), &both));
    out.SetDim(d, both);
  }
  for (int d = batch + 1; d < value.rank(); ++d) out.AddDim(value.dim(d));
  c.set_output(0, out);
  return OkStatus();
}

constexpr int64_t kOne[] = {1}, kRest[] = {-1};

Tensor Concat(std::initializer_list<Tensor> parts) {
  TensorVector in(parts);
  in.push_back(IntegerConstant(0));
  return MakeOp("ConcatV2", in,
                {{"N", static_cast<int64_t>(parts.size())}})[0];
}

Tensor Reshape(const Tensor& x, const Tensor& shape) {
  return MakeOp1("Reshape", {x, shape});
}

Tensor VariableShapeOf(const Tensor& handle) {
  return MakeOp1("VariableShape", {handle}, {{"out_type", DataType::kInt32}});
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
  const Tensor rest =
      MakeOp1("Slice", {shape, IntegerVector(kOne), IntegerVector(kRest)});
  const Tensor values = Reshape(g.dy(0), Concat({IntegerVector(kRest), rest}));
  g.SetSlices(0, values, Reshape(indices, IntegerVector(kRest)), shape);
}

Status ComputeGatherNd(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Tensor value, ReadChecked(c));
  const Tensor& indices = c.input(1);
  if (value.rank() < 1) return InvalidArgument("params must be at least a "
                                               "vector");
  GK_ASSIGN_OR_RETURN(Slices slices, NdSlices(value.shape(), indices));
  std::vector<int64_t> dims;
  for (int d = 0; d + 1 < indices.rank(); ++d) dims.push_back(indices.dim(d));
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
  const PartialTensorShape &value = (*h)[0].shape, indices = c.input(1);
  if (value.unknown_rank() || indices.unknown_rank()) return OkStatus();
  if (indices.rank() < 1) {
    return InvalidArgument("Shape must be at least rank 1 but is rank 0");
  }
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth < 0) return OkStatus();
  if (depth > value.rank()) {
    return InvalidArgument("indices.shape[-1] must be <= params.rank, but saw "
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
  const Tensor indices = MakeOp1("Cast", {g.x(1)},
                                 {{"DstT", DataType::kInt32}});
  g.Set(0, MakeOp1("ScatterNd", {indices, g.dy(0), shape}));
}

constexpr uint32_t kWrites =
    kStateful | kReadsResource | kWritesResource | kNoGradient;

const OpRecord kRecords[] = {
    {.name = "ResourceGather",
     .inputs = "resource: resource; indices: Tindices",
     .outputs = "output: dtype",
     .attrs = "batch_dims: int = 0; validate_indices: bool = True; dtype: "
              "type; Tindices: type in [int32, int64]",
     .traits = kStateful | kReadsResource,
     .shape = GatherShape,
     .kernel = {.compute = ComputeGather},
     .gradient = GatherGradient,
     .doc = "Slices of a variable, by index into a dimension."},

    {.name = "ResourceGatherNd",
     .inputs = "resource: resource; indices: Tindices",
     .outputs = "output: dtype",
     .attrs = "dtype: type; Tindices: type in [int32, int64]",
     .traits = kStateful | kReadsResource,
     .shape = GatherNdShape,
     .kernel = {.compute = ComputeGatherNd},
     .gradient = GatherNdGradient,
     .doc = "Slices of a variable, by rows of indices into its first "
            "dimensions."},

    {.name = "ResourceScatterAdd",
     .inputs = "resource: resource; indices: Tindices; updates: dtype",
     .outputs = "",
     .attrs = "dtype: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; Tindices: "
              "type in [int32, int64]",
     .traits = kWrites,
     .shape = ScatterShape,
     .kernel = {.compute = ComputeScatter<Scatter::kAdd>},
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
     .kernel = {.compute = ComputeScatter<Scatter::kSub>},
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
     .kernel = {.compute = ComputeScatter<Scatter::kMul>},
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
     .kernel = {.compute = ComputeScatter<Scatter::kDiv>},
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
     .kernel = {.compute = ComputeScatter<Scatter::kMin>},
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
     .kernel = {.compute = ComputeScatter<Scatter::kMax>},
     .doc = "Takes the maximum of slices of a variable and updates."},

    {.name = "ResourceScatterUpdate",
     .inputs = "resource: resource; indices: Tindices; updates: dtype",
     .outputs = "",
     .attrs = "dtype: type; Tindices: type in [int32, int64]",
     .traits = kWrites,
     .shape = ScatterShape,
     .kernel = {.compute = ComputeScatter<Scatter::kUpdate>},
     .doc = "Gives slices of a variable new values."},

    {.name = "ResourceScatterNdAdd",
     .inputs = "ref: resource; indices: Tindices; updates: T",
     .outputs = "",
     .attrs = "T: type; Tindices: type in [int32, int64]; use_locking: bool = "
              "True; bad_indices_policy: string = ''",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeScatterNd<Scatter::kAdd>},
     .doc = "Adds updates to slices of a variable, each named by a row."},

    {.name = "ResourceScatterNdSub",
     .inputs = "ref: resource; indices: Tindices; updates: T",
     .outputs = "",
     .attrs = "T: type; Tindices: type in [int32, int64]; use_locking: bool = "
              "True; bad_indices_policy: string = ''",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeScatterNd<Scatter::kSub>},
     .doc = "Subtracts updates from slices named by rows of indices."},

    {.name = "ResourceScatterNdMin",
     .inputs = "ref: resource; indices: Tindices; updates: T",
     .outputs = "",
     .attrs = "T: type; Tindices: type in [int32, int64]; use_locking: bool = "
              "True; bad_indices_policy: string = ''",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeScatterNd<Scatter::kMin>},
     .doc = "Takes the minimum of updates and slices named by rows."},

    {.name = "ResourceScatterNdMax",
     .inputs = "ref: resource; indices: Tindices; updates: T",
     .outputs = "",
     .attrs = "T: type; Tindices: type in [int32, int64]; use_locking: bool = "
              "True; bad_indices_policy: string = ''",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeScatterNd<Scatter::kMax>},
     .doc = "Takes the maximum of updates and slices named by rows."},

    {.name = "ResourceScatterNdUpdate",
     .inputs = "ref: resource; indices: Tindices; updates: T",
     .outputs = "",
     .attrs = "T: type; Tindices: type in [int32, int64]; use_locking: bool = "
              "True; bad_indices_policy: string = ''",
     .traits = kWrites,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeScatterNd<Scatter::kUpdate>},
     .doc = "Gives the slices named by rows of indices new values."},
};

}  // namespace

GK_REGISTER_OPS(variable_scatter)

}  // namespace gk
