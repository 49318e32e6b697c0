// What tf.compat.v1.Session runs graphs with.
#ifndef GK_PYTHON_SESSION_OBJECT_H_
#define GK_PYTHON_SESSION_OBJECT_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// _GraphSession, of which the package's sessions are made.
void AddGraphSession(nanobind::module_& m);

// `thing.eval(...)` or `.run(...)` by the session given or the default one.
// New reference; null with an exception set.
PyObject* EvaluateInSession(PyObject* thing, PyObject* args, PyObject* kwargs);

}  // namespace gk::py

#endif  // GK_PYTHON_SESSION_OBJECT_H_
