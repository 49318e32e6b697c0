// How kernels spread slices over threads without knowing the pool.
//
// A kernel cuts its work into slices that depend on sizes only and hands them
// to a Parallel, so results never depend on the number of threads. Parallel is
// a non-owning view of a ThreadPool or anything alike; empty means that
// the caller's thread does everything. As thread-safe as the pool behind it.
#ifndef GK_KERNELS_PARALLEL_H_
#define GK_KERNELS_PARALLEL_H_

#include <cstdint>

#include "base/function_ref.h"

namespace gk {

// A callable taking a slice index.
using SliceBody = FunctionRef<void(int64_t)>;

class Parallel {
 public:
  Parallel() = default;
  template <class Pool>
  explicit Parallel(Pool* pool)
      : pool_(pool), run_([](void* p, int64_t slices, SliceBody body) {
          static_cast<Pool*>(p)->ParallelFor(slices, body);
        }) {}

  // Runs body(0) ... body(slices - 1) and returns when all are done.
  void For(int64_t slices, SliceBody body) const {
    if (pool_ != nullptr && slices > 1) return run_(pool_, slices, body);
    for (int64_t i = 0; i < slices; ++i) body(i);
  }

 private:
  void* pool_ = nullptr;
  void (*run_)(void*, int64_t, SliceBody) = nullptr;
};

}  // namespace gk

#endif  // GK_KERNELS_PARALLEL_H_
