// What Python sets for the whole process: threads and random seeds; and what
// it asks of graphs under construction.
#include "base/thread_pool.h"
#include "framework/check_numerics.h"
#include "function/func_graph.h"
#include "op_function.h"
#include "ops/random/random_place.h"
#include "tensor_type.h"

namespace gk::py {
namespace {

// How often the graph being traced was asked for a seed; -1 when eager.
PyObject* NextGraphSeed(PyObject*, PyObject*) {
  auto* graph = dynamic_cast<FuncGraph*>(OpBuilder::Current());
  return PyLong_FromLongLong(graph ? graph->TakeRandomSeed() : -1);
}

PyObject* ResetRandomPlaces(PyObject*, PyObject*) {
  ForgetRandomPlaces();
  Py_RETURN_NONE;
}

PyObject* SetIntraOpThreads(PyObject*, PyObject* number) {
  const long n = PyLong_AsLong(number);
  if (n == -1 && PyErr_Occurred()) return nullptr;
  if (n < 1 || n > 1024) {
    return Raise(ValueError("the number of threads must be in [1, 1024], got "
                            "{}", n));
  }
  ThreadPool::Global().SetNumThreads(static_cast<int>(n));
  Py_RETURN_NONE;
}

// The value of a tensor if it is known now, as NumPy's; else None.
PyObject* KnownValue(PyObject*, PyObject* o) {
  if (!IsTensor(o)) return Raise(TypeError("expected a tensor"));
  const Tensor value = TensorOf(o).KnownValue();
  if (!value) Py_RETURN_NONE;
  return ToNumpy(value, false);
}

PyObject* SetCheckNumerics(PyObject*, PyObject* on) {
  const int yes = PyObject_IsTrue(on);
  if (yes < 0) return nullptr;
  SetChecksNumerics(yes == 1);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"set_check_numerics", SetCheckNumerics, METH_O,
     "Ops made by this thread from now on are checked for infinities."},
    {"known_value", KnownValue, METH_O,
     "The value of a tensor if it is known while tracing, else None."},
    {"next_graph_seed", NextGraphSeed, METH_NOARGS,
     "A number for each random op of the graph being traced; -1 when eager."},
    {"reset_random_places", ResetRandomPlaces, METH_NOARGS,
     "Eager random ops begin their streams anew."},
    {"set_intra_op_threads", SetIntraOpThreads, METH_O,
     "Sets how many threads one op may use."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddProcessSettings(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
