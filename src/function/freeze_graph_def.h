// FreezeGraphDef: constants in the place of a GraphDef's variables.
#ifndef GK_FUNCTION_FREEZE_GRAPH_DEF_H_
#define GK_FUNCTION_FREEZE_GRAPH_DEF_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/tensor.h"
#include "proto/graph.gk.h"

namespace gk {

// What the nodes `outputs` need, with a constant for each variable that
// `values` has, by the name of the node that makes its handle; also in the
// functions that are called. The outputs keep their names. ValueError if an
// output is missing, or if anything but reading is done to such a variable.
StatusOr<proto::GraphDef> FreezeGraphDef(
    const proto::GraphDef& graph, std::span<const std::string> outputs,
    const std::map<std::string, Tensor>& values);

// The names of the nodes that make handles of variables: they have no inputs
// and one output, a resource whose dtype and shape are attributes.
std::vector<std::string> VariableHandles(const proto::GraphDef& graph);

// Is the output of an op of this name the value of a variable, input 0?
bool ReadsVariable(std::string_view op);

}  // namespace gk

#endif  // GK_FUNCTION_FREEZE_GRAPH_DEF_H_
