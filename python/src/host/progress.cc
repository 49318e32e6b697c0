// Where Python shows how far long work is.
#include "python/src/binding/gil.h"
#include "python/src/binding/pending_exception.h"
#include "python/src/binding/py_ref.h"
#include "python/src/host/python_language.h"

namespace gk::py {
namespace {

// A stream of IPython's kernel, which shows what it gets beside the cell.
bool IsNotebook(PyObject* stream) {
  const PyRef module =
      PyRef::Steal(PyObject_GetAttrString(
          reinterpret_cast<PyObject*>(Py_TYPE(stream)), "__module__"));
  return module && PyUnicode_Check(module.get()) &&
         StringView(module.get()).starts_with("ipykernel.");
}

bool IsTerminal(PyObject* stream) {
  const PyRef answer =
      PyRef::Steal(PyObject_CallMethod(stream, "isatty", nullptr));
  return answer && PyObject_IsTrue(answer.get()) == 1;
}

bool Write(PyObject* stream, std::string_view text) {
  const PyRef line = PyRef::Steal(ToPyString(text));
  const PyRef written = PyRef::Steal(
      line ? PyObject_CallMethod(stream, "write", "O", line.get()) : nullptr);
  return written &&
         PyRef::Steal(PyObject_CallMethod(stream, "flush", nullptr));
}

}  // namespace

bool PythonLanguage::ShowProgress(std::string_view text) {
  if (!Py_IsInitialized()) return false;
  const ScopedGil gil;
  const PendingException pending;
  PyObject* const found = PySys_GetObject("stderr");
  if (found == nullptr || found == Py_None) return false;
  const PyRef stream = PyRef::Share(found);
  const bool shown =
      (IsTerminal(stream.get()) || IsNotebook(stream.get())) &&
      Write(stream.get(), text);
  // A stream that cannot be asked or written has nobody who reads it.
  PyErr_Clear();
  return shown;
}

}  // namespace gk::py
