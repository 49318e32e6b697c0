// PendingException: keeps an exception that is on its way while other Python
// code runs.
#ifndef GK_PYTHON_PENDING_EXCEPTION_H_
#define GK_PYTHON_PENDING_EXCEPTION_H_

#include <Python.h>

namespace gk::py {

class PendingException {
 public:
  PendingException() { PyErr_Fetch(&type_, &value_, &trace_); }
  ~PendingException() {
    if (type_ != nullptr) PyErr_Restore(type_, value_, trace_);
  }
  PendingException(const PendingException&) = delete;
  PendingException& operator=(const PendingException&) = delete;

 private:
  PyObject *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

}  // namespace gk::py

#endif  // GK_PYTHON_PENDING_EXCEPTION_H_
