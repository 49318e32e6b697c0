// Calls within the limits of public RunOptions.
#ifndef GK_API_RUN_LIMITS_H_
#define GK_API_RUN_LIMITS_H_

#include <string_view>

#include "api/inner.h"
#include "base/function_ref.h"
#include "base/run_limit.h"
#include "graphkiln/run_options.h"

namespace gk::api {

using LimitedCall = FunctionRef<Status(const ::gk::CancellationToken*)>;

// `call` with what ends it; Cancelled or DeadlineExceeded, naming `name`, if
// that did.
Status CallWithLimits(const ::gk::CancellationToken* token,
                      RunLimit::Clock::time_point deadline,
                      std::string_view name, LimitedCall call);
Status CallWithLimits(const RunOptions& options, std::string_view name,
                      LimitedCall call);

}  // namespace gk::api

#endif  // GK_API_RUN_LIMITS_H_
