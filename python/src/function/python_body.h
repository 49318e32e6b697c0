// PythonBody: what a Python function does while it is traced.
#ifndef GK_PYTHON_PYTHON_BODY_H_
#define GK_PYTHON_PYTHON_BODY_H_

#include <nanobind/nanobind.h>

#include "function/trace_function.h"
#include "python/src/function/argument_snapshot.h"
#include "python/src/function/python_arguments.h"

namespace gk::py {

class PythonBody final : public TracedBody {
 public:
  // `graph`: the Python object around `builder`. `convert`: what is called is
  // AutoGraph's conversion, with these `features`.
  PythonBody(nanobind::handle graph, FuncGraph* builder,
             const FunctionType& type, nanobind::handle function, bool convert,
             nanobind::handle features);

  ArgumentFace* arguments() override { return &arguments_; }
  Status Call() override;
  Status CheckArguments() override;
  StatusOr<StructureRef> Results(AddResult add) override;
  Status NotAlone(Status error) override;

 private:
  const nanobind::object function_, features_;
  const bool convert_;
  const FunctionType& type_;
  PythonArguments arguments_;
  ArgumentSnapshot before_;
  PyRef result_;
};

// What `trace` makes of a new `graph`, a ConcreteFunction, which has that for
// Python. Graphs of its parts may go then, also after an error.
StatusOr<nanobind::object> PythonTraced(
    nanobind::handle graph,
    FunctionRef<StatusOr<Ref<ConcreteFunction>>()> trace);

}  // namespace gk::py

#endif  // GK_PYTHON_PYTHON_BODY_H_
