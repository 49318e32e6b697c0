// What Stage and MapStage share: how much a staging area may hold, and what
// their records say.
#ifndef GK_OPS_QUEUE_STAGING_H_
#define GK_OPS_QUEUE_STAGING_H_

#include <cstdint>

#include "framework/op_record.h"

namespace gk {

struct StagingLimits {
  int64_t capacity = 0;      // tuples, 0: any number
  int64_t memory_limit = 0;  // bytes, 0: any number

  explicit StagingLimits(const KernelContext& c)
      : capacity(c.attr<int64_t>("capacity")),
        memory_limit(c.attr<int64_t>("memory_limit")) {}

  bool HasRoom(int64_t tuples, int64_t held_bytes, int64_t new_bytes) const {
    return (capacity <= 0 || tuples < capacity) &&
           (memory_limit <= 0 || held_bytes + new_bytes <= memory_limit);
  }
  // ResourceExhausted if so many bytes would never fit.
  Status CheckBytes(int64_t bytes) const {
    if (memory_limit <= 0 || bytes <= memory_limit) return OkStatus();
    return ResourceExhausted(
        "Attempted to insert tensors with combined size of '{}' bytes into "
        "Staging Area with a memory limit of '{}'.",
        bytes, memory_limit);
  }
};

inline int64_t BytesOf(const TensorVector& tuple) {
  int64_t bytes = 0;
  for (const Tensor& t : tuple) {
    if (t) bytes += t.byte_size();
  }
  return bytes;
}

#define GK_STAGING_LIMITS "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; "
#define GK_STAGING_NAMES "; container: string = ''; shared_name: string = ''"
// Attributes of those that give or take tuples, and of those that do not.
#define GK_STAGED_TUPLE \
  GK_STAGING_LIMITS "dtypes: list(type) >= 1" GK_STAGING_NAMES
#define GK_STAGING GK_STAGING_LIMITS "dtypes: list(type)" GK_STAGING_NAMES

inline constexpr uint64_t kStaging =
    kStateful | kReadsResource | kWritesResource | kNoGradient;

}  // namespace gk

#endif  // GK_OPS_QUEUE_STAGING_H_
