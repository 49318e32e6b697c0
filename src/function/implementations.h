// Functions that do the same in different ways, each for a kind of device.
#ifndef GK_FUNCTION_IMPLEMENTATIONS_H_
#define GK_FUNCTION_IMPLEMENTATIONS_H_

#include "framework/graph.h"

namespace gk {

// Where `graph` calls a function that has the same attribute "api_implements"
// as `function`, it calls `function` from now on, if that prefers to run here,
// on processors ("api_preferred_device").
void PreferImplementation(Graph* graph, const Ref<GraphFunction>& function);

}  // namespace gk

#endif  // GK_FUNCTION_IMPLEMENTATIONS_H_
