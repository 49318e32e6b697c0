// The help-first pool that all parallel kernels share.
//
// A caller takes chunks itself at once and waits only for workers that have
// taken one, so a busy machine costs nothing but the missing help. Workers
// start with the first parallel work, spin briefly, then park. Any number of
// threads may call at once, from inside chunks too. After fork() the child
// starts workers of its own on need; forking inside a chunk is not supported.
// A fork-join costs well under 1 us while workers spin, 5 us to wake a parked
// one. What a function throws ends the work early and
// reaches the caller, the first one where several do.
#ifndef GK_BASE_THREAD_POOL_H_
#define GK_BASE_THREAD_POOL_H_

#include <atomic>
#include <cstdint>

#include "base/function_ref.h"

namespace gk {

// CPUs that affinity and the control group's quota allow; at least 1.
int AllowedCpus();

class ThreadPool {
 public:
  // `threads` counts the caller; 0 means AllowedCpus().
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The process-wide pool; never destroyed.
  static ThreadPool& Global();

  int num_threads() const {
    return num_threads_.load(std::memory_order_relaxed);
  }
  // Takes effect for later calls; surplus workers leave when they are idle.
  void SetNumThreads(int threads);

  // Calls fn(0) ... fn(chunks - 1), in any order, perhaps at once.
  void ParallelFor(int64_t chunks, FunctionRef<void(int64_t)> fn);

  // Calls fn(begin, end) for slices that cover [0, n). Their bounds depend on
  // n and the cost only, never on the number of threads. Work estimated at
  // less than 10 us is one slice, run inline.
  void ParallelRange(int64_t n, int64_t cost_ns_per_item,
                     FunctionRef<void(int64_t, int64_t)> fn);

 private:
  struct Job;
  struct State;
  struct Registry;
  static void* Work(void* arg);
  static void RunChunks(Job& job);
  static void WaitUntilLeft(State& state, Job& job);
  void StartWorkers(State& state, int wanted);

  std::atomic<int> num_threads_;
  std::atomic<State*> state_;
  ThreadPool* next_ = nullptr;  // In the list that fork handlers walk.
};

}  // namespace gk

#endif  // GK_BASE_THREAD_POOL_H_
