#include "python/src/function/frozen_function.h"

#include <nanobind/nanobind.h>

#include "function/freeze.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/throw_error.h"
#include "python/src/function/concrete_function.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/tensors/convert.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

PyObject* ConvertVariablesToConstants(PyObject*, PyObject* args,
                                      PyObject* kwargs) {
  PyObject* func;
  int lower = 1, inlining = 0;
  if (!ParseArguments(args, kwargs, "O|pp",
                      {"func", "lower_control_flow", "aggressive_inlining"},
                      &func, &lower, &inlining)) {
    return nullptr;
  }
  if (!IsConcreteFunction(func) ||
      ConcreteFunctionOf(func)->function == nullptr) {
    return Raise(TypeError(
        "convert_variables_to_constants_v2: func must be a ConcreteFunction, "
        "got {}. A tf.function has them: get_concrete_function(...).",
        Py_TYPE(func)->tp_name));
  }
  const Ref<ConcreteFunction> function(ConcreteFunctionOf(func)->function);
  FrozenFunction frozen = ValueOrThrow(FreezeVariables(*function));
  nb::object made = nb::steal(NewConcreteFunction(std::move(frozen.function)));
  if (!made.is_valid()) throw nb::python_error();
  made.attr("graph") = nb::steal(WrapGraph(frozen.graph->graph().get()));
  return made.release().ptr();
}

PyMethodDef kFunctions[] = {
    {"convert_variables_to_constants_v2",
     AsCFunction(Guarded<ConvertVariablesToConstants>), kByName,
     "convert_variables_to_constants_v2(func, lower_control_flow=True, "
     "aggressive_inlining=False)\n--\n\n"
     "A function with constants in the place of variables (frozen).\n\n"
     "Args:\n"
     "  func: a ConcreteFunction. What it captured (variables, tensors) "
     "becomes\n"
     "    constants of the values that it has now; tables stay captured.\n"
     "  lower_control_flow: accepted for compatibility. Loops and branches "
     "stay\n"
     "    the ops While and If, which TensorFlow lowers when it runs them.\n"
     "  aggressive_inlining: accepted for compatibility. All calls are "
     "inlined.\n\n"
     "Returns a ConcreteFunction of the same arguments, whose graph needs no\n"
     "values from elsewhere.\n\n"
     "Raises ValueError if the function writes a variable,\n"
     "tf.errors.FailedPreconditionError if one has no value, TypeError for\n"
     "anything but a ConcreteFunction.\n\n"
     ">>> v = tf.Variable(3.0)\n"
     ">>> f = tf.function(lambda x: v * x)\n"
     ">>> frozen = tf.graph_util.convert_variables_to_constants_v2(\n"
     "...     f.get_concrete_function(tf.TensorSpec([], tf.float32)))\n"
     ">>> len(frozen.captured_inputs)\n"
     "0\n"
     ">>> frozen(tf.constant(2.0)).numpy().item()\n"
     "6.0"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddFrozenFunction(PyObject* module) {
  return PyModule_AddFunctions(module, kFunctions) == 0;
}

}  // namespace gk::py
