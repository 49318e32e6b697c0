#include "data/pass_resources.h"

#include <algorithm>

#include "base/thread_pool.h"
#include "data/said_option.h"
#include "data/task_pool.h"

namespace gk {
std::shared_ptr<PassResources> PassResources::Of(const DatasetOptions* options,
                                                 bool begins) {
  if (options == nullptr) return nullptr;
  auto made = std::make_shared<PassResources>();
  if (const auto* v = SaidOption<bool>(options, "deterministic")) {
    made->deterministic_ = *v;
  }
  if (const auto* v = SaidOption<bool>(options, "autotune", "enabled")) {
    made->autotune_ = *v;
  }
  if (const auto* v = SaidOption<bool>(options, "experimental_warm_start")) {
    made->warm_start_ = begins && *v;
  }
  const auto number = [&](std::string_view group, std::string_view name,
                          int64_t* to) {
    if (const auto* v = SaidOption<int64_t>(options, group, name)) {
      *to = std::max<int64_t>(*v, 0);
    }
  };
  number("threading", "private_threadpool_size", &made->threads_);
  number("autotune", "cpu_budget", &made->cpu_budget_);
  number("autotune", "ram_budget", &made->ram_budget_);
  return made;
}

int64_t PassResources::parallelism() const {
  int64_t most = AllowedCpus();
  if (threads_ > 0) most = threads_;
  if (cpu_budget_ > 0) most = std::min(most, cpu_budget_);
  return std::max<int64_t>(most, 1);
}

bool PassResources::Schedule(std::function<void()> task) {
  if (threads_ == 0) return TaskPool::Global().Schedule(std::move(task));
  {
    std::lock_guard lock(mutex_);
    if (running_ == threads_) {
      waiting_.push_back(std::move(task));
      return true;
    }
    ++running_;
  }
  const bool scheduled = TaskPool::Global().Schedule(
      [self = shared_from_this(), task = std::move(task)] { self->Run(task); });
  if (scheduled) return true;
  std::lock_guard lock(mutex_);
  --running_;
  return false;
}

void PassResources::Run(const std::function<void()>& first) {
  first();
  for (;;) {
    std::function<void()> next;
    {
      std::lock_guard lock(mutex_);
      if (waiting_.empty()) {
        --running_;
        return;
      }
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    next();
  }
}

}  // namespace gk
