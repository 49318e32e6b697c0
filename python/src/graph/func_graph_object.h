// tf.Graph and FuncGraph: the Python faces of graphs.
#ifndef GK_PYTHON_FUNC_GRAPH_OBJECT_H_
#define GK_PYTHON_FUNC_GRAPH_OBJECT_H_

#include <memory>
#include <thread>
#include <vector>

#include "function/func_graph.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/py_ref.h"
#include "python/src/binding/type_parts.h"

namespace gk::py {

// A graph that a thread is building.
struct EnteredGraph {
  explicit EnteredGraph(FuncGraph* f)
      : building(f, FuncGraph::Building::kOfGraph) {}
  bool IsHere() const { return thread == std::this_thread::get_id(); }

  const std::thread::id thread = std::this_thread::get_id();
  FuncGraph::Building building;
};

struct PyGraph {
  PyObject_HEAD;
  Graph* graph;     // owned
  FuncGraph* func;  // owned; null for a graph that nobody builds any more
  GraphCollections* collections;  // owned; those of `func` if there is one
  std::vector<std::unique_ptr<EnteredGraph>>* entered;
  PyObject* weakrefs;
  PyObject* dict;
};

extern PyTypeObject* GraphType;
extern PyTypeObject* FuncGraphType;

inline bool IsGraph(PyObject* o) { return PyObject_TypeCheck(o, GraphType); }
inline PyGraph* GraphOf(PyObject* o) { return reinterpret_cast<PyGraph*>(o); }

// The live object around `graph`, or a new one. New reference.
PyObject* WrapGraph(Graph* graph);

// The default graph of eager code, which nothing is made in. New reference.
PyObject* EagerGraph();

// The graph's builder; null with an exception set if it has none.
FuncGraph* BuilderOf(PyObject* graph);

// With what other files give the two types.
bool AddGraphTypes(PyObject* module, TypeParts graph, TypeParts func_graph);

}  // namespace gk::py

#endif  // GK_PYTHON_FUNC_GRAPH_OBJECT_H_
