// Messages are made by the package's Python, where protobuf is.
#include "python/src/binding/message_methods.h"
#include "python/src/binding/package_parts.h"

namespace gk::py {

PyObject* AsMessage(PyObject* o, PyObject*) {
  return package::as_message.Call({o});
}
PyObject* FromMessage(PyObject* cls, PyObject* args, PyObject* kwargs) {
  static const char* const kNames[] = {"proto", nullptr};
  PyObject* message;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:experimental_from_proto",
                                   const_cast<char**>(kNames), &message)) {
    return nullptr;
  }
  return package::from_message.Call({cls, message});
}
PyObject* ClassOfMessages(PyObject* cls, PyObject*) {
  return package::class_of_messages.Call({cls});
}

}  // namespace gk::py
