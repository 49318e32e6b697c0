// A program's sharding callback as the core takes it.
#ifndef GK_API_SHARDING_H_
#define GK_API_SHARDING_H_

#include "checkpoint/sharding.h"
#include "graphkiln/sharding.h"

namespace gk::api {

::gk::ShardingPolicy Inner(const ShardingCallback& callback);

}  // namespace gk::api

#endif  // GK_API_SHARDING_H_
