#include "eager/thread_settings.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/thread_pool.h"

namespace gk {
namespace {

constexpr int kMostThreads = 1024;
std::atomic<int> intra_op{0}, inter_op{0};

Status CheckCount(int64_t n) {
  if (n >= 0) return OkStatus();
  return ValueError("num_threads must be 0 or more, got {}", n);
}

}  // namespace

Status SetIntraOpThreads(int64_t n) {
  GK_RETURN_IF_ERROR(CheckCount(n));
  if (n > kMostThreads) {
    return ValueError("the number of threads must be in [1, {}], got {}",
                      kMostThreads, n);
  }
  intra_op = static_cast<int>(n);
  ThreadPool::Global().SetNumThreads(std::max(
      1, static_cast<int>(n > 0 ? n : std::thread::hardware_concurrency())));
  return OkStatus();
}
int IntraOpThreads() { return intra_op; }

Status SetInterOpThreads(int64_t n) {
  GK_RETURN_IF_ERROR(CheckCount(n));
  inter_op = static_cast<int>(std::min<int64_t>(n, kMostThreads));
  return OkStatus();
}
int InterOpThreads() { return inter_op; }

}  // namespace gk
