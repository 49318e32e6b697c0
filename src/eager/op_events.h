// Events of ops that run by themselves, for profiles.
#ifndef GK_EAGER_OP_EVENTS_H_
#define GK_EAGER_OP_EVENTS_H_

#include <span>

#include "base/event_log.h"
#include "framework/op_record.h"
#include "framework/tensor.h"

namespace gk {

// An op begins to run. The program's position is asked for before it does:
// kernels may give up the lock that this needs.
struct OpStart {
  int64_t time = 0;  // 0: it is not recorded
  uint32_t source = 0;
};
OpStart RecordedStart();
inline OpStart OpBegins() {
  return EventLog::On(EventLog::kOps) ? RecordedStart() : OpStart();
}
// It has run, since then.
void RecordOp(const OpRecord& record, const AttrMap& attrs,
              std::span<const Tensor* const> inputs,
              std::span<const Tensor> outputs, OpStart began);

}  // namespace gk

#endif  // GK_EAGER_OP_EVENTS_H_
