// How many threads programs asked for, for both languages.
#ifndef GK_EAGER_THREAD_SETTINGS_H_
#define GK_EAGER_THREAD_SETTINGS_H_

#include <cstdint>

#include "base/status.h"

namespace gk {

// Of one op; 0: as many as there are processors. ValueError unless in
// [0, 1024].
Status SetIntraOpThreads(int64_t n);
int IntraOpThreads();
// Of ops that run at once; kept for programs that ask: a plan runs its ops in
// order, and chooses itself what it hands out. ValueError if negative.
Status SetInterOpThreads(int64_t n);
int InterOpThreads();

}  // namespace gk

#endif  // GK_EAGER_THREAD_SETTINGS_H_
