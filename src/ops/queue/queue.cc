#include "ops/queue/queue.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <mutex>

#include "ops/queue/waiting.h"

namespace gk {
namespace {

// The tuple of the lowest priority comes out first.
bool ComesLater(const TensorVector& a, const TensorVector& b) {
  return a[0].scalar<int64_t>() > b[0].scalar<int64_t>();
}

int64_t Limit(int64_t capacity) {
  return capacity < 0 ? std::numeric_limits<int32_t>::max() : capacity;
}

}  // namespace

QueueResource::QueueResource(std::string name, Traits traits)
    : name_(std::move(name)),
      traits_(std::move(traits)),
      random_(traits_.generator) {}

std::string_view QueueResource::kind_name() const {
  switch (traits_.kind) {
    case QueueKind::kFifo:
      return "FIFOQueue";
    case QueueKind::kPadding:
      return "PaddingFIFOQueue";
    case QueueKind::kPriority:
      return "PriorityQueue";
    case QueueKind::kRandomShuffle:
      return "RandomShuffleQueue";
  }
  return "Queue";
}

int64_t QueueResource::Available() const {
  const auto n = static_cast<int64_t>(tuples_.size());
  return is_closed_ ? n : std::max<int64_t>(0, n - traits_.min_after_dequeue);
}

void QueueResource::Put(TensorVector tuple) {
  tuples_.push_back(std::move(tuple));
  if (traits_.kind == QueueKind::kPriority) {
    std::push_heap(tuples_.begin(), tuples_.end(), ComesLater);
  }
}

TensorVector QueueResource::Take() {
  TensorVector tuple;
  switch (traits_.kind) {
    case QueueKind::kPriority:
      std::pop_heap(tuples_.begin(), tuples_.end(), ComesLater);
      tuple = std::move(tuples_.back());
      tuples_.pop_back();
      break;
    case QueueKind::kRandomShuffle: {
      TensorVector& chosen = tuples_[random_.Word() % tuples_.size()];
      tuple = std::move(chosen);
      if (&chosen != &tuples_.back()) chosen = std::move(tuples_.back());
      tuples_.pop_back();
      break;
    }
    default:
      tuple = std::move(tuples_.front());
      tuples_.pop_front();
  }
  return tuple;
}

// As if they had not been taken.
void QueueResource::GiveBack(std::vector<TensorVector>* tuples) {
  if (traits_.kind == QueueKind::kFifo || traits_.kind == QueueKind::kPadding) {
    tuples_.insert(tuples_.begin(), std::make_move_iterator(tuples->begin()),
                   std::make_move_iterator(tuples->end()));
  } else {
    for (TensorVector& tuple : *tuples) Put(std::move(tuple));
  }
  tuples->clear();
}

Status QueueResource::Closed(int64_t wanted) const {
  return OutOfRange(
      "{} '{}' is closed and has insufficient elements (requested {}, current "
      "size {})",
      kind_name(), name_, wanted, tuples_.size());
}

Status QueueResource::Enqueue(std::vector<TensorVector> tuples,
                              const CancellationToken* cancellation) {
  const auto limit = static_cast<size_t>(Limit(traits_.capacity));
  Waiting waiting(cancellation);
  Waiting::Lock lock(mutex_);
  if (is_closed_) {
    return Cancelled("{} '{}' is closed.", kind_name(), name_);
  }
  ++pending_enqueues_;
  const int64_t epoch = cancelled_enqueues_;
  Status status;
  for (TensorVector& tuple : tuples) {
    while (status.ok() && epoch == cancelled_enqueues_ &&
           tuples_.size() >= limit) {
      status = waiting.Once(lock, changed_);
    }
    if (status.ok() && epoch != cancelled_enqueues_) {
      status = Cancelled("{} '{}': Enqueue operation was cancelled",
                         kind_name(), name_);
    }
    if (!status.ok()) break;
    Put(std::move(tuple));
    changed_.notify_all();
  }
  --pending_enqueues_;
  changed_.notify_all();
  return status;
}

Status QueueResource::Dequeue(int64_t n, bool up_to,
                              std::vector<TensorVector>* tuples,
                              const CancellationToken* cancellation) {
  Waiting waiting(cancellation);
  Waiting::Lock lock(mutex_);
  // One after the other: nobody is overtaken by those who want fewer.
  while (is_dequeuing_) GK_RETURN_IF_ERROR(waiting.Once(lock, changed_));
  is_dequeuing_ = true;
  Status status;
  while (status.ok()) {
    while (static_cast<int64_t>(tuples->size()) < n && Available() > 0) {
      tuples->push_back(Take());
      changed_.notify_all();
    }
    if (static_cast<int64_t>(tuples->size()) == n) break;
    if (EndsHere()) {
      if (up_to && !tuples->empty()) break;
      GiveBack(tuples);
      status = Closed(n);
      break;
    }
    status = waiting.Once(lock, changed_);
    if (!status.ok()) GiveBack(tuples);
  }
  is_dequeuing_ = false;
  changed_.notify_all();
  return status;
}

Status QueueResource::Close(bool cancel_pending_enqueues) {
  const std::lock_guard lock(mutex_);
  if (is_closed_ && !cancel_pending_enqueues) {
    return Cancelled("Queue '{}' is already closed.", name_);
  }
  is_closed_ = true;
  if (cancel_pending_enqueues) ++cancelled_enqueues_;
  changed_.notify_all();
  return OkStatus();
}

bool QueueResource::IsClosed() {
  const std::lock_guard lock(mutex_);
  return is_closed_;
}

int64_t QueueResource::Size() {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(tuples_.size());
}

}  // namespace gk
