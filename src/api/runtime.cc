#include "graphkiln/runtime.h"

#include "api/inner.h"
#include "base/thread_pool.h"

namespace gk::api {

void set_num_threads(int n) {
  if (n < 1 || n > 1024) {
    ThrowPublic(ValueError("the number of threads must be in [1, 1024], got {}",
                           n));
  }
  ThreadPool::Global().SetNumThreads(n);
}

int num_threads() { return ThreadPool::Global().num_threads(); }

}  // namespace gk::api
