// PyTrace: a trace that is a ConcreteFunction of Python's.
#ifndef GK_PYTHON_PY_TRACE_H_
#define GK_PYTHON_PY_TRACE_H_

#include <utility>

#include "function/trace_cache.h"
#include "python/src/binding/py_ref.h"

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

}  // namespace gk::py

#endif  // GK_PYTHON_PY_TRACE_H_
