// Classes of values made of tensors: their parts are slots that Python keeps
// (and copies, compares and pickles as of any class); what they do stands in
// tables of methods, whose parameters are read from their signatures.
//
//   nb::object WithValues(nb::handle self, nb::handle values, nb::handle name);
//   PyMethodDef methods[] = {
//       GK_METHOD("with_values", "values, name=None", WithValues,
//                 "The same places with other values."), {}};
#ifndef GK_PYTHON_CLASS_MEMBERS_H_
#define GK_PYTHON_CLASS_MEMBERS_H_

#include <nanobind/nanobind.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/src/binding/class_attribute.h"
#include "python/src/binding/errors.h"

namespace gk::py {

// The parameters of a function, as a signature lists them (signature_text.h).
class SignatureParameters {
 public:
  explicit SignatureParameters(const char* text);

  // Each argument, or its default, to `out`; TypeError if they do not fit.
  void Bind(const char* function, PyObject* args, PyObject* kwargs,
            nanobind::object* out) const;

 private:
  std::vector<PyObject*> names_;     // interned
  std::vector<PyObject*> defaults_;  // null: must be given
};

template <class T>
struct ArgumentOf {
  static T Get(nanobind::handle value) { return value; }
};
template <>
struct ArgumentOf<bool> {
  static bool Get(nanobind::handle value);
};
template <>
struct ArgumentOf<int64_t> {
  static int64_t Get(nanobind::handle value);
};

template <Name kName, Name kParameters, auto kFunction>
struct BoundMethod;
template <Name kName, Name kParameters, class... Args,
          nanobind::object (*kFunction)(nanobind::handle, Args...)>
struct BoundMethod<kName, kParameters, kFunction> {
  static PyObject* Call(PyObject* self, PyObject* args, PyObject* kwargs) try {
    static const SignatureParameters parameters(kParameters.text);
    std::array<nanobind::object, sizeof...(Args) + 1> given;
    parameters.Bind(kName.text, args, kwargs, given.data());
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return kFunction(self, ArgumentOf<Args>::Get(given[i])...)
          .release()
          .ptr();
    }
    (std::index_sequence_for<Args...>());
  } catch (...) {
    return RaiseCaught();
  }
};

// An attribute computed by a function of the value.
template <nanobind::object (*kFunction)(nanobind::handle)>
PyObject* Property(PyObject* self, void*) try {
  return kFunction(self).release().ptr();
} catch (...) {
  return RaiseCaught();
}
// A part, by its slot.
template <Name kSlot>
nanobind::object Part(nanobind::handle self) {
  return self.attr(kSlot.text);
}

#define GK_FUNCTION_OF(self, name, parameters, function, flags, doc)  \
  {                                                                   \
    name,                                                             \
        ::gk::py::AsCFunction(                                        \
            ::gk::py::BoundMethod<name, parameters, function>::Call), \
        METH_VARARGS | METH_KEYWORDS | (flags),                       \
        name "(" self parameters ")\n--\n\n" doc                      \
  }
#define GK_METHOD(name, parameters, function, doc) \
  GK_FUNCTION_OF("$self, ", name, parameters, function, 0, doc)
#define GK_CLASS_METHOD(name, parameters, function, doc) \
  GK_FUNCTION_OF("$type, ", name, parameters, function, METH_CLASS, doc)
#define GK_MODULE_FUNCTION(name, parameters, function, doc) \
  GK_FUNCTION_OF("", name, parameters, function, 0, doc)
#define GK_PROPERTY(name, function, doc) \
  { name, ::gk::py::Property<function>, nullptr, doc, nullptr }

using Slots = std::vector<const char*>;
// A class made of its tables and added to the module. With `slots` its values
// have these parts and no others; without, any. Immortal; borrowed.
nanobind::handle AddClass(nanobind::module_& module, const char* name,
                          nanobind::handle base, std::optional<Slots> slots,
                          const char* doc, PyMethodDef* methods,
                          PyGetSetDef* properties);

// A value of a class, made without its __init__.
nanobind::object NewValue(
    nanobind::handle cls,
    std::initializer_list<std::pair<const char*, nanobind::object>> parts);
void SetParts(
    nanobind::handle self,
    std::initializer_list<std::pair<const char*, nanobind::object>> parts);

}  // namespace gk::py

#endif  // GK_PYTHON_CLASS_MEMBERS_H_
