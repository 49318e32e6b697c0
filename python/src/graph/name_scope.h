// Scopes that Python enters: names, init_scope, devices.
#ifndef GK_PYTHON_NAME_SCOPE_H_
#define GK_PYTHON_NAME_SCOPE_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "function/func_graph.h"

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

// Is a function being traced here, even if init_scope left its graph?
bool InsideFunction();
// tf.name_scope: everything made inside has its name below `name`.
class NameScope {
 public:
  explicit NameScope(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }

  // The full name.
  std::string Enter();
  void Exit();

 private:
  std::string name_;
  std::vector<Ref<FuncGraph>> entered_;
};
// The same, for as long as it lives.
class WithinScope {
 public:
  explicit WithinScope(std::string name) : scope_(std::move(name)) {
    scope_.Enter();
  }
  ~WithinScope() { scope_.Exit(); }
  WithinScope(const WithinScope&) = delete;

 private:
  NameScope scope_;
};
// An argument `name`, or `otherwise` if it is None or empty.
std::string NameOr(PyObject* name, const char* otherwise);
// tf.init_scope: out of the graphs of functions, unseen by tapes.
class InitScope {
 public:
  InitScope() = default;
  InitScope(const InitScope&) = delete;
  ~InitScope();

  void Enter();
  void Exit();

 private:
  struct Entered {
    std::unique_ptr<OpBuilder::Scope> scope;
    Ref<FuncGraph> left_before;
    int device_before;
    std::thread::id thread = std::this_thread::get_id();

    bool IsHere() const { return thread == std::this_thread::get_id(); }
  };
  std::vector<Entered> entered_;
};

// "outer/inner/".
std::string CurrentScope();
// A tf.name_scope.
nanobind::object NewNameScope(std::string name);
// What a device is given by: None, a name, tf.DeviceSpec or LogicalDevice.
// Throws what Python raises for anything else.
std::optional<DeviceSpec> DeviceArgument(PyObject* device);

void AddScopes(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_NAME_SCOPE_H_
