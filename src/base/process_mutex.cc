#include "base/process_mutex.h"

#include <pthread.h>

namespace gk {

struct ProcessMutex::All {
  std::mutex mutex;
  ProcessMutex* first = nullptr;

  static All& Get() {
    static All* const all = [] {
      auto* a = new All;
      pthread_atfork(&Lock, &Unlock, &Unlock);
      return a;
    }();
    return *all;
  }
  static void Lock() {
    All& all = Get();
    all.mutex.lock();
    for (ProcessMutex* m = all.first; m; m = m->next_) m->lock();
  }
  static void Unlock() {
    All& all = Get();
    for (ProcessMutex* m = all.first; m; m = m->next_) m->unlock();
    all.mutex.unlock();
  }
};

ProcessMutex::ProcessMutex() {
  All& all = All::Get();
  std::lock_guard lock(all.mutex);
  next_ = all.first;
  all.first = this;
}

}  // namespace gk
