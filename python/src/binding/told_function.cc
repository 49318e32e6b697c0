#include "python/src/binding/told_function.h"

#include <algorithm>

#include "base/format.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/signature_parts.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

constexpr std::string_view kSelf = "self";

// "a, b=None" of "name(self, a, b=None)\n..."
std::string_view ParametersIn(std::string_view text, bool is_method) {
  const size_t begin =
      text.find('(') + 1 + (is_method ? kSelf.size() : size_t{0});
  std::string_view all = text.substr(begin, text.find(")\n") - begin);
  if (is_method && all.starts_with(',')) all.remove_prefix(1);
  return all;
}
bool IsMethod(std::string_view text) {
  text.remove_prefix(text.find('(') + 1);
  return text.starts_with(kSelf) &&
         (text[kSelf.size()] == ',' || text[kSelf.size()] == ')');
}

}  // namespace

ToldSignature::ToldSignature(const ToldFunction& function)
    : call(function.call),
      name(function.text, std::string_view(function.text).find('(')),
      is_method(IsMethod(function.text)),
      parameters(ParametersIn(function.text, is_method)) {
  // As CPython wants it, which tells inspect.signature the parameters: they
  // are on one line.
  const std::string_view text = function.text;
  std::string told = is_method ? "$self" : "";
  std::string_view left = ParametersIn(text, is_method);
  while (!left.empty()) {
    std::string_view one = TakeParameter(&left);
    one.remove_prefix(std::min(one.find_first_not_of(" \n"), one.size()));
    if (!told.empty()) told += ", ";
    told += one;
  }
  documentation = ReadableSignature(std::string_view(Format(
      "{}({})\n--\n\n{}", name, told, text.substr(text.find(")\n") + 2))));
}

bool Arguments::flag(std::string_view name) const {
  const int is = PyObject_IsTrue((*this)[name].ptr());
  if (is < 0) throw nb::python_error();
  return is == 1;
}

PyObject* CallTold(const ToldSignature& signature, PyObject* self,
                   PyObject* args, PyObject* kwargs) {
  try {
    return signature.call(Arguments(signature, self, args, kwargs))
        .release()
        .ptr();
  } catch (...) {
    return RaiseCaught();
  }
}

}  // namespace gk::py
