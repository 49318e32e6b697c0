// Functions and methods that say in their documentation what they take, and
// are called with that by name:
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

#include "python/src/binding/py_ref.h"
#include "python/src/binding/signature_text.h"

namespace gk::py {

class Arguments;

struct ToldFunction {
  // "name(parameters)", then what is said of it.
  const char* text;
  nanobind::object (*call)(const Arguments&);
};

// What such a text begins with. Kept for ever: it is of the process.
struct ToldSignature {
  explicit ToldSignature(const ToldFunction& function);

  nanobind::object (*const call)(const Arguments&);
  std::string name, documentation;
  bool is_method;
  SignatureParameters parameters;
};

// What a function was called with.
class Arguments {
 public:
  Arguments(const ToldSignature& signature, nanobind::handle self,
            PyObject* args, PyObject* kwargs)
      : parameters_(signature.parameters),
        self_(self),
        values_(parameters_.size()) {
    parameters_.Bind(signature.name, signature.is_method, args, kwargs,
                     values_.data());
  }

  nanobind::handle self() const { return self_; }
  nanobind::handle operator[](std::string_view name) const {
    return values_[parameters_.Find(name)];
  }
  // All of them, in order.
  const std::vector<nanobind::object>& values() const { return values_; }
  bool flag(std::string_view name) const;
  bool has(std::string_view name) const { return !(*this)[name].is_none(); }

 private:
  const SignatureParameters& parameters_;
  nanobind::handle self_;
  std::vector<nanobind::object> values_;
};

PyObject* CallTold(const ToldSignature& signature, PyObject* self,
                   PyObject* args, PyObject* kwargs);

// Those of a table, once MethodsOf was called.
template <const auto& kTable>
inline std::array<const ToldSignature*, std::size(kTable)> told_signatures;

// Those of a table as CPython takes them, with an empty one at the end.
// `kWithoutSelf`: METH_STATIC for the members of a class.
template <const auto& kTable, int kWithoutSelf = 0>
PyMethodDef* MethodsOf() {
  return [&]<size_t... i>(std::index_sequence<i...>) {
    const auto define = [](size_t k, auto* call) {
      const auto* told = new ToldSignature(kTable[k]);
      told_signatures<kTable>[k] = told;
      return PyMethodDef{
          told->name.c_str(), AsCFunction(call),
          METH_VARARGS | METH_KEYWORDS | (told->is_method ? 0 : kWithoutSelf),
          told->documentation.c_str()};
    };
    return new PyMethodDef[sizeof...(i) + 1]{
        define(
            i,
            +[](PyObject* self, PyObject* args, PyObject* kwargs) {
              return CallTold(*told_signatures<kTable>[i], self, args, kwargs);
            })...,
        {}};
  }
  (std::make_index_sequence<std::size(kTable)>());
}

}  // namespace gk::py

#endif  // GK_PYTHON_TOLD_FUNCTION_H_
