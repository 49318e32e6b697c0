// ConcreteFunction: the Python object around gk::ConcreteFunction.
//
// Called with the tensors of its trace only, it runs at once; all else is bound
// first (concrete_call.h).
#ifndef GK_PYTHON_CONCRETE_FUNCTION_H_
#define GK_PYTHON_CONCRETE_FUNCTION_H_

#include <nanobind/nanobind.h>

#include <atomic>
#include <span>
#include <vector>

#include "function/concrete_function.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/py_ref.h"
#include "python/src/binding/type_parts.h"

namespace gk::py {

struct PyConcreteFunction {
  PyObject_HEAD;
  vectorcallfunc call;
  ConcreteFunction* function;  // owned; null once cleared
  const Structure* structure;  // owned: of what a call returns
  bool flat_arguments;         // every parameter is one tensor
  bool long_running;           // give up the GIL
  bool is_pruned;              // cut out of a graph by its tensors
  size_t most_positional;      // tensors that are passed without a name
  PyObject* weakrefs;
  PyObject* dict;
};

extern PyTypeObject* ConcreteFunctionType;

inline bool IsConcreteFunction(PyObject* o) {
  return Py_TYPE(o) == ConcreteFunctionType;
}
inline PyConcreteFunction* ConcreteFunctionOf(PyObject* o) {
  return reinterpret_cast<PyConcreteFunction*>(o);
}
// Null: not a ConcreteFunction.
Ref<GraphFunction> DefinitionOf(PyObject* o);
// Checks the inputs, runs, and packs the outputs. New reference.
PyObject* RunConcrete(PyConcreteFunction* f, std::span<const Tensor> inputs);
// The same with inputs of matching types, in this thread's `builder`.
PyObject* RunMatched(PyConcreteFunction* f, std::span<const Tensor> inputs,
                     OpBuilder* builder);

// Calls of long running functions on this thread are stopped by the token, for
// as long as this lives.
class CancellableCalls {
 public:
  explicit CancellableCalls(const CancellationToken* token);
  ~CancellableCalls();
  CancellableCalls(const CancellableCalls&) = delete;

 private:
  const CancellationToken* const outer_;
};

// Other captures, as ConcreteFunction::WithCaptures takes them.
Status SetCaptures(PyConcreteFunction* f,
                   std::vector<FunctionCapture> captures);
// The graph of `body` in the place of a call of it, if there is nothing else in
// that of `f`.
void UseBody(PyConcreteFunction* f, const ConcreteFunction& body);
// Of one that was read from a file.
nanobind::object ConcreteFunctionOver(Ref<ConcreteFunction> function);

// Of a function whose signature() tells what it returns. New reference.
PyObject* NewConcreteFunction(Ref<ConcreteFunction> function);

// Takes a call that gives more than the tensors of the trace.
using StructuredCall = PyObject* (*)(PyConcreteFunction*, PyObject* const* args,
                                     size_t n, PyObject* kwnames);
// With what other files give the type.
bool AddConcreteFunctionType(PyObject* module, TypeParts own,
                             StructuredCall call);

}  // namespace gk::py

#endif  // GK_PYTHON_CONCRETE_FUNCTION_H_
