// Barriers: tuples whose components arrive one by one.
//
// Their handles are names, as in graphs of version 1; a barrier lives as long
// as the process.
#include <vector>

#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/list/list_access.h"
#include "ops/named_resource.h"
#include "ops/queue/barrier.h"
#include "ops/queue/named_handles.h"
#include "ops/queue/queue.h"

namespace gk {
namespace {

StatusOr<Ref<BarrierResource>> BarrierOf(KernelContext& c) {
  return NamedHandles<BarrierResource>::Get().Find(
      c.input(0), "N10tensorflow7barrier7BarrierE");
}

Status ComputeBarrier(KernelContext& c) {
  if (c.attr<int64_t>("capacity") != -1) {
    return InvalidArgument(
        "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier "
        "through a queue to enforce a limited capacity.");
  }
  const auto& types = c.attr<std::vector<DataType>>("component_types");
  const auto& shapes = c.attr<std::vector<PartialTensorShape>>("shapes");
  if (!shapes.empty() && shapes.size() != types.size()) {
    return InvalidArgument(
        "Expected as many shapes as component_types, or none, but got {} and "
        "{}",
        shapes.size(), types.size());
  }
  for (const PartialTensorShape& shape : shapes) {
    if (!shape.IsFullyDefined()) {
      return InvalidArgument("shapes must be fully defined, but one is {}",
                             shape.DebugString());
    }
  }
  GK_RETURN_IF_ERROR(OutputResource(
      c, "barrier", {},
      [&](const std::string& name) -> StatusOr<Ref<Resource>> {
        return Ref<Resource>(MakeRef<BarrierResource>(name, types, shapes));
      }));
  const ResourceHandle handle = c.output(0).scalar<ResourceHandle>();
  Ref<BarrierResource> barrier(handle.As<BarrierResource>());
  if (barrier->types() != types || barrier->shapes().size() != shapes.size()) {
    return InvalidArgument(
        "Shared barrier '{}' has component types {} but requested component "
        "types were {}",
        barrier->name(), TypesText(barrier->types()), TypesText(types));
  }
  const std::string name = barrier->name();
  c.set_output(0, NamedHandles<BarrierResource>::Get().Add(
                      handle.container(), name, std::move(barrier)));
  return OkStatus();
}

Status ComputeInsertMany(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<BarrierResource> barrier, BarrierOf(c));
  const Tensor &keys = c.input(1), &values = c.input(2);
  const auto component = c.attr<int64_t>("component_index");
  const auto& types = barrier->types();
  if (component < 0 || component >= static_cast<int64_t>(types.size())) {
    return InvalidArgument("The component ID is out of range {} > {}",
                           component, types.size());
  }
  if (values.dtype() != types[component]) {
    return InvalidArgument("values are of type {}, but component {} is of {}",
                           DataTypeString(values.dtype()), component,
                           DataTypeString(types[component]));
  }
  if (keys.rank() != 1) {
    return InvalidArgument("keys must be a vector, but have shape {}",
                           keys.shape().DebugString());
  }
  if (values.rank() == 0 || values.dim(0) != keys.dim(0)) {
    return InvalidArgument(
        "values must have as many rows as there are keys, {}, but have shape "
        "{}",
        keys.dim(0), values.shape().DebugString());
  }
  TensorShape row = values.shape();
  row.RemoveDim(0);
  const auto& shapes = barrier->shapes();
  if (!shapes.empty() && !shapes[component].IsCompatibleWith(row)) {
    return InvalidArgument(
        "Shape mismatch in tuple component {}. Expected {}, got {}", component,
        shapes[component].DebugString(), row.DebugString());
  }
  TensorVector parts;
  const int64_t n = row.num_elements();
  for (int64_t i = 0; i < keys.dim(0); ++i) {
    GK_ASSIGN_OR_RETURN(Tensor part, CopyPart(values, i * n, row));
    parts.push_back(std::move(part));
  }
  const std::span<const std::string> names = keys.flat<std::string>();
  return barrier->Insert({names.begin(), names.end()}, component, parts);
}

// Component i of tuples in one tensor.
Status OutputComponent(KernelContext& c,
                       const std::vector<BarrierResource::Tuple>& tuples,
                       const BarrierResource& barrier, int i) {
  TensorShape row;
  if (!tuples.empty()) {
    row = tuples[0].values[i].shape();
  } else if (!barrier.shapes().empty()) {
    GK_ASSIGN_OR_RETURN(row, barrier.shapes()[i].AsTensorShape());
  }
  TensorShape shape = row;
  shape.InsertDim(0, static_cast<int64_t>(tuples.size()));
  GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Zeros(barrier.types()[i], shape));
  int64_t at = 0;
  for (const auto& tuple : tuples) {
    const Tensor& value = tuple.values[i];
    if (!(value.shape() == row)) {
      return InvalidArgument(
          "Component {} has shape {} in one tuple and {} in another", i,
          row.DebugString(), value.shape().DebugString());
    }
    GK_RETURN_IF_ERROR(CopyInto(value, &out, at));
    at += row.num_elements();
  }
  c.set_output(i + 2, std::move(out));
  return OkStatus();
}

Status ComputeTakeMany(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<BarrierResource> barrier, BarrierOf(c));
  if (c.attr<std::vector<DataType>>("component_types") != barrier->types()) {
    return InvalidArgument("component_types are not those of the barrier, {}",
                           TypesText(barrier->types()));
  }
  if (c.attr<int64_t>("timeout_ms") != -1) {
    return InvalidArgument("Timeout not supported yet.");
  }
  if (c.input(1).rank() != 0) {
    return InvalidArgument("num_elements must be a scalar.");
  }
  const int64_t n = c.input(1).scalar<int32_t>();
  if (n < 0) {
    return InvalidArgument("num_elements must be positive, but is {}", n);
  }
  std::vector<BarrierResource::Tuple> tuples;
  GK_RETURN_IF_ERROR(barrier->Take(n, c.attr<bool>("allow_small_batch"),
                                   c.cancellation(), &tuples));
  const auto count = static_cast<int64_t>(tuples.size());
  Tensor *indices, *keys;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kInt64, TensorShape({count}), &indices));
  GK_RETURN_IF_ERROR(
      c.Allocate(1, DataType::kString, TensorShape({count}), &keys));
  for (int64_t i = 0; i < count; ++i) {
    indices->data<int64_t>()[i] = tuples[i].index;
    keys->data<std::string>()[i] = tuples[i].key;
  }
  for (int i = 0; i + 2 < c.num_outputs(); ++i) {
    GK_RETURN_IF_ERROR(OutputComponent(c, tuples, *barrier, i));
  }
  return OkStatus();
}

Status ComputeBarrierClose(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<BarrierResource> barrier, BarrierOf(c));
  return barrier->Close(c.attr<bool>("cancel_pending_enqueues"));
}

template <int64_t (BarrierResource::*kSize)()>
Status ComputeBarrierSize(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<BarrierResource> barrier, BarrierOf(c));
  c.set_output(0,
               Tensor::Scalar(static_cast<int32_t>((barrier.get()->*kSize)())));
  return OkStatus();
}

Status BarrierShape(InferenceContext& c) {
  c.set_output(0, {2});
  return OkStatus();
}

Status InsertManyShape(InferenceContext& c) {
  PartialTensorShape keys, values;
  int64_t n;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &keys));
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(2, 1, &values));
  if (values.unknown_rank()) return OkStatus();
  return InferenceContext::MergeDims(keys.dim(0), values.dim(0), &n);
}

Status TakeManyShape(InferenceContext& c) {
  PartialTensorShape count;
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &count));
  c.set_output(0, {kUnknownDim});
  c.set_output(1, {kUnknownDim});
  return OkStatus();
}

constexpr uint64_t kBarrier = kStateful | kNoGradient;

const OpRecord kRecords[] = {
    {.name = "Barrier",
     .inputs = "",
     .outputs = "handle: string",
     .attrs = "component_types: list(type) >= 1; shapes: list(shape) >= 0 = "
              "[]; capacity: int = -1; container: string = ''; shared_name: "
              "string = ''",
     .traits = kBarrier,
     .shape = BarrierShape,
     .kernel = {.compute = ComputeBarrier},
     .doc = "What gathers the components of tuples by their keys."},

    {.name = "BarrierInsertMany",
     .inputs = "handle: string; keys: string; values: T",
     .outputs = "",
     .attrs = "T: type; component_index: int",
     .traits = kBarrier,
     .shape = InsertManyShape,
     .kernel = {.compute = ComputeInsertMany},
     .doc = "Gives a barrier one component of the tuples of these keys."},

    {.name = "BarrierTakeMany",
     .inputs = "handle: string; num_elements: int32",
     .outputs = "indices: int64; keys: string; values: component_types",
     .attrs = "component_types: list(type) >= 1; allow_small_batch: bool = "
              "False; wait_for_incomplete: bool = False; timeout_ms: int = -1",
     .traits = kBarrier,
     .shape = TakeManyShape,
     .kernel = {.compute = ComputeTakeMany},
     .doc = "Takes whole tuples out of a barrier, those first that began "
            "first; waits until there are so many."},

    {.name = "BarrierClose",
     .inputs = "handle: string",
     .outputs = "",
     .attrs = "cancel_pending_enqueues: bool = False",
     .traits = kBarrier,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeBarrierClose},
     .doc = "Says that no new keys will be inserted."},

    {.name = "BarrierReadySize",
     .inputs = "handle: string",
     .outputs = "size: int32",
     .attrs = "",
     .traits = kBarrier,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeBarrierSize<&BarrierResource::ReadySize>},
     .doc = "How many whole tuples a barrier has."},

    {.name = "BarrierIncompleteSize",
     .inputs = "handle: string",
     .outputs = "size: int32",
     .attrs = "",
     .traits = kBarrier,
     .shape = shape_fn::Scalar,
     .kernel = {.compute =
                    ComputeBarrierSize<&BarrierResource::IncompleteSize>},
     .doc = "How many tuples of a barrier lack components."},
};

}  // namespace

GK_REGISTER_OPS(queue_barrier)

}  // namespace gk
