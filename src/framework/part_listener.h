// PartListener: who waits for parts of a kernel's result. Plans listen where
// the next instruction can work on them; most kernels have nobody to tell.
#ifndef GK_FRAMEWORK_PART_LISTENER_H_
#define GK_FRAMEWORK_PART_LISTENER_H_

#include <cstdint>

#include "kernels/part_done.h"

namespace gk {

class PartListener {
 public:
  // Who waits on this thread for the result of so many bytes at `result`, and
  // for no other; null: nobody. To be asked before threads share the work.
  static const PartDone* Of(const void* result, int64_t bytes);

  // Listens on its thread while it is the innermost one.
  class Scope {
   public:
    Scope(const void* result, int64_t bytes, PartDone done);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend class PartListener;
    const void* const result_;
    const int64_t bytes_;
    const PartDone done_;
    Scope* const outer_;
  };
};

}  // namespace gk

#endif  // GK_FRAMEWORK_PART_LISTENER_H_
