// Names of graph nodes: tf.name_scope and the scope that an op's constants
// share with it ("add/y" beside "add").
#ifndef GK_PYTHON_NAME_SCOPE_H_
#define GK_PYTHON_NAME_SCOPE_H_

#include <string>
#include <string_view>

#include "py_ref.h"

namespace gk::py {

// In a graph: `name` below the current scope, made unique and reserved, with
// a trailing '/': both a node name taken literally and a scope for constants.
// Eager: empty. The layer of graphs under construction supplies it.
extern std::string (*reserve_name)(std::string_view name);
// Enters (or, with an empty name, leaves to the root) a name scope of the
// graph being built and returns its full name, "a/b/". Supplied likewise.
extern std::string (*enter_name_scope)(std::string_view name);
extern void (*leave_name_scope)();

bool AddNameScope(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_NAME_SCOPE_H_
