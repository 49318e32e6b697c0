// Graphs, functions and nodes as messages, and graphs from them. protobuf is
// imported when the first message is asked for.
#ifndef GK_PYTHON_GRAPH_DEF_H_
#define GK_PYTHON_GRAPH_DEF_H_

#include <nanobind/nanobind.h>

#include <string>

#include "python/src/binding/message.h"
#include "python/src/binding/type_parts.h"
#include "python/src/graph/operation_type.h"

namespace gk::py {

// All of these throw what Python raises.

nanobind::object NodeDefOf(const Operation& op);
nanobind::object OpDefOf(const Operation& op);
nanobind::object FunctionDefOf(nanobind::handle concrete_function);
// A Python value, or a message for shapes, tensors and functions.
nanobind::object AttrOf(const Operation& op, const std::string& name);
nanobind::object OperationOfNodeDef(nanobind::handle node_def,
                                    nanobind::handle graph,
                                    nanobind::handle inputs,
                                    nanobind::handle control_inputs);

// The attribute of a graph that holds functions, by name, which belong to it
// though none of its operations calls them.
inline constexpr char kKeptFunctions[] = "_kept_functions";

// Graph.as_graph_def, create_op, ...
void AddGraphMessages(TypeParts* parts);
void AddGraphDef(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_GRAPH_DEF_H_
