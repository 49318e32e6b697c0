// FunctionSignature: the parameters of a Python function, and how calls are
// bound to them: names, kinds and order made canonical, so that equal calls
// look equal.
#ifndef GK_PYTHON_FUNCTION_SIGNATURE_H_
#define GK_PYTHON_FUNCTION_SIGNATURE_H_

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "function/function_type.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// The arguments of a call, borrowed as a vectorcall has them.
struct CallArguments {
  PyObject* const* args;
  size_t n;
  PyObject* kwnames;  // null if there are none

  size_t num_named() const {
    return kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
  }
  // (args, kwargs) as Python code takes them; null with an exception set.
  std::pair<PyRef, PyRef> AsTupleAndDict() const;
};

struct BoundValue {
  std::string name;
  ParameterKind kind;
  PyRef value;
};

// Names of keyword arguments (a tuple) as ones that parameters can have. Null
// with a ValueError set if two of them become one.
PyRef SanitizedNames(PyObject* names);

class FunctionSignature {
 public:
  struct Parameter {
    std::string name;
    ParameterKind kind;
    PyRef default_value;  // null if there is none

    bool is_positional() const {
      return kind == ParameterKind::kPositionalOnly ||
             kind == ParameterKind::kPositionalOrKeyword;
    }
  };

  // `signature`: an inspect.Signature. Throws what Python raises.
  void Read(nanobind::handle signature);
  // Those that a function tells of, whose `__signature__` shows them.
  void Take(std::vector<Parameter> parameters, nanobind::handle function);
  const std::vector<Parameter>& parameters() const { return parameters_; }
  bool has_varargs() const { return has_varargs_; }
  // Names, kinds and which parameters have defaults.
  Ref<FunctionType> Type() const;

  enum class Fit : uint8_t { kYes, kNo, kError };
  // All parameters with their values, defaults filled in. kNo: it does not
  // fit. kError: an exception is set.
  Fit Bind(const CallArguments& call, std::vector<BoundValue>* bound) const;
  // Why a call does not fit, in Python's words; throws what Python raises.
  std::string WhyNot(const CallArguments& call) const;

  // For the garbage collector.
  int Visit(visitproc visit, void* arg) const;

 private:
  bool BindPositional(const CallArguments& call,
                      std::vector<PyRef>* values) const;
  Fit BindNamed(const CallArguments& call, std::vector<PyRef>* values,
                std::vector<BoundValue>* others) const;

  PyRef signature_;  // or who has it
  bool is_told_ = false;
  std::vector<Parameter> parameters_;
  bool has_varargs_ = false, has_varkw_ = false;
};

// The inspect.Signature of a callable, (*args, **kwargs) if it does not tell;
// without its first parameter if that is skipped.
nanobind::object SignatureOf(nanobind::handle function, bool skip_first);
// (*args, **kwargs).
nanobind::object AnySignature();

// A value as messages show it: repr(value), or str(value) if `plain`. Lone
// surrogates are escapes. Throws what Python raises.
std::string ShownValue(PyObject* value, bool plain = false);

// Raises the one TypeError of calls that do not fit. `more`: follows.
void RaiseMisfit(std::string_view reason, const CallArguments& call,
                 const FunctionType& signature, std::string_view more = {});

}  // namespace gk::py

#endif  // GK_PYTHON_FUNCTION_SIGNATURE_H_
