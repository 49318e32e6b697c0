// RunningPlan: the plans that run on a thread, from the innermost one outwards.
#ifndef GK_RUNTIME_RUNNING_PLAN_H_
#define GK_RUNTIME_RUNNING_PLAN_H_

#include "base/run_sampler.h"

namespace gk {

class Plan;

// From where it is made to where it ends.
struct RunningPlan {
  explicit RunningPlan(const Plan& p) : plan(&p), outer(innermost) {
    innermost = this;
  }
  ~RunningPlan() { innermost = outer; }

  // Of what is around this run.
  RunRecording OuterRecording() const {
    return outer == nullptr ? RunRecording::kAlways : outer->recording;
  }

  const Plan* plan;
  RunningPlan* outer;
  RunRecording recording = RunRecording::kAlways;
  static inline constinit thread_local RunningPlan* innermost = nullptr;
};

}  // namespace gk

#endif  // GK_RUNTIME_RUNNING_PLAN_H_
