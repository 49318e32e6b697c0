#include "python/src/host/log_functions.h"

#include <utility>

#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/binding/package_parts.h"

namespace gk::py {

PyRef LogMethod(const char* name) {
  PyRef logger = PyRef::Steal(package::get_logger.Call({}));
  return PyRef::Steal(logger ? PyObject_GetAttrString(logger.get(), name)
                             : nullptr);
}

namespace {

// The method of the logger with the same arguments.
template <const char* const* kMethod>
PyObject* Log(PyObject*, PyObject* args, PyObject* kwargs) {
  PyRef method = LogMethod(*kMethod);
  return method ? PyObject_Call(method.get(), args, kwargs) : nullptr;
}
constexpr const char *kAnyLevel = "log", *kDebug = "debug", *kInfo = "info",
                     *kWarning = "warning", *kError = "error",
                     *kCritical = "critical", *kLevel = "getEffectiveLevel";

constexpr char kV[] = "v";
PyObject* SetVerbosity(PyObject*, PyObject* level) {
  PyRef method = LogMethod("setLevel");
  return method ? PyObject_CallOneArg(method.get(), level) : nullptr;
}

#define LOG(name, method, signature, doc)                                   \
  {                                                                         \
    name, AsCFunction(Guarded<Log<&method>>), METH_VARARGS | METH_KEYWORDS, \
        name signature "\n--\n\n" doc                                       \
  }

PyMethodDef kLogFunctions[] = {
    LOG("log", kAnyLevel, "(level, msg, *args, **kwargs)",
        "Logs at a level.\n\n"
        ">>> tf.compat.v1.logging.log(\n"
        "...     tf.compat.v1.logging.DEBUG, 'turn %d', 3)"),
    LOG("debug", kDebug, "(msg, *args, **kwargs)",
        "Logs at level DEBUG.\n\n"
        ">>> tf.compat.v1.logging.debug('turn %d', 3)"),
    LOG("info", kInfo, "(msg, *args, **kwargs)",
        "Logs at level INFO.\n\n"
        ">>> tf.compat.v1.logging.info('turn %d', 3)"),
    LOG("warning", kWarning, "(msg, *args, **kwargs)",
        "Logs at level WARN.\n\n"
        ">>> tf.compat.v1.logging.warning('turn %d takes long', 3)"),
    LOG("error", kError, "(msg, *args, **kwargs)",
        "Logs at level ERROR.\n\n"
        ">>> tf.compat.v1.logging.error('turn %d failed', 3)"),
    LOG("fatal", kCritical, "(msg, *args, **kwargs)",
        "Logs at level FATAL.\n\n"
        ">>> tf.compat.v1.logging.fatal('nothing is left after turn %d', 3)"),
    LOG("get_verbosity", kLevel, "()",
        "The level below which nothing is logged.\n\n"
        ">>> tf.compat.v1.logging.get_verbosity() <= "
        "tf.compat.v1.logging.FATAL\n"
        "True"),
    {"set_verbosity", GK_OF_ARGUMENT(kV, SetVerbosity),
     "set_verbosity(v)\n--\n\n"
     "Sets the level below which nothing is logged.\n\n"
     ">>> tf.compat.v1.logging.set_verbosity(\n"
     "...     tf.compat.v1.logging.get_verbosity())"},
    {nullptr, nullptr, 0, nullptr}};
#undef LOG

}  // namespace

std::string_view LogFunctionName(PyObject* function) {
  if (!PyCFunction_Check(function)) return {};
  const PyMethodDef* const of =
      reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
  for (const PyMethodDef& f : kLogFunctions) {
    if (of == &f && f.ml_name != nullptr) return f.ml_name;
  }
  return {};
}

void AddLogFunctions(nanobind::module_& m) {
  constexpr std::pair<const char*, int> kLevels[] = {
      {"DEBUG", 10}, {"INFO", 20}, {"WARN", 30}, {"ERROR", 40}, {"FATAL", 50}};
  for (const auto& [name, level] : kLevels) m.attr(name) = level;
  if (PyModule_AddFunctions(m.ptr(), kLogFunctions) < 0) {
    throw nanobind::python_error();
  }
}

}  // namespace gk::py
