// Which of TensorFlow's two ways into an eager op a call goes.
#ifndef GK_PYTHON_LONG_WAY_H_
#define GK_PYTHON_LONG_WAY_H_

#include <Python.h>

namespace gk::py {

class OpInfo;

// Its short way takes no integer for an attribute of floats, and no dtype's
// name; the long one, which it then goes, converts the inputs first. Defaults
// that are whole are integers there. (attr_argument.cc)
bool GoesTheLongWay(const OpInfo& op, PyObject* const* arguments);

}  // namespace gk::py

#endif  // GK_PYTHON_LONG_WAY_H_
