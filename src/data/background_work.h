// What iterators that work ahead have in common: how their threads are told to
// end, and how what became of an element gets from one thread to another.
#ifndef GK_DATA_BACKGROUND_WORK_H_
#define GK_DATA_BACKGROUND_WORK_H_

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/caught.h"
#include "data/dataset.h"
#include "data/pass_resources.h"
#include "data/task_pool.h"

namespace gk {

// How long a waiting caller goes without looking whether it was cancelled.
inline constexpr auto kBackgroundPoll = std::chrono::milliseconds(50);

// An element, the end, or an error and where it came up. A value; not
// thread-safe.
struct Outcome {
  TensorVector element;
  Status status;
  ErrorSite site;
  bool end = false;

  // What `work` returns or throws. `background`: nobody waits on this thread,
  // so a Python exception has nobody to go to.
  template <class F>
  void Take(bool background, F&& work) {
    try {
      status = work();
    } catch (...) {
      // What is thrown on a thread of the pool would end the program.
      status = LastCaughtStatus("the making of an element of a dataset");
    }
    Noted(background);
  }
  // Hands it to whoever asked, on its thread.
  Status Deliver(TensorVector* to, bool* ended);

 private:
  void Noted(bool background);
};

// Work that an iterator and its tasks share; tasks hold references to it. The
// derived class's state is under mutex_. Thread-safe.
class BackgroundWork : public RefCounted {
 public:
  // What helps is told to end.
  void CancelHelp() { token_.Cancel(); }
  // The end of the program has come: no more help.
  static bool Stopping();

 protected:
  using Lock = std::unique_lock<std::mutex>;

  // `resources`: those of the pass; may be null.
  explicit BackgroundWork(std::shared_ptr<PassResources> resources = nullptr);
  ~BackgroundWork() override;

  // Whether the work begins before anybody asks.
  bool warm_start() const {
    return resources_ != nullptr && resources_->warm_start();
  }
  // FailedPrecondition in a process forked from the one that made it: its
  // tasks are gone there, and the lock may be held for ever.
  Status CheckProcess() const;
  bool Forked() const { return generation_ != TaskPool::Generation(); }
  // Under the lock, which it gives up meanwhile: waits for a change, at most
  // until it is time to look around; Cancelled if the caller was.
  Status Wait(Lock& lock, const CancellationToken* cancellation);
  // Runs self->Help() on another thread. False if there is none: then those
  // who wait do the work.
  template <class T>
  bool Schedule(T* self) {
    try {
      auto task = [held = Ref<T>(self)] { held->Help(); };
      return resources_ ? resources_->Schedule(std::move(task))
                        : TaskPool::Global().Schedule(std::move(task));
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  CancellationToken token_;

 private:
  const std::shared_ptr<PassResources> resources_;
  const int generation_ = TaskPool::Generation();
};

// From now on nothing is made in advance: iterators go on without help. Waits
// until what runs has ended, for at most so long. For the end of the program.
void StopBackgroundWork(int milliseconds);

}  // namespace gk

#endif  // GK_DATA_BACKGROUND_WORK_H_
