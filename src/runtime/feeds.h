// Feeds: a kernel with a large result and a cluster that reads it. The kernel
// tells which part is done (framework/part_listener.h), and the cluster works
// on it at once, on the same thread, while it lies in the cache. Its own place
// among the instructions then has nothing left to do.
//
// Stateless.
#ifndef GK_RUNTIME_FEEDS_H_
#define GK_RUNTIME_FEEDS_H_

#include "runtime/plan.h"

namespace gk {

// Results of fewer bytes stay in the cache anyway.
inline constexpr int64_t kFedBytes = int64_t{1} << 20;

// A kernel that may feed a cluster: pure, of one result of a known size.
bool MayFeed(const Node& node);

// Why instruction `pc` cannot feed the one behind it; null if it can.
const char* WhyNotFed(const Plan& plan, int pc);

}  // namespace gk

#endif  // GK_RUNTIME_FEEDS_H_
