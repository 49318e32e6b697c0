// Signatures as the documentation of a function shows them, and arguments read
// by them: "a, b=None, *rest, c=1, **named".
#ifndef GK_PYTHON_SIGNATURE_TEXT_H_
#define GK_PYTHON_SIGNATURE_TEXT_H_

#include <nanobind/nanobind.h>

#include <string_view>
#include <vector>

namespace gk::py {

class SignatureParameters {
 public:
  // Defaults are None, True, False, (), numbers, 'text' and tf.dtypes.
  explicit SignatureParameters(std::string_view signature);

  size_t size() const { return parameters_.size(); }
  const char* name(size_t i) const;
  // Where a parameter stands; there must be one.
  size_t Find(std::string_view name) const;
  // Each argument, or its default, to `out`. TypeError, as Python words it, if
  // they do not fit. `selves`: how many it counts before the first.
  void Bind(std::string_view function, size_t selves, PyObject* args,
            PyObject* kwargs, nanobind::object* out) const;
  // As of a vectorcall: those by name, a tuple of names or null, are last.
  void Bind(std::string_view function, size_t selves, PyObject* const* args,
            size_t given, PyObject* names, nanobind::object* out) const;

 private:
  struct Parameter {
    PyObject* name;       // interned; of the process, as is the default
    PyObject* otherwise;  // null: the argument must be given
  };
  static constexpr size_t kNone = static_cast<size_t>(-1);

  void BindNamed(std::string_view function, PyObject* name, PyObject* value,
                 nanobind::object* out) const;

  std::vector<Parameter> parameters_;
  size_t by_position_ = kNone;  // how many may be
  size_t rest_ = kNone, named_ = kNone;
};

// The documentation of a function whose signature `inspect` is to read, which
// knows no types: "f(dtype=tf.int64)\n--\n\n..." as "f(dtype='int64')...".
std::string ReadableSignature(std::string_view documentation);
// The same, for as long as the process lives.
const char* ReadableSignature(const char* documentation);

}  // namespace gk::py

#endif  // GK_PYTHON_SIGNATURE_TEXT_H_
