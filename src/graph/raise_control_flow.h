// RaiseControlFlow: makes If, Case and While of lowered control flow (Switch,
// Merge, Enter, Exit, NextIteration, LoopCond), in which TensorFlow writes
// graphs for its sessions, before a file's nodes become those of a Graph.
//
// Fetched names stay: a Merge or Exit becomes an Identity of what is raised.
#ifndef GK_GRAPH_RAISE_CONTROL_FLOW_H_
#define GK_GRAPH_RAISE_CONTROL_FLOW_H_

#include <map>
#include <string>

#include "base/status.h"
#include "framework/types.h"
#include "proto/graph.gk.h"

namespace gk {

// Whether there is anything to raise, in the graph or its functions.
bool HasLoweredControlFlow(const proto::GraphDef& graph);

// `outside`: types of edges that other than the graph's nodes define.
// `ops`: what the file says of its ops, if it does. InvalidArgument if branches
// or loops are not built as they should be.
StatusOr<proto::GraphDef> RaiseControlFlow(
    const proto::GraphDef& graph,
    const std::map<std::string, DataType>& outside,
    const proto::OpList* ops = nullptr);

}  // namespace gk

#endif  // GK_GRAPH_RAISE_CONTROL_FLOW_H_
