// How much memory the system can still give to this process.
#ifndef GK_BASE_MEMORY_H_
#define GK_BASE_MEMORY_H_

#include <cstdint>

namespace gk {

// Bytes that can be touched before the system or the control group runs out:
// an estimate that asks the system, some 20 us. INT64_MAX where it does not
// say.
int64_t AvailableMemory();

}  // namespace gk

#endif  // GK_BASE_MEMORY_H_
