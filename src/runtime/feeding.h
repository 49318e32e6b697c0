// Feeding: within a run, a kernel and the cluster that works on parts of its
// result as they are done (feeds.h). Used by one thread; the parts come from
// any.
#ifndef GK_RUNTIME_FEEDING_H_
#define GK_RUNTIME_FEEDING_H_

#include <memory>

#include "base/function_ref.h"
#include "base/status.h"
#include "runtime/frame.h"
#include "runtime/noted_parts.h"
#include "runtime/plan.h"

namespace gk {

class Feeding {
 public:
  // Runs instruction `pc`, as `kernel` does, and the cluster behind it on what
  // the kernel tells of. A checked run only notes that.
  Status Run(const Plan& plan, Frame& frame, int pc,
             FunctionRef<Status()> kernel);

  // The cluster `pc` has worked on all parts, or is to in Finish().
  bool Fed(int pc) const { return fed_ == pc; }
  Status Finish(const Plan& plan, Frame& frame, int pc);

 private:
  int fed_ = -1;
  std::unique_ptr<NotedParts> parts_;  // of a checked run
};

}  // namespace gk

#endif  // GK_RUNTIME_FEEDING_H_
