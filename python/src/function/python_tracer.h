// What Python adds to PolymorphicFunction: the tracing of Python functions.
#ifndef GK_PYTHON_PYTHON_TRACER_H_
#define GK_PYTHON_PYTHON_TRACER_H_

#include <vector>

#include "function/polymorphic_function.h"
#include "python/src/function/baked_values.h"
#include "python/src/function/call_rules.h"

namespace gk::py {

// Traces the Python function of a Function for a call of it.
class PythonTracer final : public Tracer {
 public:
  // Both are borrowed.
  PythonTracer(PyObject* function, const AskedCall& call)
      : function_(function), call_(call) {}
  StatusOr<Ref<Trace>> MakeTrace(const Ref<FunctionType>& type) override;
  BakedValues* baked_values() override { return &baked_; }
  StatusOr<TensorVector> Inputs() override;
  Status ComparisonError() override;
  CallSite Site() override;
  Status TooDeep(std::string text) override;

 private:
  StatusOr<Ref<Trace>> Run(const Ref<FunctionType>& type);

  PyObject* function_;
  const AskedCall& call_;
  PythonBakedValues baked_;
};

}  // namespace gk::py

#endif  // GK_PYTHON_PYTHON_TRACER_H_
