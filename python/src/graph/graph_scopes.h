// The scopes of tf.Graph, and what it keeps beside its operations.
#ifndef GK_PYTHON_GRAPH_SCOPES_H_
#define GK_PYTHON_GRAPH_SCOPES_H_

#include <nanobind/nanobind.h>

#include <vector>

#include "framework/graph.h"
#include "python/src/binding/type_parts.h"

namespace gk::py {

// as_default, control_dependencies, name_scope, device, ...
void AddGraphScopes(TypeParts* parts);
// Collections, marks, elements by name.
void AddGraphState(TypeParts* parts);
// What the graph of a function says of it.
void AddFuncGraphState(TypeParts* parts);

// What these tensors, operations, variables and slices wait for in the graph.
// False with an exception set.
bool GatesOf(PyObject* graph, PyObject* given, std::vector<Node*>* nodes);
// A `with` statement in which ops of the graph run after what is given; None:
// after nothing. New reference, null with an exception set.
PyObject* ControlScope(PyObject* graph, PyObject* inputs);

// What a `with` statement enters.
void AddGraphScopeType(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_GRAPH_SCOPES_H_
