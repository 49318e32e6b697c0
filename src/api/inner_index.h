// Public indices -> what the library subscripts with.
#ifndef GK_API_INNER_INDEX_H_
#define GK_API_INNER_INDEX_H_

#include "graphkiln/index.h"
#include "ops/subscript.h"

namespace gk::api {

// Throws Error for what is no index.
SubscriptEntry Inner(const Index& index);

}  // namespace gk::api

#endif  // GK_API_INNER_INDEX_H_
