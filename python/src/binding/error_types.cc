// The classes of tf.errors, and the codes that they stand for.
#include <iterator>
#include <string>

#include "python/src/binding/errors.h"
#include "python/src/binding/guarded.h"

namespace gk::py {
namespace {

struct ErrorFacts {
  const char* code_name;
  const char* class_name;  // null: the code is no error
  const char* doc;
};

// By code.
constexpr ErrorFacts kErrors[] = {
    {"OK", nullptr, nullptr},
    {"CANCELLED", "CancelledError", "It was cancelled."},
    {"UNKNOWN", "UnknownError", "An unknown error."},
    {"INVALID_ARGUMENT", "InvalidArgumentError", "An argument is not valid."},
    {"DEADLINE_EXCEEDED", "DeadlineExceededError", "It took too long."},
    {"NOT_FOUND", "NotFoundError", "Something is missing."},
    {"ALREADY_EXISTS", "AlreadyExistsError", "Something exists already."},
    {"PERMISSION_DENIED", "PermissionDeniedError", "It is not permitted."},
    {"RESOURCE_EXHAUSTED", "ResourceExhaustedError", "Memory has run out."},
    {"FAILED_PRECONDITION", "FailedPreconditionError",
     "The system is not in the state that the operation needs."},
    {"ABORTED", "AbortedError", "It was aborted."},
    {"OUT_OF_RANGE", "OutOfRangeError", "Past the end of the input."},
    {"UNIMPLEMENTED", "UnimplementedError", "It is not implemented."},
    {"INTERNAL", "InternalError", "An invariant is broken."},
    {"UNAVAILABLE", "UnavailableError", "The runtime is unavailable."},
    {"DATA_LOSS", "DataLossError", "Data is lost or corrupt."},
    {"UNAUTHENTICATED", "UnauthenticatedError", "No valid credentials."}};
constexpr int kNumErrors = std::size(kErrors);

PyObject* classes[kNumErrors];
PyObject *op_error, *not_allowed, *inaccessible;

constexpr int kUnknown = static_cast<int>(Code::kUnknown);

// The code of a class of errors, of which `type` is one or derived; -1: none.
int CodeOf(PyTypeObject* type) {
  for (int code = 1; code < kNumErrors; ++code) {
    auto* known = reinterpret_cast<PyTypeObject*>(classes[code]);
    if (known != nullptr && PyType_IsSubtype(type, known)) return code;
  }
  return -1;
}

// The arguments stand in attributes, so that classes of programs may derive
// from these and from others.
bool SetParts(PyObject* self, PyObject* node_def, PyObject* op,
              PyObject* message, PyObject* code) {
  PyRef payloads = PyRef::Steal(PyDict_New());
  PyRef none = PyRef::Steal(PyTuple_New(0));
  return payloads && none &&
         PyObject_SetAttrString(self, "args", none.get()) == 0 &&
         PyObject_SetAttrString(self, "_node_def", node_def) == 0 &&
         PyObject_SetAttrString(self, "_op", op) == 0 &&
         PyObject_SetAttrString(self, "_message", message) == 0 &&
         PyObject_SetAttrString(self, "_error_code", code) == 0 &&
         PyObject_SetAttrString(self, "_experimental_payloads",
                                payloads.get()) == 0;
}

// OpError(node_def, op, message, error_code, ...); the others know their code.
int Init(PyObject* self, PyObject* args, PyObject* kwargs) {
  const int own = CodeOf(Py_TYPE(self));
  const char* names[] = {"node_def", "op", "message",
                         own < 0 ? "error_code" : nullptr, nullptr};
  // What follows is TensorFlow's to know.
  PyRef first = PyRef::Steal(PyTuple_GetSlice(args, 0, own < 0 ? 4 : 3));
  PyRef code = PyRef::Steal(PyLong_FromLong(own < 0 ? kUnknown : own));
  PyObject *node_def, *op, *message, *given = code.get();
  if (!first || !code ||
      !PyArg_ParseTupleAndKeywords(
          first.get(), kwargs, own < 0 ? "OOO|O" : "OOO",
          const_cast<char**>(names), &node_def, &op, &message, &given) ||
      !SetParts(self, node_def, op, message, own < 0 ? given : code.get())) {
    return -1;
  }
  return 0;
}

PyObject* Reduce(PyObject* self, PyObject*) {
  PyRef message = PyRef::Steal(PyObject_GetAttrString(self, "_message"));
  PyRef code = PyRef::Steal(PyObject_GetAttrString(self, "_error_code"));
  if (!message || !code) return nullptr;
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(self));
  return type == op_error
             ? Py_BuildValue("O(OOOO)", type, Py_None, Py_None, message.get(),
                             code.get())
             : Py_BuildValue("O(OOO)", type, Py_None, Py_None, message.get());
}

PyObject* Text(PyObject* self) {
  PyRef message = PyRef::Steal(PyObject_GetAttrString(self, "_message"));
  return message ? PyObject_Str(message.get()) : nullptr;
}

PyObject* Part(PyObject* self, void* name) {
  return PyObject_GetAttrString(self, static_cast<const char*>(name));
}
#define PART(name, doc) \
  { name, Guarded<Part>, nullptr, doc, const_cast<char*>("_" name) }
PyGetSetDef getset[] = {
    PART("message", "What went wrong."),
    PART("op", "The operation that failed, if it is known."),
    PART("node_def", "The NodeDef of the operation, if it is known."),
    PART("error_code", "The number of the error's class."),
    PART("experimental_payloads", "Further facts by type."),
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
#undef PART
PyMethodDef methods[] = {{"__reduce__", Guarded<Reduce>, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_init, Slot<Init>()},
    {Py_tp_str, Slot<Text>()},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_tp_doc,
     Doc("OpError(node_def, op, message, error_code=2, *args)\n--\n\n"
         "An operation failed: the base of all errors with an error code.\n\n"
         ">>> try:\n"
         "...     tf.reshape([1, 2, 3], [2, 2])\n"
         "... except tf.errors.OpError as e:\n"
         "...     e.error_code == tf.errors.INVALID_ARGUMENT\n"
         "True")},
    {0, nullptr}};
PyType_Spec spec = {"graphkiln.errors.OpError", 0, 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

// A class below `base`, kept for ever. Null on error.
PyObject* NewClass(PyObject* module, const char* name, const char* doc,
                   PyObject* base) {
  PyRef dict = PyRef::Steal(Py_BuildValue("{ssss}", "__module__",
                                          "graphkiln.errors", "__doc__", doc));
  PyObject* made =
      dict ? PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type),
                                   "s(O)O", name, base, dict.get())
           : nullptr;
  return made && PyModule_AddObjectRef(module, name, made) == 0 ? made
                                                                : nullptr;
}

PyObject* ClassOfCode(PyObject*, PyObject* code) {
  const long n = PyLong_AsLong(code);
  if (n == -1 && PyErr_Occurred()) return nullptr;
  if (n < 1 || n >= kNumErrors) {
    PyErr_SetObject(PyExc_KeyError, code);
    return nullptr;
  }
  return Py_NewRef(classes[n]);
}
PyObject* CodeOfClass(PyObject*, PyObject* cls) {
  for (int code = 1; code < kNumErrors; ++code) {
    if (classes[code] == cls) return PyLong_FromLong(code);
  }
  Py_RETURN_NONE;
}
PyMethodDef kErrorFunctions[] = {
    {"exception_type_from_error_code", Guarded<ClassOfCode>, METH_O,
     "exception_type_from_error_code(error_code, /)\n--\n\n"
     "The class of errors with this code.\n\n"
     ">>> tf.errors.exception_type_from_error_code(5).__name__\n"
     "'NotFoundError'"},
    {"error_code_from_exception_type", Guarded<CodeOfClass>, METH_O,
     "error_code_from_exception_type(cls, /)\n--\n\n"
     "The code of a class of errors.\n\n"
     ">>> tf.errors.error_code_from_exception_type(tf.errors.NotFoundError)\n"
     "5"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* ErrorClass(Code code) {
  const int n = static_cast<int>(code);
  return classes[n > 0 && n < kNumErrors ? n : kUnknown];
}
PyObject* OpErrorClass() { return op_error; }
PyObject* OperatorNotAllowedInGraphError() { return not_allowed; }
PyObject* InaccessibleTensorError() { return inaccessible; }

bool AddErrorTypes(PyObject* module) {
  op_error = PyType_FromSpecWithBases(&spec, PyExc_Exception);
  if (op_error == nullptr ||
      PyModule_AddObjectRef(module, "OpError", op_error) < 0) {
    return false;
  }
  for (int code = 0; code < kNumErrors; ++code) {
    const ErrorFacts& facts = kErrors[code];
    if (PyModule_AddIntConstant(module, facts.code_name, code) < 0) {
      return false;
    }
    if (facts.class_name == nullptr) continue;
    const std::string doc =
        Format("{0}\n\n>>> tf.errors.{1}(None, None, 'why').error_code\n{2}",
               facts.doc, facts.class_name, code);
    classes[code] = NewClass(module, facts.class_name, doc.c_str(), op_error);
    if (classes[code] == nullptr) return false;
  }
  not_allowed =
      NewClass(module, "OperatorNotAllowedInGraphError",
               "A Python operation that needs the value of a symbolic tensor.",
               PyExc_TypeError);
  inaccessible =
      NewClass(module, "InaccessibleTensorError",
               "A tensor of a graph that is out of scope.", PyExc_ValueError);
  return not_allowed != nullptr && inaccessible != nullptr &&
         PyModule_AddFunctions(module, kErrorFunctions) == 0;
}

}  // namespace gk::py
