#include "base/process_mutex.h"

#include <array>
#include <cstdint>

#include "base/fork.h"

namespace gk {

struct ProcessMutex::All {
  std::mutex mutex;
  ProcessMutex* first = nullptr;

  static All& Get() {
    static All* const all = [] {
      auto* a = new All;
      OnFork(ForkStage::kMutexes, &Lock, &Unlock, &Unlock);
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

ProcessMutex& ProcessMutex::Of(const void* object) {
  constexpr int kBits = 5;
  static auto& shared = *new std::array<ProcessMutex, 1 << kBits>;
  const auto at = reinterpret_cast<uintptr_t>(object);
  return shared[uint64_t{at} * 0x9E3779B97F4A7C15u >> (64 - kBits)];
}

}  // namespace gk
