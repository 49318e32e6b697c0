// PythonFunction: the Python function of a Function: its signature, the object
// that it is bound to, and the options that tf.function was given.
#ifndef GK_PYTHON_PYTHON_FUNCTION_H_
#define GK_PYTHON_PYTHON_FUNCTION_H_

#include <nanobind/nanobind.h>

#include <string>

#include "function/retracing_detector.h"
#include "python/src/function/call_rules.h"
#include "python/src/function/told_function.h"

namespace gk::py {

// All of these throw what Python raises.
class PythonFunction {
 public:
  // Of no function, as __new__ makes it.
  PythonFunction() = default;
  // `instance`: the object of a method, or None; it is held weakly where that
  // can be.
  PythonFunction(nanobind::handle function, nanobind::handle options,
                 nanobind::handle instance);

  const nanobind::object& function() const { return function_; }
  const nanobind::dict& options() const { return options_; }
  nanobind::object Option(const char* name) const;
  bool IsGiven(const char* option) const { return !Option(option).is_none(); }

  bool is_bound() const { return is_bound_; }
  // The object; None if there is none, or none any more.
  nanobind::object Instance() const;
  // An input signature says nothing of `self`, so calls through the class go
  // by way of the object's own Function.
  bool needs_instance() const { return needs_instance_; }

  // "function" if it has no name.
  std::string Name() const;
  // What is traced: the function, with its object if it has one.
  nanobind::object Body() const;
  // Does it say itself how it is called? It has no code of Python's then.
  bool is_told() const { return told_ != nullptr; }
  // How calls of it are bound.
  CallRules Rules() const;
  // As inspect has it, without `self` if it is bound; None if it is told.
  const nanobind::object& signature() const { return signature_; }
  // Functions made at one place share it: made anew in a loop, they are
  // counted together.
  Ref<RetracingDetector> Detector() const;

  // For the garbage collector.
  int Visit(visitproc visit, void* arg) const;

 private:
  FunctionSignature Own() const;

  nanobind::object function_ = nanobind::none();
  nanobind::dict options_;
  bool is_bound_ = false, needs_instance_ = false;
  nanobind::object instance_ = nanobind::none();  // or a weak reference
  nanobind::object signature_ = nanobind::none();
  const ToldFunction* told_ = nullptr;  // in function_
};

// Refuses what no function can have as its input signature.
void CheckInputSignature(nanobind::handle input_signature);

}  // namespace gk::py

#endif  // GK_PYTHON_PYTHON_FUNCTION_H_
