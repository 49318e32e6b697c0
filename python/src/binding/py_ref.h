// PyRef: an owned reference to a Python object; and the small idioms that
// every file of the binding needs. The GIL is held wherever one is copied or
// destroyed; references dropped without it go through DeferredDecref.
#ifndef GK_PYTHON_PY_REF_H_
#define GK_PYTHON_PY_REF_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <initializer_list>
#include <string_view>
#include <utility>

namespace gk::py {

class PyRef {
 public:
  PyRef() = default;
  // Takes over a new reference (the result of most API calls; may be null).
  static PyRef Steal(PyObject* p) {
    PyRef r;
    r.p_ = p;
    return r;
  }
  static PyRef Share(PyObject* p) {
    Py_XINCREF(p);
    return Steal(p);
  }
  PyRef(const PyRef& o) : p_(o.p_) { Py_XINCREF(p_); }
  PyRef(PyRef&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  PyRef& operator=(PyRef o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~PyRef() { Py_XDECREF(p_); }

  PyObject* get() const { return p_; }
  PyObject* Release() { return std::exchange(p_, nullptr); }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  PyObject* p_ = nullptr;
};

inline bool IsListOrTuple(PyObject* o) {
  return PyList_Check(o) || PyTuple_Check(o);
}

// A Python object that is made at its first use and stays. The guard of a
// static variable must not be held while Python runs: whoever gets the GIL
// meanwhile and waits for the guard stops both. Here the one who is first keeps
// his.
//
//   static constinit MadeOnce cls;
//   PyObject* p = cls.Get([] { return MakeClass(); });  // null: made anew
class MadeOnce {
 public:
  constexpr MadeOnce() = default;

  // Borrowed. `make` returns a new reference, or null with an exception set.
  template <class F>
  PyObject* Get(F&& make) {
    if (kept_ != nullptr) return kept_;
    PyRef made = PyRef::Steal(make());
    if (kept_ == nullptr) kept_ = made.Release();
    return kept_;
  }

 private:
  PyObject* kept_ = nullptr;
};

// Does this thread hold the GIL? As PyGILState_Check(), which says yes to
// everybody once a program has made an interpreter of its own.
bool HasGil();

// Gives up a reference from any thread, with or without the GIL.
void DeferredDecref(PyObject* p);

// An attribute of a Python module, imported on first use. New reference, null
// with an exception set.
PyRef ImportAttribute(const char* module, const char* name);
// Calls the function `module`.`name`.
PyObject* CallPython(const char* module, const char* name,
                     std::initializer_list<PyObject*> args);

inline std::string_view StringView(PyObject* unicode) {
  Py_ssize_t n = 0;
  const char* s = PyUnicode_AsUTF8AndSize(unicode, &n);
  return s ? std::string_view(s, n) : std::string_view();
}
inline PyObject* ToPyString(std::string_view s) {
  return PyUnicode_DecodeUTF8(s.data(), s.size(), "replace");
}

// For method tables: whatever the calling convention.
template <class F>
PyCFunction AsCFunction(F* f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

// Makes a heap type below `base` (null: object) and adds it to the module
// under the last part of its name. Borrowed; lives for ever. Null on error.
PyTypeObject* AddType(PyObject* module, PyType_Spec* spec, PyTypeObject* base);

}  // namespace gk::py

#endif  // GK_PYTHON_PY_REF_H_
