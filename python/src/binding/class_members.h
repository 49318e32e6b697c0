// Classes that programs may derive from, copy and pickle as those written in
// Python: what a value has is in its slots or dictionary; what it does stands
// in tables of methods, whose parameters are read from their signatures.
//
//   nb::object WithValues(nb::handle self, nb::handle values, nb::handle name);
//   PyMethodDef methods[] = {
//       GK_METHOD("with_values", "values, name=None", WithValues,
//                 "The same places with other values."), {}};
//
// Types whose values are made and called often are CPython's own (AddType).
#ifndef GK_PYTHON_CLASS_MEMBERS_H_
#define GK_PYTHON_CLASS_MEMBERS_H_

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "python/src/binding/class_attribute.h"
#include "python/src/binding/signature_text.h"

namespace gk::py {

inline constexpr size_t kMostParameters = 16;

// A function with the parameters of a signature.
struct ReadFunction {
  nanobind::object (*call)(nanobind::handle self,
                           const nanobind::object* given);
  const char* name;
  const char* signature;
  size_t count;                                     // of parameters
  size_t selves;                                    // that it takes before them
  const SignatureParameters* parameters = nullptr;  // once it was called
};
PyObject* CallRead(ReadFunction& function, PyObject* self,
                   PyObject* const* args, Py_ssize_t given, PyObject* names);

template <class T>
struct ArgumentOf {
  static T Get(nanobind::handle value) { return nanobind::borrow<T>(value); }
};
template <>
struct ArgumentOf<nanobind::handle> {
  static nanobind::handle Get(nanobind::handle value) { return value; }
};
template <>
struct ArgumentOf<bool> {
  static bool Get(nanobind::handle value);
};
template <>
struct ArgumentOf<int64_t> {
  static int64_t Get(nanobind::handle value);
};

template <Name kName, Name kParameters, auto kFunction, size_t kSelves>
struct BoundMethod;
template <Name kName, Name kParameters, class... Args,
          nanobind::object (*kFunction)(nanobind::handle, Args...),
          size_t kSelves>
struct BoundMethod<kName, kParameters, kFunction, kSelves> {
  static_assert(sizeof...(Args) <= kMostParameters);

  static nanobind::object Spread(nanobind::handle self,
                                 const nanobind::object* given) {
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return kFunction(self, ArgumentOf<Args>::Get(given[i])...);
    }
    (std::index_sequence_for<Args...>());
  }
  static inline constinit ReadFunction function = {
      Spread, kName.text, kParameters.text, sizeof...(Args), kSelves};
  static PyObject* Call(PyObject* self, PyObject* const* args,
                        Py_ssize_t given, PyObject* names) {
    return CallRead(function, self, args, given, names);
  }
};

// An attribute computed by a function of the value, which `function` is.
using AttributeFunction = nanobind::object (*)(nanobind::handle);
PyObject* GetComputed(PyObject* self, void* function);
// The attribute of a literal name, whose string is made once.
nanobind::object GetPart(nanobind::handle self, const char* literal);
// A part, by its slot.
template <Name kSlot>
nanobind::object Part(nanobind::handle self) {
  return GetPart(self, kSlot.text);
}

#define GK_FUNCTION_OF(self, selves, name, parameters, function, flags, doc)  \
  {                                                                           \
    name,                                                                     \
        ::gk::py::AsCFunction(                                                \
            ::gk::py::BoundMethod<name, parameters, function, selves>::Call), \
        METH_FASTCALL | METH_KEYWORDS | (flags),                              \
        name "(" self parameters ")\n--\n\n" doc                              \
  }
#define GK_METHOD(name, parameters, function, doc) \
  GK_FUNCTION_OF("$self, ", 1, name, parameters, function, 0, doc)
#define GK_CLASS_METHOD(name, parameters, function, doc) \
  GK_FUNCTION_OF("$type, ", 1, name, parameters, function, METH_CLASS, doc)
#define GK_STATIC_METHOD(name, parameters, function, doc) \
  GK_FUNCTION_OF("", 0, name, parameters, function, METH_STATIC, doc)
#define GK_MODULE_FUNCTION(name, parameters, function, doc) \
  GK_FUNCTION_OF("", 0, name, parameters, function, 0, doc)
#define GK_PROPERTY(name, function, doc)                               \
  {                                                                    \
    name, ::gk::py::GetComputed, nullptr, doc,                         \
        reinterpret_cast<void*>(::gk::py::AttributeFunction(function)) \
  }

using Slots = std::vector<const char*>;
// A class made of its tables and added to the module. With `slots` its values
// have these parts and no others; without, any. `home`: the module that it is
// public in, unless it is this one. Immortal; borrowed.
nanobind::handle AddClass(nanobind::module_& module, const char* name,
                          nanobind::handle base, std::optional<Slots> slots,
                          const char* doc, PyMethodDef* methods,
                          PyGetSetDef* properties, const char* home = nullptr);
// Without a base.
inline nanobind::handle AddClass(nanobind::module_& module, const char* name,
                                 const char* doc, PyMethodDef* methods,
                                 PyGetSetDef* properties = nullptr) {
  return AddClass(module, name, {}, std::nullopt, doc, methods, properties);
}

// The functions of a table, which ends with an empty entry, added to the
// module.
void AddFunctions(nanobind::module_& module, PyMethodDef* functions);

// A value of a class, made without its __init__. Names are literals.
nanobind::object NewValue(
    nanobind::handle cls,
    std::initializer_list<std::pair<const char*, nanobind::object>> parts);
void SetParts(
    nanobind::handle self,
    std::initializer_list<std::pair<const char*, nanobind::object>> parts);

}  // namespace gk::py

#endif  // GK_PYTHON_CLASS_MEMBERS_H_
