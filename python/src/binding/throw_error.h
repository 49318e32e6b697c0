// Errors of the core where Python's are thrown.
#ifndef GK_PYTHON_THROW_ERROR_H_
#define GK_PYTHON_THROW_ERROR_H_

#include <nanobind/nanobind.h>

#include <utility>

#include "base/caught.h"
#include "python/src/binding/errors.h"

namespace gk::py {

[[noreturn]] inline void Throw(const Status& status) {
  Raise(status);
  throw nanobind::python_error();
}

// What `f` returns; an Error that it throws becomes Python's. Errors of Python
// that it comes by pass.
template <class F>
auto Tried(F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (const nanobind::python_error&) {
    throw;
  } catch (...) {
    Throw(LastCaughtStatus());
  }
}

}  // namespace gk::py

#endif  // GK_PYTHON_THROW_ERROR_H_
