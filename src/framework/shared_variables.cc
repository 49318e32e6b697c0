#include "framework/shared_variables.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/process_mutex.h"

namespace gk {
namespace {

class SharedVariables {
 public:
  static SharedVariables& Get() {
    // Threads may still run when the process ends.
    static auto* const all = new SharedVariables;
    return *all;
  }

  Ref<VariableResource> FindOrMake(const std::string& container,
                                   const std::string& name, DataType dtype) {
    std::vector<Ref<VariableResource>> dropped;  // released after the lock
    const std::lock_guard lock(mutex_);
    Ref<VariableResource>& known = variables_[{container, name}];
    // What has no value may become a variable of another type.
    if (known && (known->dtype() == dtype || known->IsInitialized())) {
      return known;
    }
    dropped.push_back(std::exchange(
        known, MakeRef<VariableResource>(name, dtype, PartialTensorShape(),
                                         /*trainable=*/true, container)));
    Ref<VariableResource> made = known;
    if (variables_.size() > swept_at_) DropUnused(&dropped);
    return made;
  }

  void Drop(std::string_view container) {
    std::vector<Ref<VariableResource>> dropped;  // released after the lock
    const std::lock_guard lock(mutex_);
    auto it = variables_.lower_bound({std::string(container), ""});
    while (it != variables_.end() && it->first.first == container) {
      dropped.push_back(std::move(it->second));
      it = variables_.erase(it);
    }
  }

 private:
  // Names that were destroyed, or never given a value, and that nobody has a
  // handle to take no memory for ever.
  void DropUnused(std::vector<Ref<VariableResource>>* dropped) {
    for (auto it = variables_.begin(); it != variables_.end();) {
      if (it->second->RefCountIsOne() && !it->second->IsInitialized()) {
        dropped->push_back(std::move(it->second));
        it = variables_.erase(it);
      } else {
        ++it;
      }
    }
    swept_at_ = std::max(kSweepAt, 2 * variables_.size());
  }

  static constexpr size_t kSweepAt = 1024;
  ProcessMutex mutex_;
  std::map<std::pair<std::string, std::string>, Ref<VariableResource>>
      variables_;
  size_t swept_at_ = kSweepAt;
};

}  // namespace

Tensor SharedVariableHandle(std::string container, const std::string& name,
                            DataType dtype, const PartialTensorShape& shape) {
  if (container.empty()) container = kDefaultContainer;
  Ref<VariableResource> variable =
      SharedVariables::Get().FindOrMake(container, name, dtype);
  return Tensor::Scalar(ResourceHandle(std::move(variable), name,
                                       {HandleShape{dtype, shape}},
                                       std::move(container)));
}

void DropSharedVariables(std::string_view container) {
  SharedVariables::Get().Drop(container);
}

}  // namespace gk
