// tf.Variable and its base: a resource handle with what Python knows of it.
// Reads and assignments go through Dispatch, so they work eagerly, under a
// tape and in graphs.
#ifndef GK_PYTHON_VARIABLE_TYPE_H_
#define GK_PYTHON_VARIABLE_TYPE_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/tensor.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/py_ref.h"

namespace gk {
class Node;
}  // namespace gk

namespace gk {
class FuncGraph;
}

namespace gk::py {

struct PyVariable {
  PyObject_HEAD;
  Tensor handle;  // resource; symbolic while a graph is being traced
  DataType dtype;
  bool trainable;
  PartialTensorShape shape;
  PyObject* name;  // "Variable:0"
  uint64_t serial;  // grows with the time of creation
  PyObject* weakrefs;
  PyObject* dict;
  // What an assignment gives shares all but the name with the variable that
  // was assigned to, and keeps it; null in others.
  PyObject* origin;
  // The assignment that its reads wait for, in graphs that order nothing by
  // themselves; the handle keeps the graph.
  Node* after;
  // The operation that made it, in graphs that do; null in others.
  PyObject* update;
  // What a session's run gives of it: a read behind the assignment, in graphs
  // that are made for their own sake; null in others.
  PyObject* graph_element;
};

extern PyTypeObject* BaseVariableType;
// What tf.Variable makes, and what assignments to such give.
extern PyTypeObject* ResourceVariableType;
extern PyTypeObject* UnreadVariableType;

inline bool IsVariable(PyObject* o) {
  return PyObject_TypeCheck(o, BaseVariableType);
}
inline PyVariable* VariableOf(PyObject* o) {
  return reinterpret_cast<PyVariable*>(o);
}

// What is made in the graph being built while this is there waits for the
// assignment that gave the variable.
class WaitsFor {
 public:
  explicit WaitsFor(const PyVariable* variable);
  ~WaitsFor();
  WaitsFor(const WaitsFor&) = delete;
  WaitsFor& operator=(const WaitsFor&) = delete;

 private:
  FuncGraph* const graph_;
};

// The current value (ReadVariableOp with the current builder).
StatusOr<Tensor> ReadVariable(PyObject* variable);

// The Python variable around a handle, or null. Borrowed. Held weakly by a
// table from the resource.
PyObject* FindVariable(const Tensor& handle);

// In and out of that table.
void RememberVariable(PyObject* variable);
void ForgetVariable(PyObject* variable);
// False with an exception set unless it has a handle.
bool CheckVariableReady(PyObject* variable);

// tf.Variable(value, name=name, trainable=trainable). New reference.
PyObject* NewVariable(const Tensor& value, const char* name, bool trainable);
// The variable behind a handle that is an argument. New reference.
PyObject* VariableOfHandle(const Tensor& handle, DataType dtype,
                           const PartialTensorShape& shape, bool trainable,
                           std::string_view name);
// What an assignment to a variable gives: the variable, reading what was
// written. New reference. (variable_methods.cc)
PyObject* UnreadVariable(PyObject* variable);
// The same of one whose update was the last node that was made: in graphs that
// order nothing by themselves it stands for that node.
PyObject* UpdatedVariable(PyObject* variable);
// The tf.Operation of that node; null, without an error, of other variables.
// New reference. (variable_members.cc)
PyObject* UpdateOf(PyObject* variable);

// Its VariableDef, and the variable of one. (variable_def.cc)
PyObject* VariableToProto(PyObject* variable, PyObject* args, PyObject* kwargs);
PyObject* VariableFromProto(PyObject*, PyObject* args, PyObject* kwargs);

extern PyType_Slot variable_operator_slots[];  // tensor_operators.cc
// What else the type is made of, and variable[key]: a tensor with `assign`.
// (variable_members.cc)
extern PyGetSetDef variable_properties[];
extern PyMethodDef variable_methods[];
extern PyMethodDef variable_functions[];  // of the module
extern PyType_Slot variable_in_place_slots[];
PyObject* SliceVariable(PyObject* variable, PyObject* key);
bool AddVariableType(PyObject* module);        // variable_methods.cc
std::vector<PyType_Slot> UnreadVariableSlots();
bool AddVariableClasses(PyObject* module);     // variable_creation.cc

}  // namespace gk::py

#endif  // GK_PYTHON_VARIABLE_TYPE_H_
