// The methods by which dtypes, shapes and specs become protobuf messages.
#ifndef GK_PYTHON_MESSAGE_METHODS_H_
#define GK_PYTHON_MESSAGE_METHODS_H_

#include "python/src/binding/guarded.h"

namespace gk::py {

// Methods of objects, and of classes.
PyObject* AsMessage(PyObject* o, PyObject*);
PyObject* FromMessage(PyObject* cls, PyObject* args, PyObject* kwargs);
PyObject* ClassOfMessages(PyObject* cls, PyObject*);

#define GK_MESSAGE_METHODS                                           \
  {"experimental_as_proto", Guarded<AsMessage>, METH_NOARGS,         \
   "experimental_as_proto($self)\n--\n\n"                            \
   "This as a protobuf message."},                                   \
      {"experimental_from_proto", AsCFunction(Guarded<FromMessage>), \
       METH_VARARGS | METH_KEYWORDS | METH_CLASS,                    \
       "experimental_from_proto($type, proto)\n--\n\n"               \
       "What such a message tells of."},                             \
  {                                                                  \
    "experimental_type_proto", Guarded<ClassOfMessages>,             \
        METH_NOARGS | METH_CLASS,                                    \
        "experimental_type_proto($type)\n--\n\n"                     \
        "The class of its messages."                                 \
  }

}  // namespace gk::py

#endif  // GK_PYTHON_MESSAGE_METHODS_H_
