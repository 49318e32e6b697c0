// Python objects that nodes of a graph call back or refer to, and graphs of
// its parts: they live with the graph.
#ifndef GK_PYTHON_GRAPH_PARTS_H_
#define GK_PYTHON_GRAPH_PARTS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// While the function around is traced, errors tell of the bodies of its
// branches and loops which their tensors come from. Throws what Python raises.
void KeepBody(nanobind::handle body);
// The function around calls what `graph`'s nodes call though that one's Python
// face may soon be gone.
void KeepParts(nanobind::handle graph);

// The function is traced: graphs of its parts may go.
void ReleaseBodies(nanobind::handle graph);

// The graph that is being built calls the part, which lives as long.
void KeepPart(nanobind::handle part);

}  // namespace gk::py

#endif  // GK_PYTHON_GRAPH_PARTS_H_
