// How calls of Python's use files: without the GIL where they may wait for a
// disk or another thread.
#ifndef GK_PYTHON_FILE_CALLS_H_
#define GK_PYTHON_FILE_CALLS_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "python/src/binding/class_members.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/throw_status.h"

namespace gk::py {

template <class Call>
auto WithoutGil(Call call) {
  auto result = [&] {
    const GilRelease free(true);
    return call();
  }();
  return result;
}
template <class T>
T OrThrow(StatusOr<T> result) {
  if (!result.ok()) Throw(result.status());
  return *std::move(result);
}
inline nanobind::object NoneOrThrow(const Status& status) {
  if (!status.ok()) Throw(status);
  return nanobind::none();
}

// What an object has of a file, in the attribute of this name.
template <class T>
nanobind::object KeptFile(std::shared_ptr<T> file) {
  return nanobind::capsule(new std::shared_ptr<T>(std::move(file)),
                           [](void* p) noexcept {
                             // Closing it may write, and wait.
                             const GilRelease free(PyGILState_Check() != 0);
                             delete static_cast<std::shared_ptr<T>*>(p);
                           });
}
// A share: another thread may take it away from the object.
template <class T>
std::shared_ptr<T> SharedFile(nanobind::handle self, const char* attribute) {
  const nanobind::object kept = self.attr(attribute);
  return *static_cast<std::shared_ptr<T>*>(
      nanobind::cast<nanobind::capsule>(kept).data());
}

// Writes text, as UTF-8, or bytes, which are held still meanwhile. `write` gets
// them without the GIL. False: it is neither.
template <class Write>
bool WriteHeld(nanobind::handle content, Write write) {
  if (PyUnicode_Check(content.ptr())) {
    Py_ssize_t size;
    const char* bytes = PyUnicode_AsUTF8AndSize(content.ptr(), &size);
    if (bytes == nullptr) throw nanobind::python_error();
    const nanobind::object held = nanobind::borrow(content);
    NoneOrThrow(WithoutGil([&] {
      return write(std::string_view(bytes, static_cast<size_t>(size)));
    }));
    return true;
  }
  if (!PyBytes_Check(content.ptr()) && !PyByteArray_Check(content.ptr()) &&
      !PyMemoryView_Check(content.ptr())) {
    return false;
  }
  Py_buffer view;
  if (PyObject_GetBuffer(content.ptr(), &view, PyBUF_SIMPLE) < 0) {
    throw nanobind::python_error();
  }
  const Status written = WithoutGil([&] {
    return write(std::string_view(static_cast<const char*>(view.buf),
                                  static_cast<size_t>(view.len)));
  });
  PyBuffer_Release(&view);
  NoneOrThrow(written);
  return true;
}

}  // namespace gk::py

#endif  // GK_PYTHON_FILE_CALLS_H_
