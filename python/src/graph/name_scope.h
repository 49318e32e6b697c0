// Scopes that Python enters: names, init_scope, devices.
#ifndef GK_PYTHON_NAME_SCOPE_H_
#define GK_PYTHON_NAME_SCOPE_H_

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>

#include "function/user_scopes.h"

namespace gk::py {

// While a graph is built on this thread: a scope for one op and the constants
// made of its arguments ("add" and "add/y"). Empty and free when eager.
class OpScope {
 public:
  // `own`: the op's alone; its gradient does not belong to it.
  explicit OpScope(std::string_view name, bool own = false);
  ~OpScope();
  OpScope(const OpScope&) = delete;

  const Status& status() const { return status_; }
  // A node name taken literally, "outer/add/"; empty when eager.
  const std::string& node_name() const { return name_; }

 private:
  FuncGraph* graph_;
  Status status_;
  std::string name_;
};

// Whether callables of the user's are converted inside, on this thread.
class ConversionScope {
 public:
  explicit ConversionScope(bool on);
  ~ConversionScope();
  ConversionScope(const ConversionScope&) = delete;

 private:
  const bool before_;
};

// An argument `name`, or `otherwise` if it is None or empty.
std::string NameOr(PyObject* name, const char* otherwise);
// The text of a scope's name, lone surrogates as WTF-8 has them; ValueError if
// it is not a string.
std::string ScopeName(PyObject* name);
// A tf.name_scope.
nanobind::object NewNameScope(std::string name,
                              FuncGraph* graph = nullptr);
// What a device is given by: None, a name, tf.DeviceSpec or LogicalDevice.
// Throws what Python raises for anything else.
std::optional<DeviceSpec> DeviceArgument(PyObject* device);

void AddScopes(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_NAME_SCOPE_H_
