// Taking and giving up the GIL.
#ifndef GK_PYTHON_GIL_H_
#define GK_PYTHON_GIL_H_

#include "framework/large_work.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// Holds the GIL while alive, on whatever thread. Never made under a lock that
// somebody with the GIL may wait for.
class ScopedGil {
 public:
  ScopedGil() : state_(PyGILState_Ensure()), quiet_(nullptr) {}
  ~ScopedGil() { PyGILState_Release(state_); }
  ScopedGil(const ScopedGil&) = delete;
  ScopedGil& operator=(const ScopedGil&) = delete;

 private:
  const PyGILState_STATE state_;
  // What runs in here keeps the GIL, whoever called.
  const LargeWorkListener::Scope quiet_;
};

// Gives the GIL up while alive if `release`.
class GilRelease {
 public:
  explicit GilRelease(bool release)
      : state_(release ? PyEval_SaveThread() : nullptr) {}
  ~GilRelease() {
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

// Around calls of the library that touch no Python object: gives the GIL up at
// once if `now`, else when a kernel turns out to be large. A call costs some
// 40 ns with a GIL given up and taken, none without.
class LazyGilRelease final : public LargeWorkListener {
 public:
  explicit LazyGilRelease(bool now)
      : state_(now ? PyEval_SaveThread() : nullptr), scope_(this) {}
  ~LazyGilRelease() {
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }
  LazyGilRelease(const LazyGilRelease&) = delete;
  LazyGilRelease& operator=(const LazyGilRelease&) = delete;

  void OnLargeWork() override {
    if (state_ == nullptr) state_ = PyEval_SaveThread();
  }

 private:
  PyThreadState* state_;
  const LargeWorkListener::Scope scope_;
};

}  // namespace gk::py

#endif  // GK_PYTHON_GIL_H_
