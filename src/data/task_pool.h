// TaskPool: threads for work that goes on beside its caller and may wait
// (reading ahead, Python generators).
//
// Unlike ThreadPool, whose callers help and wait, nobody waits for a task
// here: tasks are optional help. A thread is started when a task comes and
// none is idle, up to a limit; idle ones leave after some seconds. A forked
// child starts anew without the parent's tasks. Thread-safe.
#ifndef GK_DATA_TASK_POOL_H_
#define GK_DATA_TASK_POOL_H_

#include <functional>

namespace gk {

class TaskPool {
 public:
  // The process-wide pool; never destroyed.
  static TaskPool& Global();

  // Runs `task` some time. It must not throw. False if no thread can be had:
  // then it never runs.
  bool Schedule(std::function<void()> task);

  // How often the process has been forked since the pool came to be. Work
  // scheduled under another number is lost.
  static int Generation();

  // Waits until no task runs, for at most so long; for tests and for the end
  // of the program.
  bool WaitUntilIdle(int milliseconds);

 private:
  struct State;
  TaskPool();
  State* state_;
};

}  // namespace gk

#endif  // GK_DATA_TASK_POOL_H_
