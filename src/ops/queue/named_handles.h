// Resources whose handles are names, as in graphs of version 1: vectors of two
// texts, a container and a name. They live as long as the process.
// Thread-safe.
#ifndef GK_OPS_QUEUE_NAMED_HANDLES_H_
#define GK_OPS_QUEUE_NAMED_HANDLES_H_

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/process_mutex.h"
#include "framework/kernel_context.h"
#include "framework/resource.h"

namespace gk {

template <class R>
class NamedHandles {
 public:
  static NamedHandles& Get() {
    // Threads may still run when the process ends.
    static auto* const all = new NamedHandles;
    return *all;
  }

  // The handle.
  Tensor Add(const std::string& container, const std::string& name,
             Ref<R> resource) {
    const std::lock_guard lock(mutex_);
    resources_.insert_or_assign({container, name}, std::move(resource));
    const std::string names[] = {container, name};
    return Tensor::Vector<std::string>(names);
  }

  // InvalidArgument for what is no handle, NotFound for one of nothing, which
  // is called `type` there.
  StatusOr<Ref<R>> Find(const Tensor& handle, std::string_view type) {
    if (handle.dtype() != DataType::kString || handle.num_elements() != 2) {
      return InvalidArgument(
          "Resource handle must have two elements, but had shape: {}",
          handle.shape().DebugString());
    }
    const std::string &container = handle.data<std::string>()[0],
                      &name = handle.data<std::string>()[1];
    const std::lock_guard lock(mutex_);
    const auto at = resources_.find({container, name});
    if (at == resources_.end()) {
      return NotFound("Resource {}/{}/{} does not exist.", container, name,
                      type);
    }
    return at->second;
  }

 private:
  ProcessMutex mutex_;
  std::map<std::pair<std::string, std::string>, Ref<R>> resources_;
};

}  // namespace gk

#endif  // GK_OPS_QUEUE_NAMED_HANDLES_H_
