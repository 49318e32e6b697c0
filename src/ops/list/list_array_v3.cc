// The TensorArrays of graphs of version 1: objects that ops change.
#include <atomic>
#include <numeric>

#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/list/array_resource.h"
#include "ops/list/list_access.h"

namespace gk {
namespace {

// Gradients are nodes of the file's: whoever asks for others gets an error.
constexpr uint32_t kChangesArray = kStateful;

// A size is a number in a file; elements that nobody wrote cost nothing.
constexpr int64_t kMaxParts = int64_t{1} << 24;

Tensor HandleOf(Ref<ArrayResource> array) {
  std::string name = array->name();
  return Tensor::Scalar(ResourceHandle(std::move(array), std::move(name), {}));
}

void SetFlow(KernelContext& c, int output) {
  c.set_output(output, Tensor::Scalar(0.0f));
}

Status ComputeArrayNew(KernelContext& c) {
  static std::atomic<uint64_t> next{0};
  int64_t size = 0;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(0), "size", &size));
  if (size < 0) {
    return InvalidArgument("TensorArray size must be >= 0, got {}", size);
  }
  const std::string& name = c.attr<std::string>("tensor_array_name");
  auto array = MakeRef<ArrayResource>(
      Format("{}_{}", name.empty() ? "TensorArray" : name,
             next.fetch_add(1, std::memory_order_relaxed)),
      size,
      ArrayResource::Traits{
          .dtype = c.attr<DataType>("dtype"),
          .element_shape = c.attr<PartialTensorShape>("element_shape"),
          .grows = c.attr<bool>("dynamic_size"),
          .clears = c.attr<bool>("clear_after_read"),
          .has_equal_shapes = c.attr<bool>("identical_element_shapes")});
  c.set_output(0, HandleOf(std::move(array)));
  SetFlow(c, 1);
  return OkStatus();
}

Status MakeGradient(KernelContext& c, std::span<const int64_t> prepended) {
  GK_ASSIGN_OR_RETURN(const Ref<ArrayResource> array,
                      ArrayResource::Of(c.input(0)));
  GK_ASSIGN_OR_RETURN(
      Ref<ArrayResource> gradient,
      array->Gradient(c.attr<std::string>("source"), prepended));
  c.set_output(0, HandleOf(std::move(gradient)));
  SetFlow(c, 1);
  return OkStatus();
}

Status ComputeGrad(KernelContext& c) { return MakeGradient(c, {}); }

Status ComputeGradWithShape(KernelContext& c) {
  std::vector<int64_t> prepended;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(2), &prepended));
  // Checks the sizes.
  GK_RETURN_IF_ERROR(TensorShape::Make(prepended).status());
  return MakeGradient(c, prepended);
}

Status ComputeWrite(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<ArrayResource> array,
                      ArrayResource::Of(c.input(0)));
  int64_t at = 0;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "index", &at));
  GK_RETURN_IF_ERROR(array->Write(at, c.input(2)));
  SetFlow(c, 0);
  return OkStatus();
}

Status ComputeRead(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<ArrayResource> array,
                      ArrayResource::Of(c.input(0)));
  GK_RETURN_IF_ERROR(array->CheckDtype(c.attr<DataType>("dtype"), "requested"));
  int64_t at = 0;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "index", &at));
  Tensor element;
  GK_RETURN_IF_ERROR(array->Read(at, &element));
  c.set_output(0, std::move(element));
  return OkStatus();
}

// `rest` with `first` rows.
StatusOr<TensorShape> Rows(int64_t first, const TensorShape& rest) {
  std::vector<int64_t> dims{first};
  dims.insert(dims.end(), rest.dims().begin(), rest.dims().end());
  return TensorShape::Make(dims);
}

Status ComputeArrayGather(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<ArrayResource> array,
                      ArrayResource::Of(c.input(0)));
  const DataType dtype = c.attr<DataType>("dtype");
  GK_RETURN_IF_ERROR(array->CheckDtype(dtype, "requested"));
  std::vector<int64_t> indices;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(1), &indices));
  GK_ASSIGN_OR_RETURN(PartialTensorShape wanted, array->ElementShape());
  StatusOr<PartialTensorShape> both =
      wanted.MergeWith(c.attr<PartialTensorShape>("element_shape"));
  if (!both.ok()) {
    return InvalidArgument(
        "TensorArray {} was passed element_shape {} which does not match that "
        "of its elements: {}",
        array->name(),
        c.attr<PartialTensorShape>("element_shape").DebugString(),
        wanted.DebugString());
  }
  wanted = *both;
  if (indices.empty()) {
    if (!wanted.IsFullyDefined()) {
      return Unimplemented(
          "TensorArray has size zero, but element shape {} is not fully "
          "defined. Currently only static shapes are supported when packing "
          "zero-size TensorArrays.",
          wanted.DebugString());
    }
    GK_ASSIGN_OR_RETURN(const TensorShape element, wanted.AsTensorShape());
    GK_ASSIGN_OR_RETURN(const TensorShape none, Rows(0, element));
    GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Zeros(dtype, none));
    c.set_output(0, std::move(out));
    return OkStatus();
  }
  Tensor out;
  TensorShape shape;
  for (size_t k = 0; k < indices.size(); ++k) {
    Tensor element;
    GK_RETURN_IF_ERROR(array->Read(indices[k], &element));
    if (k == 0) {
      shape = element.shape();
      if (!wanted.IsCompatibleWith(shape)) {
        return InvalidArgument(
            "TensorArray {} was passed element_shape {} which does not match "
            "the Tensor at index 0: {}",
            array->name(), wanted.DebugString(), shape.DebugString());
      }
      GK_ASSIGN_OR_RETURN(const TensorShape full, Rows(indices.size(), shape));
      GK_ASSIGN_OR_RETURN(out, Tensor::Allocate(dtype, full));
    } else if (!(element.shape() == shape)) {
      return InvalidArgument(
          "TensorArray {} has inconsistent shapes.  Index 0 has shape: {} but "
          "index {} has shape: {}",
          array->name(), shape.DebugString(), k, element.shape().DebugString());
    }
    GK_RETURN_IF_ERROR(CopyInto(element, &out, k * shape.num_elements()));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeArrayScatter(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<ArrayResource> array,
                      ArrayResource::Of(c.input(0)));
  std::vector<int64_t> indices;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(1), &indices));
  const Tensor& value = c.input(2);
  GK_RETURN_IF_ERROR(array->CheckDtype(value.dtype(), "is trying to write"));
  if (value.rank() < 1) {
    return InvalidArgument(
        "Input value for unpack must be at least a vector but received shape: "
        "{}",
        value.shape().DebugString());
  }
  if (value.dim(0) != static_cast<int64_t>(indices.size())) {
    return InvalidArgument(
        "Expected len(indices) == values.shape[0], but saw: {} vs. {}",
        indices.size(), value.dim(0));
  }
  int64_t most = 0;
  for (int64_t i : indices) most = std::max(most, i + 1);
  GK_RETURN_IF_ERROR(array->Reserve(most, "Max scatter index"));
  TensorShape element = value.shape();
  element.RemoveDim(0);
  for (size_t k = 0; k < indices.size(); ++k) {
    GK_ASSIGN_OR_RETURN(const Tensor row,
                        CopyPart(value, k * element.num_elements(), element));
    GK_RETURN_IF_ERROR(array->Write(indices[k], row));
  }
  SetFlow(c, 0);
  return OkStatus();
}

// All elements in one tensor, with as many rows as they have together.
Status ComputeArrayConcat(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<ArrayResource> array,
                      ArrayResource::Of(c.input(0)));
  const DataType dtype = c.attr<DataType>("dtype");
  GK_RETURN_IF_ERROR(array->CheckDtype(dtype, "requested"));
  GK_ASSIGN_OR_RETURN(const int64_t n, array->Size());
  const auto& wanted = c.attr<PartialTensorShape>("element_shape_except0");
  if (n > kMaxParts) {
    return ResourceExhausted("Concat of {} elements, at most {} can be joined",
                             n, kMaxParts);
  }
  TensorVector parts;
  std::vector<int64_t> lengths;
  TensorShape rest;
  for (int64_t i = 0; i < n; ++i) {
    Tensor element;
    GK_RETURN_IF_ERROR(array->Read(i, &element));
    if (element.rank() < 1) {
      return InvalidArgument(
          "Concat saw a scalar shape at index {} but requires at least "
          "vectors.  Did you mean to call pack?",
          i);
    }
    TensorShape mine = element.shape();
    mine.RemoveDim(0);
    if (i == 0) rest = mine;
    if (!(mine == rest) || !wanted.IsCompatibleWith(mine)) {
      return InvalidArgument(
          "TensorArray {} has inconsistent shapes.  Index 0 has (excepting "
          "dimension 0) shape: {} but index {} has (excepting dimension 0) "
          "shape: {}",
          array->name(), rest.DebugString(), i, mine.DebugString());
    }
    lengths.push_back(element.dim(0));
    parts.push_back(std::move(element));
  }
  if (n == 0) {
    if (!wanted.IsFullyDefined()) {
      return Unimplemented(
          "TensorArray has size zero, but element_shape_except0 {} is not "
          "fully defined. Currently only static shapes are supported when "
          "concatenating zero-size TensorArrays.",
          wanted.DebugString());
    }
    GK_ASSIGN_OR_RETURN(rest, wanted.AsTensorShape());
  }
  const int64_t rows =
      std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  GK_ASSIGN_OR_RETURN(const TensorShape full, Rows(rows, rest));
  GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype, full));
  int64_t at = 0;
  for (const Tensor& part : parts) {
    GK_RETURN_IF_ERROR(CopyInto(part, &out, at));
    at += part.num_elements();
  }
  c.set_output(0, std::move(out));
  Tensor* counts = nullptr;
  GK_ASSIGN_OR_RETURN(const TensorShape vector, TensorShape::Make({{n}}));
  GK_RETURN_IF_ERROR(c.Allocate(1, DataType::kInt64, vector, &counts));
  std::copy(lengths.begin(), lengths.end(), counts->data<int64_t>());
  return OkStatus();
}

Status ComputeArraySplit(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<ArrayResource> array,
                      ArrayResource::Of(c.input(0)));
  const Tensor& value = c.input(1);
  GK_RETURN_IF_ERROR(array->CheckDtype(value.dtype(), "is trying to write"));
  std::vector<int64_t> lengths;
  if (c.input(2).rank() != 1) {
    return InvalidArgument(
        "Expected lengths to be a vector, received shape: {}",
        c.input(2).shape().DebugString());
  }
  GK_RETURN_IF_ERROR(IntegerValues(c.input(2), &lengths));
  if (value.rank() < 1) {
    return InvalidArgument(
        "Expected value to be at least a vector, but received shape: {}",
        value.shape().DebugString());
  }
  int64_t left = value.dim(0);
  for (int64_t length : lengths) {
    if (length < 0 || length > left) {
      left = -1;
      break;
    }
    left -= length;
  }
  if (left != 0) {
    return InvalidArgument(
        "Expected sum of lengths to be equal to values.shape[0], but the "
        "lengths do not sum up to it and value's shape is: {}",
        value.shape().DebugString());
  }
  GK_ASSIGN_OR_RETURN(const int64_t size, array->Size());
  const auto n = static_cast<int64_t>(lengths.size());
  if (n < size || !array->Reserve(n, "Last index").ok()) {
    return InvalidArgument(
        "TensorArray's size is not equal to the size of lengths ({} vs. {}), "
        "and the TensorArray is not marked as dynamically resizeable",
        size, n);
  }
  TensorShape row = value.shape();
  row.RemoveDim(0);
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i) {
    GK_ASSIGN_OR_RETURN(const TensorShape shape, Rows(lengths[i], row));
    GK_ASSIGN_OR_RETURN(const Tensor part, CopyPart(value, at, shape));
    GK_RETURN_IF_ERROR(array->Write(i, part));
    at += shape.num_elements();
  }
  SetFlow(c, 0);
  return OkStatus();
}

Status ComputeSize(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<ArrayResource> array,
                      ArrayResource::Of(c.input(0)));
  GK_ASSIGN_OR_RETURN(const int64_t size, array->Size());
  c.set_output(0, Tensor::Scalar(static_cast<int32_t>(size)));
  return OkStatus();
}

Status ComputeArrayClose(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<ArrayResource> array,
                      ArrayResource::Of(c.input(0)));
  array->Close();
  return OkStatus();
}

Status NewShape(InferenceContext& c) {
  c.set_output(0, TensorShape());
  c.set_output(1, TensorShape());
  return OkStatus();
}

Status ArrayGatherShape(InferenceContext& c) {
  PartialTensorShape shape = c.attr<PartialTensorShape>("element_shape");
  if (shape.unknown_rank() || shape.rank() >= kMaxRank) return OkStatus();
  shape.InsertDim(0, c.input(1).rank() == 1 ? c.input(1).dim(0) : kUnknownDim);
  c.set_output(0, shape);
  return OkStatus();
}

Status ArrayConcatShape(InferenceContext& c) {
  PartialTensorShape shape =
      c.attr<PartialTensorShape>("element_shape_except0");
  if (!shape.unknown_rank() && shape.rank() < kMaxRank) {
    shape.InsertDim(0, kUnknownDim);
    c.set_output(0, shape);
  }
  const int64_t unknown[] = {kUnknownDim};
  c.set_output(1, PartialTensorShape(unknown));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "TensorArrayV3",
     .inputs = "size: int32",
     .outputs = "handle: resource; flow: float",
     .attrs = "dtype: type; element_shape: shape = <unknown>;"
              "dynamic_size: bool = false; clear_after_read: bool = true;"
              "identical_element_shapes: bool = false;"
              "tensor_array_name: string = ''",
     .traits = kStateful | kNoGradient,
     .shape = NewShape,
     .kernel = {.compute = ComputeArrayNew},
     .doc = "An array of tensors that ops change, and the flow that orders "
            "them."},

    {.name = "TensorArrayGradV3",
     .inputs = "handle: resource; flow_in: float",
     .outputs = "grad_handle: resource; flow_out: float",
     .attrs = "source: string",
     .traits = kChangesArray,
     .shape = NewShape,
     .kernel = {.compute = ComputeGrad},
     .doc = "The array of the gradients of an array's elements, which sums "
            "what is written to one place; one for each `source`."},

    {.name = "TensorArrayGradWithShape",
     .inputs = "handle: resource; flow_in: float; shape_to_prepend: int32",
     .outputs = "grad_handle: resource; flow_out: float",
     .attrs = "source: string",
     .traits = kChangesArray,
     .shape = NewShape,
     .kernel = {.compute = ComputeGradWithShape},
     .doc = "The array of gradients whose elements have the dimensions "
            "`shape_to_prepend` before those of the array's."},

    {.name = "TensorArrayWriteV3",
     .inputs = "handle: resource; index: int32; value: T; flow_in: float",
     .outputs = "flow_out: float",
     .attrs = "T: type",
     .traits = kChangesArray,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeWrite},
     .doc = "Makes `value` the element at `index` of an array."},

    {.name = "TensorArrayReadV3",
     .inputs = "handle: resource; index: int32; flow_in: float",
     .outputs = "value: dtype",
     .attrs = "dtype: type",
     .traits = kChangesArray,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = ComputeRead},
     .doc = "The element at `index` of an array."},

    {.name = "TensorArrayGatherV3",
     .inputs = "handle: resource; indices: int32; flow_in: float",
     .outputs = "value: dtype",
     .attrs = "dtype: type; element_shape: shape = <unknown>",
     .traits = kChangesArray,
     .shape = ArrayGatherShape,
     .kernel = {.compute = ComputeArrayGather},
     .doc = "The elements at `indices` of an array, stacked."},

    {.name = "TensorArrayScatterV3",
     .inputs = "handle: resource; indices: int32; value: T; flow_in: float",
     .outputs = "flow_out: float",
     .attrs = "T: type",
     .traits = kChangesArray,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeArrayScatter},
     .doc = "Makes row i of `value` the element at indices[i] of an array."},

    {.name = "TensorArrayConcatV3",
     .inputs = "handle: resource; flow_in: float",
     .outputs = "value: dtype; lengths: int64",
     .attrs = "dtype: type; element_shape_except0: shape = <unknown>",
     .traits = kChangesArray,
     .shape = ArrayConcatShape,
     .kernel = {.compute = ComputeArrayConcat},
     .doc = "The rows of all elements of an array, and how many each has."},

    {.name = "TensorArraySplitV3",
     .inputs = "handle: resource; value: T; lengths: int64; flow_in: float",
     .outputs = "flow_out: float",
     .attrs = "T: type",
     .traits = kChangesArray,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeArraySplit},
     .doc = "Makes the next lengths[i] rows of `value` element i of an array."},

    {.name = "TensorArraySizeV3",
     .inputs = "handle: resource; flow_in: float",
     .outputs = "size: int32",
     .attrs = "",
     .traits = kStateful | kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeSize},
     .doc = "How many elements an array has."},

    {.name = "TensorArrayCloseV3",
     .inputs = "handle: resource",
     .outputs = "",
     .attrs = "",
     .traits = kStateful | kNoGradient,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeArrayClose},
     .doc = "Frees the elements of an array."},
};

}  // namespace

GK_REGISTER_OPS(list_array_v3)

}  // namespace gk
