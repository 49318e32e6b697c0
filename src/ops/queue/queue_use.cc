// Queues get and give tuples of tensors.
#include <algorithm>
#include <vector>

#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/list/list_access.h"
#include "ops/named_resource.h"
#include "ops/queue/queue.h"

namespace gk {
namespace {

StatusOr<Ref<QueueResource>> QueueOf(KernelContext& c) {
  return ResourceOf<QueueResource>(c.input(0), "queue");
}

Status CheckTimeout(KernelContext& c) {
  if (c.attr<int64_t>("timeout_ms") == -1) return OkStatus();
  return InvalidArgument("Timeout not supported yet.");
}

// ---- Enqueue ----

Status CheckGiven(KernelContext& c, const QueueResource& queue) {
  std::vector<DataType> given;
  for (int i = 1; i < c.num_inputs(); ++i) given.push_back(c.input(i).dtype());
  const auto& types = queue.traits().types;
  if (given == types) return OkStatus();
  return InvalidArgument(
      "Signature mismatch, have: resource, {}-> expected: resource, {}->",
      TypesText(given), TypesText(types));
}

Status CheckComponent(const QueueResource& queue, int i,
                      const TensorShape& shape) {
  const auto& shapes = queue.traits().shapes;
  if (queue.traits().kind == QueueKind::kPriority && i == 0 &&
      shape.rank() != 0) {
    return InvalidArgument(
        "Expected the priority element to be a scalar, but received shape: {}",
        shape.DebugString());
  }
  if (shapes.empty() || shapes[i].IsCompatibleWith(shape)) return OkStatus();
  return InvalidArgument(
      "Shape mismatch in tuple component {}. Expected {}, got {}", i,
      shapes[i].DebugString(), shape.DebugString());
}

Status ComputeEnqueue(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTimeout(c));
  GK_ASSIGN_OR_RETURN(const Ref<QueueResource> queue, QueueOf(c));
  GK_RETURN_IF_ERROR(CheckGiven(c, *queue));
  std::vector<TensorVector> tuples(1);
  for (int i = 1; i < c.num_inputs(); ++i) {
    const Tensor& t = c.input(i);
    GK_RETURN_IF_ERROR(CheckComponent(*queue, i - 1, t.shape()));
    GK_ASSIGN_OR_RETURN(Tensor copy, t.Copy());
    tuples[0].push_back(std::move(copy));
  }
  return queue->Enqueue(std::move(tuples), c.cancellation());
}

Status ComputeEnqueueMany(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTimeout(c));
  GK_ASSIGN_OR_RETURN(const Ref<QueueResource> queue, QueueOf(c));
  GK_RETURN_IF_ERROR(CheckGiven(c, *queue));
  std::vector<TensorVector> tuples;
  for (int i = 1; i < c.num_inputs(); ++i) {
    const Tensor& t = c.input(i);
    if (t.rank() == 0) {
      return InvalidArgument(
          "Component {} of several tuples must be at least a vector", i - 1);
    }
    if (i == 1) tuples.resize(t.dim(0));
    if (t.dim(0) != static_cast<int64_t>(tuples.size())) {
      return InvalidArgument(
          "All input tensors must have the same size in the 0th dimension. "
          "Component {} has {}, and should have {}",
          i - 1, t.dim(0), tuples.size());
    }
    TensorShape row = t.shape();
    row.RemoveDim(0);
    GK_RETURN_IF_ERROR(CheckComponent(*queue, i - 1, row));
    const int64_t n = row.num_elements();
    for (size_t k = 0; k < tuples.size(); ++k) {
      GK_ASSIGN_OR_RETURN(Tensor part,
                          CopyPart(t, static_cast<int64_t>(k) * n, row));
      tuples[k].push_back(std::move(part));
    }
  }
  return queue->Enqueue(std::move(tuples), c.cancellation());
}

// ---- Dequeue ----

Status CheckWanted(KernelContext& c, const QueueResource& queue, bool counts) {
  const auto& wanted = c.attr<std::vector<DataType>>("component_types");
  const auto& types = queue.traits().types;
  if (wanted == types) return OkStatus();
  const std::string_view inputs = counts ? "resource, int32" : "resource";
  return InvalidArgument("Signature mismatch, have: {}->{} expected: {}->{}",
                         inputs, TypesText(wanted), inputs, TypesText(types));
}

Status ComputeDequeue(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTimeout(c));
  GK_ASSIGN_OR_RETURN(const Ref<QueueResource> queue, QueueOf(c));
  GK_RETURN_IF_ERROR(CheckWanted(c, *queue, false));
  std::vector<TensorVector> tuples;
  GK_RETURN_IF_ERROR(queue->Dequeue(1, false, &tuples, c.cancellation()));
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, std::move(tuples[0][i]));
  }
  return OkStatus();
}

// Component i of all tuples in one tensor, each filled up to the largest.
StatusOr<Tensor> Batched(const QueueResource& queue,
                         const std::vector<TensorVector>& tuples, int i) {
  const PartialTensorShape& known = queue.traits().shapes[i];
  std::vector<int64_t> dims{static_cast<int64_t>(tuples.size())};
  for (int d = 0; d < known.rank(); ++d) {
    int64_t size = std::max<int64_t>(known.dim(d), 0);
    for (const TensorVector& tuple : tuples) {
      size = std::max(size, tuple[i].dim(d));
    }
    dims.push_back(size);
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  GK_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Zeros(queue.traits().types[i], shape));
  TensorShape row = shape;
  row.RemoveDim(0);
  const auto strides = StridesOf(row);
  for (size_t k = 0; k < tuples.size(); ++k) {
    const Tensor& part = tuples[k][i];
    if (part.num_elements() == 0) continue;
    const auto own = StridesOf(part.shape());
    StridedBox box;
    for (int d = 0; d < part.rank(); ++d) {
      box.AddAxis(part.dim(d), own[d], strides[d]);
    }
    GK_RETURN_IF_ERROR(CopyBox(box, part, 0, &out,
                               static_cast<int64_t>(k) * row.num_elements()));
  }
  return out;
}

template <bool kUpTo>
Status ComputeDequeueMany(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTimeout(c));
  GK_ASSIGN_OR_RETURN(const Ref<QueueResource> queue, QueueOf(c));
  GK_RETURN_IF_ERROR(CheckWanted(c, *queue, true));
  int64_t n = 0;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "n", &n));
  if (n < 0) {
    return InvalidArgument("{} requested {} < 0 elements",
                           kUpTo ? "DequeueUpToOp" : "DequeueManyOp", n);
  }
  if (queue->traits().shapes.empty()) {
    return InvalidArgument(
        "{}'s DequeueMany and DequeueUpTo require the components to have "
        "specified shapes.",
        queue->kind_name());
  }
  std::vector<TensorVector> tuples;
  GK_RETURN_IF_ERROR(queue->Dequeue(n, kUpTo, &tuples, c.cancellation()));
  for (int i = 0; i < c.num_outputs(); ++i) {
    GK_ASSIGN_OR_RETURN(Tensor out, Batched(*queue, tuples, i));
    c.set_output(i, std::move(out));
  }
  return OkStatus();
}

// ---- What they are ----

Status ComputeClose(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<QueueResource> queue, QueueOf(c));
  return queue->Close(c.attr<bool>("cancel_pending_enqueues"));
}

Status ComputeIsClosed(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<QueueResource> queue, QueueOf(c));
  c.set_output(0, Tensor::Scalar(queue->IsClosed()));
  return OkStatus();
}

Status ComputeSize(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<QueueResource> queue, QueueOf(c));
  c.set_output(0, Tensor::Scalar(static_cast<int32_t>(queue->Size())));
  return OkStatus();
}

Status QueueScalarShape(InferenceContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, PartialTensorShape(TensorShape()));
  }
  return OkStatus();
}

Status CountShape(InferenceContext& c) {
  PartialTensorShape scalar;
  return c.WithRank(1, 0, &scalar);
}

constexpr uint64_t kQueueTraits =
    kStateful | kReadsResource | kWritesResource | kNoGradient;

const OpRecord kRecords[] = {
    {.name = "QueueEnqueueV2",
     .inputs = "handle: resource; components: Tcomponents",
     .outputs = "",
     .attrs = "Tcomponents: list(type) >= 1; timeout_ms: int = -1",
     .traits = kQueueTraits,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeEnqueue},
     .doc = "Puts a tuple into a queue; waits while it is full."},

    {.name = "QueueEnqueueManyV2",
     .inputs = "handle: resource; components: Tcomponents",
     .outputs = "",
     .attrs = "Tcomponents: list(type) >= 1; timeout_ms: int = -1",
     .traits = kQueueTraits,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeEnqueueMany},
     .doc = "Puts tuples, the rows of tensors, into a queue."},

    {.name = "QueueDequeueV2",
     .inputs = "handle: resource",
     .outputs = "components: component_types",
     .attrs = "component_types: list(type) >= 1; timeout_ms: int = -1",
     .traits = kQueueTraits,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = ComputeDequeue},
     .doc = "Takes a tuple out of a queue; waits while it is empty."},

    {.name = "QueueDequeueManyV2",
     .inputs = "handle: resource; n: int32",
     .outputs = "components: component_types",
     .attrs = "component_types: list(type) >= 1; timeout_ms: int = -1",
     .traits = kQueueTraits,
     .shape = CountShape,
     .kernel = {.compute = ComputeDequeueMany<false>},
     .doc = "Takes n tuples out of a queue, as rows of tensors."},

    {.name = "QueueDequeueUpToV2",
     .inputs = "handle: resource; n: int32",
     .outputs = "components: component_types",
     .attrs = "component_types: list(type) >= 1; timeout_ms: int = -1",
     .traits = kQueueTraits,
     .shape = CountShape,
     .kernel = {.compute = ComputeDequeueMany<true>},
     .doc =
         "Takes n tuples out of a queue, as rows of tensors; fewer, if it is "
         "closed and has no more."},

    {.name = "QueueCloseV2",
     .inputs = "handle: resource",
     .outputs = "",
     .attrs = "cancel_pending_enqueues: bool = False",
     .traits = kQueueTraits,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeClose},
     .doc = "Says that nothing more will be put into a queue."},

    {.name = "QueueIsClosedV2",
     .inputs = "handle: resource",
     .outputs = "is_closed: bool",
     .attrs = "",
     .traits = kQueueTraits,
     .shape = QueueScalarShape,
     .kernel = {.compute = ComputeIsClosed},
     .doc = "Is a queue closed?"},

    {.name = "QueueSizeV2",
     .inputs = "handle: resource",
     .outputs = "size: int32",
     .attrs = "",
     .traits = kQueueTraits,
     .shape = QueueScalarShape,
     .kernel = {.compute = ComputeSize},
     .doc = "How many tuples are in a queue."},
};

}  // namespace

GK_REGISTER_OPS(queue_use)

}  // namespace gk
