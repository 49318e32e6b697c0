#include "base/thread_number.h"

#include <atomic>

#include "base/fork.h"

namespace gk {
namespace {

std::atomic<uint64_t> last{0};
thread_local uint64_t mine = 0;

// Numbers up to `before` were given in parents, where `kept` was the thread
// that forked. Changed while the process has one thread.
uint64_t before = 0, kept = 0;

// From the start: a thread that is making a static variable while another
// forks never ends that in the child.
[[maybe_unused]] const bool knows_of_forks = [] {
  OnFork(ForkStage::kNumbers, nullptr, nullptr, [] {
    kept = mine;
    before = last.load();
  });
  return true;
}();

}  // namespace

uint64_t ThreadNumber() {
  if (mine == 0) mine = ++last;
  return mine;
}

bool IsLeftBehind(uint64_t thread) {
  return thread <= before && thread != kept;
}

}  // namespace gk
