// What a function returned becomes the outputs of the op that called it.
#ifndef GK_OPS_CALL_RESULTS_H_
#define GK_OPS_CALL_RESULTS_H_

#include <string>
#include <string_view>

#include "framework/kernel_context.h"

namespace gk {

// InvalidArgument unless their number and types are what the op's attribute
// Tout says. `role` ("Branch") and `function` are for the message.
Status TakeResults(KernelContext& c, std::string_view role,
                   const std::string& function, TensorVector results);

}  // namespace gk

#endif  // GK_OPS_CALL_RESULTS_H_
