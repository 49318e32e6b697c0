// What the graphs' Python types, which know of tensors, do for these.
#ifndef GK_PYTHON_KEPT_TENSORS_H_
#define GK_PYTHON_KEPT_TENSORS_H_

#include "python/src/binding/py_ref.h"

namespace gk {
class Graph;
}

namespace gk::py {

// Lets the object around a graph made for its own sake hold `o` for as long as
// it lives. False: there is none. Null before there are graphs.
inline bool (*keep_with_graph)(const Graph* graph, PyObject* o) = nullptr;

}  // namespace gk::py

#endif  // GK_PYTHON_KEPT_TENSORS_H_
