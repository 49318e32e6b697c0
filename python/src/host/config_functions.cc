// tf.config's switches: what the core knows of them, and what is only kept for
// programs that ask.
#include <string>
#include <string_view>

#include "eager/absent_device.h"
#include "eager/thread_settings.h"
#include "framework/logical_device.h"
#include "grappler/optimize.h"
#include "ops/random/random_seeds.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/ops/op_function.h"

namespace gk::py {
namespace {

// Under the GIL.
bool tensor_float_32 = true, synchronous = true;
std::string device_policy = "silent", jit;
PyObject* options = nullptr;

constexpr char kEnabled[] = "enabled", kEnable[] = "enable",
               kThreads[] = "num_threads", kPolicy[] = "device_policy",
               kOptions[] = "options";

template <bool (*kGet)()>
PyObject* GetFlag(PyObject*, PyObject*) {
  return PyBool_FromLong(kGet());
}
template <void (*kSet)(bool)>
PyObject* SetFlag(PyObject*, PyObject* on) {
  const int yes = PyObject_IsTrue(on);
  if (yes < 0) return nullptr;
  kSet(yes == 1);
  Py_RETURN_NONE;
}
template <bool& kFlag>
bool Kept() {
  return kFlag;
}
template <bool& kFlag>
void Keep(bool on) {
  kFlag = on;
}

PyObject* EnableDeterminism(PyObject*, PyObject*) {
  SetRequiresSeeds(true);
  Py_RETURN_NONE;
}

template <int (*kGet)()>
PyObject* GetThreads(PyObject*, PyObject*) {
  return PyLong_FromLong(kGet());
}
template <Status (*kSet)(int64_t)>
PyObject* SetThreads(PyObject*, PyObject* number) {
  const int64_t n = PyLong_Check(number) && !PyBool_Check(number)
                        ? PyLong_AsLongLong(number)
                        : -1;
  if (n < 0) {
    PyErr_Clear();
    return PyErr_Format(PyExc_ValueError,
                        "num_threads must be 0 or more, got %R", number);
  }
  const Status status = kSet(n);
  if (!status.ok()) return Raise(status);
  Py_RETURN_NONE;
}

PyObject* GetPolicy(PyObject*, PyObject*) { return ToPyString(device_policy); }
PyObject* SetPolicy(PyObject*, PyObject* policy) {
  const std::string_view name = policy == Py_None         ? "silent"
                                : PyUnicode_Check(policy) ? StringView(policy)
                                                          : std::string_view();
  for (const std::string_view known :
       {"silent", "silent_for_int32", "warn", "explicit"}) {
    if (name != known) continue;
    device_policy = known;
    Py_RETURN_NONE;
  }
  PyErr_Format(PyExc_ValueError, "Not a valid device policy: %R", policy);
  return nullptr;
}

PyObject* GetJit(PyObject*, PyObject*) { return ToPyString(jit); }
PyObject* SetJit(PyObject*, PyObject* enabled) {
  constexpr std::string_view kAutoclustering = "autoclustering";
  const bool is_text = PyUnicode_Check(enabled);
  const std::string_view text = is_text ? StringView(enabled) : "";
  if (is_text ? !text.empty() && text != kAutoclustering
              : !PyBool_Check(enabled)) {
    PyErr_Format(PyExc_ValueError, "Unsupported value of `enabled`: %R",
                 enabled);
    return nullptr;
  }
  const bool on = is_text ? !text.empty() : enabled == Py_True;
  jit = on ? kAutoclustering : std::string_view();
  Py_RETURN_NONE;
}

// In the order in which they are told.
constexpr const char* kOptionNames[] = {"layout_optimizer",
                                        "constant_folding",
                                        "shape_optimization",
                                        "remapping",
                                        "arithmetic_optimization",
                                        "dependency_optimization",
                                        "loop_optimization",
                                        "function_optimization",
                                        "debug_stripper",
                                        "disable_model_pruning",
                                        "scoped_allocator_optimization",
                                        "pin_to_host_optimization",
                                        "implementation_selector",
                                        "auto_mixed_precision",
                                        "auto_mixed_precision_onednn_bfloat16",
                                        "auto_mixed_precision_mkl",
                                        "use_plugin_optimizers",
                                        "disable_meta_optimizer",
                                        "min_graph_nodes"};
constexpr const char* kNoPasses = "disable_meta_optimizer";

// What was set; made at first use with the options that are always told.
PyObject* Options() {
  if (options != nullptr) return options;
  PyRef made = PyRef::Steal(PyDict_New());
  for (const char* always : {"disable_model_pruning", kNoPasses}) {
    if (!made || PyDict_SetItemString(made.get(), always, Py_False) < 0) {
      return nullptr;
    }
  }
  return options = made.Release();
}
PyObject* GetOptions(PyObject*, PyObject*) {
  PyObject* all = Options();
  PyRef result = PyRef::Steal(all ? PyDict_New() : nullptr);
  for (const char* name : kOptionNames) {
    PyObject* value = result ? PyDict_GetItemString(all, name) : nullptr;
    if (value != nullptr &&
        PyDict_SetItemString(result.get(), name, value) < 0) {
      return nullptr;
    }
  }
  // Unknown ones follow.
  return result && PyDict_Merge(result.get(), all, 0) == 0 ? result.Release()
                                                           : nullptr;
}
PyObject* SetOptions(PyObject*, PyObject* given) {
  PyObject* all = Options();
  PyRef done = PyRef::Steal(all ? PyObject_CallMethod(all, "update", "O", given)
                                : nullptr);
  if (!done) return nullptr;
  const int none = PyObject_IsTrue(PyDict_GetItemString(all, kNoPasses));
  if (none < 0) return nullptr;
  SetGraphPasses(none == 0);
  Py_RETURN_NONE;
}

#define NAMED(name, f) OnlyArgument<name, f>, METH_VARARGS | METH_KEYWORDS

PyMethodDef functions[] = {
    {"get_soft_device_placement", Guarded<GetFlag<SoftPlacement>>, METH_NOARGS,
     "get_soft_device_placement()\n--\n\n"
     "Do ops run elsewhere if their device cannot?\n\n"
     ">>> tf.config.get_soft_device_placement()\n"
     "True"},
    {"set_soft_device_placement", NAMED(kEnabled, SetFlag<SetSoftPlacement>),
     "set_soft_device_placement(enabled)\n--\n\n"
     "Whether ops may run elsewhere if their device cannot.\n\n"
     ">>> tf.config.set_soft_device_placement(True)"},
    {"get_inter_op_parallelism_threads", Guarded<GetThreads<InterOpThreads>>,
     METH_NOARGS,
     "get_inter_op_parallelism_threads()\n--\n\n"
     "How many ops run at once; 0: the system chooses.\n\n"
     ">>> tf.config.threading.get_inter_op_parallelism_threads()\n"
     "0"},
    {"set_inter_op_parallelism_threads",
     NAMED(kThreads, SetThreads<SetInterOpThreads>),
     "set_inter_op_parallelism_threads(num_threads)\n--\n\n"
     "Sets how many ops may run at once.\n\n"
     ">>> tf.config.threading.set_inter_op_parallelism_threads(\n"
     "...     tf.config.threading.get_inter_op_parallelism_threads())"},
    {"get_intra_op_parallelism_threads", Guarded<GetThreads<IntraOpThreads>>,
     METH_NOARGS,
     "get_intra_op_parallelism_threads()\n--\n\n"
     "How many threads one op may use; 0: as many as there are cores.\n\n"
     ">>> tf.config.threading.get_intra_op_parallelism_threads()\n"
     "0"},
    {"set_intra_op_parallelism_threads",
     NAMED(kThreads, SetThreads<SetIntraOpThreads>),
     "set_intra_op_parallelism_threads(num_threads)\n--\n\n"
     "Sets how many threads one op may use.\n\n"
     ">>> tf.config.threading.set_intra_op_parallelism_threads(\n"
     "...     tf.config.threading.get_intra_op_parallelism_threads())"},
    {"enable_op_determinism", Guarded<EnableDeterminism>, METH_NOARGS,
     "enable_op_determinism()\n--\n\n"
     "Makes random ops without any seed an error.\n\n"
     "All other ops give the same results every time as they are."},
    {"enable_tensor_float_32_execution",
     NAMED(kEnabled, SetFlag<Keep<tensor_float_32>>),
     "enable_tensor_float_32_execution(enabled)\n--\n\n"
     "Kept for programs that set it: a CPU computes float32 in full.\n\n"
     ">>> tf.config.experimental.enable_tensor_float_32_execution(True)"},
    {"tensor_float_32_execution_enabled",
     Guarded<GetFlag<Kept<tensor_float_32>>>, METH_NOARGS,
     "tensor_float_32_execution_enabled()\n--\n\n"
     "What `enable_tensor_float_32_execution` was last told.\n\n"
     ">>> tf.config.experimental.tensor_float_32_execution_enabled()\n"
     "True"},
    {"get_synchronous_execution", Guarded<GetFlag<Kept<synchronous>>>,
     METH_NOARGS,
     "get_synchronous_execution()\n--\n\n"
     "Do eager ops finish before their call returns?\n\n"
     ">>> tf.config.experimental.get_synchronous_execution()\n"
     "True"},
    {"set_synchronous_execution", NAMED(kEnable, SetFlag<Keep<synchronous>>),
     "set_synchronous_execution(enable)\n--\n\n"
     "Eager ops finish before their call returns whatever is set here.\n\n"
     ">>> tf.config.experimental.set_synchronous_execution(True)"},
    {"get_device_policy", Guarded<GetPolicy>, METH_NOARGS,
     "get_device_policy()\n--\n\n"
     "How inputs on other devices are treated.\n\n"
     ">>> tf.config.experimental.get_device_policy()\n"
     "'silent'"},
    {"set_device_policy", NAMED(kPolicy, SetPolicy),
     "set_device_policy(device_policy)\n--\n\n"
     "Sets how inputs on other devices are treated; there are none.\n\n"
     ">>> tf.config.experimental.set_device_policy('silent')"},
    {"get_jit", Guarded<GetJit>, METH_NOARGS,
     "get_jit()\n--\n\n"
     "Which functions are compiled without being asked to be.\n\n"
     ">>> tf.config.optimizer.get_jit()\n"
     "''"},
    {"set_jit", NAMED(kEnabled, SetJit),
     "set_jit(enabled)\n--\n\n"
     "Sets which functions are compiled without being asked to be.\n\n"
     ">>> tf.config.optimizer.set_jit(False)"},
    {"get_experimental_options", Guarded<GetOptions>, METH_NOARGS,
     "get_experimental_options()\n--\n\n"
     "The optimizer options that were set, and those that are always told.\n\n"
     ">>> options = tf.config.optimizer.get_experimental_options()\n"
     ">>> options['disable_meta_optimizer']\n"
     "False"},
    {"set_experimental_options", NAMED(kOptions, SetOptions),
     "set_experimental_options(options)\n--\n\n"
     "Turns passes of the optimizer on or off by name.\n\n"
     "`disable_meta_optimizer` leaves all of them out of functions that run "
     "for\nthe first time from now on.\n\n"
     ">>> tf.config.optimizer.set_experimental_options({})"},
    {"get_log_device_placement", Guarded<GetFlag<LogsPlacement>>, METH_NOARGS,
     "get_log_device_placement()\n--\n\n"
     "Is the device of each op written to the log?\n\n"
     ">>> tf.debugging.get_log_device_placement()\n"
     "False"},
    {"set_log_device_placement", NAMED(kEnabled, SetFlag<SetLogsPlacement>),
     "set_log_device_placement(enabled)\n--\n\n"
     "Whether the device of each op is written to the log.\n\n"
     "Eager ops and calls of functions tell it on stderr as \"Executing op "
     "Mul in\ndevice ...\", the nodes of a function on stdout as \"mul: (Mul): "
     "...\" when\nits plan is made. TF_CPP_MIN_LOG_LEVEL=1 silences the "
     "log.\n\n"
     ">>> tf.debugging.set_log_device_placement(False)"},
    {nullptr, nullptr, 0, nullptr}};

#undef NAMED

}  // namespace

bool AddConfigFunctions(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
