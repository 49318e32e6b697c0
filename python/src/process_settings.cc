// What Python sets for the whole process: threads and random seeds; and what
// it asks of graphs under construction.
#include "base/thread_pool.h"
#include "framework/check_numerics.h"
#include "framework/logical_device.h"
#include "function/func_graph.h"
#include "gil.h"
#include "grappler/optimize.h"
#include "guarded.h"
#include "op_function.h"
#include "ops/random/random_place.h"
#include "runtime/plan.h"
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
    return Raise(
        ValueError("the number of threads must be in [1, 1024], got "
                   "{}",
                   n));
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

// Lines that tell of an op's inputs and the graph that it is made in.
std::string NumericsContext(std::span<const Tensor> inputs) {
  const ScopedGil gil;
  std::string text;
  const auto shown = [](const Tensor& t) {
    PyRef wrapped = PyRef::Steal(WrapTensor(t));
    PyRef s = PyRef::Steal(wrapped ? PyObject_Str(wrapped.get()) : nullptr);
    if (s) return std::string(StringView(s.get()));
    PyErr_Clear();
    return std::string("?");
  };
  if (inputs.size() == 1) {
    text = "\n  Input tensor: " + shown(inputs[0]) + "\n";
  } else if (!inputs.empty()) {
    text = Format("\n  Input tensors ({}):\n", inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      text += Format("         {}: {}\n", i, shown(inputs[i]));
    }
  }
  if (FuncGraph* f = FuncGraph::Current()) {
    text += Format("  Graph name: \"{}\"\n", f->name());
  }
  return text + "\n";
}

PyObject* SetCheckNumerics(PyObject*, PyObject* on) {
  const int yes = PyObject_IsTrue(on);
  if (yes < 0) return nullptr;
  SetNumericsContext(NumericsContext);
  SetChecksNumerics(yes == 1);
  Py_RETURN_NONE;
}

template <void (*kSet)(bool)>
PyObject* SetFlag(PyObject*, PyObject* on) {
  const int yes = PyObject_IsTrue(on);
  if (yes < 0) return nullptr;
  kSet(yes == 1);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"set_check_numerics", Guarded<SetCheckNumerics>, METH_O,
     "Ops made by this thread from now on are checked for infinities."},
    {"set_log_placement", Guarded<SetFlag<SetLogsPlacement>>, METH_O,
     "Whether it is written to the log where ops run."},
    {"known_value", Guarded<KnownValue>, METH_O,
     "The value of a tensor if it is known while tracing, else None."},
    {"next_graph_seed", Guarded<NextGraphSeed>, METH_NOARGS,
     "next_graph_seed()\n--\n\n"
     "A number for each random op of the graph being traced; -1 when eager."},
    {"reset_random_places", Guarded<ResetRandomPlaces>, METH_NOARGS,
     "reset_random_places()\n--\n\n"
     "Eager random ops begin their streams anew."},
    {"set_control_flow_lowering", Guarded<SetFlag<SetControlFlowLowering>>,
     METH_O,
     "Whether loops and branches of functions are parts of their plans."},
    {"set_graph_passes", Guarded<SetFlag<SetGraphPasses>>, METH_O,
     "Whether functions that run for the first time from now on are "
     "optimised."},
    {"set_intra_op_threads", Guarded<SetIntraOpThreads>, METH_O,
     "Sets how many threads one op may use."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddProcessSettings(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
