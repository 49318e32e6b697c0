// Graphs, functions and nodes as bytes of messages, and graphs from them.
#ifndef GK_PYTHON_GRAPH_DEF_H_
#define GK_PYTHON_GRAPH_DEF_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddGraphDef(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_GRAPH_DEF_H_
