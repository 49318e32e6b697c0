// A bounded cache of prepared kernels by description, least recently used out
// first. Thread-safe; creation happens outside the lock, as it may take a
// large part of a millisecond. Lives as long as the process.
#ifndef GK_KERNELS_RECENT_CACHE_H_
#define GK_KERNELS_RECENT_CACHE_H_

#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/process_mutex.h"
#include "base/status.h"

namespace gk {

// Kernel has desc() returning Desc.
template <class Kernel, class Desc, class Hash>
class RecentCache {
 public:
  template <class Make>
  StatusOr<std::shared_ptr<Kernel>> Get(const Desc& desc, Make make) {
    {
      std::lock_guard lock(mutex_);
      if (auto it = index_.find(desc); it != index_.end()) {
        order_.splice(order_.begin(), order_, it->second);
        return *it->second;
      }
    }
    StatusOr<std::shared_ptr<Kernel>> made = make(desc);
    if (!made.ok()) return made;
    std::lock_guard lock(mutex_);
    if (auto it = index_.find(desc); it != index_.end()) return *it->second;
    order_.push_front(*made);
    index_[desc] = order_.begin();
    if (order_.size() > kCapacity) {
      index_.erase(order_.back()->desc());
      order_.pop_back();
    }
    return made;
  }

 private:
  static constexpr size_t kCapacity = 512;
  using Order = std::list<std::shared_ptr<Kernel>>;
  ProcessMutex mutex_;
  Order order_;  // most recently used first
  std::unordered_map<Desc, typename Order::iterator, Hash> index_;
};

}  // namespace gk

#endif  // GK_KERNELS_RECENT_CACHE_H_
