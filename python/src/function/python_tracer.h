// What Python adds to PolymorphicFunction: traces that are Python objects,
// and the tracing of Python functions.
#ifndef GK_PYTHON_PYTHON_TRACER_H_
#define GK_PYTHON_PYTHON_TRACER_H_

#include <vector>

#include "function/polymorphic_function.h"
#include "python/src/binding/py_ref.h"
#include "python/src/function/call_rules.h"

namespace gk::py {

class PyTrace final : public Trace {
 public:
  PyTrace(Ref<FunctionType> type, PyObject* concrete)
      : Trace(type),
        traced_type_(std::move(type)),
        concrete_(Py_NewRef(concrete)) {}
  ~PyTrace() override { DeferredDecref(concrete_); }
  PyObject* concrete() const { return concrete_; }
  // type() without what the trace captures.
  const FunctionType& traced_type() const { return *traced_type_; }

 private:
  Ref<FunctionType> traced_type_;
  PyObject* concrete_;
};
// The ConcreteFunction of a trace; borrowed.
inline PyObject* ConcreteOf(const Trace& trace) {
  return static_cast<const PyTrace&>(trace).concrete();
}

// Traces the Python function of a Function for a call of it.
class PythonTracer final : public Tracer {
 public:
  // Both are borrowed. `guarded`: does the Function ask whether the Python
  // values frozen into a trace are still what they were?
  PythonTracer(PyObject* function, const AskedCall& call, bool guarded)
      : function_(function), call_(call), guarded_(guarded) {}
  StatusOr<Ref<Trace>> MakeTrace(const Ref<FunctionType>& type,
                                 VariableCreation* creation) override;
  StatusOr<std::vector<TypeDifference>> ChangedValues(
      const Trace& trace) override;
  StatusOr<TensorVector> Inputs() override;
  Status ComparisonError() override;
  CallSite Site() override;

 private:
  // Weakly, for the function that initialises them.
  Status KeepVariables(const TensorVector& handles);

  PyObject* function_;
  const AskedCall& call_;
  bool guarded_;
};

// What tracing says to the core.
bool AddTracing(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_PYTHON_TRACER_H_
