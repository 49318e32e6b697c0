#include "told_function.h"

#include <algorithm>

#include "base/format.h"
#include "dtype_type.h"
#include "throw_error.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \n";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

nb::object Literal(std::string_view text) {
  if (text == "None") return nb::none();
  if (text == "True" || text == "False") return nb::bool_(text == "True");
  if (text.front() == '\'') {
    return nb::str(text.data() + 1, text.size() - 2);
  }
  if (text.starts_with("tf.")) {
    return nb::borrow(DTypeObject(*DataTypeFromName(text.substr(3))));
  }
  return nb::int_(std::stoll(std::string(text)));
}

}  // namespace

Parameters::Parameters(const char* text) {
  const std::string_view all = text;
  const size_t open = all.find('('), close = all.find(")\n");
  function_ = all.substr(0, open);
  std::string told;
  std::string_view rest = all.substr(open + 1, close - open - 1);
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view one = Trimmed(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (!told.empty()) told += ", ";
    if (one == "self") {
      is_method_ = true;
      told += "$self";
      continue;
    }
    told += one;
    const size_t equal = one.find('=');
    parameters_.push_back({std::string(one.substr(0, equal)), nb::object()});
    if (equal != std::string_view::npos) {
      parameters_.back().otherwise = Literal(one.substr(equal + 1));
    }
  }
  documentation_ =
      Format("{}({})\n--\n\n{}", function_, told, all.substr(close + 2));
}

size_t Parameters::Find(std::string_view name) const {
  size_t i = 0;
  while (parameters_[i].name != name) ++i;
  return i;
}

std::vector<nb::handle> Parameters::Bind(nb::handle args,
                                         nb::handle kwargs) const {
  const size_t given = PyTuple_GET_SIZE(args.ptr());
  if (given > parameters_.size()) {
    Throw(TypeError("{}() takes {} positional arguments but {} were given",
                    function_, parameters_.size() + is_method_,
                    given + is_method_));
  }
  std::vector<nb::handle> values(parameters_.size());
  for (size_t i = 0; i < given; ++i) {
    values[i] = PyTuple_GET_ITEM(args.ptr(), i);
  }
  if (kwargs.ptr() != nullptr) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(kwargs.ptr(), &at, &key, &value);) {
      const std::string_view name = StringView(key);
      size_t i = 0;
      while (i < parameters_.size() && parameters_[i].name != name) ++i;
      if (i == parameters_.size()) {
        Throw(TypeError("{}() got an unexpected keyword argument '{}'",
                        function_, name));
      }
      if (values[i].ptr() != nullptr) {
        Throw(TypeError("{}() got multiple values for argument '{}'", function_,
                        name));
      }
      values[i] = value;
    }
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].ptr() != nullptr) continue;
    values[i] = parameters_[i].otherwise;
    if (values[i].ptr() == nullptr) {
      Throw(TypeError("{}() missing required argument: '{}'", function_,
                      parameters_[i].name));
    }
  }
  return values;
}

bool Arguments::flag(std::string_view name) const {
  const int is = PyObject_IsTrue((*this)[name].ptr());
  if (is < 0) throw nb::python_error();
  return is == 1;
}

}  // namespace gk::py
