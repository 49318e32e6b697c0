#include "data/iterator_resource.h"

#include <chrono>
#include <mutex>

#include "base/thread_number.h"

namespace gk {

// The right to ask, for one thread at a time.
class IteratorResource::Turn {
 public:
  explicit Turn(IteratorResource& resource) : resource_(resource) {}
  ~Turn() {
    if (!taken_) return;
    std::lock_guard lock(resource_.mutex_);
    resource_.busy_ = false;
    if (resource_.waiting_ == 0) return;
    --resource_.waiting_;
    resource_.free_.release();
  }
  Status Take(const CancellationToken* cancellation) {
    const uint64_t thread = ThreadNumber();
    std::unique_lock lock(resource_.mutex_);
    while (resource_.busy_) {
      if (resource_.user_ == thread) {
        return FailedPrecondition(
            "An iterator was asked for an element while making one");
      }
      if (IsLeftBehind(resource_.user_)) {
        return FailedPrecondition(
            "An iterator cannot be used in a process forked while another "
            "thread was asking it for an element. Make an iterator in the "
            "child instead.");
      }
      ++resource_.waiting_;
      // The check may take the host language's lock.
      lock.unlock();
      const bool called =
          resource_.free_.try_acquire_for(std::chrono::milliseconds(50));
      Status cancelled = CheckCancellation(cancellation);
      lock.lock();
      // It may have been called since.
      if (!called && !resource_.free_.try_acquire()) --resource_.waiting_;
      GK_RETURN_IF_ERROR(cancelled);
    }
    resource_.busy_ = taken_ = true;
    resource_.user_ = thread;
    iterator = resource_.iterator_;
    return OkStatus();
  }

  std::shared_ptr<DatasetIterator> iterator;

 private:
  IteratorResource& resource_;
  bool taken_ = false;
};

Status IteratorResource::Start(const Dataset& dataset) {
  GK_RETURN_IF_ERROR(CheckSignature(signature_, dataset.signature()));
  GK_ASSIGN_OR_RETURN(IteratorPtr made, dataset.Begin());
  std::shared_ptr<DatasetIterator> iterator = std::move(made);
  std::lock_guard lock(mutex_);
  iterator_.swap(iterator);
  return OkStatus();
}

Status IteratorResource::GetNext(const CancellationToken* cancellation,
                                 TensorVector* element, bool* end) {
  Turn turn(*this);
  GK_RETURN_IF_ERROR(turn.Take(cancellation));
  if (turn.iterator == nullptr) {
    return FailedPrecondition(
        "GetNext() failed because the iterator has not been initialized. "
        "Ensure that you have run the initializer operation for this iterator "
        "before getting the next element.");
  }
  *end = false;
  element->clear();
  GK_RETURN_IF_ERROR(turn.iterator->GetNext(cancellation, element, end));
  return *end ? OkStatus() : CheckElement(signature_, *element);
}

void IteratorResource::Close() {
  std::shared_ptr<DatasetIterator> dropped;
  std::lock_guard lock(mutex_);
  dropped.swap(iterator_);
}

StatusOr<Ref<IteratorResource>> IteratorResource::Of(const Tensor& handle) {
  if (handle.dtype() == DataType::kResource && handle.shape().IsScalar()) {
    if (auto* found = handle.scalar<ResourceHandle>().As<IteratorResource>()) {
      return Ref<IteratorResource>(found);
    }
  }
  return InvalidArgument("Expected the handle of an iterator, got {}",
                         handle.DebugString(1));
}

}  // namespace gk
