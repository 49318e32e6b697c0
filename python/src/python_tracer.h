// What Python adds to PolymorphicFunction: traces that are Python objects,
// and the tracing of Python functions.
#ifndef GK_PYTHON_PYTHON_TRACER_H_
#define GK_PYTHON_PYTHON_TRACER_H_

#include <vector>

#include "function/polymorphic_function.h"
#include "py_ref.h"

namespace gk::py {

class PyTrace final : public Trace {
 public:
  PyTrace(Ref<FunctionType> type, PyObject* concrete)
      : Trace(std::move(type)), concrete_(Py_NewRef(concrete)) {}
  ~PyTrace() override { DeferredDecref(concrete_); }
  PyObject* concrete() const { return concrete_; }

 private:
  PyObject* concrete_;
};
// The ConcreteFunction of a trace; borrowed.
inline PyObject* ConcreteOf(const Trace& trace) {
  return static_cast<const PyTrace&>(trace).concrete();
}

// Traces by a Python callable: trace(function_type) -> ConcreteFunction.
class PythonTracer final : public Tracer {
 public:
  // Borrowed. `guarded`: does the Function ask whether the Python values
  // frozen into a trace are still what they were?
  PythonTracer(PyObject* function, PyObject* trace, bool guarded)
      : function_(function), trace_(trace), guarded_(guarded) {}

  StatusOr<Ref<Trace>> MakeTrace(const Ref<FunctionType>& type,
                                 VariableCreation* creation) override;
  StatusOr<std::vector<TypeDifference>> ChangedValues(
      const Trace& trace) override;
  Status ComparisonError() override;
  CallSite Site() override;

 private:
  PyObject* function_;
  PyObject* trace_;
  bool guarded_;
};

// The tuples that graphkiln/_explanation.py makes its records of. New
// reference.
PyObject* ExplanationObject(const RetraceExplanation& explanation);

// The detector in a capsule of retracing_detector(); null with an exception
// set.
RetracingDetector* DetectorIn(PyObject* capsule);

// Adds retracing_detector(place) and the questions of variables that are made
// while a function is traced.
bool AddTracing(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_PYTHON_TRACER_H_
