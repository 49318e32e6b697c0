#include "data/background_work.h"

#include <atomic>
#include <unordered_set>

#include "base/process_mutex.h"
#include "data/iteration.h"

namespace gk {
namespace {

// All that live, to be told of the end of the program.
struct Registry {
  ProcessMutex mutex;
  std::unordered_set<BackgroundWork*> all;
  std::atomic<bool> stopping{false};

  static Registry& Get() {
    static Registry* const registry = new Registry;
    return *registry;
  }
};

}  // namespace

void Outcome::Noted(bool background) {
  try {
    if (!status.ok()) site = TakeErrorSite();
    if (background && status.code() == Code::kPythonException) {
      // The exception stayed with the thread that it was raised on.
      status = Cancelled("a Python function was interrupted");
    }
  } catch (...) {
    status = LastCaughtStatus("the making of an element of a dataset");
  }
}

Status Outcome::Deliver(TensorVector* to, bool* ended) {
  *ended = end;
  *to = std::move(element);
  PutErrorSite(site);
  return status;
}

BackgroundWork::BackgroundWork(std::shared_ptr<PassResources> resources)
    : resources_(std::move(resources)) {
  std::lock_guard lock(Registry::Get().mutex);
  Registry::Get().all.insert(this);
}

BackgroundWork::~BackgroundWork() {
  std::lock_guard lock(Registry::Get().mutex);
  Registry::Get().all.erase(this);
}

bool BackgroundWork::Stopping() { return Registry::Get().stopping; }

Status BackgroundWork::CheckProcess() const {
  if (!Forked()) return OkStatus();
  return FailedPrecondition(
      "An iterator that works ahead cannot be used in a process forked from "
      "the one it was made in");
}

Status BackgroundWork::Wait(Lock& lock, const CancellationToken* cancellation) {
  changed_.wait_for(lock, kBackgroundPoll);
  // The check may take the host language's lock.
  lock.unlock();
  GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
  lock.lock();
  return OkStatus();
}

void StopBackgroundWork(int milliseconds) {
  Registry& registry = Registry::Get();
  registry.stopping = true;
  {
    std::lock_guard lock(registry.mutex);
    for (BackgroundWork* w : registry.all) w->CancelHelp();
  }
  TaskPool::Global().WaitUntilIdle(milliseconds);
}

}  // namespace gk
