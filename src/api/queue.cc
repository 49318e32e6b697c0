#include "graphkiln/queue.h"

#include "api/inner.h"
#include "graphkiln/graph.h"
#include "graphkiln/ops.h"
#include "ops/random/random_seeds.h"

namespace gk::api {
namespace {

// Made eagerly, also inside a function that is traced.
template <class Make>
Tensor Made(Make make) {
  const init_scope outside;
  return make();
}

std::vector<DataType> WithPriority(std::vector<DataType> types) {
  types.insert(types.begin(), DataType::kInt64);
  return types;
}

}  // namespace

namespace queue {

void QueueBase::enqueue(const std::vector<Tensor>& components) const {
  gk::api::ops::QueueEnqueueV2(handle_, components);
}
void QueueBase::enqueue_many(const std::vector<Tensor>& components) const {
  gk::api::ops::QueueEnqueueManyV2(handle_, components);
}
std::vector<Tensor> QueueBase::dequeue() const {
  return gk::api::ops::QueueDequeueV2(handle_, dtypes_);
}
std::vector<Tensor> QueueBase::dequeue_many(const Tensor& n) const {
  return gk::api::ops::QueueDequeueManyV2(handle_, n, dtypes_);
}
std::vector<Tensor> QueueBase::dequeue_up_to(const Tensor& n) const {
  return gk::api::ops::QueueDequeueUpToV2(handle_, n, dtypes_);
}
void QueueBase::close(bool cancel_pending_enqueues) const {
  gk::api::ops::QueueCloseV2(handle_, cancel_pending_enqueues);
}
Tensor QueueBase::is_closed() const {
  return gk::api::ops::QueueIsClosedV2(handle_);
}
Tensor QueueBase::size() const { return gk::api::ops::QueueSizeV2(handle_); }

FIFOQueue::FIFOQueue(int64_t capacity, std::vector<DataType> dtypes,
                     std::vector<Shape> shapes)
    : QueueBase(dtypes, shapes, Made([&] {
                  return gk::api::ops::FIFOQueueV2(dtypes, shapes, capacity);
                })) {}

PaddingFIFOQueue::PaddingFIFOQueue(int64_t capacity,
                                   std::vector<DataType> dtypes,
                                   std::vector<Shape> shapes)
    : QueueBase(dtypes, shapes, Made([&] {
                  return gk::api::ops::PaddingFIFOQueueV2(dtypes, shapes,
                                                          capacity);
                })) {}

PriorityQueue::PriorityQueue(int64_t capacity, std::vector<DataType> types,
                             std::vector<Shape> shapes)
    : QueueBase(WithPriority(types), shapes, Made([&] {
                  return gk::api::ops::PriorityQueueV2(shapes, types, capacity);
                })) {}

RandomShuffleQueue::RandomShuffleQueue(int64_t capacity,
                                       int64_t min_after_dequeue,
                                       std::vector<DataType> dtypes,
                                       std::vector<Shape> shapes,
                                       std::optional<int64_t> seed)
    : QueueBase(dtypes, shapes, Made([&] {
                  const OpSeeds seeds = Guarded([&] {
                    EnsureReady();
                    return SeedsOfOp(seed);
                  });
                  return gk::api::ops::RandomShuffleQueueV2(
                      dtypes, shapes, capacity, min_after_dequeue, seeds.seed,
                      seeds.seed2);
                })) {}

}  // namespace queue

CriticalSection::CriticalSection()
    : handle_(Made([] { return gk::api::ops::MutexV2(); })) {}

Tensor CriticalSection::execute(const std::function<Tensor()>& f) const {
  const Tensor lock = gk::api::ops::MutexLock(handle_);
  Tensor result;
  try {
    const auto after = control_dependencies({lock});
    result = gk::api::ops::Identity(f());
  } catch (...) {
    if (executing_eagerly()) gk::api::ops::ConsumeMutexLock(lock);
    throw;
  }
  const auto after = control_dependencies({result});
  gk::api::ops::ConsumeMutexLock(lock);
  return gk::api::ops::Identity(result);
}

}  // namespace gk::api
