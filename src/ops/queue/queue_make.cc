// Queues are made.
#include <algorithm>
#include <atomic>
#include <random>
#include <vector>

#include "framework/op_registry.h"
#include "ops/int32_attrs.h"
#include "ops/named_resource.h"
#include "ops/queue/queue.h"

namespace gk {
namespace {

using Traits = QueueResource::Traits;

Status CheckShapes(const Traits& traits, bool partial) {
  if (!traits.shapes.empty() && traits.shapes.size() != traits.types.size()) {
    return InvalidArgument(
        "Expected as many shapes as component_types, or none, but got {} and "
        "{}",
        traits.shapes.size(), traits.types.size());
  }
  for (const PartialTensorShape& shape : traits.shapes) {
    if (!partial && !shape.IsFullyDefined()) {
      return InvalidArgument("shapes must be fully defined, but one is {}",
                             shape.DebugString());
    }
    if (shape.unknown_rank()) {
      return InvalidArgument("shapes must have known ranks");
    }
  }
  return OkStatus();
}

Status CheckFound(const Tensor& handle, const Traits& traits) {
  GK_ASSIGN_OR_RETURN(const Ref<QueueResource> queue,
                      ResourceOf<QueueResource>(handle, "queue"));
  const Traits& found = queue->traits();
  if (found.kind != traits.kind || found.types != traits.types) {
    return InvalidArgument(
        "Shared queue '{}' has component types {} but requested component "
        "types were {}",
        queue->name(), TypesText(found.types), TypesText(traits.types));
  }
  if (found.capacity != traits.capacity) {
    return InvalidArgument(
        "Shared queue '{}' has capacity {} but requested capacity was {}",
        queue->name(), found.capacity, traits.capacity);
  }
  if (found.shapes.size() != traits.shapes.size() ||
      !std::equal(found.shapes.begin(), found.shapes.end(),
                  traits.shapes.begin())) {
    return InvalidArgument(
        "Shared queue '{}' has other component shapes than were requested",
        queue->name());
  }
  return OkStatus();
}

Status OutputQueue(KernelContext& c, Traits traits) {
  GK_RETURN_IF_ERROR(OutputResource(
      c, "queue", {}, [&](const std::string& name) -> StatusOr<Ref<Resource>> {
        return Ref<Resource>(MakeRef<QueueResource>(name, traits));
      }));
  return CheckFound(c.output(0), traits);
}

Status ReadTraits(KernelContext& c, QueueKind kind, Traits* traits) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"capacity"}));
  traits->kind = kind;
  traits->types = c.attr<std::vector<DataType>>("component_types");
  traits->shapes = c.attr<std::vector<PartialTensorShape>>("shapes");
  traits->capacity = c.attr<int64_t>("capacity");
  if (kind == QueueKind::kPriority) {
    // Before the others stands the priority.
    traits->types.insert(traits->types.begin(), DataType::kInt64);
    if (!traits->shapes.empty()) {
      traits->shapes.insert(traits->shapes.begin(),
                            PartialTensorShape(TensorShape()));
    }
  }
  return CheckShapes(*traits, kind == QueueKind::kPadding);
}

template <QueueKind kKind>
Status ComputeQueue(KernelContext& c) {
  Traits traits;
  GK_RETURN_IF_ERROR(ReadTraits(c, kKind, &traits));
  if (kKind == QueueKind::kPadding &&
      traits.shapes.size() != traits.types.size()) {
    return InvalidArgument("Shapes must be given for all components");
  }
  return OutputQueue(c, std::move(traits));
}

Status ComputeShuffleQueue(KernelContext& c) {
  Traits traits;
  GK_RETURN_IF_ERROR(ReadTraits(c, QueueKind::kRandomShuffle, &traits));
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"min_after_dequeue"}));
  traits.min_after_dequeue = c.attr<int64_t>("min_after_dequeue");
  if (traits.min_after_dequeue < 0) {
    return InvalidArgument("min_after_dequeue {} must be >= 0",
                           traits.min_after_dequeue);
  }
  if (traits.capacity >= 0 && traits.min_after_dequeue >= traits.capacity) {
    return InvalidArgument("min_after_dequeue {} must be < capacity {}",
                           traits.min_after_dequeue, traits.capacity);
  }
  auto seed = static_cast<uint64_t>(c.attr<int64_t>("seed"));
  auto seed2 = static_cast<uint64_t>(c.attr<int64_t>("seed2"));
  if (seed == 0 && seed2 == 0) {
    static std::atomic<uint64_t> fresh{std::random_device()()};
    seed = fresh.fetch_add(1, std::memory_order_relaxed);
    seed2 = std::random_device()();
  }
  traits.generator = Philox::FromSeeds(seed, seed2);
  return OutputQueue(c, std::move(traits));
}

Status QueueShape(InferenceContext& c) {
  c.set_output(0, PartialTensorShape(TensorShape()));
  return OkStatus();
}

constexpr uint64_t kMakes = kStateful | kNoGradient;

#define QUEUE_ATTRS                                                   \
  "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; " \
  "capacity: int = -1; "
#define QUEUE_NAMES "container: string = ''; shared_name: string = ''"

const OpRecord kRecords[] = {
    {.name = "FIFOQueueV2",
     .inputs = "",
     .outputs = "handle: resource",
     .attrs = QUEUE_ATTRS QUEUE_NAMES,
     .traits = kMakes,
     .shape = QueueShape,
     .kernel = {.compute = ComputeQueue<QueueKind::kFifo>},
     .doc = "A queue that gives tuples in the order in which they came."},

    {.name = "PaddingFIFOQueueV2",
     .inputs = "",
     .outputs = "handle: resource",
     .attrs = QUEUE_ATTRS QUEUE_NAMES,
     .traits = kMakes,
     .shape = QueueShape,
     .kernel = {.compute = ComputeQueue<QueueKind::kPadding>},
     .doc = "A queue that gives tuples in the order in which they came, "
            "several at once filled up with zeros to one shape."},

    {.name = "PriorityQueueV2",
     .inputs = "",
     .outputs = "handle: resource",
     .attrs = "component_types: list(type) >= 0 = []; shapes: list(shape) >= "
              "0; capacity: int = -1; " QUEUE_NAMES,
     .traits = kMakes,
     .shape = QueueShape,
     .kernel = {.compute = ComputeQueue<QueueKind::kPriority>},
     .doc = "A queue that gives first the tuple with the lowest first "
            "component."},

    {.name = "RandomShuffleQueueV2",
     .inputs = "",
     .outputs = "handle: resource",
     .attrs = QUEUE_ATTRS "min_after_dequeue: int = 0; seed: int = 0; seed2: "
                          "int = 0; " QUEUE_NAMES,
     .traits = kMakes,
     .shape = QueueShape,
     .kernel = {.compute = ComputeShuffleQueue},
     .doc = "A queue that gives tuples at random."},
};

}  // namespace

GK_REGISTER_OPS(queue_make)

}  // namespace gk
