// Functions and methods that say in their documentation what they take, and
// are called with that:
//
//   nb::object Take(const Arguments& a) { ... a["count"] ... }
//   constexpr ToldFunction kMethods[] = {{R"(take(self, count, name=None)
//   The first `count` elements.)", &Take}};
//   ... MethodsOf<kMethods>() ...
#ifndef GK_PYTHON_TOLD_FUNCTION_H_
#define GK_PYTHON_TOLD_FUNCTION_H_

#include <nanobind/nanobind.h>

#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/src/binding/errors.h"
#include "python/src/binding/signature_text.h"

namespace gk::py {

class Arguments;

struct ToldFunction {
  // "name(parameters)", then what is said of it.
  const char* text;
  nanobind::object (*call)(const Arguments&);
};

// The parameters that such a text begins with.
class Parameters {
 public:
  explicit Parameters(const char* text);

  const std::string& function() const { return function_; }
  // As CPython wants it, which tells inspect.signature the parameters.
  const std::string& documentation() const { return documentation_; }
  bool is_method() const { return is_method_; }
  size_t size() const { return parameters_.size(); }
  // Where a parameter stands; there must be one.
  size_t Find(std::string_view name) const;
  // Their values, borrowed. Throws TypeError as Python words it.
  std::vector<nanobind::handle> Bind(nanobind::handle args,
                                     nanobind::handle kwargs) const;

 private:
  std::string function_, documentation_;
  bool is_method_ = false;
  std::vector<SignatureParameter> parameters_;
};

// What a function was called with.
class Arguments {
 public:
  Arguments(const Parameters& parameters, nanobind::handle self,
            nanobind::handle args, nanobind::handle kwargs)
      : parameters_(parameters),
        self_(self),
        values_(parameters.Bind(args, kwargs)) {}

  nanobind::handle self() const { return self_; }
  nanobind::handle operator[](std::string_view name) const {
    return values_[parameters_.Find(name)];
  }
  // All of them, in order.
  const std::vector<nanobind::handle>& values() const { return values_; }
  bool flag(std::string_view name) const;
  bool has(std::string_view name) const { return !(*this)[name].is_none(); }

 private:
  const Parameters& parameters_;
  nanobind::handle self_;
  std::vector<nanobind::handle> values_;
};

// Kept for ever: they are of the process.
template <const auto& kTable, size_t i>
const Parameters& ParametersOf() {
  static const auto& parameters = *new Parameters(kTable[i].text);
  return parameters;
}
template <const auto& kTable, size_t i>
PyObject* CallTold(PyObject* self, PyObject* args, PyObject* kwargs) {
  try {
    return kTable[i]
        .call(Arguments(ParametersOf<kTable, i>(), self, args, kwargs))
        .release()
        .ptr();
  } catch (...) {
    return RaiseCaught();
  }
}

// Those of a table as CPython takes them, with an empty one at the end.
// `kWithoutSelf`: METH_STATIC for the members of a class.
template <const auto& kTable, int kWithoutSelf = 0>
PyMethodDef* MethodsOf() {
  static auto& methods = *[]<size_t... i>(std::index_sequence<i...>) {
    auto define = []<size_t k>(std::integral_constant<size_t, k>) {
      const Parameters& p = ParametersOf<kTable, k>();
      return PyMethodDef{
          p.function().c_str(), AsCFunction(CallTold<kTable, k>),
          METH_VARARGS | METH_KEYWORDS | (p.is_method() ? 0 : kWithoutSelf),
          p.documentation().c_str()};
    };
    return new std::array<PyMethodDef, sizeof...(i) + 1>{
        define(std::integral_constant<size_t, i>())..., PyMethodDef{}};
  }
  (std::make_index_sequence<std::size(kTable)>());
  return methods.data();
}

}  // namespace gk::py

#endif  // GK_PYTHON_TOLD_FUNCTION_H_
