// PythonArguments: the values around the placeholders of a trace that its
// Python function is called with.
#ifndef GK_PYTHON_PYTHON_ARGUMENTS_H_
#define GK_PYTHON_PYTHON_ARGUMENTS_H_

#include <map>
#include <string>
#include <vector>

#include "function/trace_arguments.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

class PythonArguments : public ArgumentFace {
 public:
  // `owner`: what values of a class of the user's ask for placeholders.
  PythonArguments(FuncGraph* graph, PyObject* owner)
      : ArgumentFace(graph), owner_(owner) {}

  Names NamesOf(const TraceType& type, const std::string& parameter,
                const std::string& path) override;
  Status Tensor(const gk::Tensor& placeholder) override;
  Status Variable(const TraceType& type, const gk::Tensor& handle,
                  const std::string& parameter) override;
  Status Constant(const TraceType& type) override;
  Status Custom(const TraceType& type, const std::string& parameter) override;
  Status Container(const TraceType& type) override;
  // There is one value for each parameter in the end.
  const std::vector<PyRef>& values() const { return values_; }

 protected:
  PyObject* owner() const { return owner_; }

 private:
  Status Push(PyObject* value);

  PyObject* const owner_;
  std::vector<PyRef> values_;
  std::map<int, PyRef> variables_;
};

}  // namespace gk::py

#endif  // GK_PYTHON_PYTHON_ARGUMENTS_H_
