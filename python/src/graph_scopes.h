// The scopes of tf.Graph, and what it keeps beside its operations.
#ifndef GK_PYTHON_GRAPH_SCOPES_H_
#define GK_PYTHON_GRAPH_SCOPES_H_

#include <nanobind/nanobind.h>

#include "type_parts.h"

namespace gk::py {

// as_default, control_dependencies, name_scope, device, ...
void AddGraphScopes(TypeParts* parts);
// Collections, marks, elements by name.
void AddGraphState(TypeParts* parts);
// What the graph of a function says of it.
void AddFuncGraphState(TypeParts* parts);

// What a `with` statement enters.
void AddGraphScopeType(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_GRAPH_SCOPES_H_
