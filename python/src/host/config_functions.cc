// tf.config's switches: what the core knows of them, and what is only kept for
// programs that ask.
#include <string>
#include <string_view>

#include "eager/absent_device.h"
#include "eager/thread_settings.h"
#include "framework/logical_device.h"
#include "grappler/optimize.h"
#include "ops/random/random_seeds.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/ops/op_function.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

// Under the GIL.
bool tensor_float_32 = true, synchronous = true;
std::string device_policy = "silent", jit;

template <bool (*kGet)()>
nb::object GetFlag(nb::handle) {
  return nb::bool_(kGet());
}
template <void (*kSet)(bool)>
nb::object SetFlag(nb::handle, bool on) {
  kSet(on);
  return nb::none();
}
template <bool& kFlag>
bool Kept() {
  return kFlag;
}
template <bool& kFlag>
void Keep(bool on) {
  kFlag = on;
}

template <bool kOn>
nb::object SetDeterminism(nb::handle) {
  SetRequiresSeeds(kOn);
  return nb::none();
}

nb::object IsDeterministic(nb::handle) { return nb::bool_(RequiresSeeds()); }

template <int (*kGet)()>
nb::object GetThreads(nb::handle) {
  return nb::int_(kGet());
}
template <Status (*kSet)(int64_t)>
nb::object SetThreads(nb::handle, nb::handle number) {
  const int64_t n = PyLong_Check(number.ptr()) && !PyBool_Check(number.ptr())
                        ? PyLong_AsLongLong(number.ptr())
                        : -1;
  if (n < 0) {
    PyErr_Clear();
    Throw(ValueError("num_threads must be 0 or more, got {}",
                     TextOf(nb::repr(number))));
  }
  ThrowIfError(kSet(n));
  return nb::none();
}

nb::object GetPolicy(nb::handle) { return nb::cast(device_policy); }
nb::object SetPolicy(nb::handle, nb::handle policy) {
  const std::string name = policy.is_none() ? "silent" : TextOf(policy);
  for (const std::string_view known :
       {"silent", "silent_for_int32", "warn", "explicit"}) {
    if (name != known) continue;
    device_policy = known;
    return nb::none();
  }
  Throw(ValueError("Not a valid device policy: {}", TextOf(nb::repr(policy))));
}

nb::object GetJit(nb::handle) { return nb::cast(jit); }
nb::object SetJit(nb::handle, nb::handle enabled) {
  constexpr std::string_view kAutoclustering = "autoclustering";
  const bool is_text = PyUnicode_Check(enabled.ptr());
  const std::string text = is_text ? TextOf(enabled) : "";
  if (is_text ? !text.empty() && text != kAutoclustering
              : !PyBool_Check(enabled.ptr())) {
    Throw(ValueError("Unsupported value of `enabled`: {}",
                     TextOf(nb::repr(enabled))));
  }
  const bool on = is_text ? !text.empty() : enabled.is(Py_True);
  jit = on ? kAutoclustering : std::string_view();
  return nb::none();
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
nb::dict& Options() {
  static nb::dict* options = nullptr;
  if (options == nullptr) {
    options = new nb::dict();
    (*options)["disable_model_pruning"] = false;
    (*options)[kNoPasses] = false;
  }
  return *options;
}
nb::object GetOptions(nb::handle) {
  nb::dict told;
  for (const char* name : kOptionNames) {
    if (Options().contains(name)) told[name] = Options()[name];
  }
  // Unknown ones follow.
  for (auto [name, value] : Options()) told[name] = value;
  return told;
}
nb::object SetOptions(nb::handle, nb::handle given) {
  Options().attr("update")(given);
  SetGraphPasses(!Truth(nb::object(Options()[kNoPasses])));
  return nb::none();
}

PyMethodDef kConfigFunctions[] = {
    GK_MODULE_FUNCTION("get_soft_device_placement", "", GetFlag<SoftPlacement>,
                       "Do ops run elsewhere if their device cannot?\n\n"
                       ">>> tf.config.get_soft_device_placement()\n"
                       "True"),
    GK_MODULE_FUNCTION(
        "set_soft_device_placement", "enabled", SetFlag<SetSoftPlacement>,
        "Whether ops may run elsewhere if their device cannot.\n\n"
        ">>> tf.config.set_soft_device_placement(True)"),
    GK_MODULE_FUNCTION(
        "get_inter_op_parallelism_threads", "", GetThreads<InterOpThreads>,
        "How many ops run at once; 0: the system chooses.\n\n"
        ">>> tf.config.threading.get_inter_op_parallelism_threads()\n"
        "0"),
    GK_MODULE_FUNCTION(
        "set_inter_op_parallelism_threads", "num_threads",
        SetThreads<SetInterOpThreads>,
        "Sets how many ops may run at once.\n\n"
        ">>> tf.config.threading.set_inter_op_parallelism_threads(\n"
        "...     tf.config.threading.get_inter_op_parallelism_threads())"),
    GK_MODULE_FUNCTION(
        "get_intra_op_parallelism_threads", "", GetThreads<IntraOpThreads>,
        "How many threads one op may use; 0: as many as there are cores.\n\n"
        ">>> tf.config.threading.get_intra_op_parallelism_threads()\n"
        "0"),
    GK_MODULE_FUNCTION(
        "set_intra_op_parallelism_threads", "num_threads",
        SetThreads<SetIntraOpThreads>,
        "Sets how many threads one op may use.\n\n"
        ">>> tf.config.threading.set_intra_op_parallelism_threads(\n"
        "...     tf.config.threading.get_intra_op_parallelism_threads())"),
    GK_MODULE_FUNCTION(
        "_disable_op_determinism", "", SetDeterminism<false>, ""),
    GK_MODULE_FUNCTION("_is_op_determinism_enabled", "", IsDeterministic, ""),
    GK_MODULE_FUNCTION(
        "enable_op_determinism", "", SetDeterminism<true>,
        "Makes random ops without any seed an error.\n\n"
        "All other ops give the same results every time as they are."),
    GK_MODULE_FUNCTION(
        "enable_tensor_float_32_execution", "enabled",
        SetFlag<Keep<tensor_float_32>>,
        "Kept for programs that set it: a CPU computes float32 in full.\n\n"
        ">>> tf.config.experimental.enable_tensor_float_32_execution(True)"),
    GK_MODULE_FUNCTION(
        "tensor_float_32_execution_enabled", "", GetFlag<Kept<tensor_float_32>>,
        "What `enable_tensor_float_32_execution` was last told.\n\n"
        ">>> tf.config.experimental.tensor_float_32_execution_enabled()\n"
        "True"),
    GK_MODULE_FUNCTION(
        "get_synchronous_execution", "", GetFlag<Kept<synchronous>>,
        "Do eager ops finish before their call returns?\n\n"
        ">>> tf.config.experimental.get_synchronous_execution()\n"
        "True"),
    GK_MODULE_FUNCTION(
        "set_synchronous_execution", "enable", SetFlag<Keep<synchronous>>,
        "Eager ops finish before their call returns whatever is set here.\n\n"
        ">>> tf.config.experimental.set_synchronous_execution(True)"),
    GK_MODULE_FUNCTION("get_device_policy", "", GetPolicy,
                       "How inputs on other devices are treated.\n\n"
                       ">>> tf.config.experimental.get_device_policy()\n"
                       "'silent'"),
    GK_MODULE_FUNCTION(
        "set_device_policy", "device_policy", SetPolicy,
        "Sets how inputs on other devices are treated; there are none.\n\n"
        ">>> tf.config.experimental.set_device_policy('silent')"),
    GK_MODULE_FUNCTION(
        "get_jit", "", GetJit,
        "Which functions are compiled without being asked to be.\n\n"
        ">>> tf.config.optimizer.get_jit()\n"
        "''"),
    GK_MODULE_FUNCTION(
        "set_jit", "enabled", SetJit,
        "Sets which functions are compiled without being asked to be.\n\n"
        ">>> tf.config.optimizer.set_jit(False)"),
    GK_MODULE_FUNCTION(
        "get_experimental_options", "", GetOptions,
        "The optimizer options that were set, and those that are always "
        "told.\n\n"
        ">>> options = tf.config.optimizer.get_experimental_options()\n"
        ">>> options['disable_meta_optimizer']\n"
        "False"),
    GK_MODULE_FUNCTION(
        "set_experimental_options", "options", SetOptions,
        "Turns passes of the optimizer on or off by name.\n\n"
        "`disable_meta_optimizer` leaves all of them out of functions that run "
        "for\nthe first time from now on.\n\n"
        ">>> tf.config.optimizer.set_experimental_options({})"),
    GK_MODULE_FUNCTION("get_log_device_placement", "", GetFlag<LogsPlacement>,
                       "Is the device of each op written to the log?\n\n"
                       ">>> tf.debugging.get_log_device_placement()\n"
                       "False"),
    GK_MODULE_FUNCTION(
        "set_log_device_placement", "enabled", SetFlag<SetLogsPlacement>,
        "Whether the device of each op is written to the log.\n\n"
        "Eager ops and calls of functions tell it on stderr as \"Executing op "
        "Mul in\ndevice ...\", the nodes of a function on stdout as \"mul: "
        "(Mul): "
        "...\" when\nits plan is made. TF_CPP_MIN_LOG_LEVEL=1 silences the "
        "log.\n\n"
        ">>> tf.debugging.set_log_device_placement(False)"),
    {}};

}  // namespace

bool AddConfigFunctions(PyObject* module) {
  return PyModule_AddFunctions(module, kConfigFunctions) == 0;
}

}  // namespace gk::py
