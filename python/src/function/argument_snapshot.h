// ArgumentSnapshot: says which arguments a Python function changed that it was
// traced with.
#ifndef GK_PYTHON_ARGUMENT_SNAPSHOT_H_
#define GK_PYTHON_ARGUMENT_SNAPSHOT_H_

#include <nanobind/nanobind.h>

#include <span>
#include <string>
#include <vector>

#include "function/function_type.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// The contents of the containers among the arguments of a trace, which the
// Python function must not change: while tracing it would change copies, so the
// caller would see nothing.
class ArgumentSnapshot {
 public:
  ArgumentSnapshot() = default;
  // One value for each parameter.
  ArgumentSnapshot(const FunctionType& type, std::span<const PyRef> values);
  // Throws ValueError if one has changed since.
  void Check(nanobind::handle function) const;

 private:
  // What a value holds, as deep as it nests.
  struct Contents {
    PyRef value;  // the value itself; of a container its class
    bool is_container = false;
    PyRef keys;  // of a mapping, sorted
    std::vector<Contents> parts;
  };
  static Contents ContentsOf(PyObject* value);
  static bool Same(const Contents& a, const Contents& b);

  struct Kept {
    std::string name;
    ParameterKind kind;
    PyRef value;
    Contents contents;
  };
  std::vector<Kept> kept_;
};

}  // namespace gk::py

#endif  // GK_PYTHON_ARGUMENT_SNAPSHOT_H_
