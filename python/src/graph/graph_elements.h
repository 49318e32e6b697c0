// Elements of a tf.Graph by name: methods of its Python type.
#ifndef GK_PYTHON_GRAPH_ELEMENTS_H_
#define GK_PYTHON_GRAPH_ELEMENTS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// get_operations(), get_operation_by_name(name), get_tensor_by_name(name).
PyObject* GraphOperations(PyObject* graph, PyObject*);
PyObject* GraphOperationByName(PyObject* graph, PyObject* name);
PyObject* GraphTensorByName(PyObject* graph, PyObject* name);
// as_graph_element(obj, allow_tensor, allow_operation).
PyObject* GraphElement(PyObject* graph, PyObject* obj, bool allow_tensor,
                       bool allow_operation);
// The operations that run even if no result needs them.
PyObject* GraphControlOutputs(PyObject* graph, void*);

// Parts of graphs, as functions are cut out of them.
void AddGraphElements(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_GRAPH_ELEMENTS_H_
