// ProcessMutex: guards something that lives as long as the process, or, one of
// a few that are shared, an object.
//
// fork() waits until no thread holds one, so that the child finds what it
// guards whole, and never locked by a thread that the child does not have.
// Nothing else is locked and no code of the host language runs under one.
#ifndef GK_BASE_PROCESS_MUTEX_H_
#define GK_BASE_PROCESS_MUTEX_H_

#include <mutex>

namespace gk {

class ProcessMutex {
 public:
  // Lives for ever: fork() knows it from now on.
  ProcessMutex();
  ProcessMutex(const ProcessMutex&) = delete;
  ProcessMutex& operator=(const ProcessMutex&) = delete;

  // The lock of an object that comes and goes: one of a few that all of them
  // share. Nothing is destroyed under it that somebody else may have made.
  static ProcessMutex& Of(const void* object);

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct All;

  std::mutex mutex_;
  ProcessMutex* next_;
};

}  // namespace gk

#endif  // GK_BASE_PROCESS_MUTEX_H_
