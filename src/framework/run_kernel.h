// The one way to run a kernel: what it throws becomes its status.
#ifndef GK_FRAMEWORK_RUN_KERNEL_H_
#define GK_FRAMEWORK_RUN_KERNEL_H_

#include "base/caught.h"
#include "framework/kernel_context.h"
#include "framework/op_record.h"

namespace gk {

inline Status RunKernel(ComputeFn compute, KernelContext& context) {
  try {
    return compute(context);
  } catch (...) {
    return LastCaughtStatus(context.record().name);
  }
}

// Of the op's record.
inline Status RunKernel(KernelContext& context) {
  return RunKernel(context.record().kernel.compute, context);
}

}  // namespace gk

#endif  // GK_FRAMEWORK_RUN_KERNEL_H_
