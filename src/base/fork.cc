#include "base/fork.h"

#include <pthread.h>

#include <mutex>
#include <thread>

namespace gk {
namespace {

struct Handler {
  ForkStage stage;
  void (*prepare)();
  void (*parent)();
  void (*child)();
  Handler* next = nullptr;
  Handler* previous = nullptr;
};

// Constants from the start, so that a fork finds them in every program.
constinit std::mutex mutex;
constinit Handler *first = nullptr, *last = nullptr;

// Work that runs, counted apart so that threads do not wait for each other's
// cache lines.
constexpr int kCounts = 16;
struct alignas(64) Count {
  std::atomic<int> running{0};
};
constinit Count counts[kCounts];
constinit std::atomic<int> forking{0};

std::atomic<int>* RunningHere() {
  static constinit std::atomic<unsigned> next{0};
  static constinit thread_local Count* mine = nullptr;
  if (mine == nullptr) mine = &counts[next.fetch_add(1) % kCounts];
  return &mine->running;
}

void Prepare() {
  // Without the mutex: the work may call OnFork.
  forking.fetch_add(1);
  for (const Count& c : counts) {
    while (c.running.load() != 0) std::this_thread::yield();
  }
  mutex.lock();
  for (Handler* h = first; h; h = h->next) {
    if (h->prepare) h->prepare();
  }
}

void Parent() {
  for (Handler* h = last; h; h = h->previous) {
    if (h->parent) h->parent();
  }
  mutex.unlock();
  forking.fetch_sub(1);
}

void Child() {
  process_generation.fetch_add(1);
  for (Handler* h = last; h; h = h->previous) {
    if (h->child) h->child();
  }
  mutex.unlock();
  forking.store(0);  // others that were about to fork are not here
}

[[maybe_unused]] const int listens = pthread_atfork(&Prepare, &Parent, &Child);

}  // namespace

void OnFork(ForkStage stage, void (*prepare)(), void (*parent)(),
            void (*child)()) {
  auto* handler = new Handler{stage, prepare, parent, child};
  std::lock_guard lock(mutex);
  Handler* after = last;
  while (after && after->stage > stage) after = after->previous;
  handler->previous = after;
  handler->next = after ? after->next : first;
  (after ? after->next : first) = handler;
  (handler->next ? handler->next->previous : last) = handler;
}

WholeWork::WholeWork() : running_(RunningHere()) {
  for (;;) {
    running_->fetch_add(1);
    if (forking.load() == 0) return;
    running_->fetch_sub(1);
    while (forking.load() != 0) std::this_thread::yield();
  }
}

}  // namespace gk
