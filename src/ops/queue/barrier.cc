#include "ops/queue/barrier.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "ops/queue/waiting.h"

namespace gk {

Status BarrierResource::Insert(const std::vector<std::string>& keys,
                               int64_t component, const TensorVector& values) {
  const std::lock_guard lock(mutex_);
  if (is_closed_ && (is_cancelled_ || incomplete_.empty())) {
    return Cancelled(
        "Barrier {} is closed.  Pending enqueues cancelled: {}.  Number of new "
        "insertions: {}.  Number of incomplete keys: {}.",
        name_, is_cancelled_, keys.size(), incomplete_.size());
  }
  // All or none.
  std::set<std::string_view> seen;
  for (const std::string& key : keys) {
    const auto at = incomplete_.find(key);
    if (at == incomplete_.end() && is_closed_) {
      return Cancelled(
          "Barrier {} is closed, but attempted to insert a brand new key: {}.  "
          "Pending enqueues cancelled: {}.  Insertion index: {}.  Number of "
          "incomplete keys: {}.",
          name_, key, is_cancelled_, seen.size(), incomplete_.size());
    }
    const bool known = at != incomplete_.end() && at->second.values[component];
    if (known || !seen.insert(key).second) {
      return InvalidArgument(
          "Key {} already has a value for component {} in barrier {}", key,
          component, name_);
    }
  }
  bool is_new = false;
  for (size_t i = 0; i < keys.size(); ++i) {
    Tuple& tuple = incomplete_[keys[i]];
    if (tuple.values.empty()) {
      is_new = true;
      tuple.index = next_index_;
      tuple.key = keys[i];
      tuple.values.resize(types_.size());
      tuple.missing = static_cast<int64_t>(types_.size());
    }
    tuple.values[component] = values[i];
    if (--tuple.missing > 0) continue;
    ready_.emplace(tuple.index, std::move(tuple));
    incomplete_.erase(keys[i]);
  }
  if (is_new) ++next_index_;
  changed_.notify_all();
  return OkStatus();
}

Status BarrierResource::Take(int64_t n, bool small,
                             const CancellationToken* cancellation,
                             std::vector<Tuple>* tuples) {
  Waiting waiting(cancellation);
  Waiting::Lock lock(mutex_);
  for (;;) {
    const auto ready = static_cast<int64_t>(ready_.size());
    int64_t wanted = n;
    if (is_closed_) {
      int64_t available = ready;
      if (small) {
        wanted = std::min(n, ready);
      } else {
        available += static_cast<int64_t>(incomplete_.size());
      }
      if (available < std::max<int64_t>(wanted, 1)) {
        return OutOfRange(
            "Barrier '{}' is closed and has insufficient elements (requested "
            "{}, total size {})",
            name_, n, available);
      }
    }
    if (ready >= wanted) {
      for (; wanted > 0; --wanted) {
        tuples->push_back(std::move(ready_.begin()->second));
        ready_.erase(ready_.begin());
      }
      return OkStatus();
    }
    GK_RETURN_IF_ERROR(waiting.Once(lock, changed_));
  }
}

Status BarrierResource::Close(bool cancel) {
  const std::lock_guard lock(mutex_);
  if (is_closed_ && (is_cancelled_ || !cancel)) {
    return Cancelled("Barrier '{}' is already closed.", name_);
  }
  is_closed_ = true;
  is_cancelled_ = cancel;
  if (cancel) incomplete_.clear();
  changed_.notify_all();
  return OkStatus();
}

int64_t BarrierResource::ReadySize() {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(ready_.size());
}

int64_t BarrierResource::IncompleteSize() {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(incomplete_.size());
}

}  // namespace gk
