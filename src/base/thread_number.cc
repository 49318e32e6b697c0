#include "base/thread_number.h"

#include <pthread.h>

#include <atomic>

namespace gk {
namespace {

std::atomic<uint64_t> last{0};
thread_local uint64_t mine = 0;

// Numbers up to `before` were given in parents, where `kept` was the thread
// that forked. Changed while the process has one thread.
uint64_t before = 0, kept = 0;

}  // namespace

uint64_t ThreadNumber() {
  if (mine == 0) {
    [[maybe_unused]] static const int listens =
        pthread_atfork(nullptr, nullptr, [] {
          kept = mine;
          before = last.load();
        });
    mine = ++last;
  }
  return mine;
}

bool IsLeftBehind(uint64_t thread) {
  return thread <= before && thread != kept;
}

}  // namespace gk
