// Parts of GraphDefs, frozen ones and MetaGraphDefs, as bytes, for the package.
#ifndef GK_PYTHON_META_GRAPH_H_
#define GK_PYTHON_META_GRAPH_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddMetaGraphFunctions(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_META_GRAPH_H_
