// FreshFunction: a function whose random streams begin anew, as they do for
// every run over a dataset.
#ifndef GK_DATA_FRESH_FUNCTION_H_
#define GK_DATA_FRESH_FUNCTION_H_

#include "framework/graph.h"

namespace gk {

// A copy, or the function itself if it draws no numbers that seeds determine.
Ref<GraphFunction> FreshFunction(const Ref<GraphFunction>& function);

}  // namespace gk

#endif  // GK_DATA_FRESH_FUNCTION_H_
