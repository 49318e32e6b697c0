// What is done around fork().
//
// The child has one thread, that which forked. What the others held would stay
// locked in it, and what they changed half changed. So fork() first waits for
// work that must be whole, then takes every lock that is known here, in one
// order, and gives them back on both sides.
#ifndef GK_BASE_FORK_H_
#define GK_BASE_FORK_H_

#include <atomic>
#include <cstdint>

namespace gk {

// In the order in which locks are taken: who holds one may take those below.
enum class ForkStage {
  kThreads,  // of pools
  kTraces,
  kMutexes,  // ProcessMutex
  kHost,     // what waits for the host language
  kMemory,
  kNumbers,  // of threads: the first in the child
};

// Calls `prepare` before every fork() from now on, and `parent` or `child`
// after it, in the opposite order. Any may be null. None may call OnFork.
void OnFork(ForkStage stage, void (*prepare)(), void (*parent)(),
            void (*child)());

// How many forks lie between this process and the first, and one.
inline std::atomic<uint32_t> process_generation{1};
inline uint32_t ProcessGeneration() {
  return process_generation.load(std::memory_order_relaxed);
}

// Work that fork() lets end first, and that does not begin while it waits.
//
// It may take locks and wait for pools. It waits for nothing that the host
// language or a thread that is about to fork would have to do, runs no code of
// the host language, and there is none within it.
class WholeWork {
 public:
  WholeWork();
  ~WholeWork() { running_->fetch_sub(1, std::memory_order_release); }
  WholeWork(const WholeWork&) = delete;
  WholeWork& operator=(const WholeWork&) = delete;

 private:
  std::atomic<int>* const running_;
};

}  // namespace gk

#endif  // GK_BASE_FORK_H_
